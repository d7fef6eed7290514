#include "problem/propose/host.h"
#include "problem/propose/product.h"
#include "problem/source/cuda_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tilestep::problem {
namespace {

using Tiles = std::array<int, 3>;
using Sides = std::array<std::string, 3>;

constexpr int kMostThreads = 1024;
constexpr int kLargestTile = 256;
constexpr std::size_t kMostWays = 24;

constexpr Word kTilesM[] = {"bm", "blockm", "tilem",     "blocksizem", "mt",
                            "ms", "mtile",  "tilesizem", "blocktilem", "blockrows"};
constexpr Word kTilesN[] = {"bn", "blockn", "tilen",     "blocksizen", "nt",
                            "ns", "ntile",  "tilesizen", "blocktilen", "blockcols"};
constexpr Word kTilesK[] = {"bk", "blockk", "tilek",     "blocksizek", "kt",
                            "ks", "ktile",  "tilesizek", "blocktilek"};
constexpr Word kThreadsM[] = {"tm", "threadsizey", "wpt", "threadm", "threadtilem", "tilethreadm"};
constexpr Word kThreadsN[] = {"tn", "threadsizex", "threadn", "threadtilen", "tilethreadn"};
constexpr Word kCoarse[] = {"coarse", "coarsefactor", "coarsening", "coarseningfactor"};
constexpr Word kThreadCounts[] = {"numthreads", "nthreads", "threadsperblock", "threads"};
constexpr Word kSquares[] = {"blocksize", "blockdim", "tilewidth",  "tilesize", "tiledim",
                             "tile",      "bs",       "ts",         "tilesz",   "block",
                             "bdim",      "blocksz",  "blockwidth", "edge"};

class WayFinder {
 public:
  WayFinder(const LaunchSpec& start, const CudaText& text, const CudaKernel& kernel,
            const KernelInterface& interface)
      : start_(start), kernel_(kernel), interface_(interface) {
    numbers_ = kernel_numbers(start, text, kernel);
    host_ = host_launch(text, kernel.name);
    has_y_ = has_in_body(text, kernel, {"threadIdx", ".", "y"});
  }

  std::vector<ProductWay> run();

 private:
  template <std::size_t count>
  [[nodiscard]] std::optional<int> number(const Word (&names)[count]) const;
  [[nodiscard]] std::optional<int> square() const;
  [[nodiscard]] std::optional<Tiles> named_tiles() const;
  [[nodiscard]] std::optional<Tiles> shared_tiles() const;
  [[nodiscard]] std::vector<Sides> blocks(const Tiles& tiles) const;
  void add(const Sides& grid, const Sides& block, const Tiles& tiles);
  void add_tiled(const Tiles& tiles);
  void add_host();

