// The paths of the program's files in the build tree. Nothing of the user's is read or written.
#pragma once

#include "folders.h"
#include "workspace/paths.h"

namespace tilestep::test {

inline workspace::Paths build_tree_paths() {
  workspace::Paths paths;
  paths.assets = share_folder();
  paths.kernels = paths.assets / "kernels";
  paths.shaders = paths.assets / "shaders";
  paths.ptx_cache = paths.assets / "ptx-cache";
  return paths;
}

}  // namespace tilestep::test
