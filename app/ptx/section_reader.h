// Private to app/ptx: `.section .debug_info { … }` as bytes.
#pragma once

#include "ptx/lexer.h"
#include "ptx/parse_result.h"

namespace tilestep::ptx {

// The lexer stands after `.section`. Reports its errors to the lexer.
[[nodiscard]] Section read_section(Lexer& lexer);

}  // namespace tilestep::ptx
