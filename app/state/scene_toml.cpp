#include "problem/describe/spec_parts.h"
#include "problem/describe/words.h"
#include "problem/tr.h"
#include "record/words.h"
#include "simt/machine/schedule.h"
#include "state/scene.h"
#include "state/state_fields.h"
#include "state/words.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <ranges>
#include <sstream>
#include <type_traits>
#include <utility>

namespace tilestep::state {
namespace {

template <class Value>
concept Enumeration = std::is_enum_v<Value>;

// Reads fields by key. A missing key leaves its field unchanged.
class FieldReader {
 public:
  FieldReader(problem::TomlReader& reader, const toml::table& table, SetupNamed setup_named = {})
      : reader_(reader), table_(table), setup_named_(std::move(setup_named)) {}

  // Accepts the visited keys and `known`.
  void refuse_other_keys(std::vector<std::string_view> known) {
    known.insert(known.end(), keys_.begin(), keys_.end());
    reader_.expect_keys(table_, known);
  }

  template <std::integral Integer>
  void integer(std::string_view key, Integer& value, std::int64_t lowest, std::int64_t highest) {
    if (const toml::node* const node = find(key)) {
      const std::int64_t read = reader_.integer(table_, key, lowest);
      if (read < lowest || read > highest) {
        reader_.note(*node, tr("{} must be between {} and {}.", key, lowest, highest));
        return;
      }
      value = static_cast<Integer>(read);
    }
  }

  void lanes(std::string_view key, int& value) {
    integer(key, value, 1, simt::kWarpSize);
    if (!std::has_single_bit(static_cast<unsigned>(value))) {
      reader_.note(*table_.get(key), tr("{} must be 1, 2, 4, 8, 16 or 32.", key));
    }
  }

  void field(std::string_view key, bool& value) {
    find(key);
    value = reader_.boolean(table_, key, value);
  }

  void field(std::string_view key, float& value) {
    const toml::node* const node = find(key);
    value = static_cast<float>(reader_.real(table_, key, value));
    if (node != nullptr && !std::isfinite(value)) {
      reader_.note(*node, tr("{} must be a finite number.", key));
    }
  }

  void field(std::string_view key, std::string& value) {
    find(key);
    value = reader_.string(table_, key, value);
  }

  template <Enumeration Enum>
  void field(std::string_view key, Enum& value) {
    if (const toml::node* const node = find(key)) {
      value = reader_.word<Enum>(*node);
    }
  }

  void field(std::string_view key, problem::InputSpec& value) {
    if (const toml::node* const node = find(key)) {
      value = problem::read_input(reader_, *node);
    }
  }

  // Reads source lines.
  void field(std::string_view key, std::set<int>& value) {
    for (const toml::node* const line : elements(key, tr("line numbers"))) {
      const auto number = line->is_integer() ? line->as_integer()->get() : 0;
      if (number < 1 || number > kLargestInt) {
        reader_.note(*line, tr("a breakpoint must be a line number, at least 1."));
        return;
      }
      value.insert(static_cast<int>(number));
    }
  }

  // Reads conditions by source line: {29 = "t == 1"}.
  void field(std::string_view key, std::map<int, std::string>& value) {
    const toml::node* const node = find(key);
    const toml::table* const table = node == nullptr ? nullptr : reader_.table_of(*node, key);
    if (table == nullptr) {
      return;
    }
    for (const auto& [line, text] : *table) {
      const std::string_view digits = line.str();
      int number = 0;
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error != std::errc{} || stop != digits.data() + digits.size() || number < 1 ||
          !text.is_string()) {
        reader_.note(text,
                     tr("a condition must be a string in quotes after a line number, as in {}.",
                        "{29 = \"t == 1\"}"));
        return;
      }
      value[number] = text.as_string()->get();
    }
  }

  // Reads GFLOP/s by BLOCK_SIZE: {16 = 8000.0}.
  void field(std::string_view key, std::map<int, float>& value) {
    const toml::node* const node = find(key);
    const toml::table* const table = node == nullptr ? nullptr : reader_.table_of(*node, key);
    if (table == nullptr) {
      return;
    }
    for (const auto& [size, speed] : *table) {
      const std::string_view digits = size.str();
      int number = 0;
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      const auto read = static_cast<float>(speed.value<double>().value_or(0.0));
      if (error != std::errc{} || stop != digits.data() + digits.size() || number < 1 ||
          number > problem::kLargestBlockSize || !(read > 0.0F) || !std::isfinite(read)) {
        reader_.note(
            speed,
            tr("{} must list BLOCK_SIZEs (1 to {}) with speeds above 0, as in {{16 = 8000.0}}.",
               key, problem::kLargestBlockSize));
        return;
      }
      value[number] = read;
    }
  }

  // Reads counts from 0.
  void field(std::string_view key, std::vector<int>& value) {
    for (const toml::node* const count : elements(key, tr("integers"))) {
      const auto number = count->is_integer() ? count->as_integer()->get() : -1;
      if (number < 0 || number > kLargestInt) {
        reader_.note(*count, tr("an element of {} must be an integer, at least 0.", key));
        return;
      }
      value.push_back(static_cast<int>(number));
    }
  }

  void field(std::string_view key, std::set<std::string>& value) {
    for (const toml::node* const text : elements(key, tr("strings in quotes"))) {
      if (!text->is_string()) {
        reader_.note(*text, tr("an element of {} must be a string in quotes.", key));
        return;
      }
      value.insert(text->as_string()->get());
    }
  }

