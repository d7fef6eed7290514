# Installs what belongs to the program: desktop entry, icon, completions; and with TILESTEP_BUNDLE
# licenses and the two packages that scripts/package.sh makes (docs/packaging.md).
set(desktop "${CMAKE_SOURCE_DIR}/assets/desktop")
set(TILESTEP_DOC "${CMAKE_INSTALL_DATADIR}/doc/tilestep")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${TILESTEP_DOC}" RENAME copyright)
if(TILESTEP_UI)
  install(FILES "${desktop}/tilestep.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
  install(FILES "${desktop}/tilestep.svg"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()

# The folder of each shell's completions, below share/.
set(zsh_folder zsh/site-functions)
if(TILESTEP_BUNDLE)
  set(zsh_folder zsh/vendor-completions) # Debian's name for it
endif()
foreach(shell IN ITEMS "bash=tilestep=bash-completion/completions" "zsh=_tilestep=${zsh_folder}"
                       "fish=tilestep.fish=fish/vendor_completions.d")
  string(REGEX MATCH "^(.*)=(.*)=(.*)$" shell "${shell}")
  set(file "${CMAKE_BINARY_DIR}/completions/${CMAKE_MATCH_2}")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND tilestep completions ${CMAKE_MATCH_1} > "${file}"
    DEPENDS tilestep "${CMAKE_SOURCE_DIR}/kernels/catalog.toml"
    VERBATIM)
  list(APPEND completions "${file}")
  install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_3}")
endforeach()
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/completions")
add_custom_target(tilestep_completions ALL DEPENDS ${completions})

if(NOT TILESTEP_BUNDLE)
  return()
endif()

find_program(RSVG_CONVERT rsvg-convert REQUIRED)
foreach(size IN ITEMS 16 24 32 48 64 128 256)
  set(icon "${CMAKE_BINARY_DIR}/icons/${size}.png")
  add_custom_command(
    OUTPUT "${icon}"
    COMMAND "${RSVG_CONVERT}" --width ${size} --height ${size} --output "${icon}"
            "${desktop}/tilestep.svg"
    DEPENDS "${desktop}/tilestep.svg"
    VERBATIM)
  list(APPEND icons "${icon}")
  install(FILES "${icon}" RENAME tilestep.png
          DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps")
endforeach()
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/icons")
add_custom_target(tilestep_icons ALL DEPENDS ${icons})

# The licenses of everything in the program or beside it (those of the fonts are beside the fonts).
set(debian /usr/share/doc)
set(common /usr/share/common-licenses)
foreach(licence IN ITEMS
    "cli11=${debian}/libcli11-dev/copyright"
    "cmark=${debian}/libcmark-dev/copyright"
    "dear-imgui=${imgui}/LICENSE.txt"
    "expected=${debian}/libexpected-dev/copyright"
    "fmt=${debian}/libfmt-dev/copyright"
    "gcc-runtime=${debian}/gcc-12-base/copyright"
    "glad=${debian}/python3-glad/copyright"
    "glfw=${bundle}/glfw/glfw/LICENSE.md"
    "imgui-color-text-edit=${text_editor}/LICENSE"
    "imgui-command-palette=${palette}/LICENSE"
    "implot=${implot}/LICENSE"
    "libcsv=${debian}/libcsv-dev/copyright"
    "libelf=${debian}/libelf1/copyright"
    "muparser=${debian}/libmuparser-dev/copyright"
    "nlohmann-json=${debian}/nlohmann-json3-dev/copyright"
    "re2=${debian}/libre2-dev/copyright"
    "simdjson=${debian}/libsimdjson-dev/copyright"
    "stb=${debian}/libstb-dev/copyright"
    "tomlplusplus=${debian}/libtomlplusplus-dev/copyright"
    "xxhash=${debian}/libxxhash-dev/copyright"
    "zlib=${debian}/zlib1g/copyright"
    "Apache-2.0=${common}/Apache-2.0"
    "GPL-2=${common}/GPL-2"
    "GPL-3=${common}/GPL-3"
    "LGPL-2.1=${common}/LGPL-2.1"
    "LGPL-3=${common}/LGPL-3")
  string(REGEX MATCH "^(.*)=(.*)$" licence "${licence}")
  if(NOT EXISTS "${CMAKE_MATCH_2}")
    message(FATAL_ERROR "There is no ${CMAKE_MATCH_2}, the licence of a library that is packed.")
  endif()
  file(REAL_PATH "${CMAKE_MATCH_2}" file)
  install(FILES "${file}" RENAME "${CMAKE_MATCH_1}.txt" DESTINATION "${TILESTEP_DOC}/licences")
endforeach()
install(FILES "${CMAKE_SOURCE_DIR}/third_party/README.md" RENAME libraries.md
        DESTINATION "${TILESTEP_DOC}")

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_VENDOR "The Tilestep authors")
set(CPACK_PACKAGE_CONTACT "The Tilestep authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Step CUDA tiled matrix multiplication, thread by thread")
set(CPACK_PACKAGE_DESCRIPTION
    "Shows which tile each block loads, what each thread adds up, what goes wrong when a barrier is\nmissing, and what it costs on a GPU. Kernels run on the CPU; no GPU is needed.")
set(CPACK_PACKAGE_FILE_NAME "tilestep-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
# The archive contains the libraries that are not in the program; the .deb depends on Debian's.
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/cmake/LibrariesBeside.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Libraries that GLFW and the OpenGL loader open at run time, which dpkg-shlibdeps cannot detect.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libegl1, libgl1, libwayland-client0, libwayland-cursor0, libwayland-egl1, libx11-6, libxcursor1, libxext6, libxi6, libxinerama1, libxkbcommon0, libxrandr2, libxrender1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, libopenblas0-pthread")
include(CPack)
