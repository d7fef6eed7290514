#include "problem/propose/host_expression.h"

#include "problem/source/cuda_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tilestep::problem {
namespace {

using HostTokens = std::vector<std::string>;

constexpr int kMostSteps = 12;  // from a name to its value: definitions may go in a circle

std::string_view token_at(const HostTokens& tokens, std::size_t i) {
  return i < tokens.size() ? std::string_view(tokens[i]) : std::string_view();
}

bool is_name(std::string_view token) {
  return !token.empty() &&
         (std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_');
}

HostTokens part_of(const HostTokens& tokens, std::size_t first, std::size_t last) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(first),
          tokens.begin() + static_cast<std::ptrdiff_t>(std::max(first, last))};
}

class HostReader {
 public:
  explicit HostReader(const HostPlace& place) : place_(place) {}

  std::optional<std::string> expression(const HostTokens& tokens, int steps);
  std::optional<std::array<std::string, 3>> dimensions(const HostTokens& tokens, int steps);

 private:
  // Reads the name at `i` and what belongs to it; `i` is then its last token.
  std::optional<std::string> name(const HostTokens& tokens, std::size_t& i, int steps);
  std::optional<std::string> call(const HostTokens& tokens, std::size_t& i, int steps);
  std::optional<std::string> member(const HostTokens& tokens, std::size_t& i, int steps);
  [[nodiscard]] HostTokens definition(const std::string& name) const;

  const HostPlace& place_;
};

// The tokens that the last definition before the place gives: `name = …` or `dim3 name(…)`.
HostTokens HostReader::definition(const std::string& name) const {
  const HostTokens& all = place_.text.tokens;
  for (std::size_t i = std::min(place_.at, all.size()); i-- > 1;) {
    const std::string_view before = all[i - 1];
    if (all[i] != name || before == "." || before == ">") {
      continue;
    }
    const bool is_dim3 =
        before == "dim3" && (token_at(all, i + 1) == "(" || token_at(all, i + 1) == "{");
    if (is_dim3) {
      HostTokens found{"dim3"};
      const HostTokens rest = part_of(all, i + 1, behind_bracket(all, i + 1));
      found.insert(found.end(), rest.begin(), rest.end());
      return found;
    }
    if (token_at(all, i + 1) == "=" && token_at(all, i + 2) != "=") {
      std::size_t end = i + 2;
      while (end < all.size() && all[end] != ";" && all[end] != "," && all[end] != ")") {
        end = all[end] == "(" || all[end] == "{" ? behind_bracket(all, end) : end + 1;
      }
      return part_of(all, i + 2, std::min(end, all.size()));
    }
  }
  return {};
}

// ceil_div(a, b) by whatever name; ceil(a / b); min and max.
std::optional<std::string> HostReader::call(const HostTokens& tokens, std::size_t& i, int steps) {
  const std::string word = lower(tokens[i]);
  const std::size_t end = behind_bracket(tokens, i + 1);
  const auto given = split_at_commas(tokens, i + 2, end - 1);
  i = end - 1;
  const bool rounds_up = word.find("ceil") != std::string::npos ||
                         word.find("div") != std::string::npos ||
                         word.find("cdiv") != std::string::npos;
  if (given.size() == 2 && (rounds_up || word == "min" || word == "max")) {
    const auto a = expression(given[0], steps);
    const auto b = expression(given[1], steps);
    return a && b ? std::optional(fmt::format("{}({}, {})", rounds_up ? "ceil_div" : word, *a, *b))
                  : std::nullopt;
  }
  if (given.size() != 1) {
    return std::nullopt;
  }
  const auto slash = std::find(given[0].begin(), given[0].end(), "/");
  if (word.starts_with("ceil") && slash != given[0].end()) {
    const auto a = expression({given[0].begin(), slash}, steps);
    const auto b = expression({slash + 1, given[0].end()}, steps);
    return a && b ? std::optional(fmt::format("ceil_div({}, {})", *a, *b)) : std::nullopt;
  }
  const bool is_cast = word == "int" || word == "unsigned" || word == "float" || word == "double" ||
                       word.starts_with("ceil");
  const auto value = is_cast ? expression(given[0], steps) : std::nullopt;
  return value ? std::optional("(" + *value + ")") : std::nullopt;
}

std::optional<std::string> HostReader::member(const HostTokens& tokens, std::size_t& i, int steps) {
  const std::string& object = tokens[i];
  const std::string axis(token_at(tokens, i + 2));
  i += 2;
  if (const auto found = place_.known.find(object + "." + axis); found != place_.known.end()) {
    return found->second;
  }
  const auto sizes = axis.size() == 1 ? dimensions({object}, steps) : std::nullopt;
  const std::size_t which = std::string_view("xyz").find(axis);
  return sizes && which < 3 ? std::optional("(" + (*sizes)[which] + ")") : std::nullopt;
}

