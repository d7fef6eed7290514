#!/usr/bin/env bash
# Makes packages for other machines: build/package/tilestep-VERSION-linux-x86_64.tar.gz, which runs
# after unpacking, and build/package/tilestep_VERSION_amd64.deb (docs/packaging.md).
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
libraries="$root/build/package-libraries"

# Builds the list of packages-source.txt from Debian's own source packages, as archives below $libraries.
# apt gets settings of its own, so the machine's package sources are unchanged.
build_libraries() {
  local work name options source stamp
  work="$(mktemp -d)"
  mkdir -p "$work/lists/partial"
  # The same mirror and release as the packages that are installed.
  # shellcheck disable=SC2016  # apt's own variables
  apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) main' 'Created-By: Packages' \
    'Label: Debian' | sort -u >"$work/debian.list"
  local -a apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/debian.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
  sed '/^ *\(#\|$\)/d' "$root/scripts/packages-source.txt" >"$work/names"
  while read -r name options; do
    stamp="$libraries/$name.built"
    [[ -e "$stamp" && "$(<"$stamp")" == "$options" ]] && continue
    say "building $name as an archive, from Debian's source package"
    [[ -e "$work/updated" ]] || { "${apt[@]}" update && touch "$work/updated"; }
    mkdir "$work/$name"
    (cd "$work/$name" && "${apt[@]}" source "$name") || fail "apt-get could not fetch the source of $name."
    source=("$work/$name"/*/CMakeLists.txt)
    # shellcheck disable=SC2015,SC2086  # a failure of any of three; the options are several words
    cmake -S "$(dirname "${source[0]}")" -B "$work/$name/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
      -DCMAKE_INSTALL_PREFIX="$libraries" $options >"$work/$name.log" &&
      cmake --build "$work/$name/build" >>"$work/$name.log" &&
      cmake --install "$work/$name/build" >>"$work/$name.log" ||
      { cat "$work/$name.log" >&2; fail "$name could not be built (above: why)."; }
    echo "$options" >"$stamp"
  done <"$work/names"
  if [[ ! -e "$libraries/lib/libtomlplusplus.a" ]]; then # its source is its header
    printf '#define TOML_IMPLEMENTATION\n#include <toml++/toml.h>\n' >"$work/toml.cpp"
    g++ -std=c++17 -O2 -fPIC -DTOML_HEADER_ONLY=0 -c "$work/toml.cpp" -o "$work/toml.o"
    ar rcs "$libraries/lib/libtomlplusplus.a" "$work/toml.o"
  fi
  rm -rf "$work"
}

install_packages "$root/scripts/packages.txt" "$root/scripts/packages-package.txt"
fetch_archives
[[ $ptx_cache == ON ]] || fail "a package needs the catalog's PTX, and there is no NVRTC to make it."
build_libraries
cd "$root"
cmake --preset package
nice cmake --build --preset package
(cd build/package && cpack)
ls -l build/package/*.tar.gz build/package/*.deb
