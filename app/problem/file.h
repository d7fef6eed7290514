// Reads and writes whole files, and opens shared libraries.
#pragma once

#include "problem/result.h"

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

// Suffix of the unfinished files of write_file, which a killed process may leave.
inline constexpr std::string_view kUnfinishedFile = ".part";

// All bytes of a file; every file of the user's is read by this function. Never waits: it refuses
// folders, devices, named pipes and sockets, which have no end or none yet. A descriptor from the
// shell (/dev/stdin, `<(command)`) may be a pipe. Fails with a sentence: place, cause, cure.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

// In a browser, read_file throws this for a file of the site that the page has begun to fetch. A
// pool without threads runs the job again once files_fetched() has changed.
struct FileAwaited : std::exception {};
[[nodiscard]] int files_fetched();

// Whether the bytes are on disk when write_file returns, or only queued, which is enough for
// reproducible files and much faster for many files.
enum class Keep { ThroughPowerLoss, WhileRunning };

// Writes all bytes to a file beside `file` and renames it: a failed write leaves the old file and
// nothing else. Pipes, devices and paths that name a descriptor (/dev/stdout) are written to
// directly, after their present content. Fails with a sentence: place, cause, cure.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes,
                                      Keep keep = Keep::ThroughPowerLoss);

// Appends the bytes to a file, which it creates if needed: all of them, or none if it fails.
[[nodiscard]] Result<void> append_to_file(const std::filesystem::path& file,
                                          std::string_view bytes);

}  // namespace tilestep::problem

namespace tilestep {

// Folders where a CUDA Toolkit may be: CUDA_HOME, CUDA_PATH, /usr/local/cuda.
[[nodiscard]] std::vector<std::filesystem::path> cuda_toolkits();

// A shared library opened while the program runs. On Linux its code stays mapped until the process
// ends: NVIDIA's libraries register exit handlers and keep threads of their own.
class SharedLibrary {
 public:
  // Opens the first of `names` that can be opened. The error is the dynamic linker's text for the
  // last one.
  [[nodiscard]] static Result<SharedLibrary> open(const std::vector<std::string>& names);

  // The file of the library or program that has this symbol; empty if unknown.
  [[nodiscard]] static std::string path_of(void* symbol);
  // Null if the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;
  [[nodiscard]] const std::string& name() const { return name_; }

  // Points `function` to a symbol, or adds its name to missing().
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
