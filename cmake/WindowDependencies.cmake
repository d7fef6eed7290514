# Dependencies of the window only: Dear ImGui and its extensions, GLFW, glad, fonts. All except glad are
# in one pinned archive, which third_party/fetch.sh unpacks into the user's cache.
set(TILESTEP_CACHE "$ENV{XDG_CACHE_HOME}")
if(TILESTEP_CACHE STREQUAL "")
  set(TILESTEP_CACHE "$ENV{HOME}/.cache")
endif()
tilestep_pinned_folder(imgui-bundle bundle_folder)
set(bundle "${TILESTEP_CACHE}/${bundle_folder}/external")
if(NOT IS_DIRECTORY "${bundle}")
  message(
    FATAL_ERROR
      "The pinned archive with Dear ImGui, GLFW and the fonts is not in ${TILESTEP_CACHE}/${bundle_folder}. "
      "Fetch it with third_party/fetch.sh, or build without the window: -DTILESTEP_UI=OFF.")
endif()

# Third-party code: optimized in every build type, without our warnings, headers as system headers.
# COLD: compiles faster, as in TilestepRoom.cmake.
function(tilestep_third_party target include)
  cmake_parse_arguments(LIB "COLD" "" "SOURCES;DEPS" ${ARGN})
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${LIB_SOURCES})
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_compile_options(${target} PRIVATE $<IF:$<BOOL:${LIB_COLD}>,-O1,-O2> -g0 -w)
  # An index beyond a vector's end is not always beyond its memory.
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${TILESTEP_SANITIZED}>:_GLIBCXX_ASSERTIONS>)
  target_include_directories(${target} SYSTEM PUBLIC ${include})
  target_link_libraries(${target} PUBLIC ${LIB_DEPS})
endfunction()

if(EMSCRIPTEN) # has GLFW and WebGL 2
  add_library(glfw INTERFACE)
  target_link_options(glfw INTERFACE -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)
else()
  set(GLFW_BUILD_EXAMPLES OFF)
  set(GLFW_BUILD_TESTS OFF)
  set(GLFW_BUILD_DOCS OFF)
  set(GLFW_INSTALL OFF)
  set(GLFW_LIBRARY_TYPE STATIC)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  add_subdirectory("${bundle}/glfw/glfw" "${CMAKE_BINARY_DIR}/third_party/glfw" EXCLUDE_FROM_ALL SYSTEM)
  target_compile_options(glfw PRIVATE -O2 -g0 -w)
endif()

set(imgui "${bundle}/imgui/imgui")
set(imgui_sources
    "${imgui}/imgui.cpp"
    "${imgui}/imgui_demo.cpp" # has the style editor and the font list
    "${imgui}/imgui_draw.cpp"
    "${imgui}/imgui_stacklayout.cpp"
    "${imgui}/imgui_tables.cpp"
    "${imgui}/imgui_widgets.cpp"
    "${imgui}/misc/cpp/imgui_stdlib.cpp")
set_source_files_properties("${imgui}/imgui_demo.cpp" PROPERTIES COMPILE_OPTIONS -O0)
set(imgui_include "${imgui}" "${imgui}/backends" "${imgui}/misc/cpp")
tilestep_third_party(imgui_plain "${imgui_include}" SOURCES ${imgui_sources})

# The test engine requires hooks in Dear ImGui; it may not be shipped. The hooks change no
# type, so rooms are compiled once, and each *executable* decides which of the two it links:
# tilestep_test() sets TILESTEP_TEST_ENGINE where DEPS names imgui::test_engine.
tilestep_third_party(imgui_with_hooks "${imgui_include}" SOURCES ${imgui_sources})
target_compile_definitions(imgui_with_hooks PRIVATE IMGUI_ENABLE_TEST_ENGINE=)
add_library(imgui INTERFACE)
add_library(imgui::imgui ALIAS imgui)
target_link_libraries(
  imgui INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:TILESTEP_TEST_ENGINE>>,imgui_with_hooks,imgui_plain>)

