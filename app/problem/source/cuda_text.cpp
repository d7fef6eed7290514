#include "problem/source/cuda_text.h"

#include "problem/source/cuda_scanner.h"
#include "problem/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace tilestep::problem {
namespace {

std::optional<int> to_int(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

using Tokens = std::vector<std::string>;
using Directive = std::vector<CudaWord>;

// The index of the bracket that closes the one at `open`; tokens.size() if none does.
std::size_t closing(const Tokens& tokens, std::size_t open) {
  constexpr std::string_view kOpen = "(<{[";
  constexpr std::string_view kClose = ")>}]";
  const char opens = tokens[open][0];
  const char closes = kClose[kOpen.find(opens)];
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += tokens[i][0] == opens ? 1 : 0;
    depth -= tokens[i][0] == closes ? 1 : 0;
    if (depth == 0) {
      return i;
    }
  }
  return tokens.size();
}

// One declaration, "const float * __restrict__ A": the last word is its name.
CudaParameter declaration(const Tokens& tokens) {
  CudaParameter parameter;
  for (auto place = tokens.begin(); place != tokens.end(); ++place) {
    const std::string& token = *place;
    if (token == "=") {
      std::for_each(place + 1, tokens.end(), [&](const auto& word) { parameter.value += word; });
      break;
    }
    if (token == "*") {
      parameter.is_pointer = true;
    } else if (token == "const" && !parameter.is_pointer) {
      parameter.is_const = true;
    } else if (is_name_part(token[0]) && token != "const" && token != "struct" &&
               token.find("restrict") == std::string::npos) {
      parameter.type += parameter.type.empty() || parameter.name.empty() ? "" : " ";
      parameter.type += parameter.name;
      parameter.name = token;
    }
  }
  return parameter;
}

// The declarations in tokens [first, last), split by `separator` at the outer level. Only the first
// of each name: without directives, the branches of an #if follow one another.
std::vector<CudaParameter> declarations(const Tokens& tokens, std::size_t first, std::size_t last,
                                        const std::string& separator) {
  std::vector<CudaParameter> found;
  Tokens current;
  const auto add = [&] {
    CudaParameter one = declaration(current);
    if (one.name.empty() || std::ranges::count(found, one.name, &CudaParameter::name) == 0) {
      found.push_back(std::move(one));
    }
  };
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    depth += tokens[i] == "<" || tokens[i] == "(" ? 1 : 0;
    depth -= tokens[i] == ">" || tokens[i] == ")" ? 1 : 0;
    if (tokens[i] == separator && depth == 0) {
      add();
      current.clear();
    } else {
      current.push_back(tokens[i]);
    }
  }
  if (!current.empty()) {
    add();
  }
  return found;
}

// The kernel whose `__global__` is token `at`; nullopt for a declaration without a body.
std::optional<CudaKernel> kernel_at(const Tokens& tokens, std::size_t at) {
  for (std::size_t i = at + 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i + 1] != "(") {
      continue;
    }
    const std::size_t close = closing(tokens, i + 1);
    if (tokens[i] == "__launch_bounds__") {
      i = close;
      continue;
    }
    if (close + 1 >= tokens.size() || tokens[close + 1] != "{") {
      return std::nullopt;
    }
    return CudaKernel{tokens[i],
                      {},
                      declarations(tokens, i + 2, close, ","),
                      close + 1,
                      std::min(closing(tokens, close + 1) + 1, tokens.size())};
  }
  return std::nullopt;
}

void find_kernels(CudaText& text) {
  const Tokens& tokens = text.tokens;
  std::vector<CudaParameter> template_parameters;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "template" && i + 1 < tokens.size() && tokens[i + 1] == "<") {
      const std::size_t close = closing(tokens, i + 1);
      template_parameters = declarations(tokens, i + 2, close, ",");
      i = close;
    } else if (tokens[i] == "__global__") {
      if (std::optional<CudaKernel> kernel = kernel_at(tokens, i)) {
        kernel->template_parameters = template_parameters;
        text.kernels.push_back(std::move(*kernel));
      }
    } else if (tokens[i] == ";" || tokens[i] == "{" || tokens[i] == "}") {
      template_parameters.clear();
    }
  }
}

// struct Matrix { … };  and  typedef struct { … } Matrix;
void find_structs(CudaText& text) {
  const Tokens& tokens = text.tokens;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i] != "struct") {
      continue;
    }
    const std::size_t open = tokens[i + 1] == "{" ? i + 1 : i + 2;
    if (tokens[open] != "{") {
      continue;
    }
    const std::size_t close = closing(tokens, open);
    std::vector<CudaParameter> members = declarations(tokens, open + 1, close, ";");
    if (open == i + 2) {
      text.structs[tokens[i + 1]] = members;
    }
    if (close + 1 < tokens.size() && is_name_part(tokens[close + 1][0])) {
      text.structs[tokens[close + 1]] = members;
    }
  }
}

