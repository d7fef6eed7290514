#!/usr/bin/env bash
# Builds everything and runs the tests; arguments go to ctest (scripts/test.sh -L unit).
#
# In CI (CI=true), or with TIDY=1, clang-tidy also checks changed files. In CI, or with SANITIZE=1,
# rooms that read untrusted bytes or manage memory, every kernel and the window run under the
# sanitizers (tests/CMakeLists.txt).
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# The tests under the sanitizers. The leak sanitizer itself crashes if NVRTC's threads have ended
# (google/sanitizers issue 1353), which the preset's ASAN_OPTIONS prevent. If it still happens, the
# failed tests of such a run must pass in a second one.
run_sanitized() {
  local log="$root/build/asan/Testing/Temporary/LastTest.log"
  ctest --preset asan --parallel "$(nproc)" && return
  grep -q '^Tracer caught signal' "$log" || return 1
  echo "The leak sanitizer itself crashed. The failed tests run once more."
  ctest --preset asan --rerun-failed
}

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
failed=()
ctest --preset dev --parallel "$(nproc)" "$@" || failed+=("ctest --preset dev")
if [[ -n "$tidy" ]]; then
  wait "$tidy" || failed+=("scripts/tidy.py: $(tail -n 1 "$tidy_log")")
  cat "$tidy_log"
fi
if [[ "${CI:-}" == true || "${SANITIZE:-}" == 1 ]]; then
  cmake --preset asan -DTILESTEP_PTX_CACHE="$ptx_cache" \
    -DTILESTEP_PTX_CACHE_OF="$root/build/dev"
  cmake --build --preset asan
  run_sanitized || failed+=("ctest --preset asan")
fi
for step in "${failed[@]}"; do
  echo "test.sh: failed: $step" >&2
done
exit $((${#failed[@]} > 0))
