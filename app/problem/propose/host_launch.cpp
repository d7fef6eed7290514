#include "problem/launch/expression.h"
#include "problem/propose/host.h"
#include "problem/source/cuda_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace tilestep::problem {

namespace {

using LaunchTokens = std::vector<std::string>;

std::string_view word_at(const LaunchTokens& tokens, std::size_t i) {
  return i < tokens.size() ? std::string_view(tokens[i]) : std::string_view();
}

bool has_three(const LaunchTokens& tokens, std::size_t i, std::string_view word) {
  return word_at(tokens, i) == word && word_at(tokens, i + 1) == word &&
         word_at(tokens, i + 2) == word;
}

std::string joined(const LaunchTokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    const bool needs_blank = !text.empty() &&
                             std::isalnum(static_cast<unsigned char>(text.back())) &&
                             std::isalnum(static_cast<unsigned char>(token[0]));
    text += (needs_blank ? " " : "") + token;
  }
  return text;
}

std::optional<std::int64_t> number_in(const std::optional<std::string>& expression) {
  const bool is_known =
      expression && !expression->empty() && expression->find_first_of("MNK{") == std::string::npos;
  const Result<std::int64_t> value =
      is_known ? evaluate_expression(*expression, {}) : fail("not a number");
  return value ? std::optional(*value) : std::nullopt;
}

// A number from 1 to `largest`, if the expression is one.
std::optional<int> size_in(const std::optional<std::string>& expression, std::int64_t largest) {
  const std::optional<std::int64_t> value = number_in(expression);
  return value && *value >= 1 && *value <= largest ? std::optional(static_cast<int>(*value))
                                                   : std::nullopt;
}

std::optional<std::array<int, 3>> sizes_in(const HostDimensions& found, std::int64_t largest) {
  std::array<int, 3> sizes{1, 1, 1};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto size = size_in(found[axis], largest);
    if (!size) {
      return std::nullopt;
    }
    sizes[axis] = *size;
  }
  return sizes;
}

// The positions of a launch's parts.
struct LaunchParts {
  std::size_t at = 0;
  std::vector<LaunchTokens> template_arguments;
  LaunchTokens grid;
  LaunchTokens block;
  LaunchTokens shared;
  std::vector<LaunchTokens> arguments;
};

// kernel<arguments><<<grid, block, shared, stream>>>(…)
std::optional<LaunchParts> chevrons(const LaunchTokens& tokens, std::size_t i) {
  LaunchParts parts;
  parts.at = i;
  std::size_t open = i + 1;
  if (word_at(tokens, open) == "<" && !has_three(tokens, open, "<")) {
    const std::size_t close = behind_bracket(tokens, open);
    parts.template_arguments = split_at_commas(tokens, open + 1, close - 1);
    open = close;
  }
  if (!has_three(tokens, open, "<")) {
    return std::nullopt;
  }
  std::size_t close = open + 3;
  while (close < tokens.size() && !has_three(tokens, close, ">")) {
    ++close;
  }
  std::vector<LaunchTokens> given = split_at_commas(tokens, open + 3, close);
  given.resize(std::max<std::size_t>(given.size(), 3));
  parts.grid = given[0];
  parts.block = given[1];
  parts.shared = given[2];
  if (word_at(tokens, close + 3) == "(") {
    parts.arguments = split_at_commas(tokens, close + 4, behind_bracket(tokens, close + 3) - 1);
  }
  return parts;
}

// The addresses in `void* name[] = {&a, &b};`, as their variables.
std::vector<LaunchTokens> pointed_to(const LaunchTokens& tokens, std::size_t before,
                                     const LaunchTokens& name) {
  for (std::size_t i = before; name.size() == 1 && i-- > 0;) {
    const bool is_list = tokens[i] == name[0] && word_at(tokens, i + 1) == "[" &&
                         word_at(tokens, i + 3) == "=" && word_at(tokens, i + 4) == "{";
    if (!is_list) {
      continue;
    }
    auto given = split_at_commas(tokens, i + 5, behind_bracket(tokens, i + 4) - 1);
    for (LaunchTokens& one : given) {
      const auto address = std::find(one.begin(), one.end(), "&");
      one.erase(one.begin(), address == one.end() ? one.begin() : address + 1);
    }
    return given;
  }
  return {};
}

// cudaLaunchKernel((const void*)kernel<arguments>, grid, block, arguments, shared, stream)
std::optional<LaunchParts> launch_call(const LaunchTokens& tokens, std::size_t i,
                                       const std::string& kernel) {
  if (word_at(tokens, i + 1) != "(") {
    return std::nullopt;
  }
  auto given = split_at_commas(tokens, i + 2, behind_bracket(tokens, i + 1) - 1);
  const auto name = std::find(given[0].begin(), given[0].end(), kernel);
  if (given.size() < 4 || name == given[0].end()) {
    return std::nullopt;
  }
  LaunchParts parts;
  parts.at = i;
  if (name + 1 != given[0].end() && *(name + 1) == "<") {
    const LaunchTokens list(name + 1, given[0].end());
    parts.template_arguments = split_at_commas(list, 1, behind_bracket(list, 0) - 1);
  }
  parts.grid = given[1];
  parts.block = given[2];
  parts.shared = given.size() > 4 ? given[4] : LaunchTokens();
  parts.arguments = pointed_to(tokens, i, given[3]);
  return parts;
}

