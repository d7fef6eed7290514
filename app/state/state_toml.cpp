#include "state/state_toml.h"

#include "problem/describe/input_reader.h"
#include "record/words.h"
#include "simt/machine/words.h"
#include "state/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <sstream>
#include <type_traits>

namespace tilestep::state {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
constexpr std::int64_t kLargestIndex = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kLargestStep = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLargestThread = 1023;

template <class Value>
concept Enumeration = std::is_enum_v<Value>;

// The list of fields. `visitor` reads or writes each; the structured bindings fail to compile when
// a struct gets a field that does not stand here.

template <class Visitor>
void visit(Visitor& visitor, Focus& focus) {
  auto& [block, thread, cell_of, cell_row, cell_col, cell_name, sum] = focus;
  visitor.integer("block", block, 0, kLargestIndex);
  visitor.integer("thread", thread, 0, kLargestThread);
  visitor.field("cell", cell_of);
  visitor.integer("row", cell_row, 0, kLargestInt);
  visitor.integer("col", cell_col, 0, kLargestInt);
  visitor.field("name", cell_name);
  visitor.integer("sum", sum, -1, kLargestInt);
}

template <class Visitor>
void visit(Visitor& visitor, PhaseView& phase) {
  auto& [done, from] = phase;
  visitor.field("done", done);
  visitor.integer("from", from, 0, kLargestStep);
}

template <class Visitor>
void visit(Visitor& visitor, Camera& camera) {
  auto& [zoom, x, y] = camera;
  visitor.field("zoom", zoom);
  visitor.field("x", x);
  visitor.field("y", y);
}

template <class Visitor>
void visit(Visitor& visitor, VolumeView& volume) {
  auto& [large, yaw, pitch] = volume;
  visitor.field("large", large);
  visitor.field("yaw", yaw);
  visitor.field("pitch", pitch);
}

template <class Visitor>
void visit(Visitor& visitor, TimingView& timing) {
  auto& [page, unit, dataset, overlays, problem, log_scale, every_kernel, predict,
         measure_all_kernels, measure_all_sizes, gpu, selected_kernel, selected_block_size] =
      timing;
  visitor.field("page", page);
  visitor.field("unit", unit);
  visitor.field("dataset", dataset);
  visitor.field("overlays", overlays);
  visitor.field("size", problem);
  visitor.field("log", log_scale);
  visitor.field("every_kernel", every_kernel);
  visitor.field("predict", predict);
  visitor.field("measure_all_kernels", measure_all_kernels);
  visitor.field("measure_all_sizes", measure_all_sizes);
  visitor.field("gpu", gpu);
  visitor.field("kernel", selected_kernel);
  visitor.integer("block_size", selected_block_size, 0, problem::kLargestBlockSize);
}

template <class Visitor>
void visit(Visitor& visitor, problem::Parameters& parameters) {
  auto& [problem, block_size] = parameters;
  auto& [M, N, K] = problem;
  visitor.integer("M", M, 1, kLargestInt);
  visitor.integer("N", N, 1, kLargestInt);
  visitor.integer("K", K, 1, kLargestInt);
  visitor.integer("block_size", block_size, 1, 1024);
}

template <class Visitor>
void visit(Visitor& visitor, simt::Schedule& schedule) {
  auto& [kind, run_ahead_warp, seed] = schedule;
  visitor.field("schedule", kind);
  visitor.integer("warp", run_ahead_warp, 0, kLargestThread);
  visitor.integer("seed", seed, 0, kLargestIndex);
}

template <class Visitor>
void visit(Visitor& visitor, AppState& state) {
  auto& [kernel, edited_source, parameters, input, schedule, warp_size, step, phase, playing, pace,
         focus, breakpoints, conditions, event, watch, tab, theme, scale, camera, inspector,
         inspector_open, show_memory, volume, source_page, header_open, lecture, whole_map, editing,
         animate, show_keys, show_palette, show_go_to, show_find, show_save_as, condition_line,
         timing] = state;
  visitor.field("kernel", kernel);
  visitor.field("edited_source", edited_source);
  visit(visitor, parameters);
  visitor.field("input", input);
  visit(visitor, schedule);
  visitor.lanes("warp_size", warp_size);
  visitor.integer("step", step, 0, kLargestStep);
  visitor.part("phase", phase);
  visitor.field("playing", playing);
  visitor.field("pace", pace);
  visitor.part("focus", focus);
  visitor.field("breakpoints", breakpoints);
  visitor.field("conditions", conditions);
  visitor.field("event", event);
  visitor.field("watch", watch);
  visitor.field("tab", tab);
  visitor.field("theme", theme);
  visitor.field("scale", scale);
  visitor.part("camera", camera);
  visitor.field("inspector", inspector);
  visitor.field("inspector_open", inspector_open);
  visitor.field("show_memory", show_memory);
  visitor.part("volume", volume);
  visitor.field("source", source_page);
  visitor.field("header_open", header_open);
  visitor.field("lecture", lecture);
  visitor.field("whole_map", whole_map);
  visitor.field("editing", editing);
  visitor.field("animate", animate);
  visitor.field("show_keys", show_keys);
  visitor.field("show_palette", show_palette);
  visitor.field("show_go_to", show_go_to);
  visitor.field("show_find", show_find);
  visitor.field("show_save_as", show_save_as);
  visitor.integer("condition_line", condition_line, 0, kLargestInt);
  visitor.part("timing", timing);
}

// A missing key leaves its field as it is.
class FieldReader {
 public:
  FieldReader(problem::TomlReader& reader, const toml::table& table)
      : reader_(reader), table_(table) {}

