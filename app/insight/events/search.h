// Looking for something in a recording, window by window: what is near is found without executing
// the whole run again, and a search that nobody waits for any more ends soon.
#pragma once

#include "insight/events/event.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace tilestep::insight {

inline constexpr std::uint64_t kFirstWindow = 4096;     // steps; each is twice the one before …
inline constexpr std::uint64_t kLastWindow = 1U << 20;  // … up to this: some 80 ms

// Windows from `from` on in a direction, of whole statements, until `found(first, last)` is true
// for one. False: it never was, or `cancel` was set.
template <class Found>
bool search_windows(const record::Recording& recording, std::uint64_t from, int direction,
                    const std::atomic<bool>* cancel, Found&& found) {
  const std::uint64_t end = recording.step_count();
  const auto starts = recording.statement_starts();
  const auto start_of = [&](std::uint64_t step) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), step);
    return after == starts.begin() ? 0 : *(after - 1);
  };
  std::uint64_t width = kFirstWindow;
  std::uint64_t edge = std::min(from, end);
  while (direction > 0 ? edge < end : edge > 0) {
    if (cancel != nullptr && *cancel) {
      return false;
    }
    const std::uint64_t first = start_of(direction > 0 ? edge : edge - std::min(edge, width));
    const std::uint64_t last =
        end_of_statement(recording, (direction > 0 ? std::min(end, edge + width) : edge) - 1);
    if (found(first, last)) {
      return true;
    }
    edge = direction > 0 ? last : first;
    width = std::min(2 * width, kLastWindow);
  }
  return false;
}

// The hits of the stop that is nearest to `from`: all of them end their statement there. Hits are
// in order of their steps.
template <class Hit, class StopOf>
[[nodiscard]] std::vector<Hit> nearest_hits(const std::vector<Hit>& hits, std::uint64_t from,
                                            int direction, StopOf&& stop_of) {
  std::vector<Hit> nearest;
  std::uint64_t best = 0;
  for (const Hit& hit : hits) {
    const std::uint64_t stop = stop_of(hit);
    if (direction > 0 ? stop <= from : stop >= from) {
      continue;
    }
    const bool nearer = nearest.empty() || (direction > 0 ? stop < best : stop > best);
    if (nearer) {
      nearest.clear();
      best = stop;
    }
    if (stop == best) {
      nearest.push_back(hit);
    }
  }
  return nearest;
}

}  // namespace tilestep::insight
