# shellcheck shell=bash
# Sourced by package.sh and web.sh after setup.sh: builds libraries from Debian's own source packages.

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
