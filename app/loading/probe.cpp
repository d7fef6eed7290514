// apply_probe: copies the types that a probe's compile found into the module that is executed.
#include "loading/probe.h"

#include "problem/source/cuda_scanner.h"
#include "ptx/model/module.h"
#include "ptx/model/names.h"
#include "ptx/text/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace tilestep::loading {
namespace {

using ptx::Function;
using ptx::kNoType;
using ptx::last_component;
using ptx::LocalName;
using ptx::LocationKind;
using ptx::MemoryVariable;
using ptx::Module;
using ptx::parse_local_name;
using ptx::Scope;
using ptx::short_function_name;
using ptx::sort_variables;
using ptx::SourceType;
using ptx::SourceVariable;
using ptx::TypeId;

// Copies types with all their parts, each once.
class TypeCopier {
 public:
  TypeCopier(const std::vector<SourceType>& from, std::vector<SourceType>& to)
      : from_(from), to_(to) {}

  TypeId copy(TypeId id) {
    if (id >= from_.size()) {
      return kNoType;
    }
    auto [place, is_new] = copied_.emplace(id, static_cast<TypeId>(to_.size()));
    TypeId copied = place->second;
    if (!is_new) {
      return copied;
    }
    to_.push_back(from_[id]);
    TypeId element = copy(from_[id].element);
    to_[copied].element = element;
    for (std::size_t i = 0; i < from_[id].members.size(); ++i) {
      TypeId member = copy(from_[id].members[i].type);
      to_[copied].members[i].type = member;
    }
    return copied;
  }

 private:
  const std::vector<SourceType>& from_;
  std::vector<SourceType>& to_;
  std::unordered_map<TypeId, TypeId> copied_;
};

// One occurrence of a probe's pointer: in a function, or in each place a function was inlined into.
struct Pointer {
  std::uint32_t function = 0;  // index in the probe's module
  std::uint32_t scope = 0;
  std::uint32_t variable = 0;  // index in the function's source variables
};

// variable of the source → place in the text → occurrences
using Pointers = std::map<std::string, std::map<std::uint32_t, std::vector<Pointer>>, std::less<>>;

Pointers find_pointers(const Module& probe) {
  Pointers pointers;
  for (std::uint32_t f = 0; f < probe.functions.size(); ++f) {
    const Function& function = probe.functions[f];
    for (std::uint32_t s = 0; s < function.scopes.size(); ++s) {
      for (std::uint32_t v : function.scopes[s].variables) {
        if (auto name = parse_probe_name(function.source_variables[v].name)) {
          pointers[std::string(name->variable)][name->place].push_back({f, s, v});
        }
      }
    }
  }
  return pointers;
}

std::string without_blanks(std::string_view text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result),
               [](char c) { return c != ' '; });
  return result;
}

// Whether a pointer is in the function `symbol`, compiled separately or inlined.
bool belongs_to(const Module& probe, const Pointer& pointer, const std::string& symbol,
                const std::string& inlined_name) {
  const Function& function = probe.functions[pointer.function];
  for (std::uint32_t scope = pointer.scope; scope != 0; scope = function.scopes[scope].parent) {
    const std::string& inlined = function.scopes[scope].inlined;
    if (!inlined.empty()) {
      return without_blanks(inlined) == inlined_name;
    }
  }
  return function.symbol == symbol;
}

// The occurrences of the pointer to a memory variable: among the declarations of its name in its
// function, the one with its discriminator.
std::vector<Pointer> pointers_to(const Module& probe, const Pointers& pointers,
                                 const LocalName& local) {
  auto found = pointers.find(local.name);
  if (found == pointers.end()) {
    return {};
  }
  const std::string function_name = short_function_name(local.function);
  const std::string inlined_name = without_blanks(last_component(function_name));
  std::uint32_t number = 0;
  for (const auto& [place, all] : found->second) {
    std::vector<Pointer> own;
    std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const Pointer& pointer) {
      return belongs_to(probe, pointer, local.function, inlined_name);
    });
    if (!own.empty() && number++ == local.discriminator) {
      return own;
    }
  }
  return {};
}

bool contains(const Scope& outer, const Scope& inner) {
  return outer.low_pc <= inner.low_pc && inner.high_pc <= outer.high_pc;
}

// The scope of `function` that corresponds to `measured` in the probe. The probe's code is the
// same, instruction for instruction, but a block without other declarations has a scope in the
// probe only: it is added.
std::uint32_t matching_scope(Function& function, const Scope& measured) {
  std::vector<Scope>& scopes = function.scopes;
  std::uint32_t parent = 0;
  for (std::uint32_t i = 1; i < scopes.size(); ++i) {
    parent = contains(scopes[i], measured) ? i : parent;
  }
  if (contains(measured, scopes[parent])) {
    return parent;
  }
  // Outer scopes precede inner ones.
  auto place = std::find_if(scopes.begin() + parent + 1, scopes.end(),
                            [&](const Scope& scope) { return contains(measured, scope); });
  auto index = static_cast<std::uint32_t>(place - scopes.begin());
  Scope added = measured;
  added.parent = parent;
  added.variables.clear();
  scopes.insert(place, std::move(added));
  for (std::uint32_t i = 1; i < scopes.size(); ++i) {
    if (i != index && scopes[i].parent >= index) {
      ++scopes[i].parent;
    } else if (i > index && scopes[i].parent == parent && contains(measured, scopes[i])) {
      scopes[i].parent = index;
    }
  }
  return index;
}

