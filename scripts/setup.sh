# shellcheck shell=bash
# Sourced by run.sh and test.sh: installs what a bare Debian 12 lacks, only if missing.
# Defines say, fail, install_packages, fetch_archives and up_to_date; $root is the repository.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { echo "tilestep: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

# install_packages LIST…: the Debian packages named in these files, one per line.
install_packages() {
  local package
  local -a missing=() sudo=()
  while read -r package; do
    [[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || missing+=("$package")
  done < <(sort -u "$@" | sed '/^ *\(#\|$\)/d')
  [[ ${#missing[@]} -gt 0 ]] || return 0

  command -v apt-get >/dev/null || fail "this is no Debian system, so install what these packages" \
    "stand for by hand, then run the build by its preset (README.md): ${missing[*]}"
  if [[ $EUID -ne 0 ]]; then
    sudo=(sudo)
    command -v sudo >/dev/null || fail "these packages are missing and there is no sudo to install" \
      "them with. As root, run: apt-get install ${missing[*]}"
    say "sudo may ask for your password to install the packages below."
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  # Without the package lists, or with old ones, installing fails; otherwise a failed update does not matter.
  "${sudo[@]}" apt-get update -qq || say "the package lists could not be refreshed; trying as they are."
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" || fail "apt-get could not install them (above: why). Cure that and start again."
}

has_nvrtc() {
  local file
  [[ -n "${TILESTEP_NVRTC:-}" ]] && return 0
  for file in /usr/local/cuda/lib64/libnvrtc.so*; do
    [[ -e "$file" ]] && return 0
  done
  /sbin/ldconfig -p | grep -q 'libnvrtc\.so'
}

# Dear ImGui, GLFW and the fonts; and NVIDIA's compiler library, unless a CUDA Toolkit has it.
fetch_archives() {
  "$root/third_party/fetch.sh" imgui-bundle file-dialogs || exit 1
  export ptx_cache=ON
  has_nvrtc && return
  if [[ "$(uname -m)" != x86_64 ]] || ! "$root/third_party/fetch.sh" nvrtc; then
    say "there is no NVRTC for this machine, so kernels cannot be compiled here: install a CUDA" \
      "Toolkit (13.0) or set TILESTEP_NVRTC to libnvrtc.so. Building without precompiled kernels."
    ptx_cache=OFF
  fi
}

# All checkouts share the compiler cache, whatever their paths.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

# up_to_date STAMP: true if no source (and no folder, so deletions count) is newer than STAMP.
up_to_date() {
  [[ -f "$1" ]] || return 1
  [[ -z "$(cd "$root" && find CMakeLists.txt CMakePresets.json app assets cmake kernels scripts \
    shaders third_party -newer "$1" -print -quit 2>/dev/null)" ]]
}
