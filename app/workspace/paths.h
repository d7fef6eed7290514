// Where the program's files are.
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
  std::filesystem::path documents;                         // where scenes are proposed to be saved
  gpu::LibraryNames libraries = gpu::default_libraries();  // of NVIDIA's, for measuring
};
// From the build tree or from an installed prefix, by where the executable is.
[[nodiscard]] Paths find_paths();

// The data set that ships, which lessons' expressions of times ask.
[[nodiscard]] std::filesystem::path shipped_timings(const Paths& paths);

// The caches of the process's compiler: the user's, then the shipped one.
[[nodiscard]] compile::CacheOptions cache_options(const Paths& paths);
// Where answers are kept, and were made beforehand.
[[nodiscard]] compile::CacheOptions answer_options(const Paths& paths);

// Where a user keeps documents and pictures.

}  // namespace tilestep::workspace
