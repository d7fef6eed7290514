# The files the program reads at run time. The build tree is laid out like the installed one,
# bin/tilestep beside share/tilestep/, so find_paths() needs to know only where the executable is.
set(TILESTEP_SHARE "${CMAKE_BINARY_DIR}/share/tilestep")

# share/tilestep/<name>: a link to `source` in the build tree, a copy where installed.
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
