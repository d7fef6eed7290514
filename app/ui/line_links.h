// Which lines of one text belong to which of another: a source and the instructions made of it.
// Pure.
#pragma once

#include "ptx/model/module.h"
#include "ptx/sass/sass.h"

#include <map>
#include <set>

namespace tilestep::ui {

struct LineLinks {
  std::map<int, std::set<int>> made_of;  // by source line: lines of the other text
  std::map<int, int> source_of;          // by a line of the other text

  void add(int source, int made);
  [[nodiscard]] std::set<int> lines_made_of(int source) const;
  [[nodiscard]] int source_line_of(int made) const;  // 0: none
};

// Of PTX, as the module's text has it.
[[nodiscard]] LineLinks ptx_links(const ptx::Module& module);
[[nodiscard]] LineLinks sass_links(const ptx::SassListing& listing);

}  // namespace tilestep::ui
