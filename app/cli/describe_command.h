// tilestep describe: proposes a launch description for a kernel of the user's.
#pragma once

#include "compile/compiler.h"
#include "problem/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::cli {

// The description as TOML. `entry`: "" for the only kernel, a name, or a name with template
// arguments. `folder`: where it will be, which its paths are relative to; empty: beside the kernel.
// Fails with a sentence: several kernels and no name, text that does not compile.
[[nodiscard]] Result<std::string> describe(compile::Compiler& compiler, const std::string& cu_file,
                                           const std::string& entry,
                                           const std::vector<std::filesystem::path>& include = {},
                                           const std::filesystem::path& folder = {});

}  // namespace tilestep::cli
