// The kernel catalog, and the description of a user's own kernel; both are the same TOML.
#pragma once

#include "problem/describe/best_by_size.h"
#include "problem/launch/expression.h"
#include "problem/launch/launch.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// A named problem for any kernel that allows it: a size, and the further values of its source.
struct Preset {
  std::string id;     // "2x3_3x4"
  std::string title;  // "2×3 · 3×4, given values"
  std::string summary;
  Problem problem;
  std::optional<int> block_size;   // empty: the user's choice
  std::optional<InputSpec> input;  // empty: the user's choice
};

// Everything in a catalog.toml: kernels, presets, contrasts; and the table of winners.
struct Catalog {
  std::vector<LaunchSpec> kernels;  // in teaching order
  std::vector<Preset> presets;
  // Variations of kernels that `tilestep tune` tries, "sliced_k:BM=32:SLICES=8": find() finds them,
  // but no list shows them.
  std::vector<LaunchSpec> candidates;
  // Groups of kernel ids that differ in their memory access patterns.
  std::vector<std::vector<std::string>> contrasts;
  BestTable best;  // the winner per size; empty: not measured

  [[nodiscard]] const LaunchSpec* find(const std::string& id) const;
  // The contrast that contains a kernel; null if none does.
  [[nodiscard]] const std::vector<std::string>* contrast_of(const std::string& id) const;
  [[nodiscard]] const Preset* find_preset(const std::string& id) const;
};

// Kernels that are listed together, as indices into Catalog::kernels.
struct Family {
  std::string name;  // empty: kernels without a family, such as the user's own
  std::vector<std::size_t> kernels;
};

// The family of kernels with a mistake to find (kernels/catalog.toml).
inline constexpr const char* kBrokenFamily = "Broken on purpose";

// Families in the order of their first kernels; every kernel is in exactly one.
[[nodiscard]] std::vector<Family> families(const Catalog& catalog);

// The ids of the kernels that a sweep over the whole catalog measures.
[[nodiscard]] std::vector<std::string> timed_kernels(const Catalog& catalog);

// The launches of a kernel whose PTX is made at build time, without buffer contents: BLOCK_SIZE 1
// to 32 for timed kernels, otherwise 1 to 8, 12, 16, 24 and 32, if the kernel allows them; each at
// the kernel's own size, the presets' sizes, and M = N = K = BLOCK_SIZE (the code may depend on
// sizes). Many of these launches have the same code.
[[nodiscard]] std::vector<Launch> shipped_launches(const Catalog& catalog, const LaunchSpec& spec);

// The kernels that compete for best_by_size: those with several sizes that sweeps measure and that
// multiply with float's FFMA, each followed by its variations.
[[nodiscard]] std::vector<const LaunchSpec*> rivals(const Catalog& catalog);

// Reads <dir>/catalog.toml, the .cu files it names, and <dir>/best_by_size.toml if it exists.
// `wanted` restricts this to one kernel with its instances and variations (kernels whose ids begin
// the same may be included) and the presets. If `wanted` is a file's name, only the presets are
// read; if it is no kernel's name, the whole catalog.
[[nodiscard]] Result<Catalog> load_catalog(const std::filesystem::path& dir,
                                           const std::string& wanted = "",
                                           Expressions expressions = Expressions::Checked);

// A user's .cu with the .toml of the same stem beside it, or that .toml itself (its `source`, or
// the .cu of the same stem). Without a .toml the description is guessed if the text has exactly one
// __global__ function whose parameters look like the textbook's (A, B, C, then M/N/K-like integers;
// description.h); otherwise the error says what to write. Files of #include "…" are read if they
// are beside the .cu or in an include folder (description.h).
[[nodiscard]] Result<LaunchSpec> load_kernel_file(
    const std::filesystem::path& cu_file, const std::vector<std::filesystem::path>& include = {});

// As load_kernel_file, with the description in a file of any name: `source_file` is the kernel that
// it launches.
[[nodiscard]] Result<LaunchSpec> load_kernel_file(
    const std::filesystem::path& source_file, const std::filesystem::path& description,
    const std::vector<std::filesystem::path>& include);

// The text alone, with its included files: source, source_name, headers, id and title.
[[nodiscard]] Result<LaunchSpec> load_source(
    const std::filesystem::path& cu_file, const std::vector<std::filesystem::path>& include = {});

// Whether `kernel` is a path, not an id: anything with a dot or a slash.
[[nodiscard]] bool names_file(const std::string& kernel);

// A catalog id, or the path of a .cu file. The error for an unknown id lists the known ids.
[[nodiscard]] Result<LaunchSpec> find_spec(const Catalog& catalog, const std::string& kernel,
                                           const std::vector<std::filesystem::path>& include = {});

// The error for an unknown id lists the known ids.
[[nodiscard]] Result<Preset> find_preset(const Catalog& catalog, const std::string& id);

// Parses one description from TOML text (`name` for messages: "my.toml"); the caller sets the
// source text.
[[nodiscard]] Result<LaunchSpec> parse_description(const std::string& toml_text,
                                                   const std::string& name);

}  // namespace tilestep::problem
