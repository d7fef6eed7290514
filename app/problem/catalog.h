// The kernel catalog, and the description of a user's own kernel: both are the same TOML.
#pragma once

#include "problem/launch.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::problem {

struct Catalog {
  std::vector<LaunchSpec> kernels;  // in teaching order

  [[nodiscard]] const LaunchSpec* find(const std::string& id) const;
};

// Reads <dir>/catalog.toml and the .cu files it names.
[[nodiscard]] Result<Catalog> load_catalog(const std::filesystem::path& dir);

// A user's .cu with the .toml of the same stem beside it, or that .toml itself (its `source`, or
// the .cu of the same stem). Without a .toml the description is guessed when the text has exactly
// one __global__ function whose parameters look like the textbook's (A, B, C, then M/N/K-like
// integers; guess.h); otherwise the error says what to write. Files that the text includes with
// #include "…" are read along where they stand beside it.
[[nodiscard]] Result<LaunchSpec> load_kernel_file(const std::filesystem::path& cu_file);

// A catalog id, or the path of a .cu file (anything with a dot or a slash). An unknown id fails
// with the ids there are.
[[nodiscard]] Result<LaunchSpec> find_spec(const Catalog& catalog, const std::string& kernel);

// One description from TOML text (`name` for messages: "my.toml"); source text is set by the
// caller.
[[nodiscard]] Result<LaunchSpec> parse_description(const std::string& toml_text,
                                                   const std::string& name);

}  // namespace tilestep::problem
