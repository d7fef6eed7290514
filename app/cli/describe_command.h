// tilestep describe: proposes a launch description for a kernel of the user's.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/proposal.h"
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

// What starts a kernel that has no description: from its compile, its text and runs of it.
struct Inference {
  problem::Proposal proposal;  // its `evidence`: what runs of a matrix product have shown
  bool is_sound = false;       // a run of it ends without a finding but races of the kernel's own
  bool is_textbook = false;    // guessed by the names of a textbook's product
};

// `entry`: "" for the only kernel, a name, or a name with template arguments. Fails with a
// sentence: several kernels and no name, text that does not compile.
[[nodiscard]] Result<Inference> infer_launch(
    compile::Compiler& compiler, const std::string& cu_file, const std::string& entry,
    const std::vector<std::filesystem::path>& include = {});

// For a launch without a description: what was inferred and what is a guess, in sentences. Fails
// where a run of it has findings that may be the guess's.
[[nodiscard]] Result<std::string> what_was_guessed(const Inference& inference,
                                                   const std::string& cu_file);

}  // namespace tilestep::cli
