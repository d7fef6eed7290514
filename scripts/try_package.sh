#!/usr/bin/env bash
# Tries the two packages in bare Debian roots made by debootstrap.
#
#   scripts/try_package.sh [FOLDER [RELEASE]]     FOLDER has what scripts/package.sh made (default:
#                                                 build/package); RELEASE is Debian's (bookworm)
#
# Needs root (chroot) and a network connection. The packaged programs' pictures are written to
# build/trial/RELEASE/pictures to look at. Any failure ends it with a sentence.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
packages="$(cd "${1:-$root/build/package}" && pwd)"
release="${2:-bookworm}"
trial="$root/build/trial/$release"
pictures="$trial/pictures"
newest_glibc=2.35        # Ubuntu 22.04's
largest=$((64 * 1048576)) # bytes
system='^(ld-linux-x86-64\.so\.2|lib(c|m|dl|rt|pthread)\.so\.[0-9]+)$'

[[ $EUID -eq 0 ]] || fail "chroot needs root: sudo $0"
command -v debootstrap >/dev/null || fail "install the Debian package debootstrap first."
archive=("$packages"/tilestep-*-linux-*.tar.gz)
deb=("$packages"/tilestep_*.deb)
[[ -f "${archive[0]}" && -f "${deb[0]}" ]] || fail "no packages in $packages: scripts/package.sh makes them."

# A new root as debootstrap makes it.
bare_root() { # name
  if [[ ! -e "$trial/base/.complete" ]]; then
    say "making a bare Debian $release"
    rm -rf "$trial/base"
    mkdir -p "$trial"
    debootstrap --variant=minbase "$release" "$trial/base" >"$trial/debootstrap.log" ||
      { tail "$trial/debootstrap.log" >&2; fail "debootstrap failed (above: why)."; }
    touch "$trial/base/.complete"
  fi
  rm -rf "${trial:?}/$1"
  cp -a --reflink=auto "$trial/base" "$trial/$1"
}

# within ROOT COMMAND…: in a mount and process namespace of its own, whose mounts and processes end
# with it; without variables of this shell except TERM.
within() {
  local folder="$trial/$1"
  shift
  # shellcheck disable=SC2016  # for the inner shell
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm"
    chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root \
      DEBIAN_FRONTEND=noninteractive LIBGL_ALWAYS_SOFTWARE=1 "$@"
    exit $? # not exec: Xvfb signals its parent that it is ready, but never process 1' "$folder" "$@"
}

apt() { # root, packages
  local name="$1"
  shift
  within "$name" apt-get update -qq
  within "$name" apt-get install -y -qq --no-install-recommends "$@" >"$trial/$name-apt.log" 2>&1 ||
    { tail "$trial/$name-apt.log" >&2; fail "apt-get install $* failed in $name (above: why)."; }
}

expect() { # status, root, command: checks the exit status; prints the output
  local wanted="$1" status=0
  shift
  within "$@" || status=$?
  [[ $status -eq $wanted ]] || fail "'${*:2}' ended with $status instead of $wanted in $1."
}

# Checks the files' requirements: only the C library, and none newer than Debian 12's.
inspect() { # folder
  local file needed version
  while read -r file; do
    while read -r needed; do
      [[ $needed =~ $system || -e "$1/lib/tilestep/$needed" ]] || fail "$file needs $needed."
    done < <(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    version="$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sed s/GLIBC_// | sort -V | tail -1)"
    [[ "$(printf '%s\n' "$newest_glibc" "$version" | sort -V | tail -1)" == "$newest_glibc" ]] ||
      fail "$file needs glibc $version."
    say "${file#"$1"/}: glibc $version or newer"
  done < <(find "$1/bin" "$1/lib" -type f)
}

# Commands that need no OpenGL.
try_text() { # root, program
  expect 0 "$1" "$2" --version
  expect 0 "$1" "$2" check tiled --size 64 --block 16
  expect 1 "$1" "$2" check tiled_missing_barrier --size 64 --block 16 >"$trial/$1-findings.log"
  grep -q race "$trial/$1-findings.log" || fail "the missing barrier is not found in $1."
  expect 0 "$1" "$2" counters tiled --size 64 --block 16 >"$trial/$1-counters.log"
}

# With OpenGL: doctor, a picture, and a window on a virtual display.
try_window() { # root, program
  local picture="$trial/$1/tmp/stage.png"
  expect 0 "$1" "$2" doctor
  expect 0 "$1" "$2" render tiled --at phase:1 --pixels 1280x720 --out /tmp/stage.png
  [[ "$(od -An -tx1 -j16 -N8 "$picture" | tr -d ' ')" == 00000500000002d0 ]] ||
    fail "the picture drawn in $1 is not 1280x720."
  mkdir -p "$pictures"
  cp "$picture" "$pictures/$1.png"
  apt "$1" xvfb xauth x11-utils
  # shellcheck disable=SC2016  # for the inner shell
  expect 0 "$1" xvfb-run -a bash -c '"$0" & for i in {1..60}; do sleep 1
    xwininfo -root -tree | grep -q "\"Tilestep" && kill -0 $! && exit 0; done; exit 1' "$2"
  say "$1: the window opens"
}

size="$(stat -c %s "${archive[0]}")"
say "$(basename "${archive[0]}"): $size bytes"
[[ $size -lt $largest ]] || fail "the archive is larger than $largest bytes."

bare_root archive
tar -xzf "${archive[0]}" -C "$trial/archive/opt" --no-same-owner
folder="$(basename "${archive[0]}" .tar.gz)"
inspect "$trial/archive/opt/$folder"
try_text archive "/opt/$folder/bin/tilestep"
apt archive libgl1 libegl1 libgl1-mesa-dri
try_window archive "/opt/$folder/bin/tilestep"

bare_root deb
cp "${deb[0]}" "$trial/deb/tmp/tilestep.deb"
apt deb /tmp/tilestep.deb
try_text deb tilestep
try_window deb tilestep
within deb dpkg -L tilestep >"$trial/deb-files.log"
within deb apt-get remove -y -qq tilestep >"$trial/deb-remove.log"
while read -r file; do
  [[ -d "$trial/deb$file" ]] || [[ ! -e "$trial/deb$file" ]] || fail "removing the .deb leaves $file."
done <"$trial/deb-files.log"
rm -rf "${trial:?}/archive" "${trial:?}/deb"
say "both packages work in a bare Debian $release; look at $pictures."
