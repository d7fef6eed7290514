#include "ui/timeline_fold.h"

#include "problem/tr.h"

#include <algorithm>

namespace tilestep::ui {
namespace {

// A pass of the loop over tiles, or a phase outside of it.
struct Pass {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Phases that are about one tile follow each other. Where phases have no tiles each is a pass.
std::vector<Pass> passes_of(std::span<const record::Phase> phases) {
  std::vector<Pass> passes;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const bool continues = i > 0 && phases[i].tile >= 0 && phases[i].tile == phases[i - 1].tile;
    if (continues) {
      passes.back().last = i + 1;
    } else {
      passes.push_back({i, i + 1});
    }
  }
  return passes;
}

std::string fold_name(std::span<const record::Phase> phases, std::size_t first, std::size_t last) {
  const auto part = phases.subspan(first, last - first);
  const bool all_tiles =
      std::all_of(part.begin(), part.end(), [](const record::Phase& p) { return p.tile >= 0; });
  if (!all_tiles) {
    return tr("phases {} to {}", first + 1, last);
  }
  const int low = part.front().tile;
  const int high = part.back().tile;
  return low == high ? tr("tile {}", low) : tr("tiles {} to {}", low, high);
}

}  // namespace

std::vector<PhaseFold> fold_phases(
    std::span<const record::Phase> phases, float least, float least_fold,
    const std::function<float(std::size_t first, std::size_t last)>& width) {
  std::vector<PhaseFold> folds;
  const auto add = [&](std::size_t first, std::size_t last) {
    folds.push_back({first, last, last - first > 1 ? fold_name(phases, first, last) : ""});
  };
  const std::vector<Pass> passes = passes_of(phases);
  const auto fits = [&](const Pass& pass) {
    for (std::size_t i = pass.first; i < pass.last; ++i) {
      if (width(i, i + 1) < least) {
        return false;
      }
    }
    return true;
  };
  const bool all_fit = std::all_of(passes.begin(), passes.end(), fits);
  // As many passes to a fold as it takes for a usual one to be wide enough: a power of two, so that
  // folds do not change with every pixel.
  std::size_t together = 1;
  const std::size_t middle = passes.size() / 2;
  while (!all_fit && together < passes.size()) {
    const std::size_t first = std::min(middle, passes.size() - std::min(together, passes.size()));
    if (width(passes[first].first, passes[first + together - 1].last) >= least_fold) {
      break;
    }
    together *= 2;
  }
  for (std::size_t i = 0; i < passes.size();) {
    if (all_fit || (together == 1 && fits(passes[i]))) {
      for (std::size_t phase = passes[i].first; phase < passes[i].last; ++phase) {
        add(phase, phase + 1);
      }
      ++i;
      continue;
    }
    // What stands before and after the loop is no part of it.
    const bool in_loop = phases[passes[i].first].tile >= 0;
    std::size_t end = i + 1;
    while (end < passes.size() && end - i < together &&
           (phases[passes[end].first].tile >= 0) == in_loop) {
      ++end;
    }
    add(passes[i].first, passes[end - 1].last);
    i = end;
  }
  return folds;
}

}  // namespace tilestep::ui
