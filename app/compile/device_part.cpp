#include "compile/device_part.h"

#include "problem/source/cuda_scanner.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>

namespace tilestep::compile {
namespace {

using problem::CudaWord;
using problem::CudaWords;
using Words = std::span<const CudaWord>;
using Names = std::set<std::string, std::less<>>;

// What makes a declaration one for the device. (__host__ alone does not.)
constexpr std::string_view kDeviceMarks[] = {"__device__",  "__global__",       "__constant__",
                                             "__managed__", "__shared__",       "constexpr",
                                             "consteval",   "__grid_constant__"};
// Types of the host's: a declaration that names one of them is the host's.
constexpr std::string_view kHostTypes[] = {"FILE",        "cudaStream_t",  "cudaEvent_t",
                                           "cudaError_t", "cudaArray",     "cudaDeviceProp",
                                           "cudaArray_t", "cublasHandle_t"};

template <std::size_t count>
bool is_one_of(const std::string_view (&list)[count], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// `#define HD __host__ __device__` makes a mark of HD, and so does a macro that uses it.
Names device_marks(const CudaWords& words) {
  Names marks(std::begin(kDeviceMarks), std::end(kDeviceMarks));
  for (std::size_t before = 0; before != marks.size();) {
    before = marks.size();
    for (const std::vector<CudaWord>& directive : words.directives) {
      const bool is_macro = directive.size() > 2 && directive[0].text == "define";
      if (is_macro && std::any_of(directive.begin() + 2, directive.end(),
                                  [&](const CudaWord& w) { return marks.contains(w.text); })) {
        marks.emplace(directive[1].text);
      }
    }
  }
  return marks;
}

// [begin, end) of words.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

enum class Kind { Function, Type, Other };

struct Piece {
  Stretch words;
  Kind kind = Kind::Other;
  std::string_view name;  // Function
  bool is_kept = true;
  bool is_called_host = false;
};

// The declarations of a text: namespaces and extern "C" { } are entered, bodies skipped.
class Declarations {
 public:
  Declarations(Words words, const Names& marks) : words_(words), marks_(marks) {}

  std::vector<Piece> read() {
    while (place_ < words_.size()) {
      if (at(place_) == "}" || at(place_) == ";") {  // of a namespace that was entered
        ++place_;
      } else if (const auto body = namespace_body()) {
        place_ = *body;
      } else {
        pieces_.push_back(piece());
      }
    }
    return std::move(pieces_);
  }

 private:
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < words_.size() ? words_[i].text : std::string_view();
  }

  // The place behind the brace that opens a namespace or a linkage specification here.
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

  // The place behind the bracket that closes the one at `open`.
  [[nodiscard]] std::size_t behind(std::size_t open, std::string_view opens,
                                   std::string_view closes) const {
    int depth = 0;
    for (std::size_t i = open; i < words_.size(); ++i) {
      depth += at(i) == opens ? 1 : 0;
      depth -= at(i) == closes ? 1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return words_.size();
  }

  // Behind `template <…>`, as often as it stands there.
  [[nodiscard]] std::size_t behind_templates(std::size_t i) const {
    while (at(i) == "template" && at(i + 1) == "<") {
      i = behind(i + 1, "<", ">");
    }
    return i;
  }

  [[nodiscard]] bool starts_type(std::size_t i) const {
    while (at(i) == "typedef" || at(i) == "static" || at(i) == "const") {
      ++i;
    }
    const std::string_view word = at(i);
    return word == "struct" || word == "class" || word == "union" || word == "enum";
  }

  Piece piece() {
    Piece found;
    found.words.begin = place_;
    std::size_t i = behind_templates(place_);
    const bool may_be_type = starts_type(i);
    bool has_value = false;
    while (i < words_.size() && at(i) != ";") {
      if (at(i) == "(") {
        if (found.name.empty() && i > place_ && problem::is_identifier(at(i - 1)) &&
            at(i - 1) != "__launch_bounds__" && !at(i - 1).starts_with("__align") &&
            at(i - 1) != "alignas" && at(i - 1) != "__attribute__") {
          found.name = at(i - 1);
        }
        i = behind(i, "(", ")");
      } else if (at(i) == "{") {
        i = behind(i, "{", "}");
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
    found.words.end = std::min(i, words_.size());
    place_ = found.words.end;
    classify(found, has_value);
    return found;
  }

  void classify(Piece& piece, bool has_value) {
    const Words words = words_.subspan(piece.words.begin, piece.words.end - piece.words.begin);
    const auto has = [&](auto&& is) { return std::any_of(words.begin(), words.end(), is); };
    const auto named = [&](std::string_view name) {
      return has([&](const CudaWord& w) { return w.text == name; });
    };
    const bool is_using = words.front().text == "using";
    const bool is_namespace = words.size() > 1 && (words[1].text == "namespace");
    const bool is_hosts = has([](const CudaWord& w) { return is_one_of(kHostTypes, w.text); }) ||
                          (named("std") && !is_namespace);
    const bool is_marked = has([&](const CudaWord& w) { return marks_.contains(w.text); });
    if (piece.kind == Kind::Type) {
      piece.is_kept = is_marked || !is_hosts;
    } else if (piece.kind == Kind::Function) {
      piece.is_kept = head_is_marked(piece);
    } else if (is_marked) {
      piece.is_kept = true;
    } else if (is_using || words.front().text == "namespace" || words.front().text == "typedef" ||
               words.front().text == "template" || starts_type(piece.words.begin) ||
               words.front().text == "static_assert") {
      piece.is_kept = !is_hosts;
    } else {  // a variable, or a function's declaration
      piece.is_kept = named("const") && has_value && !is_hosts && is_number(words);
    }
  }

  // const int WIDTH = 16, HEIGHT = WIDTH / 2; the compiler folds it into device code.
  static bool is_number(Words words) {
    return std::none_of(words.begin(), words.end(), [](const CudaWord& w) {
      return w.text == "*" ? false : w.text == "dim3" || w.text == "string" || w.text == "char";
    });
  }

  // The words before a function's body.
  [[nodiscard]] bool head_is_marked(const Piece& piece) const {
    for (std::size_t i = piece.words.begin; i < piece.words.end && at(i) != "{"; ++i) {
      if (marks_.contains(at(i))) {
        return true;
      }
    }
    return false;
  }

  Words words_;
  const Names& marks_;
  std::size_t place_ = 0;
  std::vector<Piece> pieces_;
};

// Functions that kept code calls stay, and what they call, so that the compiler can say what is
// wrong with them.
void keep_what_is_called(Words words, std::vector<Piece>& pieces) {
  Names defined;
  for (const Piece& piece : pieces) {
    if (piece.is_kept) {
      defined.emplace(piece.name);
    }
  }
  for (bool again = true; again;) {
    again = false;
    Names called;
    for (const Piece& piece : pieces) {
      for (std::size_t i = piece.words.begin; piece.is_kept && i + 1 < piece.words.end; ++i) {
        const std::string_view before = i > 0 ? words[i - 1].text : "";
        const bool is_member = before == "." || before == ">" || before == ":";
        if (words[i + 1].text == "(" && !is_member) {
          called.emplace(words[i].text);
        }
      }
    }
    for (Piece& piece : pieces) {
      if (!piece.is_kept && piece.kind == Kind::Function && called.contains(piece.name) &&
          !defined.contains(piece.name)) {
        piece.is_kept = piece.is_called_host = true;
        again = true;
      }
    }
  }
}

// Blanks what stands in [begin, end), but neither line ends nor directives.
void blank(std::string& text, std::size_t begin, std::size_t end,
           const std::vector<Stretch>& directives) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto directive =
        std::find_if(directives.begin(), directives.end(),
                     [&](const Stretch& d) { return d.begin <= i && i < d.end; });
    if (directive != directives.end()) {
      i = directive->end - 1;
    } else if (text[i] != '\n' && text[i] != '\r') {
      text[i] = ' ';
    }
  }
}

// Where a directive stands in the text, from its '#' to the end of its last line.
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

bool mentions_prelude(const CudaWords& words) {
  static constexpr std::string_view kNames[] = {
      "INT_MAX",  "INT_MIN",   "UINT_MAX",  "FLT_MAX",  "FLT_MIN",    "FLT_EPSILON",
      "DBL_MAX",  "DBL_MIN",   "INFINITY",  "NAN",      "M_PI",       "int8_t",
      "uint8_t",  "int16_t",   "uint16_t",  "int32_t",  "uint32_t",   "int64_t",
      "uint64_t", "uintptr_t", "uint",      "uchar",    "ushort",     "ulong",
      "LONG_MAX", "assert",    "HUGE_VALF", "intptr_t", "DBL_EPSILON"};
  const auto is_named = [](const CudaWord& w) { return is_one_of(kNames, w.text); };
  return std::any_of(words.code.begin(), words.code.end(), is_named) ||
         std::any_of(words.directives.begin(), words.directives.end(), [&](const auto& directive) {
           return std::any_of(directive.begin(), directive.end(), is_named);
         });
}

// Functions are the device's by default now. nvcc would refuse these, and so has NVRTC to do.
void refuse_host_functions(Words words, const std::vector<Piece>& pieces, std::string& text) {
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (piece->is_called_host) {
      text.insert(words[piece->words.begin].offset, "__host__ ");
    }
  }
}

// `register` says nothing any more, and C++17 refuses it.
void blank_register(const CudaWords& words, std::string& text) {
  for (const CudaWord& word : words.code) {
    if (word.text == "register") {
      std::fill_n(text.begin() + word.offset, word.text.size(), ' ');
    }
  }
}

}  // namespace

DevicePart device_part(const std::string& source) {
  const CudaWords words = problem::scan_cuda(source);
  DevicePart part{source, mentions_prelude(words), false};
  std::vector<Stretch> directives;
  for (const std::vector<CudaWord>& directive : words.directives) {
    if (directive.empty()) {
      continue;
    }
    directives.push_back(extent(source, directive));
    const std::string_view name = included_name(source, directives.back());
    const bool is_include = directive.front().text == "include" && !name.empty();
    if (is_include && name.front() == '<' && !is_device_header(name.substr(1, name.size() - 2))) {
      const Stretch place = directives.back();
      blank(part.text, place.begin, place.end, {});
    }
  }
  blank_register(words, part.text);
  const Names marks = device_marks(words);
  std::vector<Piece> pieces = Declarations(words.code, marks).read();
  keep_what_is_called(words.code, pieces);
  for (const Piece& piece : pieces) {
    if (!piece.is_kept) {
      const CudaWord& last = words.code[piece.words.end - 1];
      blank(part.text, words.code[piece.words.begin].offset, last.offset + last.text.size(),
            directives);
    }
  }
  part.default_device = part.text != source;
  if (part.default_device) {
    refuse_host_functions(words.code, pieces, part.text);
  }
  part.needs_prelude = part.needs_prelude || part.default_device;
  return part;
}

bool is_device_header(std::string_view name) {
  // NVRTC has the runtime's device side built in; what these add is the host's.
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

bool is_host_header(std::string_view name) {
  constexpr std::string_view kHostHeaders[] = {"cuda_runtime.h",
                                               "cuda.h",
                                               "device_launch_parameters.h",
                                               "cuda_runtime_api.h",
                                               "cublas_v2.h",
                                               "curand.h",
                                               "cuda_profiler_api.h",
                                               "device_functions.h",
                                               "stdio.h",
                                               "stdlib.h",
                                               "math.h",
                                               "string.h"};
  const std::string_view file = name.substr(name.find_last_of('/') + 1);
  return file.starts_with("helper_") || is_one_of(kHostHeaders, file);
}

}  // namespace tilestep::compile
