#include "problem/describe/input_reader.h"

#include "problem/base64.h"
#include "problem/describe/words.h"
#include "problem/tr.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tilestep::problem {
namespace {

// A file says by its name what it is.
std::optional<Pattern> pattern_of_file(std::string_view name) {
  return name.ends_with(".npy")   ? std::optional(Pattern::Npy)
         : name.ends_with(".csv") ? std::optional(Pattern::Csv)
                                  : std::nullopt;
}

void read_file_input(TomlReader& reader, const toml::node& node, const toml::table& table,
                     InputSpec& input) {
  input.csv = reader.string(table, "csv");
  input.csv_name = reader.string(table, "file");
  if (table.contains("base64")) {
    const std::optional<std::string> bytes = from_base64(reader.string(table, "base64"));
    if (!bytes || input.pattern != Pattern::Npy) {
      reader.note(node, tr("base64 holds the bytes of an .npy file, all of them. Copy it again."));
    }
    input.csv = bytes.value_or("");
  }
  if (input.pattern == Pattern::Csv && input.csv.empty() && input.csv_name.empty()) {
    reader.note(node, tr("a CSV input needs either csv = \"1, 2, …\" or file = \"….csv\"."));
  }
  if (input.pattern == Pattern::Npy && input.csv_name.empty()) {
    reader.note(node, tr("an npy input needs file = \"….npy\"."));
  }
}

}  // namespace

InputSpec read_buffer_input(TomlReader& reader, const toml::node& node) {
  InputSpec input;
  if (node.is_string()) {
    input.pattern = reader.word<Pattern>(node);
    if (input.pattern == Pattern::Npy || input.pattern == Pattern::Csv) {
      reader.note(node, tr("the file is missing: {}.", "input = { file = \"a.npy\" }"));
    }
    return input;
  }
  const toml::table* const table = reader.table_of(node, "input");
  if (table == nullptr) {
    return input;
  }
  reader.expect_keys(*table,
                     {"pattern", "seed", "constant", "csv", "file", "base64", "lowest", "highest"});
  const std::optional<Pattern> by_name = pattern_of_file(reader.string(*table, "file"));
  if (const toml::node* const pattern = table->get("pattern")) {
    input.pattern = reader.word<Pattern>(*pattern);
  } else if (by_name || table->contains("csv")) {
    input.pattern = by_name.value_or(Pattern::Csv);
  } else if (table->contains("base64")) {
    input.pattern = Pattern::Npy;
  } else if (table->contains("file")) {
    reader.note(node,
                tr("file = \"{}\" does not end in .csv or .npy. Add pattern = \"csv\" or \"npy\".",
                   reader.string(*table, "file")));
  } else {
    reader.required_string(*table, "pattern");
  }
  const std::int64_t seed = reader.integer(*table, "seed", 1);
  if (seed < 0 || seed > std::numeric_limits<std::uint32_t>::max()) {
    reader.note(node, tr("seed must be between 0 and 4294967295."));
  }
  input.seed = static_cast<std::uint32_t>(seed);
  input.constant = reader.real(*table, "constant", 1.0);
  input.lowest = reader.real(*table, "lowest", -1.0);
  input.highest = reader.real(*table, "highest", 1.0);
  if (!(input.lowest <= input.highest)) {
    reader.note(node, tr("lowest must not be greater than highest."));
  }
  read_file_input(reader, node, *table, input);
  return input;
}

std::vector<std::string> read_strings(TomlReader& reader, const toml::table& table, const char* key,
                                      const char* example) {
  std::vector<std::string> strings;
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    return strings;
  }
  const toml::array* const array = node->as_array();
  const bool is_texts =
      array != nullptr && std::all_of(array->begin(), array->end(),
                                      [](const toml::node& one) { return one.is_string(); });
  if (!is_texts) {
    reader.note(*node, tr("{} must be an array of texts, for example [\"{}\"].", key, example));
    return strings;
  }
  for (const toml::node& one : *array) {
    strings.push_back(one.as_string()->get());
  }
  return strings;
}

std::vector<std::vector<std::string>> read_contrasts(TomlReader& reader,
                                                     const toml::table& catalog) {
  std::vector<std::vector<std::string>> all;
  for (const toml::table* const contrast : reader.tables(catalog, "contrast")) {
    reader.expect_keys(*contrast, {"kernels"});
    all.push_back(read_strings(reader, *contrast, "kernels", "tiled"));
  }
  return all;
}

toml::table input_table(const InputSpec& input) {
  const auto& [pattern, seed, constant, csv, csv_name, lowest, highest] = input;
  return toml::table{{"pattern", word_of(pattern).file},
                     {"seed", static_cast<std::int64_t>(seed)},
                     {"constant", constant},
                     {"csv", csv},
                     {"file", csv_name},
                     {"lowest", lowest},
                     {"highest", highest}};
}

InputSpec read_input(TomlReader& reader, const toml::node& node) {
  InputSpec input = read_buffer_input(reader, node);
  if (input.pattern == Pattern::Npy) {
    reader.note(node, tr("an .npy file only works in a launch description. Use a CSV file here."));
  }
  return input;
}

}  // namespace tilestep::problem
