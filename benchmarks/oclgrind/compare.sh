#!/bin/sh
# Times Oclgrind's race check beside `tilestep check`, both on one core, on the tiled kernel with
# N = 128 and BLOCK_SIZE 16.
#
#   benchmarks/oclgrind/compare.sh TILESTEP [RUNS]
#
# TILESTEP is the built program; the package `oclgrind` brings oclgrind-kernel. Whole processes are
# timed by their CPU time, so tilestep's includes starting, reading the compiled kernel and comparing
# C; the benchmark whole_check (benchmarks/insight/check.cpp) times the check by itself.
set -eu
tilestep=$(realpath "$1")
runs=${2:-3}
cd "$(dirname "$0")"

# The smallest CPU time of some runs, in milliseconds.
best() {
  "$@" >/dev/null # once, so that what is cached is there, and a failure is not taken for speed
  smallest=
  for _ in $(seq "$runs"); do
    taken=$(LC_ALL=C bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' timed "$@" 2>&1 |
      awk '{ printf "%d", ($1 + $2) * 1000 }')
    if [ -z "$smallest" ] || [ "$taken" -lt "$smallest" ]; then smallest=$taken; fi
  done
  echo "$smallest"
}

oclgrind=$(best oclgrind-kernel --num-threads 1 --data-races tiled.sim)
ours=$(best "$tilestep" check tiled --size 128,128,128 --block 16 --schedule sequential)
echo "oclgrind-kernel --data-races: $oclgrind ms"
echo "tilestep check: $ours ms"