  // Reads 4096 (M = N = K) or [M, N, K].
  void field(std::string_view key, problem::Problem& value) {
    const toml::node* const node = find(key);
    if (node == nullptr || !node->is_array()) {
      integer(key, value.N, 1, kLargestInt);
      value = node == nullptr ? value : problem::Problem{value.N, value.N, value.N};
      return;
    }
    const auto read = elements(key, tr("three sizes"));
    const std::array<int*, 3> sizes{&value.M, &value.N, &value.K};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto size =
          read.size() == sizes.size() && read[i]->is_integer() ? read[i]->as_integer()->get() : 0;
      if (size < 1 || size > kLargestInt) {
        reader_.note(*node, tr("{} must be one size, or [M, N, K], each at least 1.", key));
        return;
      }
      *sizes[i] = static_cast<int>(size);
    }
  }

  template <class Part>
  void part(std::string_view key, Part& value) {
    const toml::node* const node = find(key);
    const toml::table* const table = node == nullptr ? nullptr : reader_.table_of(*node, key);
    if (table != nullptr) {
      FieldReader inner(reader_, *table);
      visit(inner, value);
      inner.refuse_other_keys({});
    }
  }

  // Reads side 2: side 1 with the given changes, or a name.
  void comparison(std::string_view key, AppState& state) {
    const toml::node* const node = find(key);
    if (node == nullptr) {
      return;
    }
    state.comparison = {.on = true, .second = setup_of(state)};
    if (!setup_named_ || !node->is_string()) {
      part(key, state.comparison);
      return;
    }
    const std::string& name = node->as_string()->get();
    if (const auto setup = setup_named_(name)) {
      state.comparison.second = *setup;
    } else {
      reader_.note(*node, tr("there is no scene '{}' before this one. Name an earlier scene, or "
                             "write a table, as in {{ kernel = \"naive\" }}.",
                             name));
    }
  }

 private:
  const toml::node* find(std::string_view key) {
    if (keys_.empty() || keys_.back() != key) {
      keys_.push_back(key);
    }
    return table_.get(key);
  }

  std::vector<const toml::node*> elements(std::string_view key, std::string_view of) {
    std::vector<const toml::node*> all;
    const toml::node* const node = find(key);
    if (node != nullptr && !node->is_array()) {
      reader_.note(*node, tr("{} must be an array of {}.", key, of));
    } else if (node != nullptr) {
      for (const toml::node& element : *node->as_array()) {
        all.push_back(&element);
      }
    }
    return all;
  }

  problem::TomlReader& reader_;
  const toml::table& table_;
  SetupNamed setup_named_;
  std::vector<std::string_view> keys_;
};

class FieldWriter {
 public:
  explicit FieldWriter(toml::table& table) : table_(table) {}

  template <std::integral Integer>
  void integer(std::string_view key, Integer value, std::int64_t, std::int64_t) {
    table_.insert(key, static_cast<std::int64_t>(value));
  }
  void lanes(std::string_view key, int value) { integer(key, value, 0, 0); }
  void field(std::string_view key, bool value) { table_.insert(key, value); }
  void field(std::string_view key, float value) { table_.insert(key, static_cast<double>(value)); }
  void field(std::string_view key, const std::string& value) { table_.insert(key, value); }
  template <Enumeration Enum>
  void field(std::string_view key, Enum value) {
    table_.insert(key, word_of(value).file);
  }
  void field(std::string_view key, const problem::InputSpec& value) {
    table_.insert(key, problem::input_table(value));
  }
  template <std::ranges::range List>
  requires(!std::is_convertible_v<List, std::string>) void field(std::string_view key,
                                                                 const List& value) {
    toml::array all;
    for (const auto& element : value) {
      all.push_back(element);
    }
    table_.insert(key, std::move(all));
  }
  void field(std::string_view key, const std::map<int, std::string>& value) {
    toml::table all;
    for (const auto& [line, text] : value) {
      all.insert(std::to_string(line), text);
    }
    table_.insert(key, std::move(all));
  }
  void field(std::string_view key, const std::map<int, float>& value) {
    toml::table all;
    for (const auto& [size, speed] : value) {
      all.insert(std::to_string(size), static_cast<double>(speed));
    }
    table_.insert(key, std::move(all));
  }
  void field(std::string_view key, const problem::Problem& value) {
    table_.insert(key, toml::array{value.M, value.N, value.K});
  }
  template <class Part>
  void part(std::string_view key, Part& value) {
    toml::table inner;
    FieldWriter writer(inner);
    visit(writer, value);
    table_.insert(key, std::move(inner));
  }
  void comparison(std::string_view key, AppState& state) { part(key, state.comparison); }

 private:
  toml::table& table_;
};

}  // namespace

std::string to_toml(const AppState& state) {
  AppState copy = state;  // visit() is one function for reading and writing
  toml::table table;
  FieldWriter writer(table);
  visit(writer, copy);
  std::ostringstream text;
  // Texts are escaped on one line, so that a source's line breaks are kept.
  text << toml::toml_formatter{table, toml::format_flags::allow_unicode_strings};
  return text.str() + '\n';
}

void read_fields(problem::TomlReader& reader, const toml::table& table,
                 const std::vector<std::string_view>& other_keys, AppState& state,
                 const SetupNamed& setup_named) {
  FieldReader fields(reader, table, setup_named);
  visit(fields, state);
  fields.refuse_other_keys(other_keys);
}

Result<AppState> from_toml(const std::string& toml, const std::string& file) {
  const Result<toml::table> table = problem::parse_toml(toml, file);
  TILESTEP_RETURN_IF_ERROR(table);
  problem::TomlReader reader(file);
  AppState state;
  read_fields(reader, *table, {}, state);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return state;
}

}  // namespace tilestep::state