// Evaluates numbers and names of constants: "(WARPS * 32)", "N / 4 + 1", "1024U".
class ConstantReader {
 public:
  ConstantReader(const std::map<std::string, int>& known,
                 const std::vector<std::string_view>& words)
      : known_(known), words_(words) {}

  std::optional<int> value() {
    std::optional<std::int64_t> found = sum();
    while (found && next_is("<") && at_ + 1 < words_.size() && words_[at_ + 1] == "<") {
      at_ += 2;
      const std::optional<std::int64_t> places = sum();
      const bool fits = places && *places >= 0 && *places < 31 && std::abs(*found) <= kLargest;
      found = fits ? std::optional(*found << *places) : std::nullopt;
    }
    const bool is_small = found && *found >= std::numeric_limits<int>::min() &&
                          *found <= std::numeric_limits<int>::max();
    return is_small && at_ == words_.size() ? std::optional(static_cast<int>(*found))
                                            : std::nullopt;
  }

 private:
  using Value = std::optional<std::int64_t>;
  static constexpr int kDeepest = 50;

  [[nodiscard]] bool next_is(std::string_view word) const {
    return at_ < words_.size() && words_[at_] == word;
  }

  Value sum() {
    Value left = product();
    while (left && (next_is("+") || next_is("-"))) {
      const bool adds = words_[at_++] == "+";
      const Value right = product();
      if (!right || std::abs(*left) > kLargest || std::abs(*right) > kLargest) {
        return std::nullopt;
      }
      left = adds ? *left + *right : *left - *right;
    }
    return left;
  }

  Value product() {
    Value left = operand();
    while (left && (next_is("*") || next_is("/") || next_is("%"))) {
      const std::string_view word = words_[at_++];
      const Value right = operand();
      if (!right || (word != "*" && *right == 0) || std::abs(*right) > kLargest ||
          std::abs(*left) > kLargest) {
        return std::nullopt;
      }
      left = word == "*" ? *left * *right : word == "/" ? *left / *right : *left % *right;
    }
    return left;
  }

  Value operand() {
    if (at_ == words_.size() || depth_ == kDeepest) {
      return std::nullopt;
    }
    if (next_is("(")) {
      ++at_;
      ++depth_;
      const Value inner = sum();
      --depth_;
      return inner && next_is(")") ? (++at_, inner) : std::nullopt;
    }
    const std::string_view word = words_[at_++];
    if (const std::optional<int> number =
            to_int(word.substr(0, word.find_last_not_of("uUlL") + 1))) {
      return *number;
    }
    const auto found = known_.find(std::string(word));
    return found == known_.end() ? std::nullopt : Value(found->second);
  }

  static constexpr std::int64_t kLargest = std::numeric_limits<int>::max();
  const std::map<std::string, int>& known_;
  const std::vector<std::string_view>& words_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

bool is_integer_type(const std::string& word) {
  constexpr std::string_view kTypes[] = {"int",  "unsigned", "uint",     "size_t",
                                         "long", "short",    "uint32_t", "int32_t"};
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

// const int TILE = 16, HALF{TILE / 2}; enum { WIDTH = 8 };
void find_constants(CudaText& text) {
  const Tokens& tokens = text.tokens;
  bool is_constant = false;  // since the last semicolon
  bool is_integer = false;
  std::size_t enum_end = 0;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i] == ";" || tokens[i] == "{" || tokens[i] == "}" || tokens[i] == ")") {
      is_constant = is_integer = false;
    }
    if (tokens[i] == "enum") {
      const auto open =
          std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), "{");
      enum_end = open == tokens.end() ? 0 : closing(tokens, open - tokens.begin());
    }
    is_constant = is_constant || tokens[i] == "const" || tokens[i] == "constexpr" || i < enum_end;
    is_integer = is_integer || is_integer_type(tokens[i]) || i < enum_end;
    const bool has_value = tokens[i + 1] == "=" || tokens[i + 1] == "{";
    if (!is_constant || !is_integer || !is_name_part(tokens[i][0]) || !has_value) {
      continue;
    }
    std::vector<std::string_view> words;
    int depth = 0;
    for (std::size_t j = i + 2; j < tokens.size() && tokens[j] != ";"; ++j) {
      depth += tokens[j] == "(" ? 1 : 0;
      depth -= tokens[j] == ")" ? 1 : 0;
      if (depth < 0 ||
          (depth == 0 && std::string_view(",>}").find(tokens[j][0]) != std::string_view::npos)) {
        break;
      }
      words.emplace_back(tokens[j]);
    }
    if (const auto value = ConstantReader(text.constants, words).value()) {
      text.constants[tokens[i]] = *value;
    }
  }
}

