#include "compile/declarations.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilestep::compile {
namespace {

using problem::CudaWord;
using problem::CudaWords;
using problem::is_one_of;
using Kind = Declaration::Kind;

// Marks of device declarations. (__host__ alone is none.)
constexpr std::string_view kDeviceMarks[] = {"__device__",  "__global__",       "__constant__",
                                             "__managed__", "__shared__",       "constexpr",
                                             "consteval",   "__grid_constant__"};
// Host types: a declaration that names one of them belongs to the host.
constexpr std::string_view kHostTypes[] = {"FILE",        "cudaStream_t",  "cudaEvent_t",
                                           "cudaError_t", "cudaArray",     "cudaDeviceProp",
                                           "cudaArray_t", "cublasHandle_t"};
// Functions that only host code calls, besides std and launches.
constexpr std::string_view kHostCalls[] = {
    "cudaMalloc", "cudaFree",   "cudaMemcpy", "cudaMemset", "cudaHost", "cudaDevice",
    "cudaEvent",  "cudaStream", "cudaGet",    "cudaSet",    "cudaPeek", "cudaLaunch",
    "cublas",     "fprintf",    "fopen",      "fclose",     "exit",     "gettimeofday",
    "nvtx",       "strlen",     "strcpy",     "realloc"};
constexpr std::string_view kAccess[] = {"public", "private", "protected"};
constexpr std::string_view kBothSides[] = {"constexpr", "consteval"};
// Limit on nested macros.
constexpr int kDeepestMacro = 8;

std::string_view word_at(CodeWords words, std::size_t i) {
  return i < words.size() ? words[i].text : std::string_view();
}

// The place after the bracket that closes the one at `open`.
std::size_t behind_bracket(CodeWords words, std::size_t open, std::string_view closes) {
  const std::string_view opens = word_at(words, open);
  int depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    depth += words[i].text == opens ? 1 : 0;
    depth -= words[i].text == closes ? 1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return words.size();
}

// It may be preceded by static, typedef and const.
bool starts_type(CodeWords words, std::size_t i) {
  constexpr std::string_view kBefore[] = {"typedef", "static", "const"};
  constexpr std::string_view kTypes[] = {"struct", "class", "union", "enum"};
  while (is_one_of(kBefore, word_at(words, i))) {
    ++i;
  }
  return is_one_of(kTypes, word_at(words, i));
}

bool names_host_types(CodeWords words) {
  return std::any_of(words.begin(), words.end(), [](const CudaWord& w) {
    return w.text == "std" || is_one_of(kHostTypes, w.text);
  });
}

// A launch has three in a row.
bool calls_host(CodeWords words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_launch = words[i].text == "<" && word_at(words, i + 1) == "<" &&
                           word_at(words, i + 2) == "<" &&
                           words[i + 2].offset == words[i].offset + 2;
    const bool is_call =
        std::any_of(std::begin(kHostCalls), std::end(kHostCalls),
                    [&](std::string_view name) { return words[i].text.starts_with(name); });
    if (is_launch || (is_call && word_at(words, i + 1) == "(")) {
      return true;
    }
  }
  return false;
}

// Opening braces minus closing ones.
std::ptrdiff_t open_braces(CodeWords words) {
  const auto count = [&](std::string_view brace) {
    return std::count_if(words.begin(), words.end(),
                         [&](const CudaWord& w) { return w.text == brace; });
  };
  return count("{") - count("}");
}

class DeclarationReader {
 public:
  DeclarationReader(CodeWords words, const Macros& macros, int depth)
      : words_(words), macros_(macros), depth_(depth) {}

  std::vector<Declaration> read() {
    while (place_ < words_.size()) {
      if (at(place_) == "}" || at(place_) == ";") {  // of a namespace that was entered
        ++place_;
      } else if (at(place_ + 1) == ":" && is_one_of(kAccess, at(place_))) {
        place_ += 2;
      } else if (const auto body = namespace_body()) {
        place_ = *body;
      } else if (const auto behind = behind_macro(words_, place_)) {
        declarations_.push_back(macro_use(*behind));
        place_ = *behind;
      } else {
        declarations_.push_back(declaration());
      }
    }
    return std::move(declarations_);
  }

 private:
  [[nodiscard]] std::string_view at(std::size_t i) const { return word_at(words_, i); }

