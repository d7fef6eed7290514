# Finds third-party code (third_party/README.md lists versions, hashes and licenses).
include(Bundle)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(FastFloat REQUIRED)
find_package(nlohmann_json REQUIRED)
if(CMAKE_CROSSCOMPILING) # the headers alone
  find_path(TILESTEP_TOML_INCLUDE_DIR toml++/toml.h REQUIRED)
  add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
  target_include_directories(tomlplusplus::tomlplusplus INTERFACE "${TILESTEP_TOML_INCLUDE_DIR}")
else()
  find_package(tomlplusplus REQUIRED)
endif()
find_package(tl-expected REQUIRED)
find_package(muparser REQUIRED)
find_package(Threads REQUIRED)
tilestep_archive(fmt::fmt libfmt.a)
tilestep_archive(tomlplusplus::tomlplusplus libtomlplusplus.a)
tilestep_archive(muparser::muparser libmuparser.a)

# tilestep_plain_library(<name> <header> <library> [archive]): a library without a usable CMake package,
# as tilestep::NAME; in a bundle its archive, if one is given.
function(tilestep_plain_library name header library)
  if(TILESTEP_BUNDLE AND ARGC GREATER 3)
    set(library "${ARGV3}")
  endif()
  find_path(TILESTEP_${name}_INCLUDE_DIR "${header}" REQUIRED)
  find_library(TILESTEP_${name}_LIBRARY NAMES ${library} HINTS "${TILESTEP_ARCHIVES}" REQUIRED)
  mark_as_advanced(TILESTEP_${name}_INCLUDE_DIR TILESTEP_${name}_LIBRARY)
  add_library(tilestep_${name} INTERFACE)
  add_library(tilestep::${name} ALIAS tilestep_${name})
  target_include_directories(
    tilestep_${name} SYSTEM INTERFACE "${TILESTEP_${name}_INCLUDE_DIR}")
  target_link_libraries(tilestep_${name} INTERFACE "${TILESTEP_${name}_LIBRARY}")
endfunction()
tilestep_plain_library(cmark cmark.h cmark)
tilestep_plain_library(libcsv csv.h csv)
tilestep_plain_library(libelf libelf.h elf)
if(CMAKE_CROSSCOMPILING) # its archive needs another
  tilestep_plain_library(zlib zlib.h z)
  target_link_libraries(tilestep_libelf INTERFACE tilestep::zlib)
endif()
tilestep_plain_library(re2 re2/re2.h re2 libre2.a)
tilestep_plain_library(simdjson simdjson.h simdjson libsimdjson.a)
tilestep_plain_library(xxhash xxhash.h xxhash libxxhash.a)

if(TILESTEP_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TILESTEP_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

# The folder in the user's cache where third_party/fetch.sh unpacks an archive.
function(tilestep_pinned_folder name result)
  set(pin "${CMAKE_SOURCE_DIR}/third_party/${name}.txt")
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${pin}")
  file(SHA256 "${pin}" digest)
  string(SUBSTRING "${digest}" 0 12 digest)
  set(${result} "tilestep/deps/${name}-${digest}" PARENT_SCOPE)
endfunction()

# tilestep::nvrtc_pin gives the compile room the folder of the unpacked pinned NVRTC wheel, relative to
# ${XDG_CACHE_HOME:-~/.cache}: TILESTEP_NVRTC_FOLDER, which has libnvrtc.so.13 and its builtins.
tilestep_pinned_folder(nvrtc nvrtc_folder)
add_library(tilestep_nvrtc_pin INTERFACE)
add_library(tilestep::nvrtc_pin ALIAS tilestep_nvrtc_pin)
target_compile_definitions(
  tilestep_nvrtc_pin INTERFACE TILESTEP_NVRTC_FOLDER="${nvrtc_folder}/nvidia/cu13/lib")

if(TILESTEP_UI)
  include(WindowDependencies)
endif()
