#include "problem/describe/tuning.h"

#include "problem/launch/named_expression.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace tilestep::problem {
namespace {

// Of the lists, before the conditions are asked.
constexpr std::size_t kMostCombinations = 4096;

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

// Every combination of the lists, the last list changing fastest.
std::vector<SizeValues> combinations(TomlReader& reader, const toml::table& lists,
                                     const SizeValues& first) {
  std::vector<SizeValues> all{first};
  for (const auto& [name, node] : in_file_order(lists)) {
    const auto same_name = [&name = name](const auto& value) { return value.first == name; };
    const auto place = std::find_if(first.begin(), first.end(), same_name);
    if (place == first.end()) {
      reader.note(*node, tr("the instances have no value {}. Name one of theirs.", name));
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
    if (all.size() > kMostCombinations) {
      reader.note(*node,
                  tr("the lists have more than {} combinations. Shorten one.", kMostCombinations));
      return {};
    }
  }
  return all;
}

// One of the table's `that`, read once for all combinations.
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
        reader.note(node, tr("the instances have no value {}. Name one of theirs.", name));
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

std::vector<SizeValues> read_variations(TomlReader& reader, const toml::table& kernel,
                                        const std::vector<SizeValues>& instances) {
  const toml::node* const node = kernel.get("tuning");
  const toml::table* const tuning = node == nullptr ? nullptr : reader.table_of(*node, "tuning");
  if (tuning == nullptr) {
    return {};
  }
  if (instances.empty()) {
    reader.note(*node, tr("only a kernel with instances has a tuning. Add instances."));
    return {};
  }
  reader.expect_keys(*tuning, {"values", "that"});
  const toml::node* const lists = tuning->get("values");
  const toml::table* const table = lists == nullptr ? nullptr : reader.table_of(*lists, "values");
  if (table == nullptr) {
    reader.note(*node, tr("values is missing. Add {}.", "values = { BM = [32, 64] }"));
    return {};
  }
  const toml::node* const that = tuning->get("that");
  if (that != nullptr && !that->is_array()) {
    reader.note(*that, tr("that must be an array of expressions."));
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
    reader.note(*node, tr("{} variations are too many: {} at most. Shorten a list, or add a "
                          "condition to that.",
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
