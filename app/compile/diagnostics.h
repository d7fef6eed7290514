// What the compiler said, and what it said about the entry itself in the words of the program's
// user.
#pragma once

#include "compile/request.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::compile {

enum class Severity { Note, Warning, Error };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;
  int line = 0;    // 1-based; 0: no place
  int column = 0;  // 1-based, in bytes; 0: the compiler gave none
  std::string message;
  bool follows = false;       // from the error before it: it may go when that does
  bool lacks_header = false;  // says that a header was not found

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// What the #warning that is compiled instead of a header says behind the header's name.
inline constexpr const char* kMissingHeader =
    "is not beside the kernel, nor in an include folder. Give its folder: --include FOLDER, or "
    "`include` in the description.";

// Parses NVRTC's log: `tiled.cu(12): error: identifier "foo" is undefined` and its caret lines
// (which give the column). A message of several lines keeps them.
[[nodiscard]] std::vector<Diagnostic> parse_diagnostics(const std::string& log);

// NVRTC parses the name expression in a file of its own; its messages there become one that names
// the entry and the source.
[[nodiscard]] std::vector<Diagnostic> explain_entry(std::vector<Diagnostic> diagnostics,
                                                    const Request& request);

// One sentence of ours for what Tilestep does not simulate and this compile refuses (launches in
// kernels, clusters, texture references): then it is the only error.
[[nodiscard]] std::vector<Diagnostic> explain_not_simulated(std::vector<Diagnostic> diagnostics);

// Headers that were not found come first, before the errors that may follow from them; their place
// is the #include.
[[nodiscard]] std::vector<Diagnostic> explain_missing(std::vector<Diagnostic> diagnostics,
                                                      const Request& request);

// A bracket or a semicolon that is missing becomes the first error, at the place where it is
// missing and in words of ours; the errors that the compiler has of it follow.
[[nodiscard]] std::vector<Diagnostic> explain_syntax(std::vector<Diagnostic> diagnostics,
                                                     const Request& request);

[[nodiscard]] bool names_missing_header(const Diagnostic& diagnostic);

// NVRTC takes template arguments of a kernel that is no template and drops them: what is wrong
// then; nothing where `lowered`, the mangled name, has those that the name expression asks for.
[[nodiscard]] std::optional<Diagnostic> dropped_arguments(const std::string& lowered,
                                                          const Request& request);

}  // namespace tilestep::compile
