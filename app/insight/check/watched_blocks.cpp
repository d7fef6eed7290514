#include "insight/check/watched_blocks.h"

#include <algorithm>
#include <set>

namespace tilestep::insight {
namespace {

// An atomic, a strong access or a fence, in memory that other blocks see.
bool may_order_blocks(const ptx::Instruction& i) {
  switch (i.op) {
    case ptx::Opcode::Atom:
    case ptx::Opcode::Red:
      return i.space != ptx::Space::Shared;
    case ptx::Opcode::Ld:
    case ptx::Opcode::St:
      return is_strong(i) && (i.space == ptx::Space::Global || i.space == ptx::Space::Generic);
    case ptx::Opcode::Membar:
    case ptx::Opcode::Fence:
      return i.scope != ptx::MemoryScope::Cta;
    default:
      return false;
  }
}

bool may_wait_for_each_other(const simt::Program& program) {
  return !program.only_memory_connects_blocks() ||
         std::ranges::any_of(program.module().functions, [](const ptx::Function& function) {
           return std::ranges::any_of(function.instructions, may_order_blocks);
         });
}

}  // namespace

std::vector<std::uint32_t> watched_blocks(const simt::Program& program,
                                          const SuspectBlocks& suspects, std::uint64_t steps,
                                          bool evenly) {
  if (steps <= kAlwaysWatched || suspects.any() || may_wait_for_each_other(program)) {
    return {};
  }
  std::set<std::uint32_t> blocks = suspects.blocks();
  const std::uint64_t all = program.block_count();
  const std::uint64_t most = std::clamp<std::uint64_t>(kWatched * all / steps, 2, all);
  if ((evenly || blocks.empty()) && blocks.size() < most) {
    const std::uint64_t more = std::max<std::uint64_t>(most - blocks.size(), 2);
    for (std::uint64_t i = 0; i < more; ++i) {
      blocks.insert(static_cast<std::uint32_t>((all - 1) * i / (more - 1)));
    }
  }
  return {blocks.begin(), blocks.end()};
}

}  // namespace tilestep::insight
