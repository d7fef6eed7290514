// Which lane a shuffle reads from.
#pragma once

#include "ptx/model/instruction.h"

#include <cstdint>

namespace tilestep::simt {

struct ShuffleSource {
  std::uint32_t lane = 0;  // its own where the other one is out of range
  bool in_range = false;
};

// PTX ISA 9.0, pseudocode of shfl.sync.
[[nodiscard]] inline ShuffleSource shuffle_source(ptx::Mode mode, std::uint32_t lane,
                                                  std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 31U;
  const std::uint32_t clamp = c & 31U;
  const std::uint32_t segment = c >> 8 & 31U;
  const std::uint32_t last = (lane & segment) | (clamp & ~segment);
  const std::uint32_t first = lane & segment;
  ShuffleSource source;
  switch (mode) {
    case ptx::Mode::Up:
      source = {lane - distance,
                static_cast<std::int32_t>(lane - distance) >= static_cast<std::int32_t>(last)};
      break;
    case ptx::Mode::Down:
      source = {lane + distance, lane + distance <= last};
      break;
    case ptx::Mode::Bfly:
      source = {lane ^ distance, (lane ^ distance) <= last};
      break;
    default: {
      const std::uint32_t j = first | (distance & ~segment);
      source = {j, j <= last};
    }
  }
  return source.in_range ? source : ShuffleSource{lane, false};
}

}  // namespace tilestep::simt
