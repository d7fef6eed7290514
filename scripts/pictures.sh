#!/usr/bin/env bash
# Remakes the pictures of README.md and docs/images, each from its scene.
#
#   scripts/pictures.sh [NAME…]     default: all; a NAME is a file of docs/images without .png
#
# Needs no display. TILESTEP may name an existing program; otherwise scripts/run.sh builds it.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
program="${TILESTEP:-$root/scripts/run.sh}"
out="$root/docs/images"
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
export XDG_STATE_HOME="$home" XDG_CONFIG_HOME="$home" # the user's settings must not affect a picture
tiled=(tiled --size 8,8,8 --block 4 --focus-block 1 --focus-thread 6)
timed=(--timed-size 4096 --select tiled:16)

# The scene of each picture, as arguments of `tilestep render`.
scene_of() {
  case "$1" in
    multiply) scene=("${tiled[@]}" --at phase:3) ;;
    load) scene=("${tiled[@]}" --at phase-end:2) ;;
    missing-barrier)
      scene=(tiled --size 8,8,8 --block 4 --schedule run_ahead --warp-size 4 --focus-thread 4
        --compare tiled_missing_barrier --at statement:60)
      ;;
    banks) scene=(tiled_transposed --size 16,16,16 --block 16 --at statement:10 --contrast) ;;
    lesson) scene=(--lesson 3 --beat 3) ;;
    lecture) scene=(--lesson 3 --beat 4 --lecture) ;;
    timing)
      scene=(tiled --size 8,8,8 --block 16 --page block_size --timed-size 4096 --select tiled:17
        --against tiled:16)
      ;;
    ladder) scene=(tiled --block 16 --page ladder "${timed[@]}") ;;
    roofline) scene=(tiled --block 16 --page roofline --timed-size 1024 --select tiled:16) ;;
    *) fail "there is no picture '$1'. Choose from: ${all[*]}." ;;
  esac
}

all=(multiply load missing-barrier banks lesson lecture timing ladder roofline)
for name in "${@:-${all[@]}}"; do
  scene_of "$name"
  "$program" --language en render "${scene[@]}" --out "$out/$name.png"
done
