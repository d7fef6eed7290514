// Snapshots of a run, as many as a number of bytes allows.
//
// They decide how long an answer takes, never the answer. Once the run is over, workers may ask and
// add at once, hence the lock.
#pragma once

#include "record/state_data.h"

#include <mutex>

#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::record {

class Keyframes {
 public:
  using Entry = std::shared_ptr<const StateData>;

  // `distance` in steps; 0: chosen so that keyframes cost a fraction of the run's time.
  Keyframes(std::uint64_t budget_bytes, std::uint64_t distance)
      : budget_(budget_bytes), distance_(distance) {}

  // Told after every step of the run; takes a copy now and then. Outgrown, it drops every second
  // one.
  void offer(const StateData& state) {
    if (state.step >= next_) {
      take(state);
    }
  }
  // The last one at or before a step.
  [[nodiscard]] Entry before(std::uint64_t step) const;

  // One more, between those of the run.
  void insert(Entry frame);
  // The steps with a keyframe, sorted, and the bytes of all.
  [[nodiscard]] std::vector<std::uint64_t> steps() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Held {
    Entry state;
    std::size_t bytes = 0;
  };
  void take(const StateData& state);
  void thin_out();

  std::uint64_t budget_;
  std::uint64_t distance_;
  std::uint64_t bytes_ = 0;
  std::uint64_t next_ = 0;    // step of the next keyframe
  std::uint64_t scale_ = 1;   // grows as keyframes are thinned out
  std::vector<Held> frames_;  // by step; the first is step 0
  mutable std::mutex mutex_;
};

}  // namespace tilestep::record
