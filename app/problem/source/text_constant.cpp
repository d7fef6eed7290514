#include "problem/source/text_constant.h"

#include "problem/source/cuda_scanner.h"

#include <cstddef>
#include <map>
#include <optional>

namespace tilestep::problem {
namespace {

struct Range {
  std::size_t from = 0;  // bytes
  std::size_t to = 0;
};

Range range_of(const CudaWord& first, const CudaWord& last) {
  return {first.offset, last.offset + last.text.size()};
}

bool starts_number(std::string_view word) {
  return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

// Where values stand; nothing for names that have several, or another meaning.
using Values = std::map<std::string_view, std::optional<Range>>;

void note(Values& values, std::string_view name, std::optional<Range> value) {
  const auto [place, is_new] = values.try_emplace(name, value);
  if (!is_new) {
    place->second.reset();
  }
}

// `#define NAME 16`. Not of `#define NAME(x) x`, nor where `#ifndef NAME` or `#undef NAME` stands.
void note_defined(Values& values, const CudaWords& words) {
  for (const auto& directive : words.directives) {
    if (directive.size() < 2) {
      continue;
    }
    const CudaWord& name = directive[1];
    const std::string_view kind = directive[0].text;
    if (kind == "ifndef" || kind == "undef") {
      note(values, name.text, std::nullopt);
    } else if (kind == "define") {
      const bool has_value =
          directive.size() > 2 && directive[2].offset > name.offset + name.text.size();
      note(values, name.text,
           has_value ? std::optional(range_of(directive[2], directive.back())) : std::nullopt);
    }
  }
}

// `const int NAME = 16`, `constexpr unsigned NAME = 16`: of one number each.
void note_declared(Values& values, const CudaWords& words) {
  bool is_constant = false;  // since the statement began
  for (std::size_t i = 0; i + 3 < words.code.size(); ++i) {
    const std::string_view word = words.code[i].text;
    if (word == ";" || word == "{" || word == "}") {
      is_constant = false;
    }
    is_constant = is_constant || word == "const" || word == "constexpr";
    const std::string_view end = words.code[i + 3].text;
    if (is_constant && is_identifier(word) && words.code[i + 1].text == "=" &&
        starts_number(words.code[i + 2].text) && (end == ";" || end == ",")) {
      note(values, word, range_of(words.code[i + 2], words.code[i + 2]));
    }
  }
}

// Views into `source`.
Values values_in(std::string_view source) {
  const CudaWords words = scan_cuda(source);
  Values values;
  note_defined(values, words);
  note_declared(values, words);
  return values;
}

}  // namespace

std::vector<std::string> fixed_constants(std::string_view source) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_in(source)) {
    if (value) {
      names.emplace_back(name);
    }
  }
  return names;
}

bool has_fixed_constant(std::string_view source, std::string_view name) {
  const Values values = values_in(source);
  const auto found = values.find(name);
  return found != values.end() && found->second;
}

std::string with_constant(std::string source, std::string_view name, std::string_view value) {
  std::optional<Range> range;
  {
    const Values values = values_in(source);
    const auto found = values.find(name);
    range = found == values.end() ? std::nullopt : found->second;
  }
  if (range) {
    source.replace(range->from, range->to - range->from, value);
  }
  return source;
}

}  // namespace tilestep::problem
