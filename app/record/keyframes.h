// Snapshots of a run, as many as a number of bytes allows.
#pragma once

#include "record/state_data.h"

#include <cstdint>
#include <vector>

namespace tilestep::record {

class Keyframes {
 public:
  // `distance` in steps; 0: chosen so that keyframes cost a fraction of the run's time.
  Keyframes(std::uint64_t budget_bytes, std::uint64_t distance)
      : budget_(budget_bytes), distance_(distance) {}

  // Told after every step; takes a copy now and then. Outgrown, it drops every second one.
  void offer(const StateData& state) {
    if (state.step >= next_) {
      take(state);
    }
  }
  // The last one at or before a step.
  [[nodiscard]] const StateData& before(std::uint64_t step) const;

 private:
  void take(const StateData& state);
  void thin_out();

  std::uint64_t budget_;
  std::uint64_t distance_;
  std::uint64_t bytes_ = 0;
  std::uint64_t next_ = 0;         // step of the next keyframe
  std::uint64_t scale_ = 1;        // grows as keyframes are thinned out
  std::vector<StateData> frames_;  // by step; the first is step 0
  std::vector<std::size_t> sizes_;
};

}  // namespace tilestep::record
