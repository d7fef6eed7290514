// The command palette's rows: every action, setting, page, unit, kernel, file and place, each with
// its commands.
#pragma once

#include "ui/panel.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

[[nodiscard]] inline std::string named_in(const char* group, const std::string& name) {
  return std::string(group) + ": " + name;
}

// One entry of the palette.
struct PaletteRow {
  const char* group;  // its heading
  std::string name;   // "Next phase", "16"
  std::string tip;    // a sentence; empty: none
  std::string key;    // "F10"; empty: none
  std::function<Commands(const Context&)> run;
  std::string english{};  // `name` in English, which is searched, too; empty: unknown

  // The name for search and memory: "BLOCK_SIZE: 16".
  [[nodiscard]] std::string full_name() const { return named_in(group, name); }
};

// Rows by group, in display order.
[[nodiscard]] std::vector<PaletteRow> palette_rows(const Context& context);

// Likely rows, the likeliest first, depending on what is on screen.
[[nodiscard]] std::vector<std::size_t> likely_rows(const Context& context,
                                                   std::span<const PaletteRow> rows);

// The rows that match the query, the best first; all in their order for an empty query. A place in
// the query ("As[1][2]", "line 29") is added in front of the rows.
struct PaletteMatch {
  std::size_t row = 0;
  std::vector<std::size_t> letters{};  // matched letters of full_name(), ascending
};
[[nodiscard]] std::vector<PaletteMatch> matching_rows(std::span<const PaletteRow> rows,
                                                      const std::string& query);

}  // namespace tilestep::ui
