// Files as texts.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tilestep::problem {

// How the names of files end that write_file has not finished: what a killed process leaves.
inline constexpr std::string_view kUnfinishedFile = ".part";

// All bytes of a file: the one way in which any file of the user's is read. Never waits: a folder,
// a device, a named pipe and a socket are refused, as these have no end or none yet. What the shell
// hands over by a descriptor (/dev/stdin, `<(command)`) may be a pipe. Fails with a sentence:
// place, cause, cure.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

// Whether the bytes are on disk when write_file returns, or in its queue: enough for what can be
// made again, and much faster for many files.
enum class Keep { ThroughPowerLoss, WhileRunning };

// Writes all bytes beside the file, and renames: a failed write leaves the old file and nothing
// else. What is no plain file (a pipe, a device), and what the path names by a descriptor
// (/dev/stdout), is written to directly, behind what is there. Fails with a sentence: place, cause,
// cure.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes,
                                      Keep keep = Keep::ThroughPowerLoss);

// Adds the bytes at the end of a file, which it creates: all of them, or none when it fails.
[[nodiscard]] Result<void> append_to_file(const std::filesystem::path& file,
                                          std::string_view bytes);

}  // namespace tilestep::problem
