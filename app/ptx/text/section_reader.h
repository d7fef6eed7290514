// Private to app/ptx: `.section .debug_info { … }` as bytes.
#pragma once

#include "ptx/text/lexer.h"
#include "ptx/text/parsed_text.h"

namespace tilestep::ptx {

// The lexer stands after `.section`. Reports its errors to the lexer.
[[nodiscard]] Section read_section(Lexer& lexer);

}  // namespace tilestep::ptx
