#include "problem/text.h"

#include "problem/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_name_part(text[at - 1])) &&
        (end == text.size() || !is_name_part(text[end]))) {
      return true;
    }
  }
  return false;
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(), is_control);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    for (const char c : printable(text.substr(0, plain))) {
      out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    }
    if (plain < text.size()) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(text[plain]));
    }
    text.remove_prefix(std::min(plain + 1, text.size()));
  }
  return out + '"';
}

std::string toml_key(std::string_view name) {
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), is_bare);
  return is_plain ? std::string(name) : toml_quoted(name);
}

}  // namespace tilestep
