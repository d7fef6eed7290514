// Texts of unknown origin, made fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tilestep {

// The same text with control characters, what changes the direction of writing, and bytes that are
// no UTF-8 as escapes (\\x1b): a file's bytes must not command the terminal that shows a message
// about them. Line ends and tabs stay. Every sentence passes here on its way to a person.
[[nodiscard]] std::string printable(std::string_view text);

// As much of it as a sentence can show, "…" for the rest.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace tilestep
