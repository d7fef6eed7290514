#!/usr/bin/env bash
# Makes packages for other machines: build/package/tilestep-VERSION-linux-x86_64.tar.gz, which runs
# after unpacking, and build/package/tilestep_VERSION_amd64.deb (docs/packaging.md).
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# shellcheck source=scripts/libraries.sh
source "$root/scripts/libraries.sh"

install_packages "$root/scripts/packages.txt" "$root/scripts/packages-package.txt"
fetch_archives
[[ $ptx_cache == ON ]] || fail "a package needs the catalog's PTX, and there is no NVRTC to make it."
build_libraries "$root/scripts/packages-source.txt" "$root/build/package-libraries"
if [[ ! -e "$libraries/lib/libtomlplusplus.a" ]]; then # its source is its header
  printf '#define TOML_IMPLEMENTATION\n#include <toml++/toml.h>\n' |
    g++ -std=c++17 -O2 -fPIC -DTOML_HEADER_ONLY=0 -x c++ -c - -o "$libraries/toml.o"
  ar rcs "$libraries/lib/libtomlplusplus.a" "$libraries/toml.o"
fi
cd "$root"
cmake --preset package
nice cmake --build --preset package
(cd build/package && cpack)
ls -l build/package/*.tar.gz build/package/*.deb
