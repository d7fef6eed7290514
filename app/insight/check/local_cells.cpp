#include "insight/check/local_cells.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {

LocalCells::LocalCells(const simt::Program& program)
    : words_(std::size_t{program.block_count()} * program.warps_per_block()),
      copies_(program, CopyTo::BackOrFrame),
      warps_per_block_(program.warps_per_block()) {}

void LocalCells::start_block(std::uint32_t block) {
  for (std::uint32_t warp = 0; warp < warps_per_block_; ++warp) {
    words({block, warp}) = {};
  }
}

void LocalCells::start_frame(const simt::StepInfo& info, std::uint64_t address,
                             std::uint32_t bytes) {
  std::vector<std::uint32_t>& stored = words(info.id);
  const std::uint64_t first = (address - simt::kLocalWindow) / 4;
  const std::uint64_t end =
      std::min<std::uint64_t>((address - simt::kLocalWindow + bytes + 3) / 4, stored.size());
  for (std::uint64_t word = first; word < end; ++word) {
    stored[word] &= ~info.mask;
  }
}

std::uint32_t LocalCells::access(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  std::vector<std::uint32_t>& stored = words(info.id);
  std::uint32_t empty = 0;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset =
        event.addresses[static_cast<std::size_t>(lane)] - simt::kLocalWindow;
    const std::uint64_t end = (offset + event.bytes + 3) / 4;
    if (end > stored.size()) {
      stored.resize(end);
    }
    std::uint32_t any = 0;
    for (std::uint64_t word = offset / 4; word < end; ++word) {
      any |= stored[word];
      if (event.kind != simt::AccessKind::Load) {
        stored[word] |= 1U << lane;
      }
    }
    empty |= ~any & 1U << lane;
  }
  const bool is_reported =
      event.kind != simt::AccessKind::Store && empty != 0 && !copies_.has(info);
  return is_reported ? empty : 0;
}

}  // namespace tilestep::insight
