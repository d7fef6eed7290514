#include "insight/check/access_log.h"

#include <algorithm>
#include <bit>

namespace tilestep::insight {
namespace {

// Readers of this many blocks are remembered for a word of global memory. Two would do: whoever
// writes it is then in conflict with one of another block.
constexpr std::size_t kReadingBlocks = 3;

bool same_instruction(const WordAccess& a, const WordAccess& b) {
  return a.block == b.block && a.warp == b.warp && a.stamp == b.stamp && a.line == b.line &&
         a.kind == b.kind && a.bytes == b.bytes;
}

}  // namespace

CopyPart copy_part(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.is_issue) {
    return CopyPart::Issue;
  }
  if (!event.is_arrival || event.kind == simt::AccessKind::Load) {
    return CopyPart::None;
  }
  if (event.agent == simt::AccessAgent::CopyEngine) {
    return CopyPart::Arrival;
  }
  const ptx::Opcode op = info.instruction->op;
  const bool waits = op == ptx::Opcode::CpAsyncWait || op == ptx::Opcode::CpAsyncMbarrier;
  return waits ? CopyPart::Arrival : CopyPart::Exit;
}

bool store_the_same(const WordAccess& a, const WordAccess& b) {
  if (!a.value || !b.value) {
    return false;
  }
  std::uint32_t covered = 0;
  for (int byte = 0; byte < 4; ++byte) {
    covered |= (a.bytes & b.bytes & 1U << byte) != 0 ? 0xffU << byte * 8 : 0U;
  }
  return ((*a.value ^ *b.value) & covered) == 0;
}

const WordAccess* WordLog::find_race(const WordAccess& access, const BlockOrder& order,
                                     const LaunchOrder& launch, std::uint32_t& racing_lanes) const {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.lanes));
  for (const WordAccess& earlier : accesses_) {
    if (!in_conflict(earlier, access) || (earlier.bytes & access.bytes) == 0) {
      continue;
    }
    racing_lanes =
        earlier.block != access.block
            ? earlier.lanes
            : order.unordered(earlier.stamp, earlier.warp, earlier.lanes, access.warp, lane);
    racing_lanes = racing_lanes == 0 ? 0 : racing_lanes & launch.unordered(earlier, access, order);
    if (racing_lanes != 0) {
      return &earlier;
    }
  }
  return nullptr;
}

const WordAccess* WordLog::copy_under_way(const WordAccess& access) const {
  const auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const WordAccess& c) {
    return (c.bytes & access.bytes) != 0;
  });
  return copy == copies_.end() ? nullptr : &*copy;
}

void WordLog::arrive(WordAccess arrival) {
  const auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const WordAccess& c) {
    return c.warp == arrival.warp && c.lanes == arrival.lanes && c.bytes == arrival.bytes;
  });
  if (copy != copies_.end()) {
    arrival.line = copy->line;
    arrival.step = copy->step;
    arrival.issued = copy->stamp;
    copies_.erase(copy);
  }
  add_store(arrival);
}

void WordLog::add_store(const WordAccess& store) {
  // Whatever the stored bytes held is ordered before this store, or was reported against it.
  std::erase_if(accesses_, [&](const WordAccess& a) { return (a.bytes & ~store.bytes) == 0; });
  accesses_.push_back(store);
}

void WordLog::add(const WordAccess& access) {
  if (access.copy == CopyPart::Arrival) {
    arrive(access);
    return;
  }
  if (access.copy == CopyPart::Issue) {
    copies_.push_back(access);
  }
  if (access.kind != simt::AccessKind::Load) {
    written_ |= access.bytes;
  }
  if (access.kind == simt::AccessKind::Store) {
    add_store(access);
    return;
  }
  for (WordAccess& known : accesses_) {
    if (same_instruction(known, access)) {
      known.lanes |= access.lanes;
      return;
    }
  }
  add_read(access);
}

void WordLog::add_read(const WordAccess& access) {
  // Older reads of the same block say nothing that this one does not.
  std::erase_if(accesses_, [&](const WordAccess& a) {
    return a.kind == access.kind && a.block == access.block &&
           a.stamp.interval < access.stamp.interval && a.bytes == access.bytes;
  });
  std::vector<std::uint32_t> blocks{access.block};
  for (auto it = accesses_.rbegin(); it != accesses_.rend(); ++it) {
    if (it->kind == access.kind &&
        std::find(blocks.begin(), blocks.end(), it->block) == blocks.end()) {
      blocks.push_back(it->block);
    }
  }
  if (blocks.size() > kReadingBlocks) {
    blocks.resize(kReadingBlocks);
    std::erase_if(accesses_, [&](const WordAccess& a) {
      return a.kind == access.kind &&
             std::find(blocks.begin(), blocks.end(), a.block) == blocks.end();
    });
  }
  accesses_.push_back(access);
}

void WordLog::enter_interval(std::uint32_t interval) {
  if (interval != interval_) {
    interval_ = interval;
    accesses_.clear();
  }
}

}  // namespace tilestep::insight
