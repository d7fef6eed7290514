#include "problem/propose/host.h"
#include "problem/source/cuda_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tilestep::problem {
namespace {

using HostTokens = std::vector<std::string>;

constexpr int kMostSteps = 12;  // from a name to its value: definitions may be circular
constexpr int kMostNames = 200;

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

// The function that contains a position.
struct HostFunction {
  std::string name;
  std::size_t begin = 0;  // the opening parenthesis of its parameters
  std::vector<std::string> parameters;
  std::vector<std::string> template_parameters;
  std::vector<std::string> types;  // of the parameters
};

std::vector<std::string> last_words(const std::vector<HostTokens>& declarations) {
  std::vector<std::string> names;
  for (const HostTokens& one : declarations) {
    const auto end = std::find(one.begin(), one.end(), "=");
    names.push_back(end == one.begin() ? std::string() : *(end - 1));
  }
  return names;
}

// The bracket that `close` closes.
std::size_t opening_bracket(const HostTokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    depth += tokens[i] == ")" ? 1 : 0;
    depth -= tokens[i] == "(" ? 1 : 0;
    if (depth == 0) {
      return i;
    }
  }
  return 0;
}

// Braces after a ")" are bodies; others (namespaces, extern "C") are not.
HostFunction function_around(const HostTokens& tokens, std::size_t at) {
  std::vector<std::size_t> bodies;  // open braces; 0: not a body
  for (std::size_t i = 1; i < std::min(at, tokens.size()); ++i) {
    if (tokens[i] == "{") {
      bodies.push_back(tokens[i - 1] == ")" ? i : 0);
    } else if (tokens[i] == "}" && !bodies.empty()) {
      bodies.pop_back();
    }
  }
  const auto body = std::find_if(bodies.begin(), bodies.end(), [](std::size_t b) { return b > 0; });
  HostFunction found;
  if (body == bodies.end()) {
    return found;
  }
  found.begin = opening_bracket(tokens, *body - 1);
  if (found.begin == 0) {
    return found;
  }
  found.name = tokens[found.begin - 1];
  found.parameters = last_words(split_at_commas(tokens, found.begin + 1, *body - 1));
  for (std::size_t i = found.begin; i-- > 0;) {
    if (tokens[i] == ";" || tokens[i] == "}") {
      break;
    }
    if (tokens[i] == "template" && token_at(tokens, i + 1) == "<") {
      const auto all = split_at_commas(tokens, i + 2, behind_bracket(tokens, i + 1) - 1);
      found.template_parameters = last_words(all);
      for (std::size_t p = 0; p < all.size(); ++p) {
        if (!all[p].empty() && (all[p][0] == "typename" || all[p][0] == "class")) {
          found.types.push_back(found.template_parameters[p]);
        }
      }
    }
  }
  return found;
}

// The argument that a call passes for one of the function's parameters, and its position.
struct Given {
  std::size_t at = 0;
  HostTokens tokens;
};

// `from`: the start of the search.
Given given_by_caller(const HostTokens& tokens, const HostFunction& function,
                      const std::string& name, std::size_t from = 0) {
  const auto place_in = [&](const std::vector<std::string>& names) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const std::size_t parameter = place_in(function.parameters);
  const std::size_t template_parameter = place_in(function.template_parameters);
  const bool is_template = template_parameter < function.template_parameters.size();
  if (function.name.empty() || (!is_template && parameter == function.parameters.size())) {
    return {};
  }
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens[i] != function.name || i + 1 == function.begin) {
      continue;
    }
    std::size_t open = i + 1;
    std::vector<HostTokens> given;
    if (token_at(tokens, open) == "<") {
      const std::size_t close = behind_bracket(tokens, open);
      given = split_at_commas(tokens, open + 1, close - 1);
      open = close;
    }
    if (!is_template && token_at(tokens, open) == "(") {
      given = split_at_commas(tokens, open + 1, behind_bracket(tokens, open) - 1);
    }
    const std::size_t which = is_template ? template_parameter : parameter;
    if (which < given.size() && !given[which].empty() && given[which] != HostTokens{name}) {
      return {i, given[which]};
    }
  }
  return {};
}

