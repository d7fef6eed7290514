#include "problem/describe/spec_parts.h"

#include "problem/describe/words.h"
#include "problem/launch/expression.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace tilestep::problem {
namespace {

bool is_buffer(const std::string& name, const std::vector<BufferSpec>& buffers) {
  return std::any_of(buffers.begin(), buffers.end(),
                     [&](const BufferSpec& buffer) { return buffer.name == name; });
}

void add_expressions(const ArgumentSpec& argument, std::vector<std::string>& texts) {
  texts.insert(texts.end(), {argument.expression, argument.box_rows, argument.box_cols});
  for (const ArgumentSpec::Member& member : argument.members) {
    add_expressions(member.value, texts);
  }
}

UsedSizes sizes_in(const std::string& expression) {
  return {mentions(expression, "M"), mentions(expression, "N"), mentions(expression, "K")};
}

// All expressions of a launch: sizes, shapes and arguments.
std::vector<std::string> expressions_of(const LaunchSpec& spec) {
  std::vector<std::string> texts{spec.dynamic_shared_bytes};
  texts.insert(texts.end(), spec.grid.begin(), spec.grid.end());
  texts.insert(texts.end(), spec.block.begin(), spec.block.end());
  for (const auto& [name, expression] : spec.defines) {
    texts.push_back(expression);
  }
  for (const std::vector<BufferSpec>& buffers : {spec.buffers, spec.variables}) {
    for (const BufferSpec& buffer : buffers) {
      texts.insert(texts.end(), {buffer.rows, buffer.cols, buffer.pitch});
    }
  }
  for (const ArgumentSpec& argument : spec.arguments) {
    add_expressions(argument, texts);
  }
  return texts;
}

// The pattern that a file's name implies.
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
      reader.note(node, tr("base64 must contain all bytes of an .npy file. Copy it again."));
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

// Limit for the product of the lists' lengths, before conditions are evaluated.
constexpr std::size_t kMostTunings = 4096;

std::vector<std::int64_t> read_list(TomlReader& reader, const toml::node& node,
                                    const std::string& name) {
  std::vector<std::int64_t> list;
  const toml::array* const array = node.as_array();
  const auto is_size = [](const toml::node& one) {
    const auto* const integer = one.as_integer();
    return integer != nullptr && integer->get() >= 1 &&
           integer->get() <= std::numeric_limits<int>::max();
  };
  if (array == nullptr || array->empty() || !std::all_of(array->begin(), array->end(), is_size)) {
    reader.note(node,
                tr("{0} must be a list of positive integers, for example {0} = [32, 64].", name));
    return list;
  }
  for (const toml::node& one : *array) {
    list.push_back(one.as_integer()->get());
  }
  return list;
}

// Every combination of the lists; the last list varies fastest.
std::vector<SizeValues> combinations(TomlReader& reader, const toml::table& lists,
                                     const SizeValues& first) {
  std::vector<SizeValues> all{first};
  for (const auto& [name, node] : in_file_order(lists)) {
    const auto same_name = [&name = name](const auto& value) { return value.first == name; };
    const auto place = std::find_if(first.begin(), first.end(), same_name);
    if (place == first.end()) {
      reader.note(
          *node,
          tr("`instances` defines no value named {}. Use one of the names that it defines.", name));
      continue;
    }
    std::vector<SizeValues> longer;
    for (const SizeValues& before : all) {
      for (const std::int64_t value : read_list(reader, *node, name)) {
        longer.push_back(before);
        longer.back()[static_cast<std::size_t>(place - first.begin())].second = value;
      }
    }
    all = std::move(longer);
    if (all.size() > kMostTunings) {
      reader.note(*node,
                  tr("the lists have more than {} combinations. Shorten one.", kMostTunings));
      return {};
    }
  }
  return all;
}

// A condition of the table's `that`, parsed once for all combinations.
struct Condition {
  const toml::node* node;
  NamedExpression expression;
};

std::vector<Condition> read_conditions(TomlReader& reader, const toml::array& texts,
                                       const SizeValues& known) {
  std::vector<Condition> conditions;
  for (const toml::node& node : texts) {
    auto read = node.is_string()
                    ? NamedExpression::parse(node.as_string()->get(), Division::Integer)
                    : fail(tr("an expression must be a string in quotes or a number."));
    if (!read) {
      reader.note(node, read.error().message);
      continue;
    }
    for (const std::string& name : read->names()) {
      if (std::ranges::find(known, name, &SizeValues::value_type::first) == known.end()) {
        reader.note(
            node, tr("`instances` defines no value named {}. Use one of the names that it defines.",
                     name));
      }
    }
    conditions.push_back({&node, std::move(*read)});
  }
  return conditions;
}

bool is_allowed(TomlReader& reader, std::vector<Condition>& conditions, const SizeValues& values) {
  return std::ranges::all_of(conditions, [&](Condition& condition) {
    std::vector<double> arguments;
    for (const std::string& name : condition.expression.names()) {
      const auto value = std::ranges::find(values, name, &SizeValues::value_type::first);
      arguments.push_back(value == values.end() ? 0.0 : static_cast<double>(value->second));
    }
    const Result<double> holds = condition.expression.evaluate(arguments);
    if (!holds) {
      reader.note(*condition.node, holds.error().message);
    }
    return holds.value_or(0.0) != 0.0;
  });
}

}  // namespace

