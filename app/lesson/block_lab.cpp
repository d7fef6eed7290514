// The ```lab block: rows, conditions, and what its variants change.
#include "lesson/block.h"
#include "lesson/lesson.h"
#include "problem/tr.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::lesson {
namespace {

// The launch of a row, for the lab's kernel.
state::AppState read_launch(BlockReader& reader, const toml::node& launch, const Lab& lab) {
  Position position;
  position.state.kernel = lab.kernel;
  const toml::table* const keys = reader.toml().table_of(launch, "launch");
  if (keys == nullptr) {
    return std::move(position.state);
  }
  reader.read_position(*keys, {}, position);
  for (const char* key : {"kernel", "place", "base"}) {
    if (const toml::node* const node = keys->get(key)) {
      reader.toml().note(*node, tr("`launch` of a row cannot set {}: the lab determines the "
                                   "kernel. It can set M, N, K, block_size, schedule …",
                                   key));
    }
  }
  return std::move(position.state);
}

// What the variants of a lab have in place of a row: the keys that a [[row.or]] leaves out are the
// row's.
std::vector<LabRow> read_other_rows(BlockReader& reader, const toml::table& table, const Lab& lab,
                                    const LabRow& row) {
  std::vector<LabRow> others;
  for (const toml::table* const one : reader.toml().tables(table, "or")) {
    reader.expect_keys(*one, reader.with_languages({"launch", "require"}, {"hint"}));
    LabRow& other = others.emplace_back(row);
    other.line = reader.line_of(*one);
    if (const toml::node* const launch = one->get("launch")) {
      other.state = read_launch(reader, *launch, lab);
      other.repeats_launch = false;
    }
    if (one->contains("require")) {
      other.require = reader.formulas(*one, "require");
    }
    if (one->contains("hint")) {
      other.hint = reader.words(*one, "hint");
    }
  }
  return others;
}

// A row without a launch uses the launch of the row before.
LabRow read_row(BlockReader& reader, const toml::table& table, const Lab& lab) {
  reader.expect_keys(table, reader.with_languages({"launch", "require", "or", "with"}, {"hint"}));
  LabRow row;
  row.line = reader.line_of(table);
  row.hint = reader.words(table, "hint");
  row.require = reader.formulas(table, "require");
  row.together = reader.toml().string(table, "with");
  const toml::node* const launch = table.get("launch");
  if (launch != nullptr) {
    row.state = read_launch(reader, *launch, lab);
  } else if (lab.rows.empty()) {
    reader.toml().note(table, tr("`launch` is missing: the first row needs one."));
  } else {
    row.state = lab.rows.back().state;
    row.repeats_launch = true;
  }
  if (launch == nullptr && row.require.empty()) {
    reader.toml().note(table, tr("a row needs `launch`, `require`, or both."));
  }
  row.others = read_other_rows(reader, table, lab, row);
  return row;
}

// texts = ["acc", "sum"], or several texts at once: [["a", "b"], ["c", "d"]].
LabChange read_change(BlockReader& reader, const toml::table& table) {
  reader.expect_keys(table, {"texts", "with"});
  LabChange change;
  change.together = reader.toml().string(table, "with");
  const toml::array* const array = table.get_as<toml::array>("texts");
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    std::vector<std::string>& texts = change.alternatives.emplace_back();
    const toml::node& one = *array->get(i);
    const toml::array alone{one};
    for (const toml::node& text : one.is_array() ? *one.as_array() : alone) {
      texts.push_back(text.value_or(std::string()));
    }
  }
  const auto& all = change.alternatives;
  const bool has_all = all.size() > 1 && std::ranges::all_of(all, [&all](const auto& texts) {
                         return texts.size() == all.front().size() && !texts.empty();
                       });
  if (!has_all || std::ranges::count(all.front(), "") > 0) {
    reader.toml().note(table, tr("`texts` of a [[vary]] must be at least two texts, or at least "
                                 "two arrays of equally many texts; the first is in the kernel."));
  }
  return change;
}

Lab read_lab(BlockReader& reader, const toml::table& table) {
  reader.expect_keys(table, reader.with_languages({"name", "kernel", "row", "vary", "minutes"},
                                                  {"title", "text", "hint", "note"}));
  Lab lab;
  lab.name = reader.name(table);
  lab.title = reader.title(table);
  lab.text = reader.words(table, "text");
  lab.hint = reader.words(table, "hint");
  lab.note = reader.words(table, "note");
  lab.minutes = reader.minutes(table);
  lab.kernel = reader.toml().required_string(table, "kernel");
  if (!lab.kernel.ends_with(".cu")) {
    reader.toml().note(table.contains("kernel") ? *table.get("kernel") : table,
                       tr("`kernel` must be a .cu file in the lesson's folder."));
  }
  for (const toml::table* const row : reader.toml().tables(table, "row")) {
    lab.rows.push_back(read_row(reader, *row, lab));
  }
  for (const toml::table* const change : reader.toml().tables(table, "vary")) {
    lab.changes.push_back(read_change(reader, *change));
  }
  if (lab.rows.empty()) {
    reader.toml().note(table,
                       tr("a lab needs at least one [[row]]: a launch that must be correct."));
  }
  return lab;
}

}  // namespace

Result<Lab> parse_lab_block(const std::string& toml, const BlockPlace& place) {
  return parse_block(toml, place, read_lab);
}

}  // namespace tilestep::lesson