// The launch's arguments by their host expressions: "{2}" for the third argument.
std::map<std::string, std::string> passed(const std::vector<LaunchTokens>& given) {
  std::map<std::string, std::string> known;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const LaunchTokens& one = given[i];
    const bool is_name = one.size() == 1 || (one.size() == 3 && one[1] == ".");
    if (is_name && std::isdigit(static_cast<unsigned char>(one[0][0])) == 0) {
      known.try_emplace(joined(one), fmt::format("{{{}}}", i));
    }
  }
  return known;
}

HostLaunch read_launch(const CudaText& text, const LaunchParts& parts) {
  constexpr std::int64_t kMostThreads = 1024;
  constexpr std::int64_t kMostBlocks = 1024;
  HostLaunch launch;
  HostPlace place{text, parts.at, {}};
  for (const LaunchTokens& argument : parts.template_arguments) {
    const std::optional<int> value = size_in(host_expression(place, argument), kMostThreads);
    launch.template_arguments.push_back(value ? std::to_string(*value)
                                              : joined(host_words(place, argument)));
  }
  for (const LaunchTokens& argument : parts.arguments) {
    const std::optional<std::int64_t> value = number_in(host_expression(place, argument));
    const bool is_small = value && std::abs(*value) <= 1'000'000;
    launch.arguments.push_back(is_small ? std::optional(static_cast<int>(*value)) : std::nullopt);
  }
  launch.grid = sizes_in(host_dimensions(place, parts.grid), kMostBlocks);
  launch.block = sizes_in(host_dimensions(place, parts.block), kMostThreads);
  place.known = passed(parts.arguments);
  launch.grid_expressions = host_dimensions(place, parts.grid);
  place.known.try_emplace(joined(parts.block), "{threads}");
  launch.shared_bytes = host_expression(place, parts.shared);
  return launch;
}

// `template __global__ void kernel<arguments>(…);`
std::vector<LaunchTokens> instantiated(const LaunchTokens& tokens, const std::string& kernel) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const std::size_t close =
        tokens[i] == kernel && tokens[i + 1] == "<" ? behind_bracket(tokens, i + 1) : tokens.size();
    if (word_at(tokens, close) != "(") {
      continue;
    }
    std::size_t begin = i;
    while (begin > 0 && tokens[begin - 1] != ";" && tokens[begin - 1] != "}") {
      --begin;
    }
    const bool is_one = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                  tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                  "template") != tokens.begin() + static_cast<std::ptrdiff_t>(i);
    if (is_one) {
      return split_at_commas(tokens, i + 2, close - 1);
    }
  }
  return {};
}

std::optional<HostLaunch> launch_in(const CudaText& text, const std::string& kernel) {
  std::optional<HostLaunch> first;
  for (std::size_t i = 0; i + 4 < text.tokens.size(); ++i) {
    const std::string& token = text.tokens[i];
    const bool is_call = token == "cudaLaunchKernel" || token == "cudaLaunchCooperativeKernel";
    const auto parts = token == kernel ? chevrons(text.tokens, i)
                       : is_call       ? launch_call(text.tokens, i, kernel)
                                       : std::nullopt;
    if (!parts) {
      continue;
    }
    HostLaunch launch = read_launch(text, *parts);
    if (launch.block) {
      return launch;
    }
    if (!first) {
      first = std::move(launch);
    }
  }
  return first;
}

using Tokens = std::vector<std::string>;

std::string_view at(const Tokens& tokens, std::size_t i) {
  return i < tokens.size() ? std::string_view(tokens[i]) : std::string_view();
}

// The position after the bracket that closes the one at `open`.
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

// Classifies an element's access by the tokens around it.
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

// Whether a `*` outside of indices occurs before the statement's end. Strides of a grid are not
// sums.
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

HostLaunch host_launch(const CudaText& text, const std::string& kernel) {
  HostLaunch launch = launch_in(text, kernel).value_or(HostLaunch{});
  if (launch.template_arguments.empty()) {
    for (const LaunchTokens& argument : instantiated(text.tokens, kernel)) {
      launch.template_arguments.push_back(joined(argument));
    }
  }
  return launch;
}

std::optional<int> passed_at(const HostLaunch& launch, const std::string& place) {
  constexpr std::string_view kArgument = "argument ";
  const auto number =
      place.starts_with(kArgument)
          ? static_cast<std::size_t>(number_of(std::string_view(place).substr(kArgument.size())))
          : launch.arguments.size();
  return number < launch.arguments.size() ? launch.arguments[number] : std::nullopt;
}

std::string with_arguments(std::string text, const LaunchSpec& spec) {
  const auto replace = [&](const std::string& mark, const std::string& by) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      text.replace(at, mark.size(), by);
    }
  };
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    if (spec.arguments[i].kind == ArgumentSpec::Kind::Scalar) {
      replace(fmt::format("{{{}}}", i), spec.arguments[i].expression);
    }
  }
  if (text.find("{threads}") == std::string::npos) {
    return text;  // a kernel has hundreds of guesses, and few of them name it
  }
  const std::string threads =
      fmt::format("({} * {} * {})", spec.block[0], spec.block[1], spec.block[2]);
  const std::optional<std::int64_t> number = number_in(threads);
  replace("{threads}", number ? std::to_string(*number) : threads);
  return text;
}

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