set(test_engine "${bundle}/imgui_test_engine/imgui_test_engine/imgui_test_engine")
tilestep_third_party(
  imgui_test_engine "${test_engine}" COLD
  SOURCES "${test_engine}/imgui_capture_tool.cpp"
          "${test_engine}/imgui_te_context.cpp"
          "${test_engine}/imgui_te_coroutine.cpp"
          "${test_engine}/imgui_te_engine.cpp"
          "${test_engine}/imgui_te_exporters.cpp"
          "${test_engine}/imgui_te_perftool.cpp"
          "${test_engine}/imgui_te_ui.cpp"
          "${test_engine}/imgui_te_utils.cpp"
  DEPS imgui_with_hooks Threads::Threads)
target_compile_definitions(
  imgui_test_engine
  PUBLIC IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION=1
         IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1 IMGUI_TEST_ENGINE_ENABLE_CAPTURE=0
         "IMGUI_USER_CONFIG=\"imgui_te_imconfig.h\"")
add_library(imgui::test_engine ALIAS imgui_test_engine)

tilestep_third_party(
  imgui_backends "${imgui}/backends"
  SOURCES "${imgui}/backends/imgui_impl_glfw.cpp" "${imgui}/backends/imgui_impl_opengl3.cpp"
  DEPS imgui::imgui glfw ${CMAKE_DL_LIBS})
add_library(imgui::backends ALIAS imgui_backends)

set(implot "${bundle}/implot/implot")
tilestep_third_party(
  implot "${implot}"
  SOURCES "${implot}/implot.cpp" "${implot}/implot_items.cpp"
  DEPS imgui::imgui)
# We plot only doubles; each further number type would be compiled into each of its 30 functions.
target_compile_definitions(implot PUBLIC "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)")
add_library(imgui::implot ALIAS implot)

set(text_editor "${bundle}/ImGuiColorTextEdit/ImGuiColorTextEdit")
# Reads beyond what exists, which the build fixes: the entry behind the table of a binary search, and,
# after text was deleted, positions and rows of the text as it was before.
file(READ "${text_editor}/TextEditor.cpp" editor_text)
function(tilestep_mend wrong right)
  string(REPLACE "${wrong}" "${right}" mended "${editor_text}")
  if(mended STREQUAL editor_text)
    message(FATAL_ERROR "TextEditor.cpp has no '${wrong}': is it mended there? Then drop this.")
  endif()
  set(editor_text "${mended}" PARENT_SCOPE)
endfunction()
tilestep_mend("auto high = std::end(table)" "auto high = std::prev(std::end(table))")
tilestep_mend("if (size() == 0)"
              "if (size() == 0 || pos.line >= document.size() || pos.index > document[pos.line].size())")
tilestep_mend("if (pos.row >= size())" "if (pos.row >= size() || at(pos.row).line >= document.size())")
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/third_party/TextEditor.cpp" CONTENT "${editor_text}" @ONLY)
tilestep_third_party(
  text_editor "${text_editor}" COLD
  SOURCES "${CMAKE_BINARY_DIR}/third_party/TextEditor.cpp" "${text_editor}/TextDiff.cpp"
  DEPS imgui::imgui)
add_library(imgui::text_editor ALIAS text_editor)

set(palette "${bundle}/imgui-command-palette/imgui-command-palette")
tilestep_third_party(
  command_palette "${palette}" COLD
  SOURCES "${palette}/imcmd_command_palette.cpp" "${palette}/imcmd_fuzzy_search.cpp"
  DEPS imgui::imgui)
add_library(imgui::command_palette ALIAS command_palette)

