# Run by CPack on the tree it packs. For the archive: every library that the program loads, except the
# C library, is copied to lib/tilestep/, where the program looks for it.
#
# The copies have names of our own: a graphics driver that is loaded later and needs its own
# libelf.so.1 must not get ours, which may be too old for it.
if(NOT CPACK_GENERATOR STREQUAL "TGZ")
  return()
endif()
set(program "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/bin/tilestep")
set(folder "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/lib/tilestep")
file(
  GET_RUNTIME_DEPENDENCIES
  EXECUTABLES "${program}"
  RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so")

# One change per call: patchelf 0.14 confuses the names of several.
function(patch file)
  execute_process(COMMAND patchelf ${ARGN} "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY "${folder}")
foreach(library IN LISTS libraries)
  get_filename_component(name "${library}" NAME)
  if(name MATCHES "^lib(stdc\\+\\+|gcc_s|gomp)\\.")
    message(FATAL_ERROR
      "The program loads ${name}, so a C++ library is not in it: "
      "cmake/Dependencies.cmake needs a tilestep_archive() line for it.")
  endif()
  string(REGEX REPLACE "^lib" "libtilestep-" own_name "${name}")
  file(REAL_PATH "${library}" library)
  file(COPY_FILE "${library}" "${folder}/${own_name}")
  file(CHMOD "${folder}/${own_name}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  patch("${folder}/${own_name}" --set-soname "${own_name}")
  patch("${folder}/${own_name}" --set-rpath "$ORIGIN")
  list(APPEND names "${name}")
  list(APPEND copies "${folder}/${own_name}")
endforeach()
patch("${program}" --set-rpath "$ORIGIN/../lib/tilestep")
foreach(name IN LISTS names)
  string(REGEX REPLACE "^lib" "libtilestep-" own_name "${name}")
  foreach(file IN LISTS copies ITEMS "${program}")
    patch("${file}" --replace-needed "${name}" "${own_name}")
  endforeach()
endforeach()
