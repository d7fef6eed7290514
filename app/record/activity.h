// What one statement, or any stretch of steps, did.
#pragma once

#include "simt/state/event.h"

#include <cstdint>
#include <vector>

namespace tilestep::record {

// One memory access of the current statement, resolved to buffers and shared arrays.
struct Access {
  simt::WarpId warp;
  std::uint32_t pc = 0;
  std::uint32_t line = 0;
  std::uint64_t step = 0;
  simt::MemoryEvent event;
};

// What one statement (or phase, or any stretch of steps) did.
struct Activity {
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;
  std::vector<Access> accesses;  // in execution order
  struct Barrier {
    simt::WarpId warp;
    simt::BarrierEvent event;
    std::uint32_t line;
  };
  std::vector<Barrier> barriers;
  struct Fault {
    simt::WarpId warp;
    simt::FaultEvent event;
    std::uint32_t line;
    std::uint64_t step;
  };
  std::vector<Fault> faults;
  struct Print {
    simt::WarpId warp;
    std::uint32_t lane;
    std::uint32_t line;
    std::string text;
  };
  std::vector<Print> prints;
  // Lanes of a warp that did not take part in a statement that others of the warp executed.
  struct Executed {
    simt::WarpId warp;
    std::uint32_t line;
    std::uint32_t mask;
    std::uint32_t live;
  };
  std::vector<Executed> executed;
};

}  // namespace tilestep::record
