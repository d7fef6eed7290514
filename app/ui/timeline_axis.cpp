#include "ui/timeline_axis.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {

float TimelineAxis::statement_width() const {
  const auto statements = static_cast<float>(std::max<std::size_t>(starts_.size(), 2) - 1);
  return (right_ - left_) / statements;
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
  return left_ + (static_cast<float>(index) + within) * statement_width();
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
  const float position = std::clamp((x - left_) / std::max(right_ - left_, 1.0F), 0.0F, 1.0F);
  const auto index =
      static_cast<std::size_t>(std::lround(position * static_cast<float>(starts_.size() - 1)));
  return starts_[index];
}

}  // namespace tilestep::ui
