#!/usr/bin/env bash
# clang-tidy on our own sources, with the checks of .clang-tidy; any finding fails.
#
#   scripts/tidy.sh                 every source the dev build compiles
#   scripts/tidy.sh app/ptx/ …      only paths that contain one of these
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
exec run-clang-tidy -quiet -p "$build" -j "$(nproc)" "${patterns[@]}"
