#!/usr/bin/env bash
# Fuzzes every reader of untrusted bytes, and the emulator, with libFuzzer under the sanitizers.
#
#   scripts/fuzz.sh [SECONDS [TARGET…]]     SECONDS for each target; default 60 and all targets
#
# JOBS=n sets how many targets run at once (default: one per core). Seeds are in tests/fuzz/cases; new
# inputs are kept in build/fuzz/corpus. An input that breaks something is stored in
# build/fuzz/broken: minimize it (-minimize_crash=1), fix the bug, and copy it to
# tests/fuzz/cases/TARGET. The last lines show how many inputs each target executed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
folder=build/fuzz
targets=("${@:2}")
if [[ ${#targets[@]} -eq 0 ]]; then
  mapfile -t targets < <(ls tests/fuzz/cases)
fi

cmake --preset fuzz
cmake --build --preset fuzz
mkdir -p "$folder/broken"

run() { # target
  local corpus="$folder/corpus/$1" log="$folder/$1.log"
  mkdir -p "$corpus"
  "$folder/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4000 \
    -print_final_stats=1 -artifact_prefix="$folder/broken/$1-" "$corpus" "tests/fuzz/cases/$1" >"$log" 2>&1
}
export -f run
export folder seconds
status=0
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -I {} bash -c 'run {}' || status=1
for target in "${targets[@]}"; do
  log="$folder/$target.log"
  printf '%s: %s\n' "$target" "$(grep -E 'number_of_executed_units|ERROR|broken promise' "$log" | tr '\n' ' ')"
done
exit "$status"
