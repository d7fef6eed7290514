#include "ui/stage/thread_tile.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tilestep::ui {
namespace {

// An element of a block's output, relative to the block's first row and column.
using Relative = std::tuple<int, std::uint32_t, int, int>;  // sheet, thread, row, column

struct Corner {
  int row = std::numeric_limits<int>::max();
  int col = std::numeric_limits<int>::max();
};

// Corners by sheet and block.
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

// The part of an output that a block stores.
struct Part {
  int first_row = std::numeric_limits<int>::max();
  int first_col = std::numeric_limits<int>::max();
  int last_row = -1;
  int last_col = -1;
  std::size_t cells = 0;

  void add(CellPlace at) {
    first_row = std::min(first_row, at.row);
    first_col = std::min(first_col, at.col);
    last_row = std::max(last_row, at.row);
    last_col = std::max(last_col, at.col);
    ++cells;
  }
  [[nodiscard]] int rows() const { return last_row - first_row + 1; }
  [[nodiscard]] int cols() const { return last_col - first_col + 1; }
  [[nodiscard]] bool is_full() const { return cells == size(rows()) * size(cols()); }
};

template <class Use>
void for_each_owned(const Sheet& sheet, const std::vector<Owner>& owners, Use&& use) {
  for (std::size_t c = 0; c < owners.size(); ++c) {
    if (owners[c].known()) {
      use(owners[c], cell_place(sheet, c));
    }
  }
}

// Every block stores the tile at its own place.
std::optional<ThreadTile> find_tile(const Sheet& output, const std::vector<Owner>& owners) {
  std::map<std::uint32_t, Part> parts;
  for_each_owned(output, owners,
                 [&](const Owner& owner, CellPlace at) { parts[owner.block].add(at); });
  const auto largest =
      std::ranges::max_element(parts, {}, [](const auto& entry) { return entry.second.cells; });
  if (largest == parts.end() || !largest->second.is_full()) {
    return std::nullopt;
  }
  ThreadTile tile;
  tile.rows = largest->second.rows();
  tile.cols = largest->second.cols();
  tile.threads.assign(size(tile.rows) * size(tile.cols), kNoThread);
  for (const auto& [block, part] : parts) {
    tile.corners[block] = {part.first_row, part.first_col};
  }
  bool agree = true;
  const auto fill = [&](const Owner& owner, CellPlace at) {
    const CellPlace corner = tile.corners[owner.block];
    const int row = at.row - corner.row;
    const int col = at.col - corner.col;
    if (row >= tile.rows || col >= tile.cols) {
      agree = false;
      return;
    }
    std::uint32_t& thread = tile.threads[size(row) * size(tile.cols) + size(col)];
    agree = agree && (thread == kNoThread || thread == owner.thread);
    thread = owner.thread;
  };
  for_each_owned(output, owners, fill);
  return agree ? std::optional(tile) : std::nullopt;
}

// Whether the tile differs from one cell per thread in the threads' order.
bool tells_more(const ThreadTile& tile, const Sheet& threads) {
  std::vector<int> of(threads.count);
  for (const std::uint32_t thread : tile.threads) {
    ++of[thread];
  }
  if (std::ranges::any_of(of, [](int cells) { return cells > 1; })) {
    return true;
  }
  // Threads that store nothing would have no cell.
  const bool all_store = std::ranges::all_of(of, [](int cells) { return cells == 1; });
  const bool same_order = tile.cols == threads.cols && std::ranges::is_sorted(tile.threads);
  return all_store && !same_order;
}

void note_homes(const StageShape& shape, const insight::BlockSums& first, ThreadTile& tile) {
  const CellPlace corner = tile.corners.at(first.block());
  const Sheet& output = shape.sheets[size(shape.c)];
  for (const insight::OwnedSum& sum : first.sums()) {
    if (sum.at.launch_buffer == output.index && sum.home.kind == insight::SumHome::Kind::Variable) {
      const CellPlace at{sum.at.row - corner.row, sum.at.col - corner.col};
      if (at.row < tile.rows && at.col < tile.cols) {
        tile.homes.try_emplace({sum.thread, sum.home.name}, at);
      }
    }
  }
}

}  // namespace

