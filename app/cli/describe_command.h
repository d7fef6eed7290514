// tilestep describe: proposes a launch description for a user's kernel.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/proposal.h"
#include "problem/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::cli {

// The description as TOML. `entry`: "" for the only kernel, a name, or a name with template
// arguments. `folder`: the description's future folder, to which its paths are relative; empty: the
// kernel's. Fails with a sentence: several kernels and no name, text that does not compile.
[[nodiscard]] Result<std::string> describe(compile::Compiler& compiler, const std::string& cu_file,
                                           const std::string& entry,
                                           const std::vector<std::filesystem::path>& include = {},
                                           const std::filesystem::path& folder = {});

// The inferred launch of a kernel without a description: from its compile, its text and runs of it.
struct Inference {
  problem::Proposal proposal;  // its `evidence`: from runs of a matrix product
  bool is_sound = false;       // a run ends without findings except races of the kernel's own
  bool is_textbook = false;    // guessed from the names of a textbook's product
};

// `entry`: "" for the only kernel, a name, or a name with template arguments. Fails with a
// sentence: several kernels and no name, text that does not compile.
[[nodiscard]] Result<Inference> infer_launch(
    compile::Compiler& compiler, const std::string& cu_file, const std::string& entry,
    const std::vector<std::filesystem::path>& include = {});

// The inferred and the guessed parts of a launch without a description, in sentences. Fails if a
// run of it has findings that a wrong guess may have caused.
[[nodiscard]] Result<std::string> what_was_guessed(const Inference& inference,
                                                   const std::string& cu_file);

}  // namespace tilestep::cli
