#!/usr/bin/env bash
# Records data on this machine's GPU for best_by_size, the ways to call cuBLAS and the errors.
#
#   scripts/record_best.sh PROGRAM OUT STEP [SIZES]
#
# STEP is tune, cublas, errors or all. Writes to OUT:
#
#   tune     tune.json (all rivals and cuBLAS at all sizes), best_by_size.toml (the winners: copy it
#            to kernels/)
#   cublas   cublas.json: cuBLAS in every way, best_by_size and the tensor kernels, in one run
#   errors   errors_SIZE.json, errors_2048.txt
#
# A second run continues where the first one ended; with other SIZES it adds theirs.
set -euo pipefail
program="$(realpath "$1")"
mkdir -p "$2"
out="$(realpath "$2")"
step="$3"
sizes="${4:-256,512,1000,1001,1024,2048,4096,8192,4096x512x1024,512x4096x1024,512x512x8192}"

took() { # what, command: its seconds, and its exit status; 1 is a wrong result
  local what="$1" status=0 start=$SECONDS
  shift
  "$@" || status=$?
  echo "record_best: $what: $((SECONDS - start)) s, exit status $status" >&2
  [[ $status -le 1 ]] || exit "$status"
}

tune() {
  took tune "$program" tune --seconds 0.2 --sizes "$sizes" --resume --out "$out/tune.json" \
    --table "$out/best_by_size.toml"
}

# The built program has the previous table, but best_by_size must mean the new winners.
take_new_table() {
  local built share="$out/share" folder
  [[ -f "$out/best_by_size.toml" ]] || return 0
  built="$(dirname "$program")/../share/tilestep"
  rm -rf "$share"
  mkdir -p "$share"
  for folder in "$built"/*; do
    ln -s "$(realpath "$folder")" "$share/"
  done
  rm "$share/kernels"
  cp -rL "$built/kernels" "$share/kernels"
  cp "$out/best_by_size.toml" "$share/kernels/"
  export TILESTEP_SHARE="$share"
}

cublas() {
  took cublas "$program" bench --warm --seconds 0.4 --sizes "$sizes" --cublas all --resume \
    --kernels best_by_size,tensor_tf32x3,tensor_tf32x3_small,tensor_tf32x3_in_unit \
    --out "$out/cublas.json"
}

errors() {
  local size kernels=ordered_products,best_by_size,tensor_tf32x3,tensor_tf32x3_in_unit
  for size in 512 1024 2048 4096; do
    took "errors at $size" "$program" errors "$kernels" --size "$size" --json \
      >"$out/errors_$size.json"
  done
  took "errors at 2048 as text" "$program" errors "$kernels" --size 2048 >"$out/errors_2048.txt"
}

case "$step" in
  tune) tune ;;
  cublas) take_new_table && cublas ;;
  errors) take_new_table && errors ;;
  all) tune && take_new_table && cublas && errors ;;
  *)
    echo "record_best: STEP is tune, cublas, errors or all, not '$step'." >&2
    exit 2
    ;;
esac
rm -rf "$out/share"
