#include "ui/timeline_axis.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {

namespace {

// Of the axis: all statements between the phases together.
constexpr float kShareOfOthers = 0.12F;

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
  if (step < starts_.front()) {  // of a part of the run
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

}  // namespace tilestep::ui
