// tilestep describe: proposes a launch description for a user's kernel.
#pragma once

#include "compile/compiler.h"
#include "problem/propose/product.h"
#include "problem/propose/proposal.h"
#include "problem/result.h"
#include "simt/machine/program.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
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

// A proposed description, adapted to a run of the kernel: the sizes of its buffers, which ones it
// reads and stores, an example that ends soon.

enum class Fit { Clean, Races, Long, Findings };

// Clean: a run of the resulting description ends without a finding; Races: all findings are races
// that no value of the description causes; Long: it does not end soon. Otherwise notes and
// questions say what is missing.
[[nodiscard]] Fit fit_to_run(compile::Compiler& compiler, problem::Proposal& proposal);

// The sentence about a launch whose only findings are races.
[[nodiscard]] std::string races_sentence(const problem::Problem& size);

// Finds which of several guesses about a kernel holds by executing each at a small size.

// The first guess whose run has the correct product and no finding (or, if there is none, only
// races); its spec has a requirement if the kernel is wrong at a size that is not a multiple of its
// tiles. Nullopt if none holds, or if the work limit (a fixed amount) is reached first.
[[nodiscard]] std::optional<problem::ProductGuess> first_that_holds(
    compile::Compiler& compiler, const std::vector<problem::ProductGuess>& guesses);

// Counts the passes of a run through the loops over tiles. Returns the number of loops with
// accesses to shared memory that a run reaches and that no warp passes twice. A run of more than
// `most_steps` gives 0.
[[nodiscard]] int loops_of_one_pass(const std::shared_ptr<const simt::Program>& program,
                                    std::uint64_t most_steps);

}  // namespace tilestep::cli
