#!/usr/bin/env bash
# Builds the browser edition: build/web/site/, static files for any host. The compiler (Emscripten of a
# newer Debian) and the libraries for it are made once, in the user's cache.
#
#   scripts/web.sh          builds, serves the site on this machine, and opens it
#   scripts/web.sh --build  builds
#   scripts/web.sh --test   builds, compares every step of the catalog's kernels in node with the native
#                           program, and drives the page in Chromium and Firefox; pictures: build/web/test/
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# shellcheck source=scripts/libraries.sh
source "$root/scripts/libraries.sh"
emscripten=3.1.69 # of Debian 13
web="${XDG_CACHE_HOME:-$HOME/.cache}/tilestep/web"
toolchain="$web/emscripten-$emscripten"

# Unpacks Debian 13's Emscripten and what it needs below $toolchain. Its programs use the C library
# beside them, because the machine's is too old.
install_toolchain() {
  local mirror file link usr="$toolchain/root/usr"
  [[ -e "$toolchain/installed" ]] && return
  say "unpacking Emscripten from Debian 13 (2.3 GB on disk, once)"
  # shellcheck disable=SC2016  # apt's own variables
  mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | sort -u | head -n 1)"
  rm -rf "$toolchain"
  mkdir -p "$toolchain"
  mmdebstrap --quiet --variant=extract --include=emscripten --components=main trixie "$toolchain/root" \
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" ||
    fail "mmdebstrap could not unpack Emscripten (above: why)."
  for link in lib lib64 bin sbin; do
    [[ -e "$toolchain/root/$link" ]] || ln -s "usr/$link" "$toolchain/root/$link"
  done
  for file in "$usr"/lib/llvm-19/bin/{clang,lld,llvm-*} "$usr"/bin/wasm-*; do
    if [[ ! -L "$file" && "$(head -c 4 "$file")" == $'\x7fELF' ]]; then
      patchelf --set-interpreter "$usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
        --set-rpath "$usr/lib/x86_64-linux-gnu:$usr/lib/llvm-19/lib" "$file"
    fi
  done
  [[ "$(tr -d '"' <"$usr/share/emscripten/emscripten-version.txt")" == "$emscripten"* ]] ||
    fail "Debian 13 has another Emscripten than $emscripten. Change scripts/web.sh and try the browser edition."
  cat >"$toolchain/config" <<END
EMSCRIPTEN_ROOT = '$usr/share/emscripten'
LLVM_ROOT = '$usr/lib/llvm-19/bin'
BINARYEN_ROOT = '$usr'
NODE_JS = '$(command -v node)'
CACHE = '$toolchain/cache'
END
  touch "$toolchain/installed"
}

install_packages "$root/scripts/packages.txt" "$root/scripts/packages-web.txt"
fetch_archives
make_ptx
install_toolchain
export EM_CONFIG="$toolchain/config" EMSCRIPTEN="$toolchain/root/usr/share/emscripten"
export TILESTEP_WEB_LIBRARIES="$web/libraries" PATH="$EMSCRIPTEN:$PATH"
# Also for what cmake tries to link: without -O2 that would need Emscripten's libraries for debugging.
cc=emcc ar=emar configure=emcmake EMCC_CFLAGS="-O2 -fwasm-exceptions -msimd128" build_libraries "$root/scripts/packages-cross-source.txt" "$TILESTEP_WEB_LIBRARIES"
copy_headers
cd "$root"
cmake --preset web
nice cmake --build --preset web

share="$root/build/release/share/tilestep"
site="$root/build/web/site"
for folder in ptx-cache timings counters; do
  rm -rf "${site:?}/$folder"
  cp -rL "$share/$folder" "$site"
done
install -D -m 644 "$share"/fonts/Droid*.ttf -t "$site/fonts"
install -m 644 "$root/docs/examples/article.html" "$site"
build="$(cat "$site"/{index.html,tilestep.{js,wasm,data}} | sha256sum)"
sed "s/@build@/${build:0:12}/" "$root/app/worker.js" >"$site/worker.js"
say "the site is $site: $(du -sh "$site" | cut -f 1), of which $(cat "$site"/tilestep.{js,wasm,data} | gzip -9 | wc -c) bytes" \
  "(compressed) are the program."

case "${1:-}" in
  --build) ;;
  --test)
    install_packages "$root/scripts/packages-web-test.txt"
    make_ptx tilestep # the page is compared with its picture
    cmake --preset dev -DTILESTEP_PTX_CACHE=ON
    nice cmake --build "$root/build/dev" --target catalog_states
    files=(kernels "$share/ptx-cache")
    build/dev/tests/web/catalog_states "${files[@]}" >build/web/native.txt
    node build/web/tests/web/catalog_states.js "${files[@]}" >build/web/web.txt
    diff build/web/native.txt build/web/web.txt || fail "these launches differ (native, then WebAssembly)."
    say "$(wc -l <build/web/web.txt) launches have equal steps and states"
    for browser in chromium firefox; do
      LIBGL_ALWAYS_SOFTWARE=1 xvfb-run --auto-servernum --server-args="-screen 0 1920x1080x24" \
        /usr/bin/python3 tests/web/page_test.py "$browser" "$site" build/release/bin/tilestep build/web/test ||
        fail "the page fails in $browser (above: where)."
    done
    ;;
  "")
    say "serving on http://localhost:8000/ until Ctrl+C"
    [[ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]] || (sleep 1 && xdg-open http://localhost:8000/) &
    exec python3 -m http.server --bind 127.0.0.1 --directory "$site" 8000
    ;;
  *) fail "web.sh has the options --build and --test; '$1' is none of them." ;;
esac
