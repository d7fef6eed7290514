#include "problem/source/cuda_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>
#include <string_view>

namespace tilestep::problem {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::optional<int> to_int(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// Splits a text into words and single punctuation characters; directives come out apart.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : rest_(text) {}

  void run(std::vector<std::string>& tokens, std::vector<std::string>& directives) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\n') {
        line_start_ = true;
        rest_.remove_prefix(1);
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        skip_to("*/");
      } else if (c == '#' && line_start_) {
        directives.push_back(directive());
      } else {
        line_start_ = false;
        token(tokens);
      }
    }
  }

 private:
  void skip_to(std::string_view end) {
    const auto at = rest_.find(end, 2);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }

  std::string directive() {
    std::string text;
    for (bool joined = true; joined;) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      text += rest_.substr(0, end);
      joined = text.ends_with('\\') && end < rest_.size();
      if (joined) {
        text.back() = ' ';
      }
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
    }
    return text.substr(0, text.find("//"));
  }

  void token(std::vector<std::string>& tokens) {
    std::size_t length = 1;
    if (is_word(rest_.front())) {
      while (length < rest_.size() && is_word(rest_[length])) {
        ++length;
      }
      tokens.emplace_back(rest_.substr(0, length));
    } else if (const char quote = rest_.front(); quote == '"' || quote == '\'') {
      while (length < rest_.size() && rest_[length] != quote && rest_[length] != '\n') {
        length += rest_[length] == '\\' ? 2 : 1;
      }
      length = std::min(length + 1, rest_.size());
      tokens.emplace_back(1, quote);
    } else {
      tokens.emplace_back(1, rest_.front());
    }
    rest_.remove_prefix(length);
  }

  std::string_view rest_;
  bool line_start_ = true;
};

using Tokens = std::vector<std::string>;

// The index of the bracket that closes the one at `open`; tokens.size() when there is none.
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
  for (const std::string& token : tokens) {
    if (token == "=") {  // a default
      break;
    }
    if (token == "*") {
      parameter.is_pointer = true;
    } else if (token == "const" && !parameter.is_pointer) {
      parameter.is_const = true;
    } else if (is_word(token[0]) && token != "const" && token != "struct" &&
               token.find("restrict") == std::string::npos) {
      parameter.type += parameter.type.empty() || parameter.name.empty() ? "" : " ";
      parameter.type += parameter.name;
      parameter.name = token;
    }
  }
  return parameter;
}

// The declarations between tokens [first, last), separated by `separator` at the outer level.
std::vector<CudaParameter> declarations(const Tokens& tokens, std::size_t first, std::size_t last,
                                        const std::string& separator) {
  std::vector<CudaParameter> found;
  Tokens current;
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    depth += tokens[i] == "<" || tokens[i] == "(" ? 1 : 0;
    depth -= tokens[i] == ">" || tokens[i] == ")" ? 1 : 0;
    if (tokens[i] == separator && depth == 0) {
      found.push_back(declaration(current));
      current.clear();
    } else {
      current.push_back(tokens[i]);
    }
  }
  if (!current.empty()) {
    found.push_back(declaration(current));
  }
  return found;
}

// The kernel whose `__global__` is token `at`; nothing for a mere declaration.
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
    if (close + 1 < tokens.size() && is_word(tokens[close + 1][0])) {
      text.structs[tokens[close + 1]] = members;
    }
  }
}

// const int TILE = 16;
void find_constants(CudaText& text) {
  const Tokens& tokens = text.tokens;
  for (std::size_t i = 2; i + 2 < tokens.size(); ++i) {
    const bool is_constant =
        tokens[i - 1] == "int" && (tokens[i - 2] == "const" || tokens[i - 2] == "constexpr");
    const std::optional<int> value = to_int(tokens[i + 2]);
    if (is_constant && tokens[i + 1] == "=" && value) {
      text.constants[tokens[i]] = *value;
    }
  }
}

void find_macros(CudaText& text, const std::vector<std::string>& directives) {
  const std::regex define(R"(#\s*define\s+(\w+)\s+\(?(\d+)\)?\s*)");
  const std::regex any_define(R"(#\s*define\s+(\w+)[^]*)");
  const std::regex guard(R"(#\s*ifndef\s+(\w+)\s*)");
  std::string guarded;
  for (const std::string& directive : directives) {
    std::smatch match;
    if (std::regex_match(directive, match, any_define)) {
      text.macros.push_back(match[1]);
    }
    if (std::regex_match(directive, match, guard)) {
      guarded = match[1];
    } else if (std::regex_match(directive, match, define)) {
      text.constants[match[1]] = to_int(match[2]).value_or(0);
      if (match[1] == guarded) {
        text.overridable.push_back(match[1]);
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

CudaText read_cuda_text(const std::string& source) {
  CudaText text;
  std::vector<std::string> directives;
  Tokenizer(source).run(text.tokens, directives);
  find_kernels(text);
  find_structs(text);
  find_constants(text);
  find_macros(text, directives);
  return text;
}

std::vector<std::string> quoted_includes(const std::string& source) {
  std::vector<std::string> tokens;
  std::vector<std::string> directives;
  Tokenizer(source).run(tokens, directives);
  std::vector<std::string> names;
  const std::regex include(R"(#\s*include\s*"([^"]+)\".*)");
  for (const std::string& directive : directives) {
    std::smatch match;
    if (std::regex_match(directive, match, include)) {
      names.push_back(match[1]);
    }
  }
  return names;
}

}  // namespace tilestep::problem
