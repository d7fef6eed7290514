// The launch of a catalog kernel for tests: the repository's own kernels, independent of the
// working folder.
#pragma once

#include "folders.h"
#include "problem/describe/catalog.h"
#include "problem/launch/launch.h"

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace tilestep::test {

// Read once for all tests of a program.
inline const problem::Catalog& repository_catalog() {
  static const problem::Catalog catalog = [] {
    Result<problem::Catalog> read =
        problem::load_catalog(tilestep::test::source_folder() / "kernels");
    if (!read) {
      throw std::runtime_error(read.error().message);
    }
    return std::move(*read);
  }();
  return catalog;
}

// Throws the user's error message if the kernel or the launch does not exist: a mistake in a test.
inline problem::Launch launch_of(const std::string& kernel, problem::Problem size, int block_size,
                                 const problem::InputSpec& input = {}) {
  const problem::Catalog& catalog = repository_catalog();
  const Result<problem::LaunchSpec> spec = problem::find_spec(catalog, kernel);
  if (!spec) {
    throw std::runtime_error(spec.error().message);
  }
  Result<problem::Launch> launch = problem::evaluate(*spec, {size, block_size}, input);
  if (!launch) {
    throw std::runtime_error(launch.error().message);
  }
  return std::move(*launch);
}

// A launch of the kernel with this BLOCK_SIZE, at its own size or else at BLOCK_SIZE×BLOCK_SIZE;
// nullopt if the kernel does not accept this BLOCK_SIZE.
inline std::optional<problem::Launch> some_launch(const problem::LaunchSpec& spec, int block_size) {
  for (const problem::Problem& size : {spec.default_problem.value_or(problem::Problem{}),
                                       problem::Problem{block_size, block_size, block_size}}) {
    if (Result<problem::Launch> launch = problem::evaluate_shape(spec, {size, block_size})) {
      return std::move(*launch);
    }
  }
  return std::nullopt;
}

// Features of one architecture ("90a") are compiled only for that one.
[[nodiscard]] inline bool compiles_for(const problem::Launch& launch, int architecture) {
  return launch.architecture == problem::kUsualArchitecture ||
         launch.architecture == std::to_string(architecture) + "a";
}

}  // namespace tilestep::test
