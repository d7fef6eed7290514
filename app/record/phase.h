// A phase: a block's stretch between barriers, named by what it did.
#pragma once

#include <cstdint>
#include <string>

namespace tilestep::record {

enum class PhaseKind : std::uint8_t {
  Setup,
  Load,
  Multiply,
  LoadAndMultiply,
  Compute,
  WriteBack,
  Other
};

// A launch of many small blocks has half a million.
struct Phase {
  std::uint32_t block = 0;
  int tile = -1;  // Load, Multiply: number of the tile; -1: none
  PhaseKind kind = PhaseKind::Other;
  bool ends_at_barrier = false;
  const std::string* name = nullptr;  // "load tile 0", "write back"; the recording's
  // Its first and one past its last step: other blocks move in between, and between two phases.
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;
};

}  // namespace tilestep::record
