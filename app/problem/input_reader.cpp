#include "problem/input_reader.h"

#include <limits>

namespace tilestep::problem {
namespace {

constexpr std::pair<std::string_view, Pattern> kPatterns[] = {
    {"distinct", Pattern::DistinctIntegers},
    {"ramp", Pattern::Ramp},
    {"random", Pattern::Random},
    {"unit", Pattern::Unit},
    {"identity", Pattern::Identity},
    {"constant", Pattern::Constant},
    {"csv", Pattern::Csv},
};

}  // namespace

InputSpec read_input(TomlReader& reader, const toml::node& node) {
  InputSpec input;
  if (node.is_string()) {
    input.pattern = reader.word(node, kPatterns);
    return input;
  }
  const toml::table* const table = reader.table_of(node, "input");
  if (table == nullptr) {
    return input;
  }
  reader.expect_keys(*table, {"pattern", "seed", "constant", "csv", "file"});
  reader.required_string(*table, "pattern");
  if (const toml::node* const pattern = table->get("pattern")) {
    input.pattern = reader.word(*pattern, kPatterns);
  }
  const std::int64_t seed = reader.integer(*table, "seed", 1);
  if (seed < 0 || seed > std::numeric_limits<std::uint32_t>::max()) {
    reader.note(node, "seed has to be between 0 and 4294967295.");
  }
  input.seed = static_cast<std::uint32_t>(seed);
  input.constant = static_cast<float>(reader.real(*table, "constant", 1.0));
  input.csv = reader.string(*table, "csv");
  input.csv_name = reader.string(*table, "file");
  if (input.pattern == Pattern::Csv && input.csv.empty() == input.csv_name.empty()) {
    reader.note(node, "a CSV input needs either csv = \"1, 2, …\" or file = \"….csv\".");
  }
  return input;
}

}  // namespace tilestep::problem