bool is_quantity(const std::string& name, const LaunchSpec& spec) {
  const bool is_one =
      name == "flops" || name == "barriers" || name == "shared loads" || name == "shared stores";
  return is_one || std::any_of(spec.buffers.begin(), spec.buffers.end(), [&](const auto& buffer) {
           return name == "loads of " + buffer.name || name == "stores of " + buffer.name;
         });
}

Result<ArgumentSpec> argument_from_text(const std::string& text,
                                        const std::vector<BufferSpec>& buffers) {
  ArgumentSpec argument;
  if (is_buffer(text, buffers)) {
    argument.kind = ArgumentSpec::Kind::Buffer;
    argument.buffer = text;
    return argument;
  }
  if (!float_literal(text) && expression_mistake(text)) {
    return fail(
        tr("argument \"{}\" is neither a buffer of this description nor an expression of "
           "M, N, K and BLOCK_SIZE.",
           text));
  }
  argument.expression = text;
  return argument;
}

std::optional<Error> buffer_name_mistake(const std::string& name,
                                         const std::vector<BufferSpec>& before) {
  constexpr std::array<std::string_view, 4> kOfExpressions{"M", "N", "K", "BLOCK_SIZE"};
  const bool is_taken =
      std::find(kOfExpressions.begin(), kOfExpressions.end(), name) != kOfExpressions.end() ||
      is_buffer(name, before);
  return is_taken ? std::optional(
                        Error{tr("the name '{}' is taken. Give the buffer another name.", name)})
                  : std::nullopt;
}

Error sizes_are_missing(std::string_view key) {
  return {
      tr("{} is missing. Add {} = [x, y], for example "
         "[\"ceil_div(N, BLOCK_SIZE)\", \"ceil_div(M, BLOCK_SIZE)\"].",
         key, key)};
}

Error wrong_number_of_sizes(std::string_view key) {
  return {tr("{} must have one, two or three sizes: x, y, z.", key)};
}

Error architecture_mistake(const std::string& name) {
  return {
      tr("architecture '{}' is not a compute capability. Write it without the decimal point: "
         "\"80\" (enough for most kernels) or \"90a\".",
         name)};
}

UsedSizes used_sizes(const LaunchSpec& spec) {
  std::vector<std::string> texts = expressions_of(spec);
  texts.push_back(spec.entry);
  UsedSizes used;
  for (const std::string& text : texts) {
    const UsedSizes here = sizes_in(text);
    used = {used.M || here.M, used.N || here.N, used.K || here.K};
  }
  return used;
}

bool mentions_problem(const LaunchSpec& spec) {
  const UsedSizes used = used_sizes(spec);
  return used.M || used.N || used.K;
}

