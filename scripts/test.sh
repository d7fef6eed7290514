#!/usr/bin/env bash
# Builds everything and runs the tests; arguments go to ctest (scripts/test.sh -L unit).
#
# In CI (CI=true), or with TIDY=1, clang-tidy looks at all our sources, beside the tests.
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
exit "$status"
