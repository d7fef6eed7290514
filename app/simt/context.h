// What an executor sees of the machine while one warp runs.
#pragma once

#include "simt/bound.h"
#include "simt/event.h"
#include "simt/state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tilestep::simt {

struct Context {
  Context(MachineState& state, Block& b, WarpId warp_id, Observer* watcher);

  std::array<std::byte*, kBaseCount> base{};
  std::uint32_t mask = 0;       // lanes that execute
  std::uint32_t active = 0;     // lanes of the running path
  std::uint32_t existing = 0;   // lanes that have a thread
  std::uint32_t variant = 0;    // kPartial: active is not existing
  const Bound* stop = nullptr;  // where the path ends; also set to leave the loop
  const Bound* code = nullptr;  // of the running function
  bool halted = false;          // the warp cannot or must not run on now
  bool pauses_at_barrier = false;
  std::uint32_t clock_lanes = 0;  // lanes for which the instruction just executed reads the clock
  Observer* observer = nullptr;

  const GlobalWindow* windows = nullptr;
  std::uint32_t window_count = 0;
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  std::byte* local = nullptr;     // interleaved
  std::uint64_t local_bytes = 0;  // of a lane, down to the running frame's end
  std::uint64_t frame_local = 0;  // where the running frame's begins

  std::array<std::uint64_t, kLanes> scratch;  // Base::Scratch

  const Program::Impl& program;
  MachineState& machine;
  Block& block;
  Warp& warp;
  WarpId id;
  MemoryEvent& event;  // reused: clearing 32 addresses would cost as much as telling them

  // Makes the warp's last path the running one; the pc stands in the path.
  const Bound* enter();
};

template <class T>
[[nodiscard]] inline T* row(const Context& c, Slot slot) {
  return reinterpret_cast<T*>(c.base[static_cast<std::size_t>(slot.base)] + slot.offset);
}

// A predicate's mask over all lanes.
[[nodiscard]] inline std::uint32_t& predicate(const Context& c, Slot slot) {
  return *row<std::uint32_t>(c, slot);
}

[[nodiscard]] StepInfo step_info(const Context& c, const Bound* i);
void report_fault(Context& c, const Bound* i, const FaultEvent& fault);

// Stops the warp at this instruction after a fault that it cannot go on from.
const Bound* stop_warp(Context& c, const Bound* i, FaultKind kind, std::string detail);
const Bound* not_simulated(Context& c, const Bound* i);

// Leaves the run loop: the warp waits, has exited or was stopped. Its paths hold the pc.
const Bound* halt(Context& c);

// Where a part of the path's lanes goes.
struct Branch {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
};

// Splits the running path; the first branch runs first. Empty branches are allowed.
const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count);
// Drops paths that have arrived at their join or lost all lanes, and frames without a path.
void settle_paths(Warp& warp);
// Takes up the path that runs next, after paths have changed.
const Bound* next_path(Context& c);
// Lanes leave the warp for good; completes barriers that waited for nobody else.
const Bound* exit_lanes(Context& c, const Bound* i, std::uint32_t lanes);

}  // namespace tilestep::simt
