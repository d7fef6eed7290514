#!/usr/bin/env bash
# Fuzzes PTX text, launch descriptions and the machine with libFuzzer, side by side.
#
#   scripts/fuzz.sh [SECONDS [JOBS]]     JOBS processes a target; default 60 seconds, one job
#
# Seeds are the tests' PTX files and the catalog's descriptions; what is found grows in
# build/fuzz/corpus and is kept. An input that breaks something is left in build/fuzz/broken: make it
# small (-minimize_crash=1), mend what it breaks, and put it into tests/fuzz/cases.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
jobs=${2:-1}

cmake --preset fuzz
cmake --build --preset fuzz
folder=build/fuzz
mkdir -p "$folder"/corpus/{ptx,description,machine} "$folder/broken"
cp tests/ptx/debug_data/*.ptx "$folder/corpus/ptx/"
cp tests/fuzz/cases/ptx/* "$folder/corpus/ptx/"
cp tests/fuzz/cases/description/* "$folder/corpus/description/"
cp tests/fuzz/cases/machine/* "$folder/corpus/machine/"

start() { # program corpus
  local job
  for ((job = 0; job < jobs; ++job)); do
    "$folder/tests/fuzz/$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4000 \
      -artifact_prefix="$folder/broken/$1-" "$folder/corpus/$2" >"$folder/$1-$job.log" 2>&1 &
    running+=($!)
  done
}
running=()
start fuzz_read_ptx ptx
start fuzz_read_description description
start fuzz_execute machine
failed=0
for process in "${running[@]}"; do
  wait "$process" || failed=1
done
for log in "$folder"/fuzz_*.log; do
  printf '%s: %s\n' "$(basename "$log" .log)" "$(grep -E 'Done|ERROR|broken promise' "$log" | tail -1)"
done
exit "$failed"
