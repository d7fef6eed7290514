#include "insight/check/proxy_order.h"

#include "simt/state/lane_mask.h"

#include <algorithm>

namespace tilestep::insight {

using simt::AccessAgent;
using simt::AccessKind;
using simt::kLanes;

bool sets_units_to_work(const ptx::Module& module) {
  return std::ranges::any_of(module.functions, [](const ptx::Function& function) {
    return std::ranges::any_of(function.instructions, [](const ptx::Instruction& i) {
      return i.op == ptx::Opcode::BulkCopy || i.op == ptx::Opcode::BulkTensorCopy ||
             i.op == ptx::Opcode::WgmmaMma;
    });
  });
}

void ProxyOrder::before_step(const simt::StepInfo& info, std::uint64_t step) {
  if (info.instruction->op == ptx::Opcode::FenceProxy) {
    simt::for_each_lane(info.mask,
                        [&](std::uint32_t lane) { fences_[info.id.warp * kLanes + lane] = step; });
  }
}

std::uint64_t ProxyOrder::last_fence(std::uint32_t warp, std::uint32_t lanes) const {
  std::uint64_t last = 0;
  simt::for_each_lane(lanes, [&](std::uint32_t lane) {
    const auto found = fences_.find(warp * kLanes + lane);
    last = found == fences_.end() ? last : std::max(last, found->second);
  });
  return last;
}

const WordAccess* ProxyOrder::access(const WordAccess& access, std::uint64_t word) {
  if (access.kind != AccessKind::Load) {
    if (access.agent == AccessAgent::Thread) {
      stores_[word] = access;
    } else {
      stores_.erase(word);
    }
    return nullptr;
  }
  const auto store = stores_.find(word);
  if (access.agent == AccessAgent::Thread || store == stores_.end()) {
    return nullptr;
  }
  // A warp's lanes start a read together: any of them may have executed the fence.
  const std::uint64_t fence =
      std::max(last_fence(store->second.warp, store->second.lanes), last_fence(access.warp, ~0U));
  return fence > store->second.step ? nullptr : &store->second;
}

}  // namespace tilestep::insight
