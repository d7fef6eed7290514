// What the compiler said about the entry itself, in the words of the program's user.
#pragma once

#include "compile/compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::compile {

// NVRTC parses the name expression in a file of its own; its messages there become one that names
// the entry and the source.
[[nodiscard]] std::vector<Diagnostic> explain_entry(std::vector<Diagnostic> diagnostics,
                                                    const Request& request);

// NVRTC takes template arguments of a kernel that is no template and drops them: what is wrong
// then; nothing where `lowered`, the mangled name, has those that the name expression asks for.
[[nodiscard]] std::optional<Diagnostic> dropped_arguments(const std::string& lowered,
                                                          const Request& request);

}  // namespace tilestep::compile
