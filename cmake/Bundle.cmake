# The program of the bundle (scripts/package.sh) finds no library of ours on the machine it runs on:
# what is C++ goes into it, so that no libstdc++ of another age is needed, and what is left is
# shipped beside it (cmake/LibrariesBeside.cmake). Only links change: what is compiled is what the
# ordinary build compiles, so ccache serves both.
option(TILESTEP_BUNDLE "Link the program for a machine without our Debian packages" OFF)
set(TILESTEP_ARCHIVES "${CMAKE_SOURCE_DIR}/build/package-libraries/lib" CACHE PATH
    "The archives that scripts/package.sh builds (scripts/packages-source.txt)")

# tilestep_archive(<target of a package> <file>): the archive instead of Debian's shared library, from
# TILESTEP_ARCHIVES or from Debian.
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
