// The compiler's messages, and its messages about the entry in terms of the user's program.
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
  int column = 0;  // 1-based, in bytes; 0: unknown
  std::string message;
  bool follows = false;       // a consequence of the previous error: it may disappear with it
  bool lacks_header = false;  // says that a header was not found

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// Text after the header's name in the #warning that is compiled in place of the header.
inline constexpr const char* kMissingHeader =
    "is not beside the kernel, nor in an include folder. Give its folder: --include FOLDER, or "
    "`include` in the description.";

// Parses NVRTC's log: `tiled.cu(12): error: identifier "foo" is undefined` and its caret lines
// (which give the column). A message of several lines keeps them.
[[nodiscard]] std::vector<Diagnostic> parse_diagnostics(const std::string& log);

// NVRTC parses the name expression in a separate file; its messages there become one that names the
// entry and the source.
[[nodiscard]] std::vector<Diagnostic> explain_entry(std::vector<Diagnostic> diagnostics,
                                                    const Request& request);

// Our own sentence for features that Tilestep does not simulate and this compile refuses (launches
// in kernels, clusters, texture references): then it is the only error.
[[nodiscard]] std::vector<Diagnostic> explain_not_simulated(std::vector<Diagnostic> diagnostics);

// Moves headers that were not found to the front, before the errors that may follow from them;
// their place is the #include.
[[nodiscard]] std::vector<Diagnostic> explain_missing(std::vector<Diagnostic> diagnostics,
                                                      const Request& request);

// A missing bracket or semicolon becomes the first error, at its place and in our own words; the
// compiler's errors about it follow.
[[nodiscard]] std::vector<Diagnostic> explain_syntax(std::vector<Diagnostic> diagnostics,
                                                     const Request& request);

// Errors in the current language, where it has the compiler's sentence; a name that a header of the
// toolkit declares, and that the text does not include, gets the header's name.
[[nodiscard]] std::vector<Diagnostic> explain_names(std::vector<Diagnostic> diagnostics,
                                                    const Request& request);

[[nodiscard]] bool names_missing_header(const Diagnostic& diagnostic);

// NVRTC accepts template arguments for a kernel that is not a template and drops them: an error for
// this case; empty if `lowered`, the mangled name, has the arguments of the name expression.
[[nodiscard]] std::optional<Diagnostic> dropped_arguments(const std::string& lowered,
                                                          const Request& request);

}  // namespace tilestep::compile
