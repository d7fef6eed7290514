#!/usr/bin/env bash
# Makes build/wheel/tilestep-VERSION-py3-none-PLATFORM.whl from the archive that scripts/package.sh
# makes (docs/packaging.md).
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$root"

archives=(build/package/tilestep-*-linux-x86_64.tar.gz)
if ! up_to_date "${archives[0]}"; then
  scripts/package.sh
  archives=(build/package/tilestep-*-linux-x86_64.tar.gz)
fi
[[ ${#archives[@]} -eq 1 ]] || fail "there are several archives in build/package. Delete the old ones."
third_party/fetch.sh wheel

version="${archives[0]#*/tilestep-}"
version="${version%-linux-*}"
tree=build/wheel/tree
info="$tree/tilestep-$version.dist-info"
rm -rf build/wheel
mkdir -p "$info" "$tree/tilestep/program"
cp python/tilestep/*.py "$tree/tilestep"
tar -xf "${archives[0]}" -C "$tree/tilestep/program" --strip-components=1
# What a desktop or a shell finds in a system's folders alone.
rm -r "$tree/tilestep/program/share/"{applications,icons,bash-completion,zsh,fish}

# The highest version of the C library's symbols that the program and its libraries need: 2.35 is
# manylinux_2_35.
glibc="$(find "$tree/tilestep/program/bin" "$tree/tilestep/program/lib" -type f -exec objdump -T {} + |
  sed -n 's/.*(\?GLIBC_\([0-9.]*\))\?.*/\1/p' | sort -uV | tail -n 1)"
nvrtc="$(sed -n 's/^\([^# ][^ ]*\) .*/\1/p' third_party/nvrtc.txt)"
sed "s/@VERSION@/$version/; s/@NVRTC@/$nvrtc/" python/METADATA >"$info/METADATA"
cp LICENSE "$info"
printf '[console_scripts]\ntilestep = tilestep.program:main\n' >"$info/entry_points.txt"
printf 'Wheel-Version: 1.0\nGenerator: scripts/wheel.sh\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_%s_x86_64\n' \
  "${glibc/./_}" >"$info/WHEEL"
PYTHONPATH="$(third_party/fetch.sh --path wheel)" python3 -m wheel pack "$tree" --dest-dir build/wheel
ls -l build/wheel/*.whl
