#include "problem/tr.h"
#include "ui/timeline/timeline.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// Share of the axis for all statements between the phases together.
constexpr float kShareOfOthers = 0.12F;

// A pass of the loop over tiles, or a phase outside of it.
struct Pass {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Consecutive phases with the same tile. A phase without a tile is a pass by itself.
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

TimelineAxis::TimelineAxis(std::span<const std::uint64_t> starts, float left, float right,
                           std::span<const record::Phase> phases)
    : starts_(starts), left_(left), right_(right) {
  if (starts.size() < 2 || phases.empty()) {
    return;
  }
  std::vector<bool> is_own(starts.size() - 1);
  auto phase = phases.begin();
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    while (phase != phases.end() && phase->last_step <= starts[i]) {
      ++phase;
    }
    is_own[i] = phase != phases.end() && phase->first_step < starts[i + 1];
  }
  const auto own = static_cast<float>(std::ranges::count(is_own, true));
  const float others = static_cast<float>(is_own.size()) - own;
  const float narrow = kShareOfOthers / (1.0F - kShareOfOthers) * own / std::max(others, 1.0F);
  if (own == 0.0F || narrow >= 1.0F) {
    return;
  }
  edges_.push_back(0.0F);
  for (const bool is_wide : is_own) {
    edges_.push_back(edges_.back() + (is_wide ? 1.0F : narrow));
  }
}

float TimelineAxis::unit() const {
  return (right_ - left_) / edge(std::max<std::size_t>(starts_.size(), 2) - 1);
}

float TimelineAxis::x_of(std::uint64_t step) const {
  if (starts_.size() < 2) {
    return left_;
  }
  if (step < starts_.front()) {  // for a part of the run
    return left_;
  }
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), step);
  if (after == starts_.end()) {
    return right_;
  }
  const auto index = static_cast<std::size_t>(after - starts_.begin()) - 1;
  const float within = static_cast<float>(step - starts_[index]) /
                       static_cast<float>(starts_[index + 1] - starts_[index]);
  const float width = edge(index + 1) - edge(index);
  return left_ + (edge(index) + within * width) * unit();
}

float TimelineAxis::left_of(std::uint64_t first) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), first);
  return after == starts_.begin() ? left_ : x_of(*(after - 1));
}

float TimelineAxis::right_of(std::uint64_t last) const {
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), last);
  return at == starts_.end() ? right_ : x_of(*at);
}

std::uint64_t TimelineAxis::step_at(float x) const {
  if (starts_.empty()) {
    return 0;
  }
  const float last = edge(starts_.size() - 1);
  const float position =
      last * std::clamp((x - left_) / std::max(right_ - left_, 1.0F), 0.0F, 1.0F);
  std::size_t index = 0;
  if (edges_.empty()) {
    index = static_cast<std::size_t>(std::lround(position));
  } else {
    const auto after = std::ranges::lower_bound(edges_, position);
    index = static_cast<std::size_t>(after - edges_.begin());
    index -= index > 0 && position - edges_[index - 1] < edges_[index] - position ? 1 : 0;
  }
  return starts_[index];
}

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
  // The number of passes per fold for which a typical one is wide enough: a power of two, so that
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
    // Phases before and after the loop are not part of it.
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
