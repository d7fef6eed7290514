# shellcheck shell=bash
# Sourced by package.sh, web.sh and windows.sh after setup.sh: builds libraries from Debian's own source packages.

# build_libraries LIST FOLDER: the source packages of LIST as archives below FOLDER. A line has the
# package's name, the folder of its CMakeLists.txt, and CMake options. A function build_NAME, if there
# is one, builds the package in that folder; prepare_NAME runs before cmake. apt gets settings of its
# own, so the machine's package sources are unchanged. A command in $configure precedes cmake.
build_libraries() {
  local work name folder options stamp
  libraries="$2"
  work="$(mktemp -d)"
  mkdir -p "$work/lists/partial" "$libraries"
  # The same mirror and release as the packages that are installed.
  # shellcheck disable=SC2016  # apt's own variables
  apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) main' 'Created-By: Packages' \
    'Label: Debian' | sort -u >"$work/debian.list"
  local -a apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/debian.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
  sed '/^ *\(#\|$\)/d' "$1" >"$work/names"
  while read -r name folder options; do
    stamp="$libraries/$name.built"
    [[ -e "$stamp" && "$(<"$stamp")" == "$options" ]] && continue
    say "building $name as an archive, from Debian's source package"
    [[ -e "$work/updated" ]] || { "${apt[@]}" update && touch "$work/updated"; }
    mkdir "$work/$name"
    (cd "$work/$name" && "${apt[@]}" source "$name") || fail "apt-get could not fetch the source of $name."
    # shellcheck disable=SC2086  # several words
    (cd "$work/$name"/*/"$folder" && build_library "$name" $options) >"$work/$name.log" 2>&1 ||
      { cat "$work/$name.log" >&2; fail "$name could not be built (above: why)."; }
    echo "$options" >"$stamp"
  done <"$work/names"
  rm -rf "$work"
}

# build_library NAME [OPTION…]: builds and installs the source in the working folder.
build_library() {
  local name="$1"
  shift
  if declare -F "build_$name" >/dev/null; then
    "build_$name"
    return
  fi
  if declare -F "prepare_$name" >/dev/null; then
    "prepare_$name"
  fi && ${configure:-} cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$libraries" -DCMAKE_INSTALL_LIBDIR=lib "$@" &&
    cmake --build build && cmake --install build
}

# For another system than this one (packages-cross-source.txt): $cc and $ar are its compiler and archiver.

prepare_re2() { # Debian's source has no generated tables
  local table
  perl re2/make_perl_groups.pl >re2/perl_groups.cc || return
  for table in casefold groups; do
    python3 "re2/make_unicode_$table.py" >"re2/unicode_$table.cc" || return
  done
}

build_libcsv() {
  "${cc:?}" -O2 -c libcsv.c && "${ar:?}" rcs "$libraries/lib/libcsv.a" libcsv.o && cp csv.h "$libraries/include"
}

build_zlib() { # Debian's source lacks a file that its CMakeLists.txt names
  "${cc:?}" -O2 -w -DHAVE_UNISTD_H -c ./*.c && "${ar:?}" rcs "$libraries/lib/libz.a" ./*.o && cp zlib.h zconf.h "$libraries/include"
}

# Its configure script needs what other systems do not have. $elfutils_headers: a folder with headers
# of Linux for a system that lacks them; empty: none.
build_elfutils() {
  cat >config.h <<'END'
#pragma once
#define HAVE_ERR_H 1
#define HAVE_FALLTHROUGH 1
#define _(text) text
#define N_(text) text
END
  if [[ -n "${elfutils_headers:-}" ]]; then
    cat "$elfutils_headers/config.h" >>config.h
  else
    printf '#define HAVE_DECL_%s 1\n' MEMPCPY MEMRCHR POWEROF2 REALLOCARRAY >>config.h
  fi
  echo '#include <eu-config.h>' >>config.h
  "${cc:?}" -w -O2 -std=gnu99 -DHAVE_CONFIG_H -D_GNU_SOURCE -DPIC -I. -I.. -I../lib ${elfutils_headers:+"-I$elfutils_headers"} \
    "-I$libraries/include" -c ./*.c && "${ar:?}" rcs "$libraries/lib/libelf.a" ./*.o && cp libelf.h gelf.h elf.h "$libraries/include"
}

# make_ptx [TARGET…]: the catalog's PTX, by the native program, in build/release/share/tilestep/ptx-cache;
# also other targets of that build.
make_ptx() {
  [[ ${ptx_cache:?} == ON ]] || fail "this needs the catalog's PTX, and there is no NVRTC to make it."
  (cd "${root:?}" && cmake --preset release -DTILESTEP_PTX_CACHE=ON >/dev/null)
  nice cmake --build "$root/build/release" --target tilestep_ptx_cache "$@"
}

# Libraries of headers alone, as Debian 12 installs them, for a compiler that may not see the
# machine's other headers.
copy_headers() {
  local file package
  for package in libcli11-dev libexpected-dev libfast-float-dev libstb-dev libtomlplusplus-dev nlohmann-json3-dev; do
    while read -r file; do
      case "$file" in
        /usr/include/?* | *cmake/?*) [[ -d "$file" ]] || install -D -m 644 "$file" "$libraries/${file#/usr/}" ;;
      esac
    done < <(dpkg -L "$package")
  done
}
