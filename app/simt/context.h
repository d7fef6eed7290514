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

// The 32 addresses in an address register, by groups of 8 lanes. Only `row` is cleared: a context
// is made for every run of a warp.
struct KnownAddresses {
  const std::uint64_t* row = nullptr;  // nullptr: nothing is known
  std::uint64_t lowest;                // what the lanes touch; nothing (0, 0): another shape, or
  std::uint64_t end;                   // groups that are not aligned to each other
  std::array<std::uint64_t, 4> first;  // the groups' first lanes
  bool same;                           // one address in each group, or consecutive elements
};

struct Context {
  Context(MachineState& state, Block& b, WarpId warp_id, Observer* watcher);

  std::array<std::byte*, kBaseCount> base{};
  std::uint32_t mask = 0;       // lanes that execute
  std::uint32_t active = 0;     // lanes of the running path
  std::uint32_t together = 0;   // lanes that take part in a warp-wide exchange, on any path
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

  std::array<std::uint64_t, kLanes> scratch;          // Base::Scratch
  std::array<KnownAddresses, kKnownAddresses> known;  // Bound::known
  // A warp-wide exchange between paths that stand at different instructions: the first source
  // operand of all lanes (of predicates, one mask). nullptr: it stands in the running frame.
  const std::uint64_t* exchanged = nullptr;

  const Program::Impl& program;
  MachineState& machine;
  Block& block;
  Warp& warp;
  WarpId id;
  MemoryEvent& event;  // reused: clearing 32 addresses would cost as much as telling them
  StepInfo info;       // step_info(); enter() fills in what a path's steps have in common

  // Makes the warp's last path the running one; the pc stands in the path.
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

// Valid until the next step is told.
[[nodiscard]] inline const StepInfo& step_info(Context& c, const Bound* i) {
  c.info.pc = i->pc;
  c.info.instruction = i->source;
  c.info.mask = c.mask;
  return c.info;
}
void report_fault(Context& c, const Bound* i, const FaultEvent& fault);

// Stops the warp at this instruction after a fault that it cannot go on from.
const Bound* stop_warp(Context& c, const Bound* i, FaultKind kind, std::string detail);
const Bound* not_simulated(Context& c, const Bound* i);

// Leaves the run loop: the warp waits, has exited or was stopped. Its paths hold the pc.
const Bound* halt(Context& c);

// Lanes on the paths above one; lanes of it that are there have not arrived where it waits.
[[nodiscard]] std::uint32_t lanes_above(const std::vector<Path>& paths, std::size_t index);
// Whether a path is nobody's join.
[[nodiscard]] bool is_leaf(const std::vector<Path>& paths, std::size_t index);

// Where a part of the path's lanes goes.
struct Branch {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
};

// Splits the running path; the first branch runs first. Empty branches are allowed.
const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count);
// Drops paths that have lost all their lanes; a warp with live lanes keeps one.
void drop_empty_paths(Warp& warp);
// Drops paths on top that have arrived at their join or lost all lanes, and frames without a path.
void settle_paths(Warp& warp);
// Takes up the path that runs next, after paths have changed. Paths that wait are passed over, and
// where all do, what they wait for is brought about (path_choice.cpp).
const Bound* next_path(Context& c);
// The running path has gone past an instruction that found nothing new (a lock is still taken, a
// flag still unset): others of the warp move, or other warps.
const Bound* give_way(Context& c, const Bound* i);
// Makes the waiting path with this mask the running one; its instruction.
const Bound* raise_path(Context& c, std::uint32_t mask);
// Takes a path that can move to the top, if one can.
void raise_ready_path(Warp& warp);
// The same place, join and frame: paths go on as one.
void merge_paths(Warp& warp);

// Lanes leave the warp for good; completes barriers that waited for nobody else.
const Bound* exit_lanes(Context& c, const Bound* i, std::uint32_t lanes);

}  // namespace tilestep::simt