// Makes `variable` (a memory variable's) visible in the scope that corresponds to the pointer's.
void place_variable(Function& function, std::uint32_t scope, SourceVariable variable) {
  auto index = static_cast<std::uint32_t>(function.source_variables.size());
  for (std::uint32_t i = 0; i < function.source_variables.size(); ++i) {
    const SourceVariable& known = function.source_variables[i];
    bool is_placeholder = known.kind == LocationKind::Memory &&
                          known.variable == variable.variable && known.type == kNoType;
    if (is_placeholder) {
      std::erase(function.scopes[0].variables, i);
      index = i;
      break;
    }
  }
  if (index == function.source_variables.size()) {
    function.source_variables.emplace_back();
  }
  function.source_variables[index] = std::move(variable);
  function.scopes[scope].variables.push_back(index);
  sort_variables(function, function.scopes[scope]);
}

class Applier {
 public:
  Applier(Module& module, const Module& probe)
      : module_(module),
        probe_(probe),
        pointers_(find_pointers(probe)),
        types_(probe.types, module.types) {}

  void apply() {
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      if (std::optional<LocalName> local = parse_local_name(module_.variables[i].symbol)) {
        apply_to_local(i, *local);
      } else if (module_.variables[i].type == kNoType) {
        apply_to_global(i);
      }
    }
  }

 private:
  void apply_to_local(std::uint32_t index, const LocalName& local) {
    std::vector<Pointer> all = pointers_to(probe_, pointers_, local);
    MemoryVariable& memory = module_.variables[index];
    for (const Pointer& pointer : all) {
      const Function& measured = probe_.functions[pointer.function];
      const SourceVariable& variable = measured.source_variables[pointer.variable];
      if (variable.type >= probe_.types.size()) {
        continue;
      }
      TypeId target = probe_.types[variable.type].element;
      if (target >= probe_.types.size() || !set_type(index, target)) {
        continue;
      }
      SourceVariable shown;
      shown.name = memory.name;
      shown.type = memory.type;
      shown.decl_file = variable.decl_file;
      shown.decl_line = variable.decl_line;
      shown.kind = LocationKind::Memory;
      shown.variable = index;
      show(measured, measured.scopes[pointer.scope], std::move(shown));
    }
  }

  // Sets the declared type of a variable; a piece of it gets the corresponding part. False: it does
  // not fit.
  bool set_type(std::uint32_t index, TypeId declared) {
    MemoryVariable& memory = module_.variables[index];
    if (!memory.path.empty()) {
      return name_piece(module_, index, types_.copy(declared));
    }
    const bool fits = probe_.types[declared].bytes == memory.bytes;
    memory.type = fits ? types_.copy(declared) : memory.type;
    return fits;
  }

  void show(const Function& measured, const Scope& scope, SourceVariable variable) {
    for (Function& function : module_.functions) {
      bool is_same = function.symbol == measured.symbol && !function.scopes.empty() &&
                     function.instructions.size() == measured.instructions.size();
      if (is_same) {
        place_variable(function, matching_scope(function, scope), std::move(variable));
        return;
      }
    }
  }

  // A fast build has no debug information: variables outside functions get the probe's types too.
  void apply_to_global(std::uint32_t index) {
    const std::string_view symbol = ptx::split_piece(module_.variables[index].symbol).whole;
    for (const MemoryVariable& measured : probe_.variables) {
      if (measured.symbol == symbol && measured.type != kNoType) {
        set_type(index, measured.type);
        return;
      }
    }
  }

  Module& module_;
  const Module& probe_;
  Pointers pointers_;
  TypeCopier types_;
};

using ptx::Space;

constexpr std::string_view kMark = "__tilestep_probe_";

using Names = std::set<std::string, std::less<>>;

// The words that start a relevant declaration, and the names that it may declare.
struct Search {
  Names keywords;
  Names variables;
};

using Insertions = std::set<std::pair<std::uint32_t, std::string>>;  // offset in the text, variable

bool is_punctuation(std::string_view word, char c) {
  return word.size() == 1 && word[0] == c;
}

// `#define SHARED __shared__` and `#define TILE(name) __shared__ float name[16][16]` make keywords
// of SHARED and TILE, and so does a macro that uses them.
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

  // Adds the declared variables; nothing if this is not a declaration of variables.
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
  // False if the words can no longer be a declaration of variables.
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

// `extern __shared__ float tile[];` has a separate entry and no size to measure.
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

void apply_probe(Module& module, const Module& probe) {
  Applier(module, probe).apply();
}

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