std::vector<Landing> find_landings(const StageShape& shape, const Ownership& owners,
                                   const insight::BlockSums& first) {
  const auto corner_of = corners(shape, owners);
  // The first block's sums that have a variable of their own.
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

void lay_out_threads(StageShape& shape, const Ownership& owners, const insight::BlockSums& first) {
  if (shape.threads == kNoSheet || !shape.has_matrix_l() || first.is_too_large() ||
      first.sums().empty()) {
    return;
  }
  Sheet& threads = shape.sheets[size(shape.threads)];
  std::optional<ThreadTile> tile =
      find_tile(shape.sheets[size(shape.c)], owners.cells[size(shape.c)]);
  if (!tile || !tells_more(*tile, threads)) {
    return;
  }
  if (!tile->corners.contains(first.block())) {
    return;  // the place of its sums is unknown
  }
  note_homes(shape, first, *tile);
  threads.rows = tile->rows;
  threads.cols = tile->cols;
  threads.count = tile->threads.size();
  threads.pitch = size(tile->cols);
  shape.tile = std::move(tile);
}

std::optional<CellPlace> thread_cell(const StageShape& shape, std::uint32_t thread) {
  const Sheet& threads = shape.sheets[size(shape.threads)];
  if (!shape.tile) {
    return cell_place(threads, thread);
  }
  const std::vector<std::uint32_t>& all = shape.tile->threads;
  const auto first = std::ranges::find(all, thread);
  return first == all.end()
             ? std::nullopt
             : std::optional(cell_place(threads, static_cast<std::size_t>(first - all.begin())));
}

std::uint32_t cell_thread(const StageShape& shape, CellPlace place) {
  const Sheet& threads = shape.sheets[size(shape.threads)];
  const std::size_t index = cell_index(threads, place);
  return index >= threads.count ? kNoThread
         : shape.tile           ? shape.tile->threads[index]
                                : static_cast<std::uint32_t>(index);
}

std::optional<CellPlace> find_sum_cell(const StageShape& shape, std::uint32_t block,
                                       const SumCell& sum, const insight::OwnedSum& own) {
  if (shape.threads == kNoSheet) {
    return std::nullopt;
  }
  if (!shape.tile) {
    return sum.is_chosen ? thread_cell(shape, sum.thread) : std::nullopt;
  }
  const auto corner = shape.tile->corners.find(block);
  if (corner == shape.tile->corners.end()) {
    const auto home = shape.tile->homes.find({sum.thread, own.home.name});
    return home == shape.tile->homes.end() ? std::nullopt : std::optional(home->second);
  }
  if (sum.place.sheet != shape.c) {
    return std::nullopt;
  }
  const CellPlace at{sum.place.row - corner->second.row, sum.place.col - corner->second.col};
  const bool inside =
      at.row >= 0 && at.col >= 0 && at.row < shape.tile->rows && at.col < shape.tile->cols;
  return inside ? std::optional(at) : std::nullopt;
}

bool stores_tile(const StageShape& shape, std::uint32_t block) {
  return shape.tile && shape.tile->corners.contains(block);
}

std::optional<SheetPlace> output_cell(const StageShape& shape, std::uint32_t block,
                                      CellPlace place) {
  if (!shape.tile) {
    return std::nullopt;
  }
  const auto corner = shape.tile->corners.find(block);
  if (corner == shape.tile->corners.end()) {
    return std::nullopt;
  }
  const SheetPlace at{shape.c, corner->second.row + place.row, corner->second.col + place.col,
                      true};
  const Sheet& c = shape.sheets[size(shape.c)];
  return at.row < c.rows && at.col < c.cols ? std::optional(at) : std::nullopt;
}

}  // namespace tilestep::ui
