# The files the program reads at run time. The build tree is laid out like the installed one,
# bin/tilestep beside share/tilestep/, so find_paths() needs to know only where the executable is.
set(TILESTEP_SHARE "${CMAKE_BINARY_DIR}/share/tilestep")

# share/tilestep/<name>: a link to `source` in the build tree, a copy in an installation.
function(tilestep_share_folder name source)
  if(NOT IS_DIRECTORY "${source}")
    return()
  endif()
  file(MAKE_DIRECTORY "${TILESTEP_SHARE}")
  file(CREATE_LINK "${source}" "${TILESTEP_SHARE}/${name}" SYMBOLIC)
  install(
    DIRECTORY "${source}/"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/tilestep/${name}"
    PATTERN CMakeLists.txt EXCLUDE)
endfunction()

# tests/support/folders.h, for tests and benchmarks.
if(TILESTEP_TESTS OR TILESTEP_BENCHMARKS)
  set(TILESTEP_TEST_LIBRARIES "${CMAKE_BINARY_DIR}/tests/lib")
  configure_file("${CMAKE_SOURCE_DIR}/tests/support/folders.cpp.in"
                 "${CMAKE_BINARY_DIR}/folders.cpp" @ONLY)
  add_library(tilestep_folders STATIC "${CMAKE_BINARY_DIR}/folders.cpp")
  target_include_directories(tilestep_folders PUBLIC "${CMAKE_SOURCE_DIR}/tests/support")
  target_link_libraries(tilestep_folders PRIVATE tilestep_options)
endif()
