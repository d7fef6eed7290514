#!/usr/bin/env bash
# Builds the program for Windows on Debian: build/windows/tilestep-VERSION-windows-x86_64.zip, to unpack
# anywhere; bin/tilestep.exe opens the window. The libraries are made once, in the user's cache.
#
#   scripts/windows.sh          builds
#   scripts/windows.sh --test   builds, and tries the program under Wine: check, trace, a picture, the window
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# shellcheck source=scripts/libraries.sh
source "$root/scripts/libraries.sh"
export TILESTEP_WINDOWS_LIBRARIES="${XDG_CACHE_HOME:-$HOME/.cache}/tilestep/windows/libraries"

# Headers of Linux that elfutils includes, as far as reading a file in memory needs them.
make_elfutils_headers() {
  mkdir -p "$elfutils_headers/sys"
  cp /usr/include/ar.h "$elfutils_headers"
  sed -i '/sys.cdefs.h/d; /__BEGIN_DECLS/d; /__END_DECLS/d' "$elfutils_headers/ar.h"
  : >"$elfutils_headers/err.h"
  printf '#define gettext(text) (text)\n#define dgettext(domain, text) (text)\n' >"$elfutils_headers/libintl.h"
  printf '#define bswap_%s(x) __builtin_bswap%s(x)\n' 16 16 32 32 64 64 >"$elfutils_headers/byteswap.h"
  cat >"$elfutils_headers/endian.h" <<'END'
#define __LITTLE_ENDIAN 1234
#define __BIG_ENDIAN 4321
#define __BYTE_ORDER __LITTLE_ENDIAN
#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define BYTE_ORDER LITTLE_ENDIAN
#define le32toh(x) (x)
#define be32toh(x) __builtin_bswap32(x)
#define le64toh(x) (x)
#define be64toh(x) __builtin_bswap64(x)
#define htole32(x) (x)
#define htobe32(x) __builtin_bswap32(x)
END
  cat >"$elfutils_headers/sys/mman.h" <<'END'
#pragma once
#include <stddef.h>
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FAILED ((void*)-1)
#define MS_SYNC 4
static inline void* mmap(void* at, size_t size, int p, int f, int d, long long o) { return MAP_FAILED; }
static inline int munmap(void* at, size_t size) { return 0; }
static inline int msync(void* at, size_t size, int flags) { return 0; }
END
  cat >"$elfutils_headers/config.h" <<'END'
#define HAVE_DECL_MEMPCPY 0
#define HAVE_DECL_MEMRCHR 0
#define HAVE_DECL_POWEROF2 0
#define HAVE_DECL_REALLOCARRAY 0
#define S_ISUID 0
#define S_ISGID 0
#define F_GETFD 1
#define F_GETFL 3
#define _SC_PAGESIZE 1
#include <io.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
typedef unsigned int uid_t;
typedef unsigned int gid_t;
static inline void* own_mempcpy(void* to, const void* from, size_t size) { return (char*)memcpy(to, from, size) + size; }
#define mempcpy own_mempcpy
static inline ssize_t pread(int f, void* to, size_t size, long long at) { return _lseeki64(f, at, 0) < 0 ? -1 : read(f, to, size); }
static inline ssize_t pwrite(int f, const void* from, size_t size, long long at) { return _lseeki64(f, at, 0) < 0 ? -1 : write(f, from, size); }
static inline int fchmod(int f, int mode) { return 0; }
static inline int fchown(int f, int user, int group) { return 0; }
static inline int fcntl(int f, int command, ...) { return 0; }
static inline int posix_fallocate(int f, long long at, long long size) { return 0; }
static inline long sysconf(int name) { return 4096; }
END
}

install_packages "$root/scripts/packages.txt" "$root/scripts/packages-windows.txt"
fetch_archives
make_ptx
elfutils_headers="$(mktemp -d)"
trap 'rm -rf "$elfutils_headers"' EXIT
make_elfutils_headers
mkdir -p "$TILESTEP_WINDOWS_LIBRARIES"/{lib,include}
export CMAKE_TOOLCHAIN_FILE="$root/cmake/Mingw.cmake"
cc=x86_64-w64-mingw32-gcc-posix ar=x86_64-w64-mingw32-ar \
  build_libraries "$root/scripts/packages-cross-source.txt" "$TILESTEP_WINDOWS_LIBRARIES"
copy_headers
cd "$root"
cmake --preset windows >/dev/null
nice cmake --build --preset windows

version="$(sed -n 's/^project(tilestep VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
name="tilestep-$version-windows-x86_64"
work="build/windows/$name"
rm -rf "$work" "$work.zip"
mkdir -p "$work/bin/share"
x86_64-w64-mingw32-strip -o "$work/bin/tilestep.exe" build/windows/bin/tilestep.exe
cp -rL build/windows/share/tilestep "$work/bin/share"
cp -r build/release/share/tilestep/ptx-cache "$work/bin/share/tilestep"
cp LICENSE README.md "$work"
third_party/fetch.sh nvrtc-windows
nvrtc="$(third_party/fetch.sh --path nvrtc-windows)"
cp "$nvrtc"/nvidia/cu13/bin/x86_64/*.dll "$work/bin"
cp "$nvrtc"/*.dist-info/licenses/License.txt "$work/LICENSE.NVRTC"
(cd build/windows && zip -qr9 "$name.zip" "$name")
say "$(du -h "$work.zip" | cut -f 1): $work.zip"

[[ "${1:-}" == --test ]] || exit 0
install_packages "$root/scripts/packages-windows-test.txt"
tried="$(mktemp -d)"
trap 'rm -rf "$elfutils_headers" "$tried"' EXIT
unzip -q "$work.zip" -d "$tried"
export WINEPREFIX="$tried/prefix" WINEDEBUG=-all LIBGL_ALWAYS_SOFTWARE=1
cd "$tried/$name/bin"
# A crash ends the program; Wine's dialog about it would wait for a click.
timeout 120 wine reg add 'HKCU\Software\Wine\WineDbg' /v ShowCrashDialog /t REG_DWORD /d 0 /f >/dev/null 2>&1
run() { timeout 120 wine tilestep.exe "$@" 2>/dev/null; }
run --version
[[ "$(run check tiled --size 8 --block 4)" == *"No findings"* ]] || fail "check failed under Wine."
sed 's/acc = 0.0f/acc = 0.0f + 0.0f/' share/tilestep/kernels/naive.cu >edited.cu
[[ "$(run check edited.cu --size 8 --block 4)" == *"No findings"* ]] ||
  fail "an edited kernel was not compiled under Wine."
[[ "$(run trace tiled --size 4 --block 2)" == *"4 threads begin"* ]] || fail "trace failed under Wine."
wineserver --wait # the next one has a display
xvfb-run --auto-servernum --server-args="-screen 0 1920x1080x24" bash -c '
  timeout 120 wine tilestep.exe render tiled --size 8 --block 4 --out picture.png 2>/dev/null &&
    test -s picture.png &&
    { timeout 60 wine tilestep.exe --fresh 2>/dev/null & sleep 30; import -window root window.png; wineserver -k; }' ||
  fail "no picture or no window under Wine."
mkdir -p "$root/build/windows/test"
cp picture.png window.png "$root/build/windows/test"
say "check, trace, a picture and the window work under Wine; the pictures are in build/windows/test."
