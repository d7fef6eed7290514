#include "problem/propose/parameter_use.h"

#include "problem/source/cuda_scanner.h"

#include <algorithm>
#include <string_view>

namespace tilestep::problem {
namespace {

using Tokens = std::vector<std::string>;

std::string_view at(const Tokens& tokens, std::size_t i) {
  return i < tokens.size() ? std::string_view(tokens[i]) : std::string_view();
}

// Behind the bracket that closes the one at `open`.
std::size_t behind(const Tokens& tokens, std::size_t open, std::string_view opens,
                   std::string_view closes) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += tokens[i] == opens ? 1 : 0;
    depth -= tokens[i] == closes ? 1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return tokens.size();
}

bool is_arithmetic(std::string_view token) {
  return token.size() == 1 && std::string_view("+-*/%|&^").find(token[0]) != std::string_view::npos;
}

// What an element's access is, from what stands behind and before it.
void note_element(const Tokens& tokens, std::size_t name, std::size_t after, ParameterUse& use) {
  while (at(tokens, after) == "." || at(tokens, after) == "[") {
    after = at(tokens, after) == "." ? after + 2 : behind(tokens, after, "[", "]");
  }
  const bool has_address = name >= 1 && tokens[name - 1] == "&";
  if (has_address && name >= 3 && tokens[name - 3].starts_with("atomic")) {
    use.is_atomic = true;
  } else if (has_address) {
    use.is_passed_on = true;
  } else if (at(tokens, after) == "=" && at(tokens, after + 1) != "=") {
    use.is_written = true;
  } else if (is_arithmetic(at(tokens, after)) &&
             (at(tokens, after + 1) == "=" ||
              (at(tokens, after) == at(tokens, after + 1) &&
               std::string_view("+-").find(at(tokens, after)) != std::string_view::npos))) {
    use.is_read = use.is_written = true;
  } else {
    use.is_read = true;
  }
}

// Whether a `*` that is in no index is before the statement's end. Strides of a grid are no sums.
bool has_factor(const Tokens& tokens, std::size_t first) {
  bool has = false;
  int depth = 0;
  for (std::size_t i = first; i < tokens.size() && tokens[i] != ";" && tokens[i] != "{"; ++i) {
    depth += tokens[i] == "[" ? 1 : 0;
    depth -= tokens[i] == "]" ? 1 : 0;
    has = has || (tokens[i] == "*" && depth == 0);
    if (tokens[i] == "blockDim" || tokens[i] == "gridDim") {
      return false;
    }
  }
  return has;
}

void note_use(const Tokens& tokens, std::size_t name, ParameterUse& use) {
  const std::string& before = name > 0 ? tokens[name - 1] : tokens[name];
  const std::string_view next = at(tokens, name + 1);
  if (before == "." || (before == ">" && name > 1 && tokens[name - 2] == "-")) {
    return;  // a member of the same name
  }
  if (next == "[") {
    note_element(tokens, name, behind(tokens, name + 1, "[", "]"), use);
  } else if (name >= 2 && before == "(" && tokens[name - 2].starts_with("atomic")) {
    use.is_atomic = true;
  } else if (before == "*" && next == "=" && at(tokens, name + 2) != "=") {
    use.is_written = true;
  } else if (next == "-" && at(tokens, name + 2) == ">") {
    use.is_read = true;
  } else {
    use.is_passed_on = true;
  }
}

}  // namespace

ParameterUse use_of(const CudaText& text, const CudaKernel& kernel, const std::string& parameter) {
  ParameterUse use;
  for (std::size_t i = kernel.body_begin; i < kernel.body_end; ++i) {
    if (text.tokens[i] == parameter) {
      note_use(text.tokens, i, use);
    }
  }
  return use;
}

bool adds_products(const CudaText& text, const CudaKernel& kernel) {
  const Tokens& tokens = text.tokens;
  bool calls_own = false;
  for (std::size_t i = kernel.body_begin; i < kernel.body_end; ++i) {
    const bool is_call = at(tokens, i + 1) == "(";
    calls_own = calls_own || (is_call && is_identifier(tokens[i]) && text.declares(tokens[i]));
    if (is_call && (tokens[i].find("fma") != Tokens::value_type::npos ||
                    tokens[i].find("mma") != Tokens::value_type::npos)) {
      return true;
    }
  }
  const std::size_t begin = calls_own ? 0 : kernel.body_begin;
  const std::size_t end = calls_own ? tokens.size() : kernel.body_end;
  for (std::size_t i = begin; i + 1 < end; ++i) {
    const bool has_elements =  // a[i] * b[j]
        tokens[i] == "]" && tokens[i + 1] == "*" && at(tokens, i + 3) == "[";
    if (has_elements || (tokens[i] == "+" && tokens[i + 1] == "=" && has_factor(tokens, i + 2))) {
      return true;
    }
    // sum = sum + a * b
    const bool is_sum = i > 0 && tokens[i] == "=" && is_identifier(tokens[i - 1]);
    const auto last =
        std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i + 1), tokens.end(), ";");
    if (is_sum && has_factor(tokens, i + 1) &&
        std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i + 1), last, tokens[i - 1]) !=
            last) {
      return true;
    }
  }
  return false;
}

bool block_is_a_row(const CudaText& text, const CudaKernel& kernel) {
  const auto is_parameter = [&kernel](const std::string& token) {
    return std::ranges::find(kernel.parameters, token, &CudaParameter::name) !=
           kernel.parameters.end();
  };
  for (std::size_t i = kernel.body_begin + 2; i + 4 < kernel.body_end; ++i) {
    const auto token = [&](std::size_t at) -> const std::string& { return text.tokens[at]; };
    const bool is_index = token(i) == "blockIdx" && token(i + 2) == "x";
    if (is_index && ((token(i + 3) == "*" && !is_parameter(token(i + 4))) ||
                     (token(i - 1) == "*" && !is_parameter(token(i - 2))))) {
      return false;
    }
  }
  return true;
}

}  // namespace tilestep::problem
