// Bytes as letters (RFC 4648, section 4): what a text file holds of a file that is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilestep::problem {

[[nodiscard]] std::string to_base64(std::string_view bytes);
// Blanks and line ends between the letters are skipped. Nothing where a letter is none of
// base64's, or the text is cut off.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilestep::problem
