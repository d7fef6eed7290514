// The last few states that a recording was asked for: what is asked next is mostly near them.
//
// It changes how long an answer takes, never the answer. Workers may ask at once, hence the lock.
#pragma once

#include "record/state_data.h"

#include <mutex>

#include <cstdint>
#include <list>
#include <memory>

namespace tilestep::record {

class Recent {
 public:
  using Entry = std::shared_ptr<const StateData>;

  void add(Entry state) {
    const std::lock_guard lock(mutex_);
    states_.remove_if([&](const Held& held) { return held.state->step == state->step; });
    const std::size_t bytes = state->footprint();
    states_.push_back({std::move(state), bytes});
    std::size_t total = 0;
    for (auto held = states_.rbegin(); held != states_.rend(); ++held) {
      total += held->bytes;
    }
    while (states_.size() > kMost || (states_.size() > kLeast && total > kBytes)) {
      total -= states_.front().bytes;
      states_.pop_front();
    }
  }

  // The one at or nearest before a step; null when there is none.
  [[nodiscard]] Entry before(std::uint64_t step) {
    const std::lock_guard lock(mutex_);
    auto best = states_.end();
    for (auto held = states_.begin(); held != states_.end(); ++held) {
      const bool nearer = best == states_.end() || held->state->step > best->state->step;
      if (held->state->step <= step && nearer) {
        best = held;
      }
    }
    if (best == states_.end()) {
      return nullptr;
    }
    states_.splice(states_.end(), states_, best);  // used last, dropped last
    return states_.back().state;
  }

 private:
  struct Held {
    Entry state;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kMost = 4;
  static constexpr std::size_t kLeast = 2;
  static constexpr std::size_t kBytes = 16U << 20;

  std::mutex mutex_;
  std::list<Held> states_;
};

}  // namespace tilestep::record