  const LaunchSpec& start_;
  const CudaKernel& kernel_;
  const KernelInterface& interface_;
  std::map<std::string, int> numbers_;
  HostLaunch host_;
  bool has_y_ = false;
  std::vector<ProductWay> ways_;
};

template <std::size_t count>
std::optional<int> WayFinder::number(const Word (&names)[count]) const {
  for (const Word name : names) {
    const auto found = numbers_.find(std::string(name));
    if (found != numbers_.end() && found->second >= 1 && found->second <= kMostThreads) {
      return found->second;
    }
  }
  return std::nullopt;
}

// The edge of a square tile, as template argument, constant or macro.
std::optional<int> WayFinder::square() const {
  if (kernel_.template_parameters.size() == 1) {
    const auto only = numbers_.find(plain_size_name(kernel_.template_parameters[0].name));
    if (only != numbers_.end()) {
      return only->second;
    }
  }
  return number(kSquares);
}

std::optional<Tiles> WayFinder::named_tiles() const {
  const std::optional<int> edge = square();
  const std::optional<int> bm = number(kTilesM);
  const std::optional<int> bn = number(kTilesN);
  const std::optional<int> bk = number(kTilesK);
  if (!edge && !bm && !bn) {
    return std::nullopt;
  }
  const int other = edge.value_or(bm ? *bm : *bn);
  return Tiles{bm.value_or(other), bn.value_or(other), bk.value_or(edge.value_or(kEdge))};
}

// "float[64][8]" → {64, 8}
std::vector<int> sides_of(const std::string& type) {
  std::vector<int> sides;
  for (std::size_t open = type.find('['); open != std::string::npos;
       open = type.find('[', open + 1)) {
    int side = 0;
    std::from_chars(type.data() + open + 1, type.data() + type.size(), side);
    sides.push_back(side);
  }
  return sides;
}

// Two two-dimensional arrays with one common side, which is along K; a side that is longer by one
// is padded.
std::optional<Tiles> WayFinder::shared_tiles() const {
  std::vector<std::vector<int>> arrays;
  for (const KernelInterface::Variable& variable : interface_.shared) {
    std::vector<int> sides = sides_of(variable.type);
    if (sides.size() == 3 && sides[0] <= 4) {
      sides.erase(sides.begin());  // alternating buffers
    }
    if (sides.size() == 2) {
      arrays.push_back(std::move(sides));
    }
  }
  if (arrays.size() != 2) {
    return std::nullopt;
  }
  const auto even = [](int side) { return side % 2 == 0 ? side : side - 1; };
  const std::vector<int>& a = arrays[0];
  const std::vector<int>& b = arrays[1];
  if (even(a[1]) == even(b[0])) {
    return Tiles{even(a[0]), even(b[1]), even(b[0])};
  }
  if (a[0] == b[0]) {
    return Tiles{even(a[1]), even(b[1]), a[0]};
  }
  return even(a[1]) == even(b[1]) ? std::optional(Tiles{even(a[0]), even(b[0]), even(a[1])})
                                  : std::nullopt;
}

Sides side_texts(int x, int y) {
  return {std::to_string(x), std::to_string(y), "1"};
}

// Candidates: the file's own launch, the launch bounds, and the names of a thread's tile.
std::vector<Sides> WayFinder::blocks(const Tiles& tiles) const {
  std::vector<Sides> found;
  if (host_.block) {
    const auto& [x, y, z] = *host_.block;
    return {{std::to_string(x), std::to_string(y), std::to_string(z)}};
  }
  const auto [bm, bn, bk] = tiles;
  const int tm = number(kThreadsM).value_or(1);
  const int tn = number(kThreadsN).value_or(1);
  if (has_y_) {
    found.push_back(side_texts(std::max(1, bn / tn), std::max(1, bm / tm)));
    return found;
  }
  if (interface_.launch_bounds.x > 1) {
    found.push_back(side_texts(static_cast<int>(interface_.launch_bounds.count()), 1));
  }
  if (const auto threads = number(kThreadCounts)) {
    found.push_back(side_texts(*threads, 1));
  }
  found.push_back(side_texts(std::max(1, bm * bn / std::max(1, tm * tn)), 1));
  // Each thread copies one vector of four, or one element, of each tile.
  for (const int threads : {bm * bk, bk * bn, bm * bk / 4}) {
    found.push_back(side_texts(threads, 1));
  }
  return found;
}

void WayFinder::add(const Sides& grid, const Sides& block, const Tiles& tiles) {
  const int threads = number_of(block[0]) * number_of(block[1]);
  const bool fits = threads >= 1 && threads <= kMostThreads &&
                    std::all_of(tiles.begin(), tiles.end(),
                                [](int tile) { return tile >= 1 && tile <= kLargestTile; });
  const bool is_new = std::none_of(ways_.begin(), ways_.end(), [&](const ProductWay& way) {
    return way.grid == grid && way.block == block && way.tiles == tiles && !way.slides;
  });
  if (fits && is_new && ways_.size() < kMostWays) {
    ways_.push_back({grid, block, tiles, false, ""});
  }
}

void WayFinder::add_tiled(const Tiles& tiles) {
  const auto [bm, bn, bk] = tiles;
  const std::string m = fmt::format("ceil_div(M, {})", bm);
  const std::string n = fmt::format("ceil_div(N, {})", bn);
  for (const Sides& block : blocks(tiles)) {
    add({n, m, "1"}, block, tiles);
    add({m, n, "1"}, block, tiles);
    add({fmt::format("{} * {}", m, n), "1", "1"}, block, tiles);
  }
}

// The grid that the file's own launch computes; unknown axes are filled from tiles. The z extent of
// a block is not a size of the product.
void WayFinder::add_host() {
  const Tiles tiles = named_tiles().value_or(shared_tiles().value_or(Tiles{kEdge, kEdge, kEdge}));
  const auto& [x, y, z] = host_.grid_expressions;
  if (x && y) {
    for (const Sides& block : blocks(tiles)) {
      add({*x, *y, z.value_or("1")}, block, tiles);
    }
  }
}

std::vector<ProductWay> WayFinder::run() {
  if (!start_.buffers.empty()) {  // the textbook's, with the slider
    Tiles tiles;
    tiles.fill(start_.default_block_size);
    ways_.push_back({start_.grid, start_.block, tiles, true, ""});
    ways_.push_back({{start_.grid[1], start_.grid[0], "1"}, start_.block, tiles, true, ""});
  }
  add_host();
  const std::optional<Tiles> named = named_tiles();
  const std::optional<Tiles> shared = shared_tiles();
  for (const auto& tiles : {named, shared}) {
    if (tiles) {
      add_tiled(*tiles);
    }
  }
  if (const auto coarse = number(kCoarse); coarse && named) {
    const auto [bm, bn, bk] = *named;
    for (const Tiles& tiles : {Tiles{bm, bn * *coarse, bk}, Tiles{bm * *coarse, bn, bk}}) {
      const std::string m = fmt::format("ceil_div(M, {})", tiles[0]);
      const std::string n = fmt::format("ceil_div(N, {})", tiles[1]);
      add({n, m, "1"}, side_texts(bn, bm), tiles);
    }
  }
  // A square tile with one element per thread.
  const Tiles any = named.value_or(shared.value_or(Tiles{kEdge, kEdge, kEdge}));
  for (const Sides& block : blocks(any)) {
    const int x = number_of(block[0]);
    const int y = number_of(block[1]);
    for (int edge = 4; !has_y_ && edge <= 32; edge *= 2) {
      if (edge * edge == x) {
        add_tiled({edge, edge, edge});
      }
    }
    const Tiles tiles = named || shared ? any : Tiles{y, x, kEdge};
    add({fmt::format("ceil_div(N, {})", x), fmt::format("ceil_div(M, {})", y), "1"}, block, tiles);
    add({fmt::format("ceil_div(M, {})", x), fmt::format("ceil_div(N, {})", y), "1"}, block, tiles);
    add({fmt::format("ceil_div(M * N, {})", x), "1", "1"}, block, tiles);
  }
  for (ProductWay& way : ways_) {
    const std::size_t bytes = 4UL * (way.tiles[0] + way.tiles[1]) * way.tiles[2];
    const bool is_dynamic = !interface_.extern_shared.empty();
    way.shared_bytes = !is_dynamic          ? ""
                       : host_.shared_bytes ? *host_.shared_bytes
                                            : std::to_string(bytes);
  }
  return std::move(ways_);
}

}  // namespace

