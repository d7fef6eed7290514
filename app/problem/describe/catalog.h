// The kernel catalog, and the description of a user's own kernel: both are the same TOML.
#pragma once

#include "problem/describe/best_by_size.h"
#include "problem/launch/launch.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// A named problem, for any kernel that allows it: a size, and what else its source gives.
struct Preset {
  std::string id;     // "2x3_3x4"
  std::string title;  // "2×3 · 3×4, given values"
  std::string summary;
  Problem problem;
  std::optional<int> block_size;   // empty: the user's choice
  std::optional<InputSpec> input;  // empty: the user's choice
};

struct Catalog {
  std::vector<LaunchSpec> kernels;  // in teaching order
  std::vector<Preset> presets;
  // Variations of kernels that `tilestep tune` tries, "sliced_k:BM=32:SLICES=8": nothing lists
  // them, find() knows them.
  std::vector<LaunchSpec> candidates;
  // Kernels, by id, that differ in how their accesses lie in memory.
  std::vector<std::vector<std::string>> contrasts;
  BestTable best;  // what won for which size; empty: nobody has measured that

  [[nodiscard]] const LaunchSpec* find(const std::string& id) const;
  // The contrast that a kernel is in; null: in none.
  [[nodiscard]] const std::vector<std::string>* contrast_of(const std::string& id) const;
  [[nodiscard]] const Preset* find_preset(const std::string& id) const;
};

// Kernels that are listed together, as places in Catalog::kernels.
struct Family {
  std::string name;  // empty: kernels that name none, such as the user's own
  std::vector<std::size_t> kernels;
};

// The family of kernels with a mistake that is to be found (kernels/catalog.toml).
inline constexpr const char* kBrokenFamily = "Broken on purpose";

// Families in the order of their first kernels; every kernel is in one.
[[nodiscard]] std::vector<Family> families(const Catalog& catalog);

// The ids of the kernels that a sweep over the whole catalog takes along.
[[nodiscard]] std::vector<std::string> timed_kernels(const Catalog& catalog);

// The launches of a kernel whose PTX is made with the build, without contents: BLOCK_SIZE 1 to 32
// where the kernel is timed, otherwise 1 to 8, 12, 16, 24 and 32, as far as it allows them; each at
// the kernel's own size, at those of the presets, and at M = N = K = BLOCK_SIZE (the code may
// depend on sizes, too). Many of them are one and the same code.
[[nodiscard]] std::vector<Launch> shipped_launches(const Catalog& catalog, const LaunchSpec& spec);

// Which kernels compete for best_by_size: those of several sizes that sweeps take along and that
// multiply by float's FFMA, each followed by its variations.
[[nodiscard]] std::vector<const LaunchSpec*> rivals(const Catalog& catalog);

// Reads <dir>/catalog.toml, the .cu files it names, and <dir>/best_by_size.toml where there is one.
// With `wanted` only what is about it: that kernel with its like (kernels whose ids begin the same
// may be there as well) and the presets. A file's name has presets alone, and a name that no kernel
// has the whole catalog.
[[nodiscard]] Result<Catalog> load_catalog(const std::filesystem::path& dir,
                                           const std::string& wanted = "");

// A user's .cu with the .toml of the same stem beside it, or that .toml itself (its `source`, or
// the .cu of the same stem). Without a .toml the description is guessed when the text has exactly
// one __global__ function whose parameters look like the textbook's (A, B, C, then M/N/K-like
// integers; guess.h); otherwise the error says what to write. Files that the text includes with
// #include "…" are read along where they stand beside it or in an include folder (data_files.h).
[[nodiscard]] Result<LaunchSpec> load_kernel_file(
    const std::filesystem::path& cu_file, const std::vector<std::filesystem::path>& include = {});

// As load_kernel_file, with the description in a file of any name: `source_file` is what it starts.
[[nodiscard]] Result<LaunchSpec> load_kernel_file(
    const std::filesystem::path& source_file, const std::filesystem::path& description,
    const std::vector<std::filesystem::path>& include);

// The text alone, with what it includes: source, source_name, headers, id and title.
[[nodiscard]] Result<LaunchSpec> load_source(
    const std::filesystem::path& cu_file, const std::vector<std::filesystem::path>& include = {});

// Whether it is a path, not an id: anything with a dot or a slash.
[[nodiscard]] bool names_file(const std::string& kernel);

// A catalog id, or the path of a .cu file. An unknown id fails
// with the ids there are.
[[nodiscard]] Result<LaunchSpec> find_spec(const Catalog& catalog, const std::string& kernel,
                                           const std::vector<std::filesystem::path>& include = {});

// An unknown id fails with the ids there are.
[[nodiscard]] Result<Preset> find_preset(const Catalog& catalog, const std::string& id);

// One description from TOML text (`name` for messages: "my.toml"); source text is set by the
// caller.
[[nodiscard]] Result<LaunchSpec> parse_description(const std::string& toml_text,
                                                   const std::string& name);

}  // namespace tilestep::problem
