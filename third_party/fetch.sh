#!/usr/bin/env bash
# Fetches pinned third-party archives into the cache, once.
#
#   third_party/fetch.sh [NAME…]                    without a name: imgui-bundle, file-dialogs
#   third_party/fetch.sh --path NAME                prints the folder it has, or will have
#
# Each NAME is described by NAME.txt beside this file. The folder's name carries the hash of that
# description, so another version is another folder, and what is there is never changed. Safe
# against a second process (a lock) and a kill (extract beside, then rename).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
deps="${XDG_CACHE_HOME:-${HOME:?HOME is not set: set it, or XDG_CACHE_HOME}/.cache}/tilestep/deps"

fail() {
  echo "third_party/fetch.sh: $*" >&2
  exit 1
}

folder_of() {
  local digest
  [[ -f "$here/$1.txt" ]] || fail "there is no third_party/$1.txt."
  digest="$(sha256sum "$here/$1.txt")"
  echo "$deps/$1-${digest:0:12}"
}

download() { # name, folder
  local kind=--no-binary=:all:
  local -a platform
  mapfile -t platform < <(sed -n 's/^# platform: /--platform=/p' "$here/$1.txt")
  [[ $1 == imgui-bundle || $1 == file-dialogs ]] || kind=--only-binary=:all:
  # PYTHONPATH: see metadata_only/scikit_build_core/build.py.
  PYTHONPATH="$here/metadata_only" python3 -m pip download --quiet --no-deps --no-build-isolation \
    --disable-pip-version-check --require-hashes "$kind" "${platform[@]}" -r "$here/$1.txt" -d "$2"
}

extract() { # name, archive, folder
  local -a members
  mapfile -t members < <(sed -n 's/^# extract: //p' "$here/$1.txt")
  case "$2" in
    *.tar.gz)
      local top
      top="$(basename "$2" .tar.gz)"
      tar -xzf "$2" -C "$3" --no-same-owner --strip-components=1 "${members[@]/#/$top/}"
      ;;
    *.whl)
      python3 - "$2" "$3" "${members[@]}" <<'PYTHON'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for file in wheel.infolist():
        if file.filename.startswith(tuple(sys.argv[3:])):
            os.chmod(wheel.extract(file, sys.argv[2]), file.external_attr >> 16 or 0o644)
PYTHON
      ;;
    *) fail "cannot unpack $2." ;;
  esac
}

fetch() {
  local name="$1" folder work archive
  folder="$(folder_of "$name")"
  [[ -d "$folder" ]] && return
  mkdir -p "$deps" || fail "cannot make $deps: check the rights, or set XDG_CACHE_HOME."
  exec 9>"$deps/$name.lock"
  flock 9
  [[ -d "$folder" ]] && return # somebody else was quicker
  rm -rf "$folder".part.* # left by a kill; the lock is ours, so nobody is at work in it
  work="$(mktemp -d "$folder.part.XXXXXX")"
  echo "Fetching $(sed -n 's/^\([^#][^ ]*\) .*/\1/p' "$here/$name.txt") (once, into $folder)" >&2
  download "$name" "$work/archive" || fail "could not download $name (above: why). It needs" \
    "python3 with pip (Debian: python3-pip) and a connection; then run third_party/fetch.sh $name again."
  archive=("$work"/archive/*)
  mkdir "$work/tree"
  extract "$name" "${archive[0]}" "$work/tree" || fail "could not unpack $name: is the disk full?"
  mv -T "$work/tree" "$folder"
  rm -rf "$work"
  exec 9>&-
}

if [[ "${1:-}" == --path ]]; then
  folder_of "${2:?--path needs a name}"
  exit
fi
[[ $# -gt 0 ]] || set -- imgui-bundle file-dialogs
for name in "$@"; do
  fetch "$name"
done
