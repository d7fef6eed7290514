#include "problem/propose/parameter_use.h"

#include "problem/launch/expression.h"

#include <algorithm>
#include <set>
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

// An expression of numbers and constants of the text.
std::optional<int> value_of(const CudaText& text, const Tokens& tokens) {
  std::string expression;
  for (const std::string& token : tokens) {
    const auto constant = text.constants.find(token);
    expression += constant == text.constants.end() ? token : std::to_string(constant->second);
  }
  if (expression.empty() ||
      expression.find_first_not_of("0123456789+-*/%() ") != std::string::npos) {
    return std::nullopt;
  }
  const Result<std::int64_t> value = evaluate_expression(expression, {});
  const bool is_size = value && *value >= 1 && *value <= 1024;
  return is_size ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

// [first, last) split at commas of the outer level.
std::vector<Tokens> split(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::vector<Tokens> parts(1);
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    depth += tokens[i] == "(" || tokens[i] == "[" || tokens[i] == "{" ? 1 : 0;
    depth -= tokens[i] == ")" || tokens[i] == "]" || tokens[i] == "}" ? 1 : 0;
    if (tokens[i] == "," && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back().push_back(tokens[i]);
    }
  }
  return parts;
}

// The three sizes in (a, b, c); nothing unless all that are there are known.
std::optional<std::array<int, 3>> sizes_in(const CudaText& text, const Tokens& tokens,
                                           std::size_t open) {
  const bool is_brace = at(tokens, open) == "{";
  const std::size_t end = behind(tokens, open, is_brace ? "{" : "(", is_brace ? "}" : ")");
  std::array<int, 3> sizes{1, 1, 1};
  const std::vector<Tokens> parts = split(tokens, open + 1, end - 1);
  for (std::size_t axis = 0; axis < parts.size() && axis < 3; ++axis) {
    const std::optional<int> size = value_of(text, parts[axis]);
    if (!size) {
      return std::nullopt;
    }
    sizes[axis] = *size;
  }
  return sizes;
}

// `dim3 name(16, 16)`, `dim3 name = dim3(16, 16)`, `int name = 256`; `dim3(16, 16)`; `256`.
std::optional<std::array<int, 3>> block_of(const CudaText& text, const Tokens& argument) {
  if (const std::optional<int> value = value_of(text, argument)) {
    return std::array<int, 3>{*value, 1, 1};
  }
  if (argument.size() > 2 && argument[0] == "dim3") {
    return sizes_in(text, argument, 1);
  }
  if (argument.size() != 1) {
    return std::nullopt;
  }
  const Tokens& all = text.tokens;
  for (std::size_t i = 1; i + 2 < all.size(); ++i) {
    if (all[i] != argument[0] || all[i - 1] == "." || all[i - 1] == ",") {
      continue;
    }
    std::size_t value = i + 1;
    const bool is_dim3 = all[i - 1] == "dim3";
    if (all[value] == "=") {
      ++value;
    } else if (!is_dim3) {
      continue;
    }
    if (is_dim3 || all[value] == "dim3") {
      value += all[value] == "dim3" ? 1 : 0;
      if (at(all, value) == "(" || at(all, value) == "{") {
        return sizes_in(text, all, value);
      }
    }
    const auto end = std::find(all.begin() + static_cast<std::ptrdiff_t>(value), all.end(), ";");
    if (const std::optional<int> found =
            value_of(text, Tokens(all.begin() + static_cast<std::ptrdiff_t>(value), end))) {
      return std::array<int, 3>{*found, 1, 1};
    }
  }
  return std::nullopt;
}

bool is_launch(const Tokens& tokens, std::size_t i) {
  return at(tokens, i) == "<" && at(tokens, i + 1) == "<" && at(tokens, i + 2) == "<";
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    const bool needs_blank = !text.empty() &&
                             std::isalnum(static_cast<unsigned char>(text.back())) &&
                             std::isalnum(static_cast<unsigned char>(token[0]));
    text += (needs_blank ? " " : "") + token;
  }
  return text;
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

HostLaunch host_launch(const CudaText& text, const std::string& kernel) {
  HostLaunch launch;
  const Tokens& tokens = text.tokens;
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    std::size_t open = i + 1;
    if (tokens[i] != kernel) {
      continue;
    }
    std::vector<Tokens> arguments;
    if (tokens[open] == "<" && !is_launch(tokens, open)) {
      const std::size_t close = behind(tokens, open, "<", ">");
      arguments = split(tokens, open + 1, close - 1);
      open = close;
    }
    if (!is_launch(tokens, open)) {
      continue;
    }
    std::size_t close = open + 3;
    while (close < tokens.size() && !(tokens[close] == ">" && at(tokens, close + 1) == ">" &&
                                      at(tokens, close + 2) == ">")) {
      ++close;
    }
    const std::vector<Tokens> parts = split(tokens, open + 3, std::min(close, tokens.size()));
    for (const Tokens& argument : arguments) {
      const std::optional<int> value = value_of(text, argument);
      launch.template_arguments.push_back(value ? std::to_string(*value) : joined(argument));
    }
    if (parts.size() > 1) {
      launch.grid = block_of(text, parts[0]);
      launch.block = block_of(text, parts[1]);
    }
    return launch;
  }
  return launch;
}

}  // namespace tilestep::problem
