# tilestep_room(<name> [COLD] SOURCES … HEADERS … DEPS … [PRIVATE_DEPS …])
#
# COLD: see TILESTEP_COLD.
#
# One room of app/ is one static library, tilestep_<name>. DEPS is the room's row in the table of
# docs/architecture.md: what its headers may include. Warnings are errors in our own code only.
# Several sources are compiled as one, because most compile time is for the standard library's headers
# (docs/benchmarks.md, "Building and testing"). OFF: each source alone, as an editor's tools require.
option(TILESTEP_UNITY "Compile several sources as one" ON)
set(TILESTEP_UNITY_BATCH 20)

# For code that runs too rarely to justify the compile time of -O2: COLD rooms, and tests. (-O0 takes
# longer than -O1, because it emits code that -O1 drops.)
set(TILESTEP_SANITIZERS "" CACHE STRING "Sanitizers to build with: address,undefined or thread; empty: none")
set(TILESTEP_COLD $<$<CONFIG:Release,RelWithDebInfo>:-O1>)

option(TILESTEP_WARNINGS_ARE_ERRORS "A warning in our own code stops the build" ON)
add_library(tilestep_options INTERFACE)
target_compile_features(tilestep_options INTERFACE cxx_std_20)
target_compile_options(
  tilestep_options
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
            $<$<BOOL:${TILESTEP_WARNINGS_ARE_ERRORS}>:-Werror> -ffp-contract=off
            # Messages name files relative to the repository: the same text in every checkout, as the
            # compiler cache requires.
            "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/="
            # GCC 12 reports overlaps in std::string's operator+ that do not exist (GCC bug 105651).
            # GCC collects its garbage later: 15 % less time for 20 % more memory.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;--param=ggc-min-heapsize=524288>
            # Sources compiled as one: names without linkage still belong to one source.
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${TILESTEP_UNITY}>>:-Wno-subobject-linkage>)
target_link_libraries(tilestep_options INTERFACE tilestep_linker)

if(TILESTEP_SANITIZERS)
  set(TILESTEP_SANITIZED ON) # the list has commas, which generator expressions would interpret
  # Without the two checks of every pointer, which make GCC twice as slow: the address sanitizer also
  # detects null pointers, and the fuzz targets (clang) check alignment.
  # Also for the libraries that are compiled here: their reads out of bounds crash the window as well.
  add_compile_options(-fsanitize=${TILESTEP_SANITIZERS} -fno-sanitize=null,alignment
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TILESTEP_SANITIZERS})
endif()

if(TILESTEP_FUZZ)
  target_compile_options(tilestep_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                                                    -fno-sanitize-recover=undefined)
  target_link_options(tilestep_options INTERFACE -fsanitize=address,undefined)
endif()

function(tilestep_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILESTEP_UNITY}
                                             UNITY_BUILD_BATCH_SIZE ${TILESTEP_UNITY_BATCH})
endfunction()

function(tilestep_room name)
  cmake_parse_arguments(ROOM "COLD" "" "SOURCES;HEADERS;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(tilestep_${name} STATIC ${ROOM_SOURCES} ${ROOM_HEADERS})
  set_target_properties(tilestep_${name} PROPERTIES LINKER_LANGUAGE CXX CXX_EXTENSIONS OFF
                                                     TILESTEP_HEADERS "${ROOM_HEADERS}")
  target_include_directories(tilestep_${name} PUBLIC "${CMAKE_SOURCE_DIR}/app")
  target_link_libraries(
    tilestep_${name}
    PUBLIC ${ROOM_DEPS}
    PRIVATE tilestep_options ${ROOM_PRIVATE_DEPS})
  tilestep_compile_together(tilestep_${name})
  if(ROOM_COLD)
    target_compile_options(tilestep_${name} PRIVATE ${TILESTEP_COLD})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILESTEP_ROOMS ${name})
endfunction()

