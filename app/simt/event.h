// What a step did. The machine emits, observers read; the machine knows no observer.
#pragma once

#include "ptx/module.h"
#include "simt/memory.h"

#include <array>
#include <cstdint>
#include <string>

namespace tilestep::simt {

inline constexpr int kWarpSize = 32;

struct WarpId {
  std::uint32_t block = 0;  // linear block index, x fastest
  std::uint32_t warp = 0;   // in the block

  friend bool operator==(const WarpId&, const WarpId&) = default;
};

// One instruction of one warp, about to execute (before_step) or executing (the other events).
struct StepInfo {
  WarpId id;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  const ptx::Instruction* instruction = nullptr;
  std::uint32_t active = 0;  // lanes on this path
  std::uint32_t mask = 0;    // active lanes whose guard holds: the ones that execute
};

enum class AccessKind : std::uint8_t { Load, Store, Atomic };

// What is known about the addresses without looking at them. All 32 lanes take part, and in each
// group of 8 lanes they are consecutive elements or one and the same; Any promises nothing.
enum class AccessShape : std::uint8_t { Any, Consecutive, Same };

// One warp-wide memory access, told before it is performed. An instruction whose mask is empty
// emits none (as on the hardware: no request). Addresses are generic, valid in the lanes of `mask`:
// there every byte lies inside an allocation and is aligned. Lanes at fault are left out; their
// FaultEvent comes first. Lanes whose generic addresses point to different spaces make one event
// for each space. ld.param and st.param by name (a call's arguments, the kernel's parameters) are
// moves between registers here and emit none.
struct MemoryEvent {
  AccessKind kind = AccessKind::Load;
  ptx::Space space =
      ptx::Space::Global;   // resolved: never Generic; Global, Shared, Local, Const, Param
  std::uint32_t bytes = 4;  // per lane, vectors included
  std::uint32_t mask = 0;
  bool is_volatile = false;
  AccessShape shape = AccessShape::Any;
  std::array<std::uint64_t, kWarpSize> addresses{};
};

// WarpSync: bar.warp.sync (__syncwarp) orders the memory accesses of the lanes in `mask`.
enum class BarrierAction : std::uint8_t { Arrive, Release, WarpSync };

struct BarrierEvent {
  BarrierAction action = BarrierAction::Arrive;
  std::uint32_t id = 0;
  std::uint32_t mask = 0;  // Arrive, WarpSync: lanes that arrived; Release: 0
};

enum class FaultKind : std::uint8_t {
  OutOfRange,        // access outside every allocation: loads give 0, stores are dropped
  Misaligned,        // address not a multiple of the access size: performed as if aligned down
                     // (its MemoryEvent shows the aligned address)
  DivergentBarrier,  // barrier reached by some of the warp's live lanes only
  BarrierDeadlock,   // every remaining warp waits at a barrier that cannot complete
  NotSimulated,      // unknown or unsupported instruction: the warp stops there
  Trap,              // trap, failed assert
  StackOverflow,     // recursion deeper than kMaxCallDepth
};

struct FaultEvent {
  FaultKind kind = FaultKind::OutOfRange;
  std::uint32_t mask = 0;  // lanes at fault
  AccessKind access = AccessKind::Load;
  std::uint32_t bytes = 0;
  std::uint64_t address = 0;                         // of the first lane at fault
  std::array<std::uint64_t, kWarpSize> addresses{};  // memory faults: in the lanes of `mask`
  std::string detail;                                // instruction text, assert message
};

// Step and block numbers are the caller's concern: every hook gets the StepInfo it belongs to.
class Observer {
 public:
  virtual ~Observer() = default;
  // Only called where wants_steps() is true (asked once when a run starts).
  [[nodiscard]] virtual bool wants_steps() const { return false; }
  virtual void before_step(const StepInfo&) {}
  virtual void after_step(const StepInfo&) {}
  virtual void on_memory(const StepInfo&, const MemoryEvent&) {}
  virtual void on_barrier(const StepInfo&, const BarrierEvent&) {}
  virtual void on_fault(const StepInfo&, const FaultEvent&) {}
  // printf: what one lane printed.
  virtual void on_print(const StepInfo&, std::uint32_t /*lane*/, const std::string& /*text*/) {}
  virtual void on_block_start(std::uint32_t /*block*/) {}
  // Told while the block's registers and shared memory can still be read, for the last time.
  virtual void on_block_end(std::uint32_t /*block*/) {}
};

}  // namespace tilestep::simt
