#include "problem/describe/toml_reader.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tilestep::problem {
namespace {

// Levenshtein's edit distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// toml++ limits the nesting of values to 256, but not the parts of a dotted key; both recurse.
constexpr int kDeepestKey = 32;

// The position after the TOML string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool is_long = text.substr(at, 3) == triple;
  const std::string_view end = is_long ? std::string_view(triple) : text.substr(at, 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (text.substr(at, end.size()) == end) {
      return at + end.size();
    }
    if (text[at] == '\n' && !is_long) {
      return at;
    }
    at += quote == '"' && text[at] == '\\' ? 1 : 0;
  }
  return at;
}

std::optional<int> line_of_deep_key(std::string_view text) {
  int dots = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"' || text[at] == '\'') {
      at = end_of_string(text, at) - 1;
    } else if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (text[at] == '.') {
      if (++dots >= kDeepestKey) {
        return 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
      }
    } else if (std::string_view("\n=,[]{}").find(text[at]) != std::string_view::npos) {
      dots = 0;
    }
  }
  return std::nullopt;
}

// toml++ begins with its parser's activity and may end with a build setting; both are removed.
std::string toml_cause(std::string_view cause) {
  constexpr std::string_view kDoing = "Error while parsing ";
  cause = cause.substr(0, cause.find(" (TOML_"));
  std::string thing;
  if (const std::size_t colon = cause.find(": ");
      cause.starts_with(kDoing) && colon != std::string_view::npos) {
    thing = cause.substr(kDoing.size(), colon - kDoing.size());
    cause.remove_prefix(colon + 2);
  }
  if (cause == "could not determine value type") {
    return tr("this is not a value. Write a string in quotes, a number, true, false, [array] or {}",
              "{ table }");
  }
  return thing.empty() ? std::string(cause) : tr("{} (in this {})", cause, thing);
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& known) {
  // Typing errors are not longer, and the comparison takes time.
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) {
    return "";
  }
  const auto best = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
    return distance(word, a) < distance(word, b);
  });
  const bool near =
      best != known.end() && distance(word, *best) <= std::max<std::size_t>(2, word.size() / 2);
  return near ? std::string(*best) : "";
}

Result<toml::table> parse_toml(const std::string& text, const std::string& file, int lines_before) {
  if (const auto line = line_of_deep_key(text)) {
    return fail(tr("{}:{}: a key has more than {} parts. Nest fewer tables.", file,
                   lines_before + *line, kDeepestKey));
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return fail(tr("{}:{}:{}: not TOML: {}.", file,
                   lines_before + static_cast<int>(error.source().begin.line),
                   error.source().begin.column, toml_cause(error.description())));
  }
}

void TomlReader::note(const toml::node& place, std::string_view message) {
  if (!error_) {
    error_ = Error{fmt::format(
        "{}:{}: {}", file_, lines_before_ + static_cast<int>(place.source().begin.line), message)};
  }
}

void TomlReader::expect_keys(const toml::table& table, const std::vector<std::string_view>& known) {
  const auto is_known = [&](std::string_view key) {
    return std::ranges::find(known, key) != known.end();
  };
  if (std::ranges::all_of(table, [&](const auto& entry) { return is_known(entry.first.str()); })) {
    return;
  }
  for (const auto& [key, node] : in_file_order(table)) {
    if (is_known(key)) {
      continue;
    }
    const std::string near = nearest(key, known);
    const std::string shown = shortened(key);
    note(*node, near.empty()
                    ? tr("unknown key '{}'. Known keys: {}.", shown, fmt::join(known, ", "))
                    : tr("unknown key '{}'. Did you mean '{}'?", shown, near));
  }
}

std::string TomlReader::string(const toml::table& table, std::string_view key,
                               std::string otherwise) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    return otherwise;
  }
  if (!node->is_string()) {
    note(*node, tr("{} must be a string in quotes.", key));
    return otherwise;
  }
  return node->as_string()->get();
}

