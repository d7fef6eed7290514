// What of a block's phases is drawn as one where each by itself would be too narrow to read: the
// passes of its loop over tiles, then eight, sixteen, … of them together. Pure.
#pragma once

#include "record/activity.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

// Phases [first, last): one, or several folded together.
struct PhaseFold {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string name;  // of several: "tiles 0 to 7"

  [[nodiscard]] bool is_fold() const { return last - first > 1; }
};

// `width(first, last)`: pixels of phases [first, last). Phases of a pass that are as wide as
// `least` stay by themselves, unless passes have to be put together: then folds are made as wide as
// `least_fold`, in which their names have room.
[[nodiscard]] std::vector<PhaseFold> fold_phases(
    std::span<const record::Phase> phases, float least, float least_fold,
    const std::function<float(std::size_t first, std::size_t last)>& width);

}  // namespace tilestep::ui
