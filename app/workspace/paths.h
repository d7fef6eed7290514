// The folders of the program's files.
#pragma once

#include "compile/compiler.h"
#include "gpu/probe.h"

#include <filesystem>
#include <string>

namespace tilestep::workspace {

struct Paths {
  std::filesystem::path kernels;  // catalog.toml and .cu files
  std::filesystem::path assets;   // timings/, lessons/, fonts/
  std::filesystem::path shaders;
  std::filesystem::path ptx_cache;                         // shipped
  std::filesystem::path answers;                           // shipped (kept_answers.h)
  std::filesystem::path user_cache;                        // compile cache; empty: none
  std::filesystem::path user_answers;                      // kept answers; empty: none
  std::filesystem::path user_data;                         // own timings
  std::filesystem::path user_state;                        // sessions, recent files; empty: none
  std::filesystem::path documents;                         // proposed folder for scenes
  gpu::LibraryNames libraries = gpu::default_libraries();  // NVIDIA's libraries, for measuring
};
// The paths of the build tree or an installed prefix, depending on the executable's path.
[[nodiscard]] Paths find_paths();

// The shipped data set, which lessons' expressions of times use.
[[nodiscard]] std::filesystem::path shipped_timings(const Paths& paths);

// The caches of the process's compiler: the user's, then the shipped one.
[[nodiscard]] compile::CacheOptions cache_options(const Paths& paths);
// The folders of kept answers: the user's, then the shipped one.
[[nodiscard]] compile::CacheOptions answer_options(const Paths& paths);

// The user's folders for documents and pictures.

}  // namespace tilestep::workspace
