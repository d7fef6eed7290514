#include "ptx/sass/listing.h"

#include <algorithm>
#include <charconv>

namespace tilestep::ptx {
namespace {

// `//## File "/x/tiled.cu", line 14`, perhaps with ` inlined at …` behind it.
std::uint32_t line_of(std::string_view comment, std::string_view source_name) {
  constexpr std::string_view kBefore = "\", line ";
  const std::size_t end = comment.find(kBefore);
  if (end == std::string_view::npos || !comment.substr(0, end).ends_with(source_name)) {
    return 0;
  }
  const std::string_view number = comment.substr(end + kBefore.size());
  std::uint32_t line = 0;
  std::from_chars(number.data(), number.data() + number.size(), line);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// "/*0010*/   S2R R3, SR_CTAID.Y ;" → "0010  S2R R3, SR_CTAID.Y"
std::string instruction(std::string_view text) {
  const std::size_t end = text.find("*/");
  std::string_view code = trimmed(text.substr(end + 2));
  if (code.ends_with(';')) {
    code = trimmed(code.substr(0, code.size() - 1));
  }
  const std::string indent = code.starts_with('@') ? "  " : "      ";
  return std::string(text.substr(2, end - 2)) + indent + std::string(code);
}

}  // namespace

SassListing read_listing(std::string_view output, std::string_view source_name) {
  SassListing listing;
  std::uint32_t line = 0;
  const auto add = [&listing](const std::string& text, std::uint32_t of) {
    listing.text += text + "\n";
    listing.lines.push_back(of);
  };
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view text = trimmed(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (text.starts_with("//## File")) {
      line = line_of(text, source_name);
    } else if (text.starts_with("/*") && text.find("*/") != std::string_view::npos) {
      add(instruction(text), line);
    } else if (text.ends_with(':') && !text.starts_with(".text.")) {
      add(std::string(text), 0);
    }
  }
  return listing;
}

}  // namespace tilestep::ptx
