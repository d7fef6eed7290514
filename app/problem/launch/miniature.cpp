#include "problem/launch/miniature.h"

#include <algorithm>

namespace tilestep::problem {
namespace {

constexpr int kFewestTiles = 2;
constexpr int kFewestElements = 8;

int tiles_over(int a, int b) {
  return (a + b - 1) / b;
}

int shrink(int size, int block_size) {
  const int tiles = tiles_over(size, block_size);
  const int missing = tiles * block_size - size;  // of the last tile
  const int kept = std::max(kFewestTiles, tiles_over(kFewestElements + missing, block_size));
  return std::min(tiles, kept) * block_size - missing;
}

}  // namespace

Problem miniature(const Problem& full, int block_size) {
  return {shrink(full.M, block_size), shrink(full.N, block_size), shrink(full.K, block_size)};
}

}  // namespace tilestep::problem
