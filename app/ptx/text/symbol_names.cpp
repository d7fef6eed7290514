#include "ptx/text/symbol_names.h"

#include "ptx/model/names.h"

#include <algorithm>
#include <cctype>

namespace tilestep::ptx {
namespace {

[[nodiscard]] bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Length of "operator<<", "operator()" … at `place`, so that its signs are not taken for brackets;
// 0 when another name stands there.
std::size_t operator_length(std::string_view text, std::size_t place) {
  constexpr std::string_view kNameWord = "operator";
  if (!text.substr(place).starts_with(kNameWord) || (place > 0 && part_of_name(text[place - 1]))) {
    return 0;
  }
  std::size_t end = place + kNameWord.size();
  if (text.substr(end, 1) == " ") {  // a conversion: "operator bool", up to its parameters
    return std::min(text.find('(', end), text.size()) - place;
  }
  if (text.substr(end, 2) == "()" || text.substr(end, 2) == "[]") {
    return kNameWord.size() + 2;
  }
  while (end < text.size() && std::string_view("<>=!+-*/%^&|~,").find(text[end]) != text.npos) {
    ++end;
  }
  return end == place + kNameWord.size() ? 0 : end - place;
}

// Where the parameter list of a demangled function starts (npos: it has none) and where the blank
// after its result type ends (0: it has none).
struct Parts {
  std::size_t name = 0;
  std::size_t parameters = std::string_view::npos;
};

Parts find_parts(std::string_view text) {
  Parts parts;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t skipped = operator_length(text, i)) {
      i += skipped - 1;
      continue;
    }
    const char c = text[i];
    if (c == '(' && depth == 0) {
      parts.parameters = i;  // the last one counts: "f(int)::{lambda()#1}::operator()(int) const"
    }
    depth += c == '(' || c == '<' || c == '{' || c == '[' ? 1 : 0;
    depth -= c == ')' || c == '>' || c == '}' || c == ']' ? 1 : 0;
    // A blank before the parameters ends the result type; "(anonymous namespace)" is inside ().
    if (c == ' ' && depth == 0 && parts.parameters == std::string_view::npos) {
      parts.name = i + 1;
    }
  }
  return parts;
}

// What only one file knows needs no namespace on screen, neither the unnamed one nor the one NVRTC
// puts around it: "_INTERNAL_00000000_4_x_cu_1f3a::(anonymous namespace)::f" → "f".
std::string without_hidden_namespaces(std::string name) {
  for (const std::string_view hidden : {"_INTERNAL_", "(anonymous namespace)::"}) {
    for (std::size_t at = 0; (at = name.find(hidden, at)) != std::string::npos;) {
      const std::size_t end = name.find("::", at);
      if (end == std::string::npos || (at > 0 && part_of_name(name[at - 1]))) {
        break;
      }
      name.erase(at, end + 2 - at);
    }
  }
  return name;
}

}  // namespace

std::string short_function_name(std::string_view symbol) {
  std::string full = without_hidden_namespaces(demangle(symbol));
  if (full == symbol) {
    return full;
  }
  const Parts parts = find_parts(full);
  // The list of a conversion operator's type or of an anonymous namespace is not the parameters'.
  return parts.parameters == std::string_view::npos || parts.parameters <= parts.name
             ? full
             : full.substr(parts.name, parts.parameters - parts.name);
}

std::string short_variable_name(std::string_view symbol) {
  if (const auto local = parse_local_name(symbol)) {
    return local->name;
  }
  return without_hidden_namespaces(demangle(split_piece(symbol).whole));
}

}  // namespace tilestep::ptx
