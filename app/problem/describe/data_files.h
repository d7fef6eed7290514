// The values that a description refers to by the name of a file.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"

#include <filesystem>

namespace tilestep::problem {

// Reads the file that a CSV or NPY input names, if its text is not there yet.
[[nodiscard]] Result<void> read_data_file(InputSpec& input, const std::filesystem::path& folder);
// Of every buffer and variable: inputs and expected values.
[[nodiscard]] Result<void> read_data_files(LaunchSpec& spec, const std::filesystem::path& folder);

}  // namespace tilestep::problem
