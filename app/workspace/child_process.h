// Other programs of this machine.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::workspace {

// Where a tool of the CUDA Toolkit is: on PATH, in CUDA_HOME, or where the toolkit installs itself.
// Empty: nowhere.
[[nodiscard]] std::filesystem::path find_cuda_tool(const std::string& name);

// What it writes to standard output. Fails with a sentence where it cannot be started or ends with
// another status than 0. Waits for it.
[[nodiscard]] Result<std::string> output_of(const std::vector<std::string>& command);

}  // namespace tilestep::workspace
