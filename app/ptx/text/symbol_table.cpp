#include "ptx/text/symbol_table.h"

#include <cassert>
#include <charconv>

namespace tilestep::ptx {
namespace {

// Where the number at the end of a name starts ("%r45" → 2); npos: there is none, or one with
// leading zeroes, which no family member has.
std::size_t number_start(std::string_view name) {
  std::size_t start = name.size();
  while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') {
    --start;
  }
  const bool leading_zero = name.size() - start > 1 && name[start] == '0';
  return start == name.size() || leading_zero ? std::string_view::npos : start;
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

}  // namespace tilestep::ptx
