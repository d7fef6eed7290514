// Files as texts, and shared libraries.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

namespace tilestep {

// A shared library opened with dlopen. Its code stays mapped to the end of the process: NVIDIA's
// libraries register exit handlers and keep threads of their own.
class SharedLibrary {
 public:
  // The first of `names` that opens. The error is the dynamic linker's own text for the last one.
  [[nodiscard]] static Result<SharedLibrary> open(const std::vector<std::string>& names);

  // Null when the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;
  [[nodiscard]] const std::string& name() const { return name_; }

  // Points `function` at a symbol, or notes its name in missing().
  template <class Function>
  void bind(Function*& function, const char* symbol_name) {
    function = reinterpret_cast<Function*>(symbol(symbol_name));
    if (function == nullptr) {
      missing_.emplace_back(symbol_name);
    }
  }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  std::shared_ptr<void> handle_;
  std::string name_;
  std::vector<std::string> missing_;
};

}  // namespace tilestep
