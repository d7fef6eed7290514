// Files as texts.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tilestep::problem {

// How the names of files end that write_file has not finished: what a killed process leaves.
inline constexpr std::string_view kUnfinishedFile = ".part";

// All bytes of a file. Fails with a sentence: not there, not readable, a folder, a device (which
// may have no end).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

// Whether the bytes are on disk when write_file returns, or in its queue: enough for what can be
// made again, and much faster for many files.
enum class Keep { ThroughPowerLoss, WhileRunning };

// Writes all bytes beside the file, and renames: a failed write leaves the old file and nothing
// else. What is no plain file (/dev/stdout, a pipe) is written to directly. Fails with a sentence:
// place, cause, cure.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes,
                                      Keep keep = Keep::ThroughPowerLoss);

}  // namespace tilestep::problem
