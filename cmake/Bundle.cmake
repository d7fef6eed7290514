# The bundle's program (scripts/package.sh) cannot rely on our libraries on the user's machine: C++
# libraries are linked into it, so that it needs no libstdc++ of another version, and the rest is
# shipped beside it (cmake/LibrariesBeside.cmake). Only linking differs: the sources are compiled as in
# the ordinary build, so ccache serves both.
option(TILESTEP_BUNDLE "Link the program for a machine without our Debian packages" OFF)
set(TILESTEP_ARCHIVES "${CMAKE_SOURCE_DIR}/build/package-libraries/lib" CACHE PATH
    "The archives that scripts/package.sh builds (scripts/packages-source.txt)")

# tilestep_archive(<target of a package> <file>): uses the archive from TILESTEP_ARCHIVES or from Debian
# instead of Debian's shared library.
function(tilestep_archive target file)
  if(NOT TILESTEP_BUNDLE)
    return()
  endif()
  find_library(TILESTEP_${file} "${file}" HINTS "${TILESTEP_ARCHIVES}" REQUIRED)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION_${configuration} "${TILESTEP_${file}}")
    set_property(TARGET ${target} PROPERTY IMPORTED_LINK_DEPENDENT_LIBRARIES_${configuration})
  endforeach()
  set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION "${TILESTEP_${file}}")
endfunction()