std::string TomlReader::required_string(const toml::table& table, std::string_view key) {
  if (!table.contains(key)) {
    note(table, tr("{} is missing. Add {} = \"…\".", key, key));
  }
  return string(table, key);
}

std::int64_t TomlReader::integer(const toml::table& table, std::string_view key,
                                 std::int64_t otherwise) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    return otherwise;
  }
  if (!node->is_integer()) {
    note(*node, tr("{} must be an integer.", key));
    return otherwise;
  }
  return node->as_integer()->get();
}

double TomlReader::real(const toml::table& table, std::string_view key, double otherwise) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    return otherwise;
  }
  if (!node->is_number()) {
    note(*node, tr("{} must be a number.", key));
    return otherwise;
  }
  const std::optional<double> value = node->value<double>();
  if (!value) {  // toml++ does not round integers
    note(*node, tr("{} is too large for float64, which holds integers exactly up to 2^53.", key));
  }
  return value.value_or(otherwise);
}

bool TomlReader::boolean(const toml::table& table, std::string_view key, bool otherwise) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    return otherwise;
  }
  if (!node->is_boolean()) {
    note(*node, tr("{} must be true or false.", key));
    return otherwise;
  }
  return node->as_boolean()->get();
}

void TomlReader::note_unknown_word(const toml::node& node, const std::vector<std::string>& known) {
  const auto* const text = node.as_string();
  note(node, text == nullptr ? tr("expected a word in quotes: {}.", fmt::join(known, ", "))
                             : tr("unknown word '{}'. Known words: {}.", shortened(text->get()),
                                  fmt::join(known, ", ")));
}

std::string TomlReader::with_values(const std::string& text) const {
  if (values_.empty()) {
    return text;
  }
  std::string result;
  for (auto at = text.begin(); at != text.end();) {
    const auto name = std::find_if(at, text.end(), is_name_part);
    result.append(at, name);
    at = std::find_if_not(name, text.end(), is_name_part);
    const auto value = values_.find(std::string_view(name, at));
    result += value == values_.end() ? std::string(name, at) : std::to_string(value->second);
  }
  return result;
}

std::string TomlReader::expression(const toml::node& node, bool floats) {
  if (const auto* integer = node.as_integer()) {
    return std::to_string(integer->get());
  }
  if (const auto* real = node.as_floating_point(); real != nullptr && floats) {
    const std::string text = fmt::format("{}", real->get());
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  if (!node.is_string()) {
    note(node, tr("an expression must be a string in quotes or a number."));
    return "1";
  }
  const std::string text = with_values(node.as_string()->get());
  if (floats && float_literal(text)) {
    return text;
  }
  if (expressions_ == Expressions::Known) {
    return text;
  }
  if (!expressions_read_.contains(text)) {
    if (const std::optional<Error> mistake = expression_mistake(text)) {
      note(node, mistake->message);
    }
    expressions_read_.insert(text);
  }
  return text;
}

std::string TomlReader::expression(const toml::table& table, std::string_view key,
                                   std::string otherwise) {
  const toml::node* const node = table.get(key);
  return node == nullptr ? std::move(otherwise) : expression(*node);
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& table, std::string_view key) {
  std::vector<const toml::table*> found;
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    return found;
  }
  if (!node->is_array()) {
    note(*node, tr("{} must be an array of tables: {} = [{{ … }}, …].", key, key));
    return found;
  }
  for (const toml::node& element : *node->as_array()) {
    if (const toml::table* const entry = table_of(element, tr("an element of {}", key))) {
      found.push_back(entry);
    }
  }
  return found;
}

const toml::table* TomlReader::table_of(const toml::node& node, std::string_view what) {
  if (!node.is_table()) {
    note(node, tr("{} must be a table: {{ key = value, … }}.", what));
  }
  return node.as_table();
}

std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (auto&& [key, node] : table) {
    entries.emplace_back(std::string(key.str()), &node);
  }
  const auto place = [](const toml::node* node) {
    return std::pair(node->source().begin.line, node->source().begin.column);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return place(a.second) < place(b.second); });
  return entries;
}

}  // namespace tilestep::problem
