// What the compiler said about the entry itself, in the words of the program's user.
#pragma once

#include "compile/compiler.h"

#include <vector>

namespace tilestep::compile {

// NVRTC parses the name expression in a file of its own; its messages there become one that names
// the entry and the source.
[[nodiscard]] std::vector<Diagnostic> explain_entry(std::vector<Diagnostic> diagnostics,
                                                    const Request& request);

}  // namespace tilestep::compile