  // The place after the brace that opens a namespace or a linkage specification here.
  [[nodiscard]] std::optional<std::size_t> namespace_body() const {
    std::size_t i = place_;
    if (at(i) == "extern" && at(i + 1) == "{") {
      return i + 2;
    }
    i += at(i) == "inline" ? 1 : 0;
    if (at(i) != "namespace") {
      return std::nullopt;
    }
    while (i < words_.size() && at(i) != "{" && at(i) != ";" && at(i) != "=") {
      ++i;
    }
    return at(i) == "{" ? std::optional(i + 1) : std::nullopt;
  }

  // The place after a macro that is a whole declaration without a `;`: its replacement ends one, or
  // opens or closes a brace, or is such a macro. KERNEL(f, 5), NAMESPACE_BEGIN
  [[nodiscard]] std::optional<std::size_t> behind_macro(CodeWords words, std::size_t i,
                                                        int depth = 0) const {
    if (i >= words.size() || depth > kDeepestMacro) {
      return std::nullopt;
    }
    const auto [first, last] = macros_.by_name.equal_range(words[i].text);
    for (auto macro = first; macro != last; ++macro) {
      const bool is_call = word_at(words, i + 1) == "(";
      if (macro->second.has_parameters == is_call || !macro->second.has_parameters) {
        if (is_whole(macro->second.replacement, depth)) {
          return macro->second.has_parameters ? behind_bracket(words, i + 1, ")") : i + 1;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_whole(CodeWords body, int depth) const {
    if (body.empty() || open_braces(body) != 0 || body.back().text == ";" ||
        body.back().text == "}") {
      return !body.empty() &&
             (open_braces(body) != 0 || !starts_type(body, 0) || body.back().text == ";");
    }
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (behind_macro(body, i, depth + 1) == body.size()) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] Declaration macro_use(std::size_t behind) const {
    Declaration found;
    found.begin = place_;
    found.end = behind;
    found.kind = Kind::Macro;
    found.is_device = false;
    const auto [first, last] = macros_.by_name.equal_range(at(place_));
    for (auto macro = first; macro != last && !found.is_device; ++macro) {
      const CodeWords body = macro->second.replacement;
      found.is_device = open_braces(body) != 0;
      if (!found.is_device && depth_ < kDeepestMacro) {
        const auto parts = DeclarationReader(body, macros_, depth_ + 1).read();
        found.is_device = std::any_of(parts.begin(), parts.end(),
                                      [](const Declaration& part) { return part.is_device; });
      }
    }
    return found;
  }

  // The place after `template <…>`, repeated any number of times.
  [[nodiscard]] std::size_t behind_templates(std::size_t i) const {
    while (at(i) == "template" && at(i + 1) == "<") {
      i = behind_bracket(words_, i + 1, ">");
    }
    return i;
  }

  // A name before a parenthesis that is not an attribute's.
  [[nodiscard]] bool names_function(std::size_t i) const {
    constexpr std::string_view kAttributes[] = {"__launch_bounds__", "alignas", "__attribute__",
                                                "__declspec", "__cluster_dims__"};
    return problem::is_identifier(at(i)) && !is_one_of(kAttributes, at(i)) &&
           !at(i).starts_with("__align");
  }

  // Whether the words before the brace at `open`, after marks, name a type: __constant__ struct { …
  // } s;
  [[nodiscard]] bool names_type(std::size_t open) const {
    for (std::size_t i = behind_templates(place_); i < open; ++i) {
      if (starts_type(words_, i)) {
        return true;
      }
    }
    return false;
  }

  // The place after the name of an operator function: operator==, operator(), operator float
  [[nodiscard]] std::size_t behind_operator(std::size_t i) const {
    i += at(i + 1) == "(" ? 3 : 1;
    while (i < words_.size() && at(i) != "(" && at(i) != ";" && at(i) != "{") {
      ++i;
    }
    return i;
  }

  Declaration declaration() {
    Declaration found;
    found.begin = place_;
    std::size_t i = behind_templates(place_);
    bool may_be_type = starts_type(words_, i);
    bool has_value = false;
    while (i < words_.size() && at(i) != ";") {
      if (at(i) == "operator" && found.name.empty()) {
        found.name = at(i);
        i = behind_operator(i);
      } else if (at(i) == "(") {
        if (found.name.empty() && i > place_ && names_function(i - 1)) {
          found.name = at(i - 1);
        }
        i = behind_bracket(words_, i, ")");
      } else if (at(i) == "{") {
        may_be_type = may_be_type || names_type(i);
        i = behind_bracket(words_, i, "}");
        if (may_be_type && found.name.empty()) {
          found.kind = Kind::Type;
        } else if (!has_value) {  // a function's body ends its declaration
          found.kind = Kind::Function;
          break;
        }
      } else {
        has_value = has_value || at(i) == "=";
        ++i;
      }
    }
    i += at(i) == ";" ? 1 : 0;
    found.end = std::min(i, words_.size());
    place_ = found.end;
    classify(found, has_value);
    return found;
  }

  void classify(Declaration& found, bool has_value) const {
    const CodeWords words = words_.subspan(found.begin, found.end - found.begin);
    const auto has = [&](auto&& is) { return std::any_of(words.begin(), words.end(), is); };
    const auto named = [&](std::string_view name) {
      return has([&](const CudaWord& w) { return w.text == name; });
    };
    const std::string_view first = words.front().text;
    const bool is_namespace = word_at(words, 1) == "namespace";
    const bool is_hosts = names_host_types(words) && !is_namespace;
    const bool is_marked = has([&](const CudaWord& w) { return macros_.marks.contains(w.text); });
    const bool is_type = starts_type(words_, found.begin);
    if (found.kind == Kind::Type) {
      found.is_device = is_marked || !is_hosts || has_functions(found);
    } else if (found.kind == Kind::Function) {
      found.is_device = head_is_marked(found, macros_.marks);
    } else if (is_marked || is_texture(words)) {
      found.is_device = true;  // the compiler refuses a texture, with its line
    } else if (is_explicit_instantiation(words)) {
      found.is_device = false;  // a kernel instantiates the device code it uses
    } else if (first == "using" || first == "namespace" || first == "typedef" ||
               first == "template" || first == "static_assert" || is_type) {
      found.is_device = !is_hosts;
    } else {  // a variable, or a function's declaration
      found.is_device = named("const") && has_value && !is_hosts && is_number(words);
    }
    if (!is_namespace && first != "namespace") {
      find_names(found);
    }
  }

  // Members that name host types may all be functions, which are omitted one by one.
  [[nodiscard]] bool has_functions(const Declaration& type) const {
    const std::vector<Declaration> members = read_members(words_, type, macros_);
    return std::any_of(members.begin(), members.end(),
                       [](const Declaration& member) { return member.kind == Kind::Function; });
  }

  // texture<float, 2> image;
  static bool is_texture(CodeWords words) {
    const std::size_t i = words.front().text == "static" ? 1 : 0;
    return (word_at(words, i) == "texture" || word_at(words, i) == "surface") &&
           word_at(words, i + 1) == "<";
  }

  // template void f<int>(int*); extern template class S<int>;
  static bool is_explicit_instantiation(CodeWords words) {
    const std::size_t i = words.front().text == "extern" ? 1 : 0;
    return word_at(words, i) == "template" && word_at(words, i + 1) != "<";
  }

  // const int WIDTH = 16, HEIGHT = WIDTH / 2; the compiler folds it into device code.
  static bool is_number(CodeWords words) {
    return std::none_of(words.begin(), words.end(), [](const CudaWord& w) {
      return w.text == "*" ? false : w.text == "dim3" || w.text == "string" || w.text == "char";
    });
  }

  // The words before a function's body.
  [[nodiscard]] bool head_is_marked(const Declaration& found, const Names& marks) const {
    for (std::size_t i = found.begin; i < found.end && at(i) != "{"; ++i) {
      if (marks.contains(at(i))) {
        return true;
      }
    }
    return false;
  }

  // The names by which others refer to it, unless it has to stay anyway: marked for the device, an
  // enum (for its enumerators).
  void find_names(Declaration& found) const {
    const auto marks_device = [&](std::size_t i) {
      return macros_.marks.contains(at(i)) && !is_one_of(kBothSides, at(i));
    };
    bool has_enumerators = false;
    for (std::size_t i = found.begin; i < found.end; ++i) {
      if (marks_device(i)) {
        return;
      }
      has_enumerators = has_enumerators || at(i) == "enum";
    }
    if (found.kind != Kind::Type) {
      find_declarators(found);
    } else if (!has_enumerators) {
      find_type_names(found);
    }
    found.is_for_users = !found.declares.empty();
  }

  // Function f( …, variables before = [ { , ;, aliases before =, typedefs before ; and ). An
  // assertion belongs to everything that it names.
  void find_declarators(Declaration& found) const {
    constexpr std::string_view kBehind[] = {"=", "[", "{", ",", ";", ")"};
    if (found.kind == Kind::Function) {
      if (!found.name.empty() && found.name != "operator") {
        found.declares.emplace(found.name);
      }
      return;
    }
    const std::size_t begin = behind_templates(found.begin);
    const bool is_assertion = at(begin) == "static_assert";
    for (std::size_t i = begin + (is_assertion ? 1 : 0); i + 1 < found.end; ++i) {
      const bool is_qualifier = at(i + 1) == ":" && at(begin) != "using";
      const bool is_name = is_assertion ? at(i) != "sizeof" && at(i) != "alignof"
                                        : is_one_of(kBehind, at(i + 1)) || is_qualifier;
      if (is_name && problem::is_identifier(at(i))) {
        found.declares.emplace(at(i));
      }
    }
  }

  // The words between `struct` and its base classes or body, and those after the body.
  void find_type_names(Declaration& found) const {
    std::size_t i = behind_templates(found.begin);
    for (; i < found.end && at(i) != ":" && at(i) != "<" && at(i) != "{"; ++i) {
      if (problem::is_identifier(at(i)) && !starts_type(words_, i)) {
        found.declares.emplace(at(i));
      }
    }
    while (i < found.end && at(i) != "{") {
      ++i;
    }
    for (i = behind_bracket(words_, i, "}"); i < found.end; ++i) {
      if (problem::is_identifier(at(i))) {
        found.declares.emplace(at(i));
      }
    }
  }

  CodeWords words_;
  const Macros& macros_;
  int depth_ = 0;
  std::size_t place_ = 0;
  std::vector<Declaration> declarations_;
};

// A parenthesis that is part of the replacement has a blank before it.
bool has_parameters(CodeWords define) {
  return word_at(define, 2) == "(" && define[2].offset == define[1].offset + define[1].text.size();
}

}  // namespace

CodeWords replacement_of(CodeWords directive) {
  if (directive.size() < 2 || directive[0].text != "define") {
    return {};
  }
  return directive.subspan(has_parameters(directive) ? behind_bracket(directive, 2, ")") : 2);
}

Macros read_macros(std::span<const CudaWords> texts) {
  Macros macros;
  for (const CudaWords& text : texts) {
    for (const std::vector<CudaWord>& directive : text.directives) {
      if (directive.size() > 1 && directive[0].text == "define") {
        macros.by_name.emplace(directive[1].text,
                               Macro{has_parameters(directive), replacement_of(directive)});
      }
    }
  }
  // `#define HD __host__ __device__` makes a mark of HD, and so does a macro that uses it.
  macros.marks = Names(std::begin(kDeviceMarks), std::end(kDeviceMarks));
  for (std::size_t before = 0; before != macros.marks.size();) {
    before = macros.marks.size();
    for (const auto& [name, macro] : macros.by_name) {
      if (std::any_of(macro.replacement.begin(), macro.replacement.end(),
                      [&](const CudaWord& w) { return macros.marks.contains(w.text); })) {
        macros.marks.emplace(name);
      }
    }
  }
  return macros;
}

std::vector<Declaration> read_declarations(CodeWords words, const Macros& macros) {
  return DeclarationReader(words, macros, 0).read();
}

std::vector<Declaration> read_members(CodeWords words, const Declaration& type,
                                      const Macros& macros) {
  std::size_t open = type.begin;
  while (open < type.end && words[open].text != "{") {
    ++open;
  }
  if (open == type.end) {
    return {};
  }
  const std::size_t close = behind_bracket(words, open, "}") - 1;
  const CodeWords body = words.subspan(open + 1, close > open ? close - open - 1 : 0);
  std::vector<Declaration> members = read_declarations(body, macros);
  for (Declaration& member : members) {
    member.begin += open + 1;
    member.end += open + 1;
  }
  return members;
}

bool is_host_function(CodeWords words, const Declaration& declaration) {
  constexpr std::string_view kStatements[] = {"if", "for", "while", "switch", "return", "catch"};
  if (declaration.kind != Kind::Function || declaration.is_device || declaration.name.empty() ||
      is_one_of(kStatements, declaration.name)) {
    return false;
  }
  const CodeWords own = words.subspan(declaration.begin, declaration.end - declaration.begin);
  return own.front().text != "{" && (names_host_types(own) || calls_host(own));
}

}  // namespace tilestep::compile
