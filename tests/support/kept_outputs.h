// Compile outputs that tests keep from run to run, in the user's cache beside the program's own: a
// key covers text and options, not the version of NVRTC: remove the folder after another toolkit
// was installed.
#pragma once

#include "compile/compiler.h"

namespace tilestep::test {

inline compile::CacheOptions kept_outputs() {
  return {compile::default_cache_directory().parent_path() / "tests", {}};
}

}  // namespace tilestep::test
