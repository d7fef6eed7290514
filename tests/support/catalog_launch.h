// A catalog kernel's launch for tests: the repository's own kernels, whatever the working folder.
#pragma once

#include "problem/catalog.h"
#include "problem/launch.h"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace tilestep::test {

inline problem::Catalog repository_catalog() {
  Result<problem::Catalog> catalog =
      problem::load_catalog(std::filesystem::path(TILESTEP_SOURCE_DIR) / "kernels");
  if (!catalog) {
    throw std::runtime_error(catalog.error().message);
  }
  return std::move(*catalog);
}

// Throws what a user would read where the kernel or the launch does not exist: a test's mistake.
inline problem::Launch launch_of(const std::string& kernel, problem::Problem size, int block_size,
                                 const problem::InputSpec& input = {}) {
  const problem::Catalog catalog = repository_catalog();
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

}  // namespace tilestep::test
