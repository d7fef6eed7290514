#include "problem/launch/miniature.h"

#include <algorithm>

namespace tilestep::problem {
namespace {

constexpr int kFewestTiles = 2;
constexpr int kFewestElements = 8;

// 64 bits: the last tile may end behind the largest int.
std::int64_t tiles_over(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

int shrink(std::int64_t size, std::int64_t block_size) {
  const std::int64_t tiles = tiles_over(size, block_size);
  const std::int64_t missing = tiles * block_size - size;  // of the last tile
  const std::int64_t kept =
      std::max<std::int64_t>(kFewestTiles, tiles_over(kFewestElements + missing, block_size));
  return static_cast<int>(std::min(tiles, kept) * block_size - missing);
}

}  // namespace

Problem miniature(const Problem& full, int block_size) {
  const int tile = std::max(block_size, 1);
  return {shrink(full.M, tile), shrink(full.N, tile), shrink(full.K, tile)};
}

}  // namespace tilestep::problem