std::map<std::string, int> kernel_numbers(const LaunchSpec& start, const CudaText& text,
                                          const CudaKernel& kernel) {
  std::map<std::string, int> numbers;
  for (const auto& [name, value] : text.constants) {
    numbers[plain_size_name(name)] = value;
  }
  for (const auto& [name, value] : start.defines) {
    numbers[plain_size_name(name)] =
        value == "BLOCK_SIZE" ? start.default_block_size : number_of(value);
  }
  std::string list = start.entry.substr(std::min(start.entry.find('<'), start.entry.size()));
  for (const CudaParameter& parameter : kernel.template_parameters) {
    list.erase(0, std::min(list.find_first_not_of("<, "), list.size()));
    int value = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), value);
    if (error == std::errc{}) {
      numbers[plain_size_name(parameter.name)] = value;
    } else if (list.starts_with("BLOCK_SIZE")) {
      numbers[plain_size_name(parameter.name)] = start.default_block_size;
    }
    list.erase(0, std::min(list.find(','), list.size()));
  }
  return numbers;
}

std::vector<ProductWay> product_ways(const LaunchSpec& start, const CudaText& text,
                                     const CudaKernel& kernel, const KernelInterface& interface) {
  return WayFinder(start, text, kernel, interface).run();
}

}  // namespace tilestep::problem
