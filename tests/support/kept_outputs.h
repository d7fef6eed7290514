// Compile outputs that tests keep across runs, in the user's cache beside the program's own. A key
// covers text and options, but not the version of NVRTC: remove the folder after installing another
// toolkit.
#pragma once

#include "compile/compiler.h"

namespace tilestep::test {

inline compile::CacheOptions kept_outputs() {
  return {compile::default_cache_directory().parent_path() / "tests", {}};
}

}  // namespace tilestep::test