# tilestep_system_source(<name> <result>): sets <result> to the source of that name; on Windows, to the one
# whose name ends with _windows.
function(tilestep_system_source name result)
  if(NOT WIN32)
    set(${result} ${name}.cpp PARENT_SCOPE)
    return()
  endif()
  # The header of Windows defines macros with common names.
  set_source_files_properties(${name}_windows.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(${result} ${name}_windows.cpp PARENT_SCOPE)
endfunction()

# tilestep_embed(<room> FILE…): text files of a room as string literals. Its sources get the text of
# FILE with `#include "<room>/FILE.inc"` in place of a string.
function(tilestep_embed room)
  foreach(file IN LISTS ARGN)
    file(READ "${CMAKE_CURRENT_SOURCE_DIR}/${file}" text)
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/embedded/${room}/${file}.inc"
         CONTENT "R\"TILESTEP(${text})TILESTEP\"\n" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  target_include_directories(tilestep_${room} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/embedded")
endfunction()

# Tests draw in software, off-screen, so that pixels are the same on every machine, and independent of
# the user's language.
set(TILESTEP_TEST_ENVIRONMENT LIBGL_ALWAYS_SOFTWARE=1 LC_ALL=C.UTF-8)
if(EXISTS /usr/share/glvnd/egl_vendor.d/50_mesa.json)
  list(APPEND TILESTEP_TEST_ENVIRONMENT
       __EGL_VENDOR_LIBRARY_FILENAMES=/usr/share/glvnd/egl_vendor.d/50_mesa.json)
endif()

# The compile options and libraries of a test program.
function(tilestep_test_program name)
  target_compile_options(${name} PRIVATE ${TILESTEP_COLD})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  tilestep_compile_together(${name})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests"
                                             "${CMAKE_SOURCE_DIR}/tests/support")
  target_link_libraries(${name} PRIVATE ${ARGN} tilestep_folders tilestep_options GTest::gtest
                                        GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE $<$<BOOL:${TILESTEP_SANITIZED}>:TILESTEP_SANITIZED>)
  if("imgui::test_engine" IN_LIST ARGN)
    set_target_properties(${name} PROPERTIES TILESTEP_TEST_ENGINE ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY TILESTEP_TEST_PROGRAMS ${name})
endfunction()

# tilestep_test(<name> SOURCES … [DEPS …] [LABELS …] [TIMEOUT seconds] [SHARDS n] [FILTER cases]
#               [SLOW cases])
#
# SHARDS: ctest runs the cases in n entries, <name>_0 to <name>_<n-1>, which may run at once.
# SLOW: cases that take minutes under the sanitizers, where they are left out.
function(tilestep_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT;SHARDS;FILTER;SLOW" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  if(TILESTEP_SANITIZERS)
    math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * 5")
    if(TEST_SLOW)
      set(TEST_FILTER "-${TEST_SLOW}")
    endif()
  endif()
  add_executable(${name} ${TEST_SOURCES})
  tilestep_test_program(${name} ${TEST_DEPS})
  tilestep_add_tests(${name} ${name} SHARDS "${TEST_SHARDS}" LABELS ${TEST_LABELS}
                     TIMEOUT ${TEST_TIMEOUT} FILTER "${TEST_FILTER}")
endfunction()

# ctest entries that run a test program, all of it or the cases that FILTER (GoogleTest's) selects.
function(tilestep_add_tests name executable)
  cmake_parse_arguments(TEST "" "TIMEOUT;SHARDS;FILTER" "LABELS" ${ARGN})
  set(environment ${TILESTEP_TEST_ENVIRONMENT})
  if(TEST_FILTER)
    list(APPEND environment "GTEST_FILTER=${TEST_FILTER}")
  endif()
  if(NOT TEST_SHARDS)
    set(TEST_SHARDS 1)
  endif()
  math(EXPR last "${TEST_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(entry ${name})
    set(variables ${environment})
    if(TEST_SHARDS GREATER 1)
      set(entry ${name}_${shard})
      list(APPEND variables GTEST_TOTAL_SHARDS=${TEST_SHARDS} GTEST_SHARD_INDEX=${shard})
    endif()
    add_test(NAME ${entry} COMMAND ${executable})
    set_tests_properties(${entry} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${TEST_LABELS}"
                                             ENVIRONMENT "${variables}")
  endforeach()
endfunction()

# tilestep_benchmark(<name> SOURCES … [DEPS …]): a Google Benchmark program; never run by ctest.
function(tilestep_benchmark name)
  cmake_parse_arguments(BENCH "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${BENCH_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests/support")
  target_link_libraries(${name} PRIVATE ${BENCH_DEPS} tilestep_folders tilestep_options benchmark::benchmark
                                        benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  set_property(GLOBAL APPEND PROPERTY TILESTEP_BENCHMARK_PROGRAMS ${name})
endfunction()
