// The counts of a launch under the names of recorded data (scripts/record_counters.py).
#pragma once

#include "insight/count/cost.h"
#include "insight/count/profile.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace tilestep::test {

// cp.async stores to shared memory too, but the hardware counts it under a metric of its own.
inline insight::Traffic shared_copies(const simt::Program& program,
                                      const insight::Profile& profile) {
  insight::Traffic copies;
  for (const insight::AccessCost& access : insight::cost_by_access(program, profile)) {
    if (access.target == insight::kSharedTarget && access.kind == simt::AccessKind::Store &&
        program.module().functions[access.function].instructions[access.pc].op ==
            ptx::Opcode::CpAsync) {
      copies.add(access.traffic);
    }
  }
  return copies;
}

inline std::map<std::string, std::uint64_t> counts_as_recorded(
    const std::shared_ptr<const simt::Program>& program) {
  const insight::Profile profile = insight::profile(program);
  const insight::Cost cost = insight::total_cost(*program, profile);
  const insight::Traffic copies = shared_copies(*program, profile);
  return {{"warp_instructions", cost.instructions},
          {"global_load_requests", cost.global_loads.requests},
          {"global_load_sectors", cost.global_loads.sectors},
          {"global_store_requests", cost.global_stores.requests},
          {"global_store_sectors", cost.global_stores.sectors},
          {"shared_load_instructions", cost.shared_loads.requests},
          {"shared_load_wavefronts", cost.shared_loads.wavefronts},
          {"shared_store_instructions", cost.shared_stores.requests - copies.requests},
          {"shared_store_wavefronts", cost.shared_stores.wavefronts - copies.wavefronts}};
}

}  // namespace tilestep::test
