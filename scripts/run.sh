#!/usr/bin/env bash
# Builds what is missing, then opens Tilestep; arguments are passed on.
#
#   scripts/run.sh                            the window (without a display: PNG files)
#   scripts/run.sh check tiled --size 8,8,8   any subcommand; scripts/run.sh --help lists them
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
build="$root/build/release"
program="$build/bin/tilestep"
stamp="$build/built"

if [[ ! -x "$program" ]] || ! up_to_date "$stamp"; then
  install_packages "$root/scripts/packages.txt"
  fetch_archives
  mkdir -p "$build"
  touch "$stamp.next" # set before the build, so that an edit made meanwhile counts as newer
  log="$build/build.log"
  say "building (the first time this takes minutes; the log is $log)"
  (cd "$root" && cmake --preset release -DTILESTEP_PTX_CACHE="$ptx_cache" >"$log" 2>&1) ||
    { tail -n 30 "$log" >&2; fail "configuring failed (above: why)."; }
  cmake --build "$build" 2>&1 | tee -a "$log" | sed -u 's/^/  /' >&2 ||
    fail "the build failed (above: where)."
  mv "$stamp.next" "$stamp"
fi

if [[ $# -eq 0 && -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]]; then
  scenes="$root/build/scenes"
  say "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can open." \
    "Rendering the opening scenes to PNG files in $scenes instead."
  mkdir -p "$scenes"
  set -- scenes --out "$scenes"
fi
exec "$program" "$@"
