// What a recording keeps beside its keyframes so that one block can be executed again by itself:
// the order of its steps, and whether it depends on what other blocks store.
#pragma once

#include "record/recording.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tilestep::record {

// Longer recordings do not keep the order of their steps (16 bits each).
constexpr std::uint64_t kMaxTraced = 1 << 24;

// Which warp made each step.
class Trace {
 public:
  explicit Trace(std::size_t warps) : kept_(warps <= 0x10000) {}

  void add(std::size_t warp) {
    if (!kept_) {
      return;
    }
    if (warps_.size() == kMaxTraced) {
      drop();
      return;
    }
    warps_.push_back(static_cast<std::uint16_t>(warp));
  }
  void drop() {
    kept_ = false;
    warps_ = std::vector<std::uint16_t>();  // {} would keep the room
  }
  // Steps of warps [first, last).
  [[nodiscard]] std::vector<Recording::BlockStep> of(std::size_t first, std::size_t last) const {
    std::vector<Recording::BlockStep> steps;
    for (std::size_t step = 0; kept_ && step < warps_.size(); ++step) {
      if (warps_[step] >= first && warps_[step] < last) {
        steps.push_back({step, static_cast<std::uint32_t>(warps_[step] - first)});
      }
    }
    return steps;
  }

 private:
  bool kept_;
  std::vector<std::uint16_t> warps_;
};

// Windows of global memory that are read, and that are stored to.
class Traffic {
 public:
  void note(const simt::MemoryEvent& event) {
    if (event.space != ptx::Space::Global) {
      return;
    }
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t address =
          event.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::uint64_t window = (address - simt::kGlobalWindow) / simt::kWindowBytes;
      const std::uint64_t bit = std::uint64_t{1} << std::min<std::uint64_t>(window, 63);
      read_ |= event.kind != simt::AccessKind::Store ? bit : 0;
      stored_ |= event.kind != simt::AccessKind::Load ? bit : 0;
    }
  }
  [[nodiscard]] bool blocks_are_independent() const { return (read_ & stored_) == 0; }

 private:
  std::uint64_t read_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace tilestep::record
