#include "ui/stage/sums.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tilestep::ui {
namespace {

// An element of a block's output, counted from the block's first row and column there.
using Relative = std::tuple<int, std::uint32_t, int, int>;  // sheet, thread, row, column

struct Corner {
  int row = std::numeric_limits<int>::max();
  int col = std::numeric_limits<int>::max();
};

// By sheet and block.
std::map<std::pair<int, std::uint32_t>, Corner> corners(const StageShape& shape,
                                                        const Ownership& owners) {
  std::map<std::pair<int, std::uint32_t>, Corner> found;
  for (std::size_t i = 0; i < owners.cells.size(); ++i) {
    const int cols = shape.sheets[i].cols;
    for (std::size_t c = 0; c < owners.cells[i].size(); ++c) {
      if (owners.cells[i][c].known()) {
        Corner& corner = found[{static_cast<int>(i), owners.cells[i][c].block}];
        corner.row = std::min(corner.row, static_cast<int>(c) / cols);
        corner.col = std::min(corner.col, static_cast<int>(c) % cols);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<Landing> find_landings(const StageShape& shape, const Ownership& owners,
                                   const insight::BlockSums& first) {
  const auto corner_of = corners(shape, owners);
  // The sums of the first block that have a variable to themselves.
  std::map<std::tuple<std::uint32_t, std::string, std::uint64_t>, std::size_t> uses;
  for (const insight::OwnedSum& sum : first.sums()) {
    ++uses[{sum.thread, sum.home.variable, sum.home.offset}];
  }
  std::map<Relative, insight::SumHome> homes;
  for (const insight::OwnedSum& sum : first.sums()) {
    const auto sheet = std::ranges::find_if(shape.sheets, [&](const Sheet& s) {
      return s.kind == SheetKind::Buffer && s.index == sum.at.launch_buffer;
    });
    const auto i = static_cast<int>(sheet - shape.sheets.begin());
    const auto corner = corner_of.find({i, first.block()});
    if (sheet != shape.sheets.end() && corner != corner_of.end() && !sheet->wrapped &&
        !sum.atomic && sum.home.kind == insight::SumHome::Kind::Variable &&
        uses[{sum.thread, sum.home.variable, sum.home.offset}] == 1) {
      homes[{i, sum.thread, sum.at.row - corner->second.row, sum.at.col - corner->second.col}] =
          sum.home;
    }
  }
  std::vector<Landing> landings;
  for (std::size_t i = 0; i < owners.cells.size(); ++i) {
    const int cols = shape.sheets[i].cols;
    for (std::size_t c = 0; c < owners.cells[i].size(); ++c) {
      const Owner owner = owners.cells[i][c];
      if (!owner.known()) {
        continue;
      }
      const auto sheet = static_cast<int>(i);
      const Corner corner = corner_of.at({sheet, owner.block});
      const auto home = homes.find({sheet, owner.thread, static_cast<int>(c) / cols - corner.row,
                                    static_cast<int>(c) % cols - corner.col});
      if (home != homes.end()) {
        landings.push_back({owner, sheet, c, home->second});
      }
    }
  }
  std::ranges::stable_sort(landings, {}, [](const Landing& landing) {
    return std::pair(landing.owner.block, landing.owner.thread);
  });
  return landings;
}

int sum_number(const Ownership& owners, int sheet, std::size_t cell) {
  const Owner owner = owners.cells[size(sheet)][cell];
  int number = 0;
  for (std::size_t i = 0; i <= size(sheet); ++i) {
    const auto& cells = owners.cells[i];
    const std::size_t end = i == size(sheet) ? cell : cells.size();
    number += static_cast<int>(
        std::count_if(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(end),
                      [owner](const Owner& other) {
                        return other.block == owner.block && other.thread == owner.thread;
                      }));
  }
  return number;
}

}  // namespace tilestep::ui
