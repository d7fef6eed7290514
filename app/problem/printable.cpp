#include "problem/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep {

std::string printable(std::string_view text) {
  constexpr std::string_view kKept = "\n\t\"\\";  // what fmt escapes, too, but nobody else needs
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kKept), text.size());
    const std::string quoted = fmt::format("{:?}", text.substr(0, end));
    out.append(quoted, 1, quoted.size() - 2);
    out.append(text.substr(end, 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) {
    return std::string(text);
  }
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // not in the middle of a character
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace tilestep
