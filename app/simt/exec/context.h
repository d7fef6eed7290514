// The part of the machine that an executor sees while one warp runs.
#pragma once

#include "simt/state/bound.h"
#include "simt/state/event.h"
#include "simt/state/machine_state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tilestep::simt {

// The 32 addresses in an address register, by groups of 8 lanes. Only `row` is initialized, because
// a context is created for every run of a warp.
struct KnownAddresses {
  const std::uint64_t* row = nullptr;  // nullptr: nothing is known
  std::uint64_t lowest;                // the accessed bytes; empty (0, 0): another shape, or
                                       // groups that are not aligned to each other
  std::uint64_t end;
  std::array<std::uint64_t, 4> first;  // of each group's first lane
  bool same;                           // one address per group; otherwise consecutive elements
};

struct Context {
  Context(MachineState& state, Block& b, WarpId warp_id, Observer* watcher);

  std::array<std::byte*, kBaseCount> base{};
  std::uint32_t mask = 0;       // lanes that execute
  std::uint32_t active = 0;     // lanes of the running path
  std::uint32_t together = 0;   // lanes that take part in a warp-wide exchange, on any path
  std::uint32_t existing = 0;   // lanes that have a thread
  std::uint32_t variant = 0;    // kPartial: active differs from existing
  const Bound* stop = nullptr;  // where the path ends; also set to leave the loop
  const Bound* code = nullptr;  // of the running function
  bool halted = false;          // the warp cannot or must not continue now
  bool pauses_at_barrier = false;
  std::uint32_t clock_lanes = 0;  // lanes for which the instruction just executed reads the clock
  Observer* observer = nullptr;

  const GlobalWindow* windows = nullptr;
  std::uint32_t window_count = 0;
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  std::byte* local = nullptr;     // interleaved
  std::uint64_t local_bytes = 0;  // per lane, up to the running frame's end
  std::uint64_t frame_local = 0;  // offset of the running frame's local memory

  std::array<std::uint64_t, kLanes> scratch;          // Base::Scratch
  std::array<KnownAddresses, kKnownAddresses> known;  // Bound::known
  // A warp-wide exchange between paths at different instructions: the first source operand of all
  // lanes (for predicates, one mask). nullptr: the operand is in the running frame.
  const std::uint64_t* exchanged = nullptr;

  const ProgramData& program;
  MachineState& machine;
  Block& block;
  Warp& warp;
  WarpId id;
  MemoryEvent& event;  // reused: clearing 32 addresses would cost as much as reporting them
  StepInfo info;       // step_info(); enter() sets the fields that a path's steps share

  // Makes the warp's last path the running one; the path holds the pc.
  const Bound* enter();

  [[nodiscard]] const Frame& frame() const { return warp.frames[warp.paths.back().frame]; }
};

template <class T>
[[nodiscard]] inline T* row(const Context& c, Slot slot) {
  return reinterpret_cast<T*>(c.base[static_cast<std::size_t>(slot.base)] + slot.offset);
}

// A predicate's mask over all lanes.
[[nodiscard]] inline std::uint32_t& predicate(const Context& c, Slot slot) {
  return *row<std::uint32_t>(c, slot);
}

// Valid until the next step is reported.
[[nodiscard]] inline const StepInfo& step_info(Context& c, const Bound* i) {
  c.info.pc = i->pc;
  c.info.instruction = i->source;
  c.info.mask = c.mask;
  return c.info;
}
// Notes a store of the running lanes if other lanes of the warp are on other paths.
inline void note_store(Context& c, std::uint32_t lanes) {
  c.warp.stored_apart |= c.active != c.warp.live ? lanes : 0;
}
void report_fault(Context& c, const Bound* i, const FaultEvent& fault);

// Stops the warp at this instruction after a fault that it cannot continue from.
const Bound* stop_warp(Context& c, const Bound* i, FaultKind kind, std::string detail);
const Bound* stop_warp(Context& c, const Bound* i, const FaultEvent& fault);
const Bound* not_simulated(Context& c, const Bound* i);

// Leaves the run loop: the warp waits, has exited or was stopped. Its paths hold the pc.
const Bound* halt(Context& c);

}  // namespace tilestep::simt