class HostReader {
 public:
  HostReader(const HostPlace& place, int& names_left)
      : place_(place),
        function_(function_around(place.text.tokens, place.at)),
        names_left_(names_left) {}

  std::optional<std::string> expression(const HostTokens& tokens, int steps);
  HostDimensions dimensions(const HostTokens& tokens, int steps);

 private:
  // Reads the name at `i` with its members and indices; `i` is then its last token.
  std::optional<std::string> name(const HostTokens& tokens, std::size_t& i, int steps);
  std::optional<std::string> call(const HostTokens& tokens, std::size_t& i, int steps);
  std::optional<std::string> member(const HostTokens& tokens, std::size_t& i, int steps);
  [[nodiscard]] HostTokens definition(const std::string& name) const;
  std::optional<std::string> from_caller(const std::string& name, int steps);
  HostDimensions dimensions_from_caller(const std::string& name, int steps);

  const HostPlace& place_;
  const HostFunction function_;  // that contains the place
  int& names_left_;              // limit of names to follow
};

constexpr HostDimensions kUnknown{};

// The tokens of the last definition before the place: `name = …` or `dim3 name(…)`.
HostTokens HostReader::definition(const std::string& name) const {
  const HostTokens& all = place_.text.tokens;
  // A parameter's name may be a variable of another function.
  const bool is_parameter = std::find(function_.parameters.begin(), function_.parameters.end(),
                                      name) != function_.parameters.end();
  const std::size_t first = is_parameter ? behind_bracket(all, function_.begin) : 1;
  for (std::size_t i = std::min(place_.at, all.size()); i-- > std::max<std::size_t>(first, 1);) {
    const std::string_view before = all[i - 1];
    if (all[i] != name || before == "." || before == ">") {
      continue;
    }
    const bool has_braces = token_at(all, i + 1) == "{";
    const std::string_view type =
        before == "const" && i > 1 ? std::string_view(all[i - 2]) : before;
    if (type == "dim3" && (has_braces || token_at(all, i + 1) == "(")) {
      HostTokens found{"dim3"};
      const HostTokens rest = part_of(all, i + 1, behind_bracket(all, i + 1));
      found.insert(found.end(), rest.begin(), rest.end());
      return found;
    }
    if (has_braces && is_name(type) && type != "struct" && type != "class" && type != "else" &&
        type != "do" && type != "namespace" && type != "enum") {
      return part_of(all, i + 2, behind_bracket(all, i + 1) - 1);
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

// ceil_div(a, b) by any name; ceil(a / b); min and max.
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
  const std::size_t which = axis.size() == 1 ? std::string_view("xyz").find(axis) : Word::npos;
  const auto size = which < 3 ? dimensions({object}, steps)[which] : std::nullopt;
  return size ? std::optional("(" + *size + ")") : std::nullopt;
}

// sizeof(float), as a number; `i` is then its closing bracket.
std::optional<std::string> size_of(const HostTokens& tokens, std::size_t& i) {
  constexpr std::pair<Word, int> kBytes[] = {
      {"double", 8},  {"long", 8},   {"size_t", 8}, {"float2", 8}, {"int2", 8},
      {"float4", 16}, {"int4", 16},  {"uint4", 16}, {"char", 1},   {"uchar", 1},
      {"half", 2},    {"__half", 2}, {"short", 2},  {"float3", 12}};
  const std::size_t end = behind_bracket(tokens, i + 1);
  int bytes = 4;  // float, int, and a template's T
  for (std::size_t j = i + 2; j + 1 < end; ++j) {
    const auto found = std::find_if(std::begin(kBytes), std::end(kBytes),
                                    [&](const auto& entry) { return entry.first == tokens[j]; });
    bytes = found == std::end(kBytes) ? bytes : found->second;
  }
  i = end - 1;
  return std::to_string(bytes);
}

std::optional<std::string> HostReader::name(const HostTokens& tokens, std::size_t& i, int steps) {
  if (tokens[i] == "sizeof" && token_at(tokens, i + 1) == "(") {
    return size_of(tokens, i);
  }
  if (tokens[i] == "static_cast" && token_at(tokens, i + 1) == "<") {
    i = behind_bracket(tokens, i + 1) - 1;
    return "";
  }
  if (names_left_-- <= 0) {
    return std::nullopt;
  }
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
  if (const auto given = from_caller(tokens[i], steps)) {
    return given;
  }
  const auto constant = place_.text.constants.find(tokens[i]);
  return constant == place_.text.constants.end() ? std::nullopt
                                                 : std::optional(std::to_string(constant->second));
}

// The argument that a call of the function around the place passes for its parameter.
std::optional<std::string> HostReader::from_caller(const std::string& name, int steps) {
  const Given given = given_by_caller(place_.text.tokens, function_, name);
  return given.tokens.empty() ? std::nullopt
                              : HostReader(HostPlace{place_.text, given.at, {}}, names_left_)
                                    .expression(given.tokens, steps - 1);
}

HostDimensions HostReader::dimensions_from_caller(const std::string& name, int steps) {
  const Given given = given_by_caller(place_.text.tokens, function_, name);
  return given.tokens.empty() ? kUnknown
                              : HostReader(HostPlace{place_.text, given.at, {}}, names_left_)
                                    .dimensions(given.tokens, steps - 1);
}

std::optional<std::string> HostReader::expression(const HostTokens& tokens, int steps) {
  if (steps <= 0 || tokens.empty()) {
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
      i += token_at(tokens, i + 1) == "." ? 2U : 0U;  // 16.0: words are split at the point
    } else if (token.size() == 1 && std::string_view("+-*/%()").find(token[0]) != Word::npos) {
      text += token == "(" || token == ")" ? token : " " + token + " ";
    } else {
      return std::nullopt;
    }
  }
  return text;
}

HostDimensions HostReader::dimensions(const HostTokens& tokens, int steps) {
  if (steps <= 0 || tokens.empty()) {
    return kUnknown;
  }
  if (tokens[0] == "dim3" && tokens.size() > 2) {
    HostDimensions sizes{"1", "1", "1"};
    const auto parts = split_at_commas(tokens, 2, behind_bracket(tokens, 1) - 1);
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, parts.size()); ++axis) {
      if (!parts[axis].empty()) {
        sizes[axis] = expression(parts[axis], steps - 1);
      }
    }
    return sizes;
  }
  if (tokens.size() == 1 && is_name(tokens[0])) {
    const HostTokens defined = definition(tokens[0]);
    if (!defined.empty() && (defined[0] == "dim3" || defined.size() == 1)) {
      return dimensions(defined, steps - 1);
    }
    if (defined.empty() && place_.known.count(tokens[0]) == 0) {
      const HostDimensions given = dimensions_from_caller(tokens[0], steps);
      if (given != kUnknown) {
        return given;
      }
    }
  }
  return {expression(tokens, steps), "1", "1"};
}

}  // namespace

std::optional<std::string> host_expression(const HostPlace& place, const HostTokens& tokens) {
  int names_left = kMostNames;
  return HostReader(place, names_left).expression(tokens, kMostSteps);
}

HostTokens host_words(const HostPlace& place, const HostTokens& tokens) {
  HostTokens words = tokens;
  std::size_t at = place.at;
  for (int steps = 0; steps < kMostSteps && words.size() == 1; ++steps) {
    const HostFunction function = function_around(place.text.tokens, at);
    Given given = given_by_caller(place.text.tokens, function, words[0]);
    const bool is_type = std::ranges::find(function.types, words[0]) != function.types.end();
    for (Given next = given; !is_type && !next.tokens.empty();
         next = given_by_caller(place.text.tokens, function, words[0], next.at + 1)) {
      given = next;
    }
    if (given.tokens.empty()) {
      break;
    }
    words = given.tokens;
    at = given.at;
  }
  return words;
}

HostDimensions host_dimensions(const HostPlace& place, const HostTokens& tokens) {
  int names_left = kMostNames;
  return HostReader(place, names_left).dimensions(tokens, kMostSteps);
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

int number_of(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace tilestep::problem
