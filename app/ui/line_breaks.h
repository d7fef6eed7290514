// Lines of texts without blanks between their words: Chinese.
#pragma once

#include <string>
#include <string_view>

namespace tilestep::ui {

// Whether a line may end between two neighbouring characters of a text: between ideographs, but not
// before a closing mark or after an opening one (W3C, "Requirements for Chinese Text Layout").
[[nodiscard]] bool may_break_between(unsigned before, unsigned after);

// The text with line ends where it has to go on in the next line, for the current font; as it is
// where it has no ideographs, because Dear ImGui breaks at blanks itself.
[[nodiscard]] std::string with_line_breaks(std::string_view text, float width);

// The same for ImGui::TextWrapped: up to the right edge of the region, or where text wraps.
void text_in_lines(std::string_view text);

}  // namespace tilestep::ui