// The number of `#define X 16` and `#define X (2 * Y)`.
std::optional<int> defined_number(const Directive& define, const CudaText& text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 2; i < define.size(); ++i) {
    words.push_back(define[i].text);
  }
  return ConstantReader(text.constants, words).value();
}

void find_macros(CudaText& text, const std::vector<Directive>& directives) {
  std::string guarded;
  for (const Directive& directive : directives) {
    if (directive.size() < 2) {
      continue;
    }
    const std::string name(directive[1].text);
    if (directive[0].text == "ifndef") {
      guarded = name;
    } else if (directive[0].text == "define") {
      text.macros.push_back(name);
      if (const std::optional<int> number = defined_number(directive, text)) {
        text.constants[name] = *number;
        if (name == guarded) {
          text.overridable.push_back(name);
        }
      }
    }
  }
}

}  // namespace

bool CudaText::defines(const std::string& macro) const {
  return std::find(macros.begin(), macros.end(), macro) != macros.end();
}

bool CudaText::has_tokens(const std::vector<std::string>& sequence) const {
  return std::search(tokens.begin(), tokens.end(), sequence.begin(), sequence.end()) !=
         tokens.end();
}

bool CudaText::declares(const std::string& name) const {
  return defines(name) || declares_name(tokens, name) || declares_name(header_tokens, name);
}

CudaText read_cuda_text(const std::string& source,
                        const std::map<std::string, std::string>& headers) {
  CudaText text;
  for (const auto& [name, header] : headers) {
    CudaText read = read_cuda_text(header);
    text.constants.merge(read.constants);
    text.structs.merge(read.structs);
    text.macros.insert(text.macros.end(), read.macros.begin(), read.macros.end());
    text.header_tokens.insert(text.header_tokens.end(), read.tokens.begin(), read.tokens.end());
  }
  const CudaWords words = scan_cuda(source);
  for (const CudaWord& word : words.code) {
    text.tokens.emplace_back(word.text);
  }
  find_kernels(text);
  find_structs(text);
  find_macros(text, words.directives);
  find_constants(text);
  text.fixed = fixed_constants(source);
  return text;
}

std::vector<Included> includes_of(const std::string& source) {
  std::vector<Included> all;
  if (source.find("include") == std::string::npos) {
    return all;
  }
  for (const Directive& directive : scan_cuda(source).directives) {
    if (directive.empty() || directive[0].text != "include") {
      continue;
    }
    Included one;
    const std::size_t at = directive[0].offset;
    one.line = 1 + static_cast<int>(std::ranges::count(source.substr(0, at), '\n'));
    // A quoted name is a string, which the scanner drops.
    const std::size_t open = source.find_first_not_of(" \t", at + directive[0].text.size());
    const char opens = open < source.size() ? source[open] : '\n';
    const char* const ends = opens == '<' ? ">\n" : "\"\n";
    const std::size_t close = source.find_first_of(ends, open + 1);
    one.is_quoted = opens == '"';
    if ((opens == '"' || opens == '<') && close < source.size() && source[close] != '\n') {
      one.name = source.substr(open + 1, close - open - 1);
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> quoted_includes(const std::string& source) {
  std::vector<std::string> names;
  for (Included& one : includes_of(source)) {
    if (one.is_quoted && !one.name.empty()) {
      names.push_back(std::move(one.name));
    }
  }
  return names;
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
  return (file.starts_with("helper_") && file != "helper_math.h") ||
         std::find(std::begin(kHostHeaders), std::end(kHostHeaders), file) !=
             std::end(kHostHeaders);
}

bool is_library_header(std::string_view name) {
  constexpr std::string_view kFolders[] = {
      "sys/",  "thrust/",  "bits/", "arpa/",  "netinet/", "GL/",  "boost/", "Eigen/", "cublas",
      "cudnn", "cusparse", "cufft", "curand", "nccl",     "nvml", "nvtx",   "cuda",   "cub/"};
  constexpr std::string_view kFiles[] = {
      "assert.h",  "complex.h", "ctype.h",     "dirent.h",    "errno.h",   "fcntl.h",    "fenv.h",
      "float.h",   "getopt.h",  "immintrin.h", "inttypes.h",  "libgen.h",  "limits.h",   "locale.h",
      "malloc.h",  "memory.h",  "mpi.h",       "omp.h",       "poll.h",    "pthread.h",  "sched.h",
      "setjmp.h",  "signal.h",  "stdarg.h",    "stdatomic.h", "stdbool.h", "stddef.h",   "stdint.h",
      "strings.h", "time.h",    "unistd.h",    "wchar.h",     "windows.h", "xmmintrin.h"};
  return name.find('.') == std::string_view::npos || is_host_header(name) ||
         std::find(std::begin(kFiles), std::end(kFiles), name) != std::end(kFiles) ||
         std::any_of(std::begin(kFolders), std::end(kFolders),
                     [&](std::string_view folder) { return name.starts_with(folder); });
}

}  // namespace tilestep::problem
