// What a Program is made of (machine/program.h). Immutable once made; machines and executors read
// it.
#pragma once

#include "problem/launch/launch.h"
#include "ptx/model/module.h"
#include "simt/state/aligned_buffer.h"
#include "simt/state/bound.h"
#include "simt/state/memory_map.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::simt {

// A frame holds 32 lanes of everything. Registers stand at its start (Register::index · kWordRow).
// Parameter and call areas are interleaved: word w of all lanes, then word w + 1 (as local memory).
struct FrameLayout {
  std::uint32_t params = 0;  // offsets from the frame's start
  std::uint32_t call_area = 0;
  std::uint32_t predicates = 0;  // one mask each
  std::uint32_t bytes = 0;
  std::uint32_t local_bytes = 0;  // each lane's, 16-byte aligned
};

struct BoundFunction {
  FrameLayout frame;
  std::vector<Bound> code;  // one for each instruction, then one that returns
  std::vector<std::unique_ptr<const ProductChain>> chains;
  std::vector<std::uint32_t> lines;  // statement line of each pc; 0: none of its own
  // By pc: a branch backwards that control may come to from its target without leaving the line, as
  // in `for (…) x;` on one line. Other loops are seen to go round by the change of line.
  std::vector<bool> ends_round;
  // By pc: how many steps, from this one on, follow each other before the last of them may end a
  // statement or leave the row; and the same where all but the first change only registers.
  std::vector<std::uint16_t> straight;
  std::vector<std::uint16_t> straight_private;
  bool has_lines = false;
};

struct ProgramData {
  std::shared_ptr<const ptx::Module> module;
  std::uint32_t entry = 0;
  problem::Launch launch;
  int warp_size = kWarpSize;
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t blocks = 0;
  MemoryMap memory;
  std::vector<std::byte> params;
  std::vector<BoundFunction> functions;  // by module function
  std::vector<std::unique_ptr<const Detail>> details;
  AlignedBuffer constants;
  AlignedBuffer warp_rows;
  bool reads_clock = false;
  std::uint32_t stack_bytes = 0;  // frames of the longest call chain that does not recurse
  std::uint32_t local_bytes = 0;  // a lane's local memory along it

  // Lanes of a warp that have a thread.
  [[nodiscard]] std::uint32_t existing_lanes(std::uint32_t warp) const {
    const std::uint32_t size = static_cast<std::uint32_t>(warp_size);
    const std::uint32_t left = threads - warp * size;
    return left >= 32 && size == 32 ? ~0U : (1U << (left < size ? left : size)) - 1U;
  }
};

// Rows of Base::Warp and Base::Block.
inline constexpr std::uint32_t kTidRows = 0;  // x, y, z
inline constexpr std::uint32_t kWarpidRow = 3 * kWordRow;
inline constexpr std::uint32_t kWarpRows = 4 * kWordRow;
inline constexpr std::uint32_t kBlockRows = 4 * kWordRow;  // ctaid.x, y, z, linear

}  // namespace tilestep::simt
