#include "lesson/lab_block.h"

#include "problem/tr.h"

namespace tilestep::lesson {
namespace {

// A row without a launch is about the launch of the row before.
LabRow read_row(BlockReader& reader, const toml::table& table, const Lab& lab) {
  reader.expect_keys(table, reader.with_languages({"launch", "require"}, {"hint"}));
  LabRow row;
  row.line = reader.line_of(table);
  row.hint = reader.words(table, "hint");
  row.require = reader.formulas(table, "require");
  const toml::node* const launch = table.get("launch");
  if (launch != nullptr) {
    row.state.kernel = lab.kernel;
    const toml::table* const keys = reader.toml().table_of(*launch, "launch");
    if (keys != nullptr) {
      Position position{row.state, {}};
      reader.read_position(*keys, {}, position);
      row.state = std::move(position.state);
      for (const char* key : {"kernel", "place", "base"}) {
        if (const toml::node* const node = keys->get(key)) {
          reader.toml().note(*node, tr("a row's launch has no {}: it is the lab's kernel, "
                                       "with M, N, K, block_size, schedule …",
                                       key));
        }
      }
    }
  } else if (lab.rows.empty()) {
    reader.toml().note(table, tr("launch is missing: the first row has one."));
  } else {
    row.state = lab.rows.back().state;
  }
  if (launch == nullptr && row.require.empty()) {
    reader.toml().note(table, tr("a row has a launch, or require, or both."));
  }
  return row;
}

Lab read_lab(BlockReader& reader, const toml::table& table) {
  reader.expect_keys(table, reader.with_languages({"name", "kernel", "row", "minutes"},
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
                       tr("kernel must be a .cu file beside the lesson."));
  }
  for (const toml::table* const row : reader.toml().tables(table, "row")) {
    lab.rows.push_back(read_row(reader, *row, lab));
  }
  if (lab.rows.empty()) {
    reader.toml().note(table,
                       tr("a lab has a [[row]] or more: the launches that have to be right."));
  }
  return lab;
}

}  // namespace

Result<Lab> parse_lab_block(const std::string& toml, const BlockPlace& place) {
  const Result<toml::table> table = problem::parse_toml(toml, place.file, place.first_line - 1);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  BlockReader reader(place);
  Lab lab = read_lab(reader, *table);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return lab;
}

}  // namespace tilestep::lesson