bool mentions_block_size(const LaunchSpec& spec) {
  std::vector<std::string> texts = expressions_of(spec);
  texts.push_back(spec.entry);
  return std::ranges::any_of(texts,
                             [](const std::string& text) { return mentions(text, "BLOCK_SIZE"); });
}

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
    reader.note(node, tr("`seed` must be between 0 and 4294967295."));
  }
  input.seed = static_cast<std::uint32_t>(seed);
  input.constant = reader.real(*table, "constant", 1.0);
  input.lowest = reader.real(*table, "lowest", -1.0);
  input.highest = reader.real(*table, "highest", 1.0);
  if (!(input.lowest <= input.highest)) {
    reader.note(node, tr("`lowest` must not be greater than `highest`."));
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
    reader.note(*node, tr("{} must be an array of strings, for example [\"{}\"].", key, example));
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

ArgumentSpec read_tensor_map(TomlReader& reader, const toml::table& table,
                             const std::vector<BufferSpec>& buffers) {
  reader.expect_keys(table, {"tensor_map", "box", "swizzle"});
  ArgumentSpec argument;
  argument.kind = ArgumentSpec::Kind::TensorMap;
  argument.buffer = reader.required_string(table, "tensor_map");
  const bool is_known = std::ranges::any_of(
      buffers, [&](const BufferSpec& buffer) { return buffer.name == argument.buffer; });
  if (!is_known) {
    reader.note(table, tr("tensor_map names '{}', which is not a buffer of this description. Name "
                          "one of its buffers.",
                          argument.buffer));
  }
  const toml::node* const box = table.get("box");
  const toml::array* const sizes = box == nullptr ? nullptr : box->as_array();
  if (sizes == nullptr || sizes->size() != 2) {
    reader.note(table, tr("a tensor map needs box = [rows, columns]: the size of one copy."));
    return argument;
  }
  argument.box_rows = reader.expression(*sizes->get(0));
  argument.box_cols = reader.expression(*sizes->get(1));
  argument.swizzle = static_cast<int>(reader.integer(table, "swizzle", 0));
  return argument;
}

std::vector<SizeValues> read_variations(TomlReader& reader, const toml::table& kernel,
                                        const std::vector<SizeValues>& instances) {
  const toml::node* const node = kernel.get("tuning");
  const toml::table* const tuning = node == nullptr ? nullptr : reader.table_of(*node, "tuning");
  if (tuning == nullptr) {
    return {};
  }
  if (instances.empty()) {
    reader.note(*node, tr("`tuning` needs a kernel with instances. Add `instances`."));
    return {};
  }
  reader.expect_keys(*tuning, {"values", "that"});
  const toml::node* const lists = tuning->get("values");
  const toml::table* const table = lists == nullptr ? nullptr : reader.table_of(*lists, "values");
  if (table == nullptr) {
    reader.note(*node, tr("`values` is missing. Add {}.", "values = { BM = [32, 64] }"));
    return {};
  }
  const toml::node* const that = tuning->get("that");
  if (that != nullptr && !that->is_array()) {
    reader.note(*that, tr("`that` must be an array of expressions."));
    return {};
  }
  std::vector<Condition> conditions;
  if (that != nullptr) {
    conditions = read_conditions(reader, *that->as_array(), instances.front());
  }
  std::vector<SizeValues> all = combinations(reader, *table, instances.front());
  std::erase_if(all, [&](const SizeValues& values) {
    return std::find(instances.begin(), instances.end(), values) != instances.end() ||
           !is_allowed(reader, conditions, values);
  });
  if (all.size() > kMostVariations) {
    reader.note(
        *node,
        tr("{} variations exceed the limit of {}. Shorten a list, or add a condition to `that`.",
           all.size(), kMostVariations));
    all.clear();
  }
  return all;
}

std::string variation_suffix(const SizeValues& variation, const SizeValues& first) {
  std::string suffix;
  for (std::size_t i = 0; i < variation.size(); ++i) {
    if (variation[i] != first[i]) {
      suffix += fmt::format(":{}={}", variation[i].first, variation[i].second);
    }
  }
  return suffix;
}

}  // namespace tilestep::problem
