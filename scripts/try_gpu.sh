#!/usr/bin/env bash
# Tries the tarball on a machine with an NVIDIA GPU; no Debian package is required.
#
#   scripts/try_gpu.sh [TARBALL]     default: the one in build/package
#
# Unpacks it in a temporary folder, and runs its doctor, check, run, counters, bench and render.
# Any failure ends it with a sentence. Needs no build, and writes nothing outside that folder.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

packed=("$root"/build/package/tilestep-*-linux-*.tar.gz)
tarball="${1:-${packed[0]}}"
[[ -f "$tarball" ]] || fail "there is no $tarball: scripts/package.sh makes it."
trial="$(mktemp -d)"
trap 'rm -rf "$trial"' EXIT
tar -xzf "$tarball" -C "$trial"
program="$(echo "$trial"/*/bin/tilestep)"
cp "$root/kernels/tiled.cu" "$trial/mine.cu"
cd "$trial" # away from the sources, so that only the tarball's files are found
export XDG_CACHE_HOME="$trial/cache"

expect() { # status, arguments: checks the exit status; the output is in $trial/said
  local wanted="$1" status=0
  shift
  say "tilestep $*"
  "$program" "$@" >"$trial/said" 2>&1 || status=$?
  head -30 "$trial/said"
  [[ $status -eq $wanted ]] || fail "'tilestep $*' ended with $status instead of $wanted."
}

says() { grep -q "$1" "$trial/said" || fail "that does not say '$1'."; }

expect 0 --version
ldd "$program" | grep 'not found' && fail "libraries are missing (above)."
expect 0 doctor
says '✓ GPU'
says '✓ cuBLAS'
expect 0 check tiled --size 64 --block 16
expect 1 check tiled_missing_barrier --size 64 --block 16
says race
expect 0 describe mine.cu --out mine.toml
expect 0 check mine.cu
expect 0 run tiled --size 100,70,33 --block 16
expect 0 run register_tile_vectorised --size 128 --block 16
expect 0 run mine.cu
expect 0 counters tiled --size 1024 --block 32
expect 0 bench --kernels naive,tiled --sizes 256,1024 --block-sizes 16,32 --seconds 0.1 --out bench.json
expect 0 chart --data bench.json --out bench.svg
expect 0 render tiled --at phase:1 --pixels 1280x720 --out stage.png
say "the tarball works here."