if(NOT EMSCRIPTEN)
  # Header only: runs the desktop's dialog program (zenity, kdialog, …), if there is one.
  tilestep_pinned_folder(file-dialogs dialogs_folder)
  set(file_dialogs "${TILESTEP_CACHE}/${dialogs_folder}/external/portable_file_dialogs/portable_file_dialogs")
  if(NOT IS_DIRECTORY "${file_dialogs}")
    message(FATAL_ERROR "The pinned header of the file dialogs is not in ${file_dialogs}. "
                        "Fetch it with third_party/fetch.sh file-dialogs.")
  endif()
  add_library(file_dialogs INTERFACE)
  target_include_directories(file_dialogs SYSTEM INTERFACE "${file_dialogs}")
  add_library(tilestep::file_dialogs ALIAS file_dialogs)

  # The OpenGL loader is generated for the version that we request for the context.
  find_program(GLAD_PROGRAM glad PATHS /usr/bin NO_DEFAULT_PATH)
  if(NOT GLAD_PROGRAM)
    message(FATAL_ERROR "There is no /usr/bin/glad: install the Debian package python3-glad.")
  endif()
  set(glad "${CMAKE_BINARY_DIR}/third_party/glad")
  add_custom_command(
    OUTPUT "${glad}/src/gl.c" "${glad}/include/glad/gl.h" "${glad}/include/KHR/khrplatform.h"
    COMMAND "${GLAD_PROGRAM}" --api gl:core=4.1 --extensions GL_KHR_debug,GL_KHR_robustness --out-path "${glad}"
            --reproducible --quiet c
    COMMENT "Generating the OpenGL loader"
    VERBATIM)
  add_library(glad STATIC EXCLUDE_FROM_ALL "${glad}/src/gl.c")
  target_compile_options(glad PRIVATE -O2 -g0 -w)
  target_include_directories(glad SYSTEM PUBLIC "${glad}/include")
endif()

# The shipped fonts, with their licenses.
set(fonts "${bundle}/imgui_rich_md/imgui_rich_md/assets/fonts")
set(icons "${bundle}/hello_imgui/hello_imgui/hello_imgui_assets/fonts")
# Chinese, Japanese and Korean glyphs are from a Debian package, as the libraries are.
find_file(TILESTEP_CJK_FONT DroidSansFallbackFull.ttf PATHS /usr/share/fonts/truetype/droid
          NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT TILESTEP_CJK_FONT)
  message(FATAL_ERROR "There is no DroidSansFallbackFull.ttf: install the Debian package fonts-droid-fallback.")
endif()
find_file(TILESTEP_DYSLEXIC_FONT OpenDyslexic-Regular.otf PATHS /usr/share/fonts/opentype/opendyslexic
          NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT TILESTEP_DYSLEXIC_FONT)
  message(FATAL_ERROR "There is no OpenDyslexic-Regular.otf: install the Debian package fonts-opendyslexic.")
endif()
string(REPLACE Regular Bold dyslexic_bold "${TILESTEP_DYSLEXIC_FONT}")
set(TILESTEP_FONT_FILES
    "${TILESTEP_DYSLEXIC_FONT}=OpenDyslexic-Regular.otf"
    "${dyslexic_bold}=OpenDyslexic-Bold.otf"
    "/usr/share/doc/fonts-opendyslexic/copyright=OpenDyslexic-LICENSE.txt"
    "${TILESTEP_CJK_FONT}=DroidSansFallbackFull.ttf"
    "/usr/share/doc/fonts-droid-fallback/copyright=DroidSansFallbackFull-LICENSE.txt"
    "${fonts}/Roboto/Roboto-Regular.ttf=Roboto-Regular.ttf"
    "${fonts}/Roboto/Roboto-Bold.ttf=Roboto-Bold.ttf"
    "${fonts}/Roboto/LICENSE.txt=Roboto-LICENSE.txt"
    "${fonts}/Inconsolata-Medium.ttf=Inconsolata-Medium.ttf"
    "${fonts}/Inconsolata-LICENSE-OFL.txt=Inconsolata-LICENSE.txt"
    "${icons}/Font_Awesome_6_Free-Solid-900.otf=FontAwesome-Solid.otf"
    "${icons}/LICENSE-FontAwesome.txt=FontAwesome-LICENSE.txt")
