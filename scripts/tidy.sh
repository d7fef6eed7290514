#!/usr/bin/env bash
# clang-tidy on our own sources, with the checks of .clang-tidy; any finding fails.
#
#   scripts/tidy.sh                 every source the dev build compiles
#   scripts/tidy.sh app/ptx/ …      only paths that contain one of these
#
# Only findings are printed, and last of all the line of each.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${TILESTEP_BUILD:-$root/build/dev}"
[[ -f "$build/compile_commands.json" ]] ||
  { echo "tilestep: no $build/compile_commands.json: run cmake --preset dev first." >&2; exit 1; }
[[ $# -gt 0 ]] || set -- app tests benchmarks
patterns=()
for path in "$@"; do
  patterns+=("^$root/${path%/}")
done
log="$build/tidy.log"
if run-clang-tidy -quiet -p "$build" -j "$(nproc)" "${patterns[@]}" >"$log" 2>&1; then
  echo "tilestep: clang-tidy has looked at $(grep -c -- ' -quiet /' "$log") sources and found nothing."
  exit 0
fi
noise='^$|warnings? generated|^[^ ]*clang-tidy[^ ]* .* -quiet /|^Suppressed |^Use -header-filter'
grep -vE "$noise" "$log" || true
echo "tilestep: clang-tidy found:" >&2
sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E ': (warning|error):' | sort -u >&2 ||
  echo "  nothing it names; it ended with an error (all it printed: $log)" >&2
exit 1