std::optional<std::string> HostReader::name(const HostTokens& tokens, std::size_t& i, int steps) {
  if (token_at(tokens, i + 1) == "(") {
    return call(tokens, i, steps);
  }
  if (token_at(tokens, i + 1) == ".") {
    return member(tokens, i, steps);
  }
  if (const auto found = place_.known.find(tokens[i]); found != place_.known.end()) {
    return found->second;
  }
  const HostTokens defined = definition(tokens[i]);
  if (!defined.empty() && defined[0] != "dim3") {
    if (const auto value = expression(defined, steps)) {
      return value->find_first_not_of("0123456789") == std::string::npos ? *value
                                                                         : "(" + *value + ")";
    }
  }
  const auto constant = place_.text.constants.find(tokens[i]);
  return constant == place_.text.constants.end() ? std::nullopt
                                                 : std::optional(std::to_string(constant->second));
}

std::optional<std::string> HostReader::expression(const HostTokens& tokens, int steps) {
  if (steps == 0 || tokens.empty()) {
    return std::nullopt;
  }
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const bool is_cast = token == "(" && token_at(tokens, i + 2) == ")" &&
                         is_one_of({"int", "float", "double", "unsigned", "size_t", "uint"},
                                   Word(token_at(tokens, i + 1)));
    if (is_cast) {
      i += 2;
    } else if (is_name(token)) {
      const auto value = name(tokens, i, steps - 1);
      if (!value) {
        return std::nullopt;
      }
      text += *value;
    } else if (std::isdigit(static_cast<unsigned char>(token[0])) != 0) {
      const std::size_t digits = token.find_first_not_of("0123456789");
      const std::string tail = digits == std::string::npos ? "" : lower(token.substr(digits));
      if (tail.find_first_not_of("ul.0f") != std::string::npos) {
        return std::nullopt;
      }
      text += token.substr(0, digits);
      i += token_at(tokens, i + 1) == "." ? 2U : 0U;  // 16.0 where words are split at the point
    } else if (token.size() == 1 && std::string_view("+-*/%()").find(token[0]) != Word::npos) {
      text += token == "(" || token == ")" ? token : " " + token + " ";
    } else {
      return std::nullopt;
    }
  }
  return text;
}

std::optional<std::array<std::string, 3>> HostReader::dimensions(const HostTokens& tokens,
                                                                 int steps) {
  if (steps == 0 || tokens.empty()) {
    return std::nullopt;
  }
  if (tokens[0] == "dim3" && tokens.size() > 2) {
    std::array<std::string, 3> sizes{"1", "1", "1"};
    const auto parts = split_at_commas(tokens, 2, behind_bracket(tokens, 1) - 1);
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, parts.size()); ++axis) {
      const auto size = expression(parts[axis], steps - 1);
      if (!size) {
        return std::nullopt;
      }
      sizes[axis] = *size;
    }
    return sizes;
  }
  if (tokens.size() == 1 && is_name(tokens[0])) {
    const HostTokens defined = definition(tokens[0]);
    if (!defined.empty() && defined[0] == "dim3") {
      return dimensions(defined, steps - 1);
    }
  }
  const auto size = expression(tokens, steps);
  return size ? std::optional(std::array<std::string, 3>{*size, "1", "1"}) : std::nullopt;
}

}  // namespace

std::optional<std::string> host_expression(const HostPlace& place, const HostTokens& tokens) {
  return HostReader(place).expression(tokens, kMostSteps);
}

std::optional<std::array<std::string, 3>> host_dimensions(const HostPlace& place,
                                                          const HostTokens& tokens) {
  return HostReader(place).dimensions(tokens, kMostSteps);
}

std::vector<HostTokens> split_at_commas(const HostTokens& tokens, std::size_t first,
                                        std::size_t last) {
  std::vector<HostTokens> parts(1);
  int depth = 0;
  for (std::size_t i = first; i < std::min(last, tokens.size()); ++i) {
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

std::size_t behind_bracket(const HostTokens& tokens, std::size_t open) {
  constexpr std::string_view kOpens = "({[<";
  constexpr std::string_view kCloses = ")}]>";
  const std::string_view opens = token_at(tokens, open);
  const std::size_t which = opens.empty() ? Word::npos : kOpens.find(opens[0]);
  int depth = 0;
  for (std::size_t i = open; which != Word::npos && i < tokens.size(); ++i) {
    depth += tokens[i] == opens ? 1 : 0;
    depth -= tokens[i] == kCloses.substr(which, 1) ? 1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return tokens.size();
}

}  // namespace tilestep::problem
