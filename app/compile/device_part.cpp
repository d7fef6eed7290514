#include "compile/device_part.h"

#include "compile/request.h"
#include "problem/source/cuda_scanner.h"

#include <algorithm>
#include <utility>

namespace tilestep::compile {
namespace {

using problem::CudaWord;
using problem::CudaWords;
using problem::is_one_of;
using Kind = Declaration::Kind;

// [begin, end) of a text.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Text {
  const CudaWords* words = nullptr;
  std::vector<Declaration> declarations;

  [[nodiscard]] CodeWords of(const Declaration& declaration) const {
    return CodeWords(words->code).subspan(declaration.begin, declaration.end - declaration.begin);
  }
};

void add_names(CodeWords words, Names& names) {
  for (const CudaWord& word : words) {
    if (problem::is_identifier(word.text)) {
      names.emplace(word.text);
    }
  }
}

bool has_any(const Names& names, const Names& of) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return of.contains(name); });
}

// Names that directives form with ##, as far as they are written there.
bool is_pasted(const Names& declares, const std::vector<Text>& texts) {
  for (const Text& text : texts) {
    for (const std::vector<CudaWord>& directive : text.words->directives) {
      for (std::size_t i = 1; i + 2 < directive.size(); ++i) {
        const bool is_paste = directive[i].text == "#" && directive[i + 1].text == "#";
        for (const std::string& name : declares) {
          if (is_paste &&
              (name.starts_with(directive[i - 1].text) || name.ends_with(directive[i + 2].text))) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

// Declarations that no device code names, and those that belong only to them (forward declarations,
// assertions, members defined outside), are not device code.
void leave_out_unused(std::vector<Text>& texts, std::string_view entry) {
  Names used;
  const CudaWords entry_words = problem::scan_cuda(entry);
  add_names(entry_words.code, used);
  for (const Text& text : texts) {
    for (const std::vector<CudaWord>& directive : text.words->directives) {
      add_names(directive, used);
    }
  }
  std::vector<std::pair<Text*, Declaration*>> waiting;
  for (Text& text : texts) {
    for (Declaration& declaration : text.declarations) {
      if (declaration.is_device && declaration.is_for_users) {
        waiting.emplace_back(&text, &declaration);
      } else if (declaration.is_device) {
        add_names(text.of(declaration), used);
      }
    }
  }
  const auto is_used = [&](const auto& one) {
    const bool is = has_any(one.second->declares, used) || is_pasted(one.second->declares, texts);
    if (is) {
      add_names(one.first->of(*one.second), used);
    }
    return is;
  };
  while (std::erase_if(waiting, is_used) > 0) {
  }
  for (const auto& [text, declaration] : waiting) {
    declaration->is_device = false;
  }
}

// After a type's name it is a declaration, after . -> :: a member or another namespace's.
void add_calls(CodeWords words, Names& called) {
  constexpr std::string_view kBeforeCalls[] = {"return", "else", "do", "case"};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view before = i > 0 ? words[i - 1].text : "";
    const bool is_other = before == "." || before == ">" || before == ":" ||
                          (problem::is_identifier(before) && !is_one_of(kBeforeCalls, before));
    if (words[i + 1].text == "(" && !is_other) {
      called.emplace(words[i].text);
    }
  }
}

// Keeps functions that kept code calls, and their callees, so that the compiler can report what is
// wrong with them.
void keep_what_is_called(std::vector<Text>& texts) {
  Names defined;
  for (const Text& text : texts) {
    for (const Declaration& declaration : text.declarations) {
      if (declaration.is_device) {
        defined.emplace(declaration.name);
      }
    }
  }
  for (bool again = true; again;) {
    again = false;
    Names called;
    for (const Text& text : texts) {
      for (const Declaration& declaration : text.declarations) {
        if (declaration.is_device) {
          add_calls(text.of(declaration), called);
        }
      }
    }
    for (Text& text : texts) {
      for (Declaration& declaration : text.declarations) {
        if (!declaration.is_device && declaration.kind == Kind::Function &&
            !declaration.name.empty() && called.contains(declaration.name) &&
            !defined.contains(declaration.name)) {
          declaration.is_device = declaration.is_called_host = true;
          again = true;
        }
      }
    }
  }
}

// A backslash that joins two lines.
bool is_splice(const std::string& text, std::size_t i) {
  const std::size_t next = text.find_first_not_of('\r', i + 1);
  return text[i] == '\\' && next != std::string::npos && text[next] == '\n';
}

// Blanks [begin, end), except line ends and directives.
void blank(std::string& text, std::size_t begin, std::size_t end,
           const std::vector<Stretch>& directives) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto directive =
        std::find_if(directives.begin(), directives.end(),
                     [&](const Stretch& d) { return d.begin <= i && i < d.end; });
    if (directive != directives.end()) {
      i = directive->end - 1;
    } else if (text[i] != '\n' && text[i] != '\r' && !is_splice(text, i)) {
      text[i] = ' ';
    }
  }
}

// The extent of a directive in the text, from its '#' to the end of its last line.
Stretch extent(const std::string& text, const std::vector<CudaWord>& directive) {
  Stretch found{text.rfind('#', directive.front().offset), directive.front().offset};
  while (found.end < text.size() && text[found.end] != '\n') {
    found.end += text[found.end] == '\\' ? 2 : 1;
  }
  found.end = std::min(found.end, text.size());
  return found;
}

std::string_view included_name(const std::string& text, const Stretch& directive) {
  const std::string_view line =
      std::string_view(text).substr(directive.begin, directive.end - directive.begin);
  const auto open = line.find_first_of("<\"");
  const auto close = open == std::string_view::npos ? open : line.find_first_of(">\"", open + 1);
  return close == std::string_view::npos ? std::string_view() : line.substr(open, close + 1 - open);
}

template <class Visit>
void for_each_word(const CudaWords& words, const Visit& visit) {
  std::for_each(words.code.begin(), words.code.end(), visit);
  for (const std::vector<CudaWord>& directive : words.directives) {
    std::for_each(directive.begin(), directive.end(), visit);
  }
}

Names of_host_compiler(const CudaWords& words) {
  Names names;
  for_each_word(words, [&](const CudaWord& word) {
    if (is_of_host_compiler(word.text)) {
      names.emplace(word.text);
    }
  });
  return names;
}

// Macros and types at namespace scope.
Names prelude_names() {
  const CudaWords words = problem::scan_cuda(prelude());
  Names names;
  for (const std::vector<CudaWord>& directive : words.directives) {
    if (directive.size() > 1 && directive[0].text == "define") {
      names.emplace(directive[1].text);
    }
  }
  for (std::size_t i = 0; i + 1 < words.code.size() && words.code[i].text != "namespace"; ++i) {
    if (words.code[i + 1].text == ";") {
      names.emplace(words.code[i].text);
    }
  }
  return names;
}

bool mentions_prelude(const CudaWords& words) {
  static const Names names = prelude_names();
  bool is_named = false;
  for_each_word(words, [&](const CudaWord& w) { is_named = is_named || names.contains(w.text); });
  return is_named;
}

// Functions are device functions by default now. nvcc would refuse these, so NVRTC must too.
void refuse_host_functions(const Text& text, std::string& source) {
  for (auto one = text.declarations.rbegin(); one != text.declarations.rend(); ++one) {
    if (one->is_called_host) {
      source.insert(text.words->code[one->begin].offset, "__host__ ");
    }
  }
}

// `register` has no meaning any more, and C++17 refuses it.
void blank_register(const CudaWords& words, std::string& text) {
  for (const CudaWord& word : words.code) {
    if (word.text == "register") {
      std::fill_n(text.begin() + word.offset, word.text.size(), ' ');
    }
  }
}

void blank_words(std::string& text, CodeWords words, const std::vector<Stretch>& directives) {
  blank(text, words.front().offset, words.back().offset + words.back().text.size(), directives);
}

// In types that stay, and in macros: one such function would keep the rest from compiling.
void blank_host_functions(std::string& source, const Text& text, const Macros& macros,
                          const std::vector<Stretch>& directives) {
  const CodeWords words = text.words->code;
  for (const Declaration& declaration : text.declarations) {
    if (declaration.kind != Kind::Type || !declaration.is_device) {
      continue;
    }
    for (const Declaration& member : read_members(words, declaration, macros)) {
      if (is_host_function(words, member)) {
        blank_words(source, text.of(member), directives);
      }
    }
  }
  for (const std::vector<CudaWord>& directive : text.words->directives) {
    const CodeWords replacement = replacement_of(directive);
    for (const Declaration& part : read_declarations(replacement, macros)) {
      if (is_host_function(replacement, part)) {
        blank_words(source, replacement.subspan(part.begin, part.end - part.begin), {});
      }
    }
  }
}

DevicePart part_of(const std::string& source, const Text& text, const Macros& macros,
                   const Names& given) {
  const CudaWords& words = *text.words;
  DevicePart part{source, mentions_prelude(words), of_host_compiler(words), false};
  std::vector<Stretch> directives;
  for (const std::vector<CudaWord>& directive : words.directives) {
    if (directive.empty()) {
      continue;
    }
    directives.push_back(extent(source, directive));
    const std::string_view name = included_name(source, directives.back());
    const bool is_include = directive.front().text == "include" && !name.empty();
    const std::string_view file = is_include ? name.substr(1, name.size() - 2) : "";
    if (is_include && name.front() == '<' && !is_device_header(file) && !given.contains(file)) {
      const Stretch place = directives.back();
      blank(part.text, place.begin, place.end, {});
    }
  }
  blank_register(words, part.text);
  for (const Declaration& declaration : text.declarations) {
    if (!declaration.is_device) {
      blank_words(part.text, text.of(declaration), directives);
    }
  }
  blank_host_functions(part.text, text, macros, directives);
  part.default_device = part.text != source;
  if (part.default_device) {
    refuse_host_functions(text, part.text);
  }
  part.needs_prelude = part.needs_prelude || part.default_device;
  return part;
}

}  // namespace

std::vector<DevicePart> device_parts(std::span<const std::string> sources, std::string_view entry,
                                     const Names& given) {
  std::vector<CudaWords> words;
  for (const std::string& source : sources) {
    words.push_back(problem::scan_cuda(source));
  }
  const Macros macros = read_macros(words);
  std::vector<Text> texts;
  for (const CudaWords& some : words) {
    texts.push_back({&some, read_declarations(some.code, macros)});
  }
  leave_out_unused(texts, entry);
  keep_what_is_called(texts);
  std::vector<DevicePart> parts;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    parts.push_back(part_of(sources[i], texts[i], macros, given));
  }
  return parts;
}

bool is_device_header(std::string_view name) {
  // The runtime's device side is built into NVRTC; the rest of these headers is for hosts.
  constexpr std::string_view kDeviceHeaders[] = {"mma.h",
                                                 "curand_kernel.h",
                                                 "cuComplex.h",
                                                 "math_constants.h",
                                                 "cooperative_groups.h",
                                                 "cuda_pipeline.h",
                                                 "cuda_pipeline_primitives.h",
                                                 "cuda_awbarrier.h",
                                                 "cuda_awbarrier_primitives.h",
                                                 "vector_types.h",
                                                 "nv/target"};
  constexpr std::string_view kDeviceFolders[] = {
      "cooperative_groups/", "cuda/",   "cub/",     "cuda_fp",
      "cuda_bf16",           "curand_", "cutlass/", "cute/"};
  return is_one_of(kDeviceHeaders, name) ||
         std::any_of(std::begin(kDeviceFolders), std::end(kDeviceFolders),
                     [&](std::string_view folder) { return name.starts_with(folder); });
}

const char* prelude() {
  return
#include "compile/device_part_prelude.txt.inc"
      ;
}

}  // namespace tilestep::compile
