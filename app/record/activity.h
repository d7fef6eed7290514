// What one statement, or any other range of steps, did.
#pragma once

#include "ptx/model/module.h"
#include "simt/state/event.h"

#include <cstdint>
#include <set>
#include <string>
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

// What one statement (or phase, or any other range of steps) did.
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
  // Lanes of a warp that did not take part in a statement that other lanes of the warp executed.
  struct Executed {
    simt::WarpId warp;
    std::uint32_t line;
    std::uint32_t mask;
    std::uint32_t live;
  };
  std::vector<Executed> executed;
};

// A phase: a block's steps between two barriers, named by what they did.

enum class PhaseKind : std::uint8_t {
  Setup,
  Load,
  Multiply,
  LoadAndMultiply,
  Compute,
  WriteBack,
  Other
};

// A launch of many small blocks has half a million phases, so they are small.
struct Phase {
  std::uint32_t block = 0;
  int tile = -1;  // Load, Multiply: number of the tile; -1: none
  PhaseKind kind = PhaseKind::Other;
  bool ends_at_barrier = false;
  const std::string* name = nullptr;     // "load tile 0", "write back"; owned by the recording
  const std::string* results = nullptr;  // shared arrays that hold what it computes, or null
  // Its first step and one past its last. Other blocks move in between, and between two phases.
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;
};

// Accesses to mbarriers in shared memory, found by line: a recording keeps lines, not instructions.

// Lines of the source that set up mbarriers, arrive at them or wait for them: a word that such a
// line stored last is part of one.
[[nodiscard]] std::set<std::uint32_t> mbarrier_lines(const ptx::Module& module);

// Whether it is a thread's own access to an mbarrier. `lines`: mbarrier_lines().
[[nodiscard]] bool is_of_mbarrier(const Access& access, const std::set<std::uint32_t>& lines);

}  // namespace tilestep::record
