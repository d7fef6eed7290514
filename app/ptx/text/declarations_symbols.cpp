#include "ptx/model/names.h"
#include "ptx/text/declarations.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>

namespace tilestep::ptx {
namespace {

// Start of the number at the end of a name ("%r45" → 2); npos: there is none, or one with leading
// zeroes, which no family member has.
std::size_t number_start(std::string_view name) {
  std::size_t start = name.size();
  while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') {
    --start;
  }
  const bool leading_zero = name.size() - start > 1 && name[start] == '0';
  return start == name.size() || leading_zero ? std::string_view::npos : start;
}

[[nodiscard]] bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Length of "operator<<", "operator()" … at `place`, so that its signs are not taken for brackets;
// 0 for any other name.
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

// Start of a demangled function's parameter list (npos: it has none) and end of the blank after its
// result type (0: it has none).
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

// Removes namespaces of a single file, the unnamed one and the one that NVRTC adds around it:
// "_INTERNAL_00000000_4_x_cu_1f3a::(anonymous namespace)::f" → "f".
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

std::uint32_t register_stride(RegisterClass cls) {
  return cls == RegisterClass::B64 ? 2 : cls == RegisterClass::B128 ? 4 : 1;
}

void SymbolTable::open_scope() {
  scopes_.push_back({hidden_.size(), families_.size()});
}

void SymbolTable::close_scope() {
  assert(!scopes_.empty());
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  families_.resize(scope.families);
  while (hidden_.size() > scope.hidden) {
    const Hidden& last = hidden_.back();
    if (last.before) {
      entries_[last.name] = *last.before;
    } else {
      entries_.erase(last.name);
    }
    hidden_.pop_back();
  }
}

bool SymbolTable::declare(std::string_view name, const Symbol& symbol) {
  const Entry entry{symbol, depth()};
  const auto [place, inserted] = entries_.try_emplace(name, entry);
  if (!inserted && place->second.depth == depth()) {
    return false;
  }
  if (!scopes_.empty()) {
    hidden_.push_back({name, inserted ? std::nullopt : std::optional<Entry>(place->second)});
  }
  place->second = entry;
  return true;
}

bool SymbolTable::declare_global(std::string_view name, const Symbol& symbol) {
  return entries_.try_emplace(name, Entry{symbol, 0}).second;
}

bool SymbolTable::declare_family(std::string_view prefix, std::uint32_t count, Register first) {
  for (const Family& family : families_) {
    if (family.depth == depth() && family.prefix == prefix) {
      return false;
    }
  }
  families_.push_back({prefix, count, first, depth()});
  return true;
}

const SymbolTable::Family* SymbolTable::find_family(std::string_view name,
                                                    std::uint32_t& number) const {
  const std::size_t start = number_start(name);
  if (start == std::string_view::npos) {
    return nullptr;
  }
  const char* const end = name.data() + name.size();
  if (std::from_chars(name.data() + start, end, number).ec != std::errc{}) {
    return nullptr;
  }
  const std::string_view prefix = name.substr(0, start);
  for (auto family = families_.rbegin(); family != families_.rend(); ++family) {
    if (family->prefix == prefix && number < family->count) {
      return &*family;
    }
  }
  return nullptr;
}

std::optional<Symbol> SymbolTable::find(std::string_view name) const {
  std::uint32_t number = 0;
  const Family* const family = find_family(name, number);
  // Inside a family's own scope nothing can hide it: the common case needs no second look-up.
  if (family == nullptr || family->depth != depth()) {
    const auto entry = entries_.find(name);
    if (entry != entries_.end() && (family == nullptr || entry->second.depth > family->depth)) {
      return entry->second.symbol;
    }
  }
  if (family == nullptr) {
    return std::nullopt;
  }
  const std::uint32_t slot = family->first.index + number * register_stride(family->first.cls);
  return Symbol{SymbolKind::Register, {family->first.cls, slot}, 0, 0};
}

std::string short_function_name(std::string_view symbol) {
  std::string full = without_hidden_namespaces(demangle(symbol));
  if (full == symbol) {
    return full;
  }
  const Parts parts = find_parts(full);
  // The list found may belong to a conversion operator's type or an anonymous namespace, not to the
  // parameters.
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
