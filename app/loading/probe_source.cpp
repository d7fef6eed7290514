// make_probe_source: finds the declarations of shared arrays (and of static variables) in functions
// and adds, on the same line, a pointer to their type that nothing uses.
#include "loading/loader.h"
#include "loading/probe.h"
#include "problem/source/cuda_scanner.h"
#include "ptx/model/names.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <span>
#include <utility>

namespace tilestep::loading {
namespace {

using ptx::LocalName;
using ptx::MemoryVariable;
using ptx::Module;
using ptx::parse_local_name;
using ptx::Space;

constexpr std::string_view kMark = "__tilestep_probe_";

using Names = std::set<std::string, std::less<>>;

// The words that start a declaration of interest, and the names that may be declared by it.
struct Search {
  Names keywords;
  Names variables;
};

using Insertions = std::set<std::pair<std::uint32_t, std::string>>;  // offset in the text, variable

bool is_punctuation(std::string_view word, char c) {
  return word.size() == 1 && word[0] == c;
}

// `#define SHARED __shared__` and `#define TILE(name) __shared__ float name[16][16]` make keywords
// of SHARED and TILE, and so does a macro that uses those.
void add_macros(const problem::CudaWords& text, Names& keywords) {
  for (std::size_t before = 0; before != keywords.size();) {
    before = keywords.size();
    for (const std::vector<problem::CudaWord>& directive : text.directives) {
      if (directive.size() < 3 || directive[0].text != "define") {
        continue;
      }
      for (const problem::CudaWord& word : std::span(directive).subspan(2)) {
        if (keywords.contains(word.text)) {
          keywords.emplace(directive[1].text);
        }
      }
    }
  }
}

// Reads one declaration, from its keyword to its `;`.
class Declaration {
 public:
  Declaration(std::span<const problem::CudaWord> words, const Names& variables)
      : words_(words), variables_(variables) {}

  // Adds what was declared; nothing when this is no declaration of variables.
  void find(Insertions& insertions) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::string_view word = words_[i].text;
      if (is_punctuation(word, ';') && braces_ == 0 && brackets_ == 0) {
        for (const std::string_view name : found_) {
          insertions.emplace(words_[i].offset + 1, std::string(name));
        }
        return;
      }
      if (!read(i, word)) {
        return;
      }
    }
  }

 private:
  // False when the words cannot be a declaration of variables any more.
  bool read(std::size_t i, std::string_view word) {
    if (is_punctuation(word, '{')) {
      bool is_function_body = braces_ == 0 && i > 0 && is_punctuation(words_[i - 1].text, ')');
      ++braces_;
      return !is_function_body;
    }
    if (is_punctuation(word, '}')) {
      return --braces_ >= 0;
    }
    if (is_punctuation(word, '[')) {
      ++brackets_;
    } else if (is_punctuation(word, ']')) {
      return --brackets_ >= 0;
    } else if (is_punctuation(word, '(')) {
      ++parentheses_;
    } else if (is_punctuation(word, ')')) {
      return --parentheses_ >= 0;
    } else if (braces_ == 0 && brackets_ == 0) {
      if (is_punctuation(word, '=')) {
        in_initialiser_ = true;
      } else if (is_punctuation(word, ',') && parentheses_ == 0) {
        in_initialiser_ = false;
      } else if (!in_initialiser_ && variables_.contains(word)) {
        found_.push_back(word);
      }
    }
    return true;
  }

  std::span<const problem::CudaWord> words_;
  const Names& variables_;
  std::vector<std::string_view> found_;
  int braces_ = 0;
  int brackets_ = 0;
  int parentheses_ = 0;
  bool in_initialiser_ = false;
};

// `extern __shared__ float tile[];` has an entry of its own and no size to measure.
bool is_extern(std::span<const problem::CudaWord> words, std::size_t keyword) {
  for (std::size_t i = keyword; i-- > 0;) {
    std::string_view word = words[i].text;
    if (is_punctuation(word, ';') || is_punctuation(word, '{') || is_punctuation(word, '}')) {
      return false;
    }
    if (word == "extern") {
      return true;
    }
  }
  return false;
}

void find_declarations(std::span<const problem::CudaWord> words, const Search& search,
                       Insertions& insertions) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool starts = search.keywords.contains(words[i].text);
    bool declares_extern = i + 1 < words.size() && words[i + 1].text == "extern";
    if (starts && !declares_extern && !is_extern(words, i)) {
      Declaration(words.subspan(i + 1), search.variables).find(insertions);
    }
  }
}

void find_all(const problem::CudaWords& text, Search search, Insertions& insertions) {
  if (search.variables.empty()) {
    return;
  }
  add_macros(text, search.keywords);
  find_declarations(text.code, search, insertions);
  for (const std::vector<problem::CudaWord>& directive : text.directives) {
    bool is_macro = directive.size() > 2 && directive[0].text == "define";
    if (is_macro) {
      find_declarations(std::span(directive).subspan(2), search, insertions);
    }
  }
}

}  // namespace

std::string probe_name(std::string_view variable, std::uint32_t place) {
  return fmt::format("{}{}{}", variable, kMark, place);
}

std::optional<ProbeName> parse_probe_name(std::string_view name) {
  std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) {
    return std::nullopt;
  }
  ProbeName result;
  result.variable = name.substr(0, mark);
  const char* begin = name.data() + mark + kMark.size();
  const char* end = name.data() + name.size();
  auto [rest, error] = std::from_chars(begin, end, result.place);
  return error == std::errc{} && rest == end ? std::optional(result) : std::nullopt;
}

std::string make_probe_source(const std::string& source, const Module& module) {
  Search shared{{"__shared__"}, {}};
  Search statics{{"static"}, {}};
  for (const MemoryVariable& variable : module.variables) {
    if (std::optional<LocalName> local = parse_local_name(variable.symbol)) {
      bool is_shared = variable.space == Space::Shared;
      (is_shared ? shared : statics).variables.insert(local->name);
    }
  }
  problem::CudaWords text = problem::scan_cuda(source);
  Insertions insertions;
  find_all(text, std::move(shared), insertions);
  find_all(text, std::move(statics), insertions);
  if (insertions.empty()) {
    return {};
  }
  std::string result;
  std::size_t copied = 0;
  std::uint32_t place = 0;
  for (const auto& [offset, variable] : insertions) {
    result.append(source, copied, offset - copied);
    result += fmt::format(" decltype({})* {};", variable, probe_name(variable, place));
    copied = offset;
    ++place;
  }
  result.append(source, copied, std::string::npos);
  return result;
}

}  // namespace tilestep::loading
