// Texts inside HTML, SVG and WebVTT.
#pragma once

#include <string>
#include <string_view>

namespace tilestep {

// &, < and > as entities: text between tags.
[[nodiscard]] inline std::string markup_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

}  // namespace tilestep
