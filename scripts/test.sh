#!/usr/bin/env bash
# Builds everything and runs the tests; arguments go to ctest (scripts/test.sh -L unit).
#
# In CI (CI=true), or with TIDY=1, clang-tidy looks at all our sources, beside the tests. In CI, or
# with SANITIZE=1, the tests labelled unit and golden run a second time, under the sanitizers.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages "$root/scripts/packages.txt" "$root/scripts/packages-test.txt"
fetch_archives
cd "$root"
cmake --preset dev -DTILESTEP_PTX_CACHE="$ptx_cache"
cmake --build --preset dev
tidy=
tidy_log="$root/build/dev/tidy.log"
if [[ "${CI:-}" == true || "${TIDY:-}" == 1 ]]; then
  nice scripts/tidy.py >"$tidy_log" 2>&1 &
  tidy=$!
fi
status=0
ctest --preset dev --parallel "$(nproc)" "$@" || status=$?
if [[ -n "$tidy" ]]; then
  wait "$tidy" || status=1
  cat "$tidy_log"
fi
# Without the window: no test with these labels opens one, and Dear ImGui need not be built again.
if [[ "${CI:-}" == true || "${SANITIZE:-}" == 1 ]]; then
  cmake --preset asan -DTILESTEP_UI=OFF -DTILESTEP_PTX_CACHE="$ptx_cache"
  cmake --build --preset asan
  ctest --preset asan --parallel "$(nproc)" -L 'unit|golden' || status=1
fi
exit "$status"
