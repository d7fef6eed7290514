#include "problem/propose/parameter_use.h"

#include "problem/launch/expression.h"
#include "problem/propose/host_expression.h"

#include <fmt/format.h>

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

// A number from 1 to 1024, where the expression is one.
std::optional<int> size_in(const std::optional<std::string>& expression) {
  if (!expression) {
    return std::nullopt;
  }
  const Result<std::int64_t> value = evaluate_expression(*expression, {});
  const bool is_known = expression->find_first_of("MNK") == std::string::npos;
  const bool is_size = is_known && value && *value >= 1 && *value <= 1024;
  return is_size ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<std::array<int, 3>> sizes_in(const HostPlace& place, const Tokens& tokens) {
  const auto found = host_dimensions(place, tokens);
  std::array<int, 3> sizes{1, 1, 1};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto size = found ? size_in((*found)[axis]) : std::nullopt;
    if (!size) {
      return std::nullopt;
    }
    sizes[axis] = *size;
  }
  return sizes;
}

// What the launch passes, by the words of the host: "{2}" for the third argument.
std::map<std::string, std::string> passed_at(const Tokens& tokens, std::size_t open) {
  std::map<std::string, std::string> known;
  if (at(tokens, open) != "(") {
    return known;
  }
  const auto given = split_at_commas(tokens, open + 1, behind_bracket(tokens, open) - 1);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].size() == 1 || (given[i].size() == 3 && given[i][1] == ".")) {
      known.try_emplace(joined(given[i]), fmt::format("{{{}}}", i));
    }
  }
  return known;
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
      arguments = split_at_commas(tokens, open + 1, close - 1);
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
    const std::vector<Tokens> parts =
        split_at_commas(tokens, open + 3, std::min(close, tokens.size()));
    HostPlace place{text, i, {}};
    for (const Tokens& argument : arguments) {
      const std::optional<int> value = size_in(host_expression(place, argument));
      launch.template_arguments.push_back(value ? std::to_string(*value) : joined(argument));
    }
    if (parts.size() > 1) {
      launch.grid = sizes_in(place, parts[0]);
      launch.block = sizes_in(place, parts[1]);
      place.known = passed_at(tokens, close + 3);
      launch.grid_expressions = host_dimensions(place, parts[0]);
    }
    return launch;
  }
  return launch;
}

}  // namespace tilestep::problem