  // Of what was visited, and `known`.
  void refuse_other_keys(std::vector<std::string_view> known) {
    known.insert(known.end(), keys_.begin(), keys_.end());
    reader_.expect_keys(table_, known);
  }

  template <std::integral Integer>
  void integer(std::string_view key, Integer& value, std::int64_t lowest, std::int64_t highest) {
    if (const toml::node* const node = find(key)) {
      const std::int64_t read = reader_.integer(table_, key, lowest);
      if (read < lowest || read > highest) {
        reader_.note(*node, fmt::format("{} must be between {} and {}.", key, lowest, highest));
        return;
      }
      value = static_cast<Integer>(read);
    }
  }

  void lanes(std::string_view key, int& value) {
    integer(key, value, 1, simt::kWarpSize);
    if (!std::has_single_bit(static_cast<unsigned>(value))) {
      reader_.note(*table_.get(key), fmt::format("{} must be 1, 2, 4, 8, 16 or 32.", key));
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
      reader_.note(*node, fmt::format("{} must be a finite number.", key));
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

  // Source lines.
  void field(std::string_view key, std::set<int>& value) {
    for (const toml::node* const line : elements(key, "line numbers")) {
      const auto number = line->is_integer() ? line->as_integer()->get() : 0;
      if (number < 1 || number > kLargestInt) {
        reader_.note(*line, "a breakpoint must be a line number, 1 or more.");
        return;
      }
      value.insert(static_cast<int>(number));
    }
  }

  // Conditions by source line: {29 = "t == 1"}.
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
                     "a condition must be a text in quotes after a line number, as in "
                     "{29 = \"t == 1\"}.");
        return;
      }
      value[number] = text.as_string()->get();
    }
  }

  void field(std::string_view key, std::set<std::string>& value) {
    for (const toml::node* const text : elements(key, "texts in quotes")) {
      if (!text->is_string()) {
        reader_.note(*text, fmt::format("an element of {} must be a text in quotes.", key));
        return;
      }
      value.insert(text->as_string()->get());
    }
  }

  // 4096, which is M = N = K, or [M, N, K].
  void field(std::string_view key, problem::Problem& value) {
    const toml::node* const node = find(key);
    if (node == nullptr || !node->is_array()) {
      integer(key, value.N, 1, kLargestInt);
      value = node == nullptr ? value : problem::Problem{value.N, value.N, value.N};
      return;
    }
    const auto read = elements(key, "three sizes");
    const std::array<int*, 3> sizes{&value.M, &value.N, &value.K};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto size =
          read.size() == sizes.size() && read[i]->is_integer() ? read[i]->as_integer()->get() : 0;
      if (size < 1 || size > kLargestInt) {
        reader_.note(*node, fmt::format("{} must be one size, or [M, N, K], each 1 or more.", key));
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
      reader_.note(*node, fmt::format("{} must be an array of {}.", key, of));
    } else if (node != nullptr) {
      for (const toml::node& element : *node->as_array()) {
        all.push_back(&element);
      }
    }
    return all;
  }

  problem::TomlReader& reader_;
  const toml::table& table_;
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
  template <class Element>
  void field(std::string_view key, const std::set<Element>& value) {
    toml::array all;
    for (const Element& element : value) {
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
  // Texts on one line, escaped: line breaks of a source survive as they are.
  text << toml::toml_formatter{table, toml::format_flags::allow_unicode_strings};
  return text.str() + '\n';
}

void read_fields(problem::TomlReader& reader, const toml::table& table,
                 const std::vector<std::string_view>& other_keys, AppState& state) {
  FieldReader fields(reader, table);
  visit(fields, state);
  fields.refuse_other_keys(other_keys);
}

Result<AppState> from_toml(const std::string& toml, const std::string& file) {
  const Result<toml::table> table = problem::parse_toml(toml, file);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  problem::TomlReader reader(file);
  AppState state;
  read_fields(reader, *table, {}, state);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return state;
}

}  // namespace tilestep::state
