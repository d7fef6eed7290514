# tilestep_version_source(<target>): compiles a source with version, commit and build type into
# <target>. It is rewritten when git's HEAD moves; everything else is unchanged, in ccache too.
function(tilestep_version_source target)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/version.cpp")
  execute_process(
    COMMAND git -C "${CMAKE_SOURCE_DIR}" rev-parse --path-format=absolute --git-path logs/HEAD
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT EXISTS "${head}")
    set(head)
  endif()
  set(script "${CMAKE_SOURCE_DIR}/cmake/WriteVersion.cmake")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DOUT=${source}"
            "-DVERSION=${PROJECT_VERSION}" "-DBUILD=${CMAKE_BUILD_TYPE}" -P "${script}"
    DEPENDS "${script}" ${head}
    COMMENT "Writing down the version"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/app")
endfunction()
