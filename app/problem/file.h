// Files as texts.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <string>

namespace tilestep::problem {

// All bytes of a file. Fails with a sentence: not there, not readable, a folder, a device (which
// may have no end).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

}  // namespace tilestep::problem
