#include "problem/printable.h"

#include <fmt/format.h>

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

}  // namespace tilestep
