// Whether the copy engine and the tensor cores see what threads have stored in shared memory.
//
// They access memory through another proxy (PTX ISA 9.0, 8.3 "Proxies"): a barrier orders a
// thread's store before their read, but it is fence.proxy.async, by the thread that has stored or
// by the one that starts the read, that makes the value visible to them.
#pragma once

#include "insight/check/access_log.h"
#include "simt/state/event.h"

#include <cstdint>
#include <unordered_map>

namespace tilestep::insight {

// Whether it has instructions by which they read shared memory. Without, all is seen.
[[nodiscard]] bool sets_units_to_work(const ptx::Module& module);

// Of one block.
class ProxyOrder {
 public:
  void before_step(const simt::StepInfo& info, std::uint64_t step);
  // An access to a word of shared memory. For a unit's read: the thread's store that it need not
  // see; null where there is none.
  const WordAccess* access(const WordAccess& access, std::uint64_t word);

 private:
  [[nodiscard]] std::uint64_t last_fence(std::uint32_t warp, std::uint32_t lanes) const;

  std::unordered_map<std::uint32_t, std::uint64_t> fences_;  // by thread, the step of its last one
  std::unordered_map<std::uint64_t, WordAccess> stores_;     // by word: a thread's, the last one
};

}  // namespace tilestep::insight
