// Events: what a step did. The machine emits, observers read; the machine knows no observer.
#pragma once

#include "ptx/model/module.h"
#include "simt/state/memory.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

namespace tilestep::simt {

// Masks of a warp's lanes, bit by bit.

// Calls f(lane) for every lane of `mask`, from the lowest up.
template <class F>
void for_each_lane(std::uint32_t mask, F&& f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    f(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}

inline constexpr int kWarpSize = 32;
inline constexpr std::uint32_t kLanes = kWarpSize;

struct WarpId {
  std::uint32_t block = 0;  // linear block index, x fastest
  std::uint32_t warp = 0;   // in the block

  friend bool operator==(const WarpId&, const WarpId&) = default;
};

// One instruction of one warp, about to execute (before_step) or executing (the other events).
struct StepInfo {
  WarpId id;
  std::uint32_t function = 0;
  std::uint32_t frame = 0;  // its call (Machine::call)
  std::uint32_t pc = 0;
  const ptx::Instruction* instruction = nullptr;
  std::uint32_t active = 0;  // lanes on this path
  std::uint32_t mask = 0;    // active lanes whose guard is true: the ones that execute
};

enum class AccessKind : std::uint8_t { Load, Store, Atomic };

// What accesses memory: the thread itself, or a unit that a thread has started and that continues
// by itself: the TMA unit (cp.async.bulk), the tensor core (wgmma). The units make no request of
// the load/store unit.
enum class AccessAgent : std::uint8_t { Thread, TmaUnit, TensorCore };

// What is known about the addresses in advance. Consecutive, Same: all 32 lanes take part, and each
// group of 8 lanes accesses consecutive elements or a single one. Any promises nothing.
enum class AccessShape : std::uint8_t { Any, Consecutive, Same };

// The 32 addresses of an access. During a report they are read in place, in the machine's
// registers: writing them out for every access would cost as much as executing it. A copy holds its
// own addresses.
class LaneAddresses {
 public:
  LaneAddresses() = default;
  LaneAddresses(const LaneAddresses& other) { *this = other; }
  LaneAddresses& operator=(const LaneAddresses& other) {  // NOLINT: may be itself
    for (std::size_t lane = 0; lane < own_.size(); ++lane) {
      own_[lane] = other[lane];
    }
    from_ = own_.data();
    bias_ = 0;
    return *this;
  }
  ~LaneAddresses() = default;

  [[nodiscard]] std::uint64_t operator[](std::size_t lane) const { return from_[lane] + bias_; }
  void set(std::size_t lane, std::uint64_t address) {
    if (from_ != own_.data()) {
      *this = LaneAddresses(*this);
    }
    own_[lane] = address;
  }
  // Uses 32 addresses, with `bias` added to each; they must stay in place.
  void look_at(const std::uint64_t* from, std::uint64_t bias) {
    from_ = from;
    bias_ = bias;
  }
  void fill(std::uint64_t address) {
    own_.fill(address);
    look_at(own_.data(), 0);
  }

  friend bool operator==(const LaneAddresses& a, const LaneAddresses& b) {
    for (std::size_t lane = 0; lane < a.own_.size(); ++lane) {
      if (a[lane] != b[lane]) {
        return false;
      }
    }
    return true;
  }

 private:
  std::array<std::uint64_t, kWarpSize> own_{};
  const std::uint64_t* from_ = own_.data();
  std::uint64_t bias_ = 0;
};

// One warp-wide memory access, reported before it is performed. An instruction whose mask is empty
// emits none (as on the hardware: no request). Addresses are generic, and valid in the lanes of
// `mask`: there every byte is inside an allocation and aligned. Lanes with a fault are excluded;
// their FaultEvent is first. Lanes whose generic addresses point to different spaces produce one
// event for each space. ld.param and st.param by name (a call's arguments, the kernel's parameters)
// are moves between registers here and emit none.
struct MemoryEvent {
  AccessKind kind = AccessKind::Load;
  ptx::Space space =
      ptx::Space::Global;   // resolved: never Generic; Global, Shared, Local, Const, Param
  std::uint32_t bytes = 4;  // per lane, vectors included
  std::uint32_t mask = 0;
  AccessAgent agent = AccessAgent::Thread;
  // A store by cp.async or a bulk copy is reported twice: when it is issued, and when it is
  // performed and the bytes change. Each may race; counters count the first. A tensor core's load
  // is reported twice too: when wgmma is issued, and (is_arrival) when its warp has waited for it.
  bool is_issue = false;
  bool is_arrival = false;
  // cp.async of 16 bytes, its load and its store: the load bypasses the L1 cache.
  bool skips_l1 = false;
  AccessShape shape = AccessShape::Any;
  LaneAddresses addresses;
};

// Consecutive loads in straight code through one of two registers, reported together to observers
// that do not see every step. All 32 lanes take part in each; no load of the run depends on
// another.
struct RunLoad {
  std::uint32_t pc = 0;
  std::uint32_t through = 0;  // index into LoadRun::registers
  std::uint64_t offset = 0;   // added to the register's addresses
  const ptx::Instruction* instruction = nullptr;
};

struct LoadRun {
  struct Register {
    const std::uint64_t* addresses = nullptr;  // 32, generic once `bias` is added
    std::uint64_t bias = 0;
    AccessShape shape = AccessShape::Any;
    std::uint32_t first = 0;  // of the loads through this register
    // By load through this register: its distance in elements from the first one.
    std::span<const std::uint32_t> further;
  };
  ptx::Space space = ptx::Space::Shared;
  std::uint32_t bytes = 4;  // per lane
  std::array<Register, 2> registers;
  std::span<const RunLoad> loads;  // in the order of the code
};

// One load of a run as the event that on_memory gets.
void describe(const LoadRun& run, const RunLoad& load, MemoryEvent& event);

// WarpSync: bar.warp.sync (__syncwarp) orders the memory accesses of the lanes in `mask`. Acquire:
// the lanes in `mask` have seen that a phase of an mbarrier is over.
enum class BarrierAction : std::uint8_t { Arrive, Release, WarpSync, Acquire };

// An mbarrier's number is this plus its offset in shared memory in words of 64 bits. It reports
// Arrive for each lane, and Release at the end of a phase.
inline constexpr std::uint32_t kFirstMbarrier = 16;

inline constexpr std::uint32_t kNoThread = 0xffffffffU;

struct BarrierEvent {
  BarrierAction action = BarrierAction::Arrive;
  std::uint32_t id = 0;
  std::uint32_t mask = 0;    // affected lanes; Release: 0
  bool whole_block = false;  // Arrive, Release: all of the block's threads meet there
  // A thread that does not, because it has exited: of the warp (Arrive), of another one (Release).
  std::uint32_t absent = kNoThread;
};

// Calls below the kernel; deeper recursion is a StackOverflow.
inline constexpr std::uint32_t kMaxCallDepth = 64;

enum class FaultKind : std::uint8_t {
  OutOfRange,        // access outside every allocation: loads give 0, stores are dropped
  Misaligned,        // address not a multiple of the access size: performed as if aligned down
                     // (its MemoryEvent shows the aligned address)
  DivergentBarrier,  // barrier that other lanes of the warp go past; with a `detail`: a warp-wide
                     // exchange names lanes that do not arrive
  NotInMask,         // a warp-wide exchange by lanes that their own mask does not name
  BarrierDeadlock,   // every remaining warp waits at a barrier that cannot complete; with a
                     // `detail`: or polls a value that no thread will change
  DivisionByZero,    // of integers, in unoptimized code: gives all ones, also for rem; `mask`:
                     // the lanes
  NotSimulated,      // unknown or unsupported instruction: the warp stops there
  UndefinedCall,     // call of a function without a body, which `detail` names
  GridBarrier,       // a grid-wide barrier, which needs a cooperative launch
  WildCall,          // call through a pointer (`address`) that is not a function with these
                     // parameters
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
  // BarrierDeadlock at a barrier with its own count (bar.sync a, b): threads. expected 0: at a
  // barrier of the whole block.
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;
};

// Lanes that read from a lane that does not take part in the shuffle: it has exited, is on another
// path, or their mask does not name it. Here they get the value of that lane's register.
struct UndefinedShuffle {
  std::uint32_t mask = 0;
  std::array<std::uint8_t, kWarpSize> from{};  // source lane of each lane
};

// The caller keeps track of steps and blocks: every hook gets the StepInfo it belongs to.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called only if wants_steps() is true (queried once when a run starts).
  [[nodiscard]] virtual bool wants_steps() const { return false; }
  virtual void before_step(const StepInfo&) {}
  virtual void after_step(const StepInfo&) {}
  virtual void on_memory(const StepInfo&, const MemoryEvent&) {}
  // Equals on_memory for each of the loads; `event` is reused storage for them.
  virtual void on_load_run(const StepInfo& first, const LoadRun& run, MemoryEvent& event);
  virtual void on_barrier(const StepInfo&, const BarrierEvent&) {}
  virtual void on_fault(const StepInfo&, const FaultEvent&) {}
  virtual void on_undefined_shuffle(const StepInfo&, const UndefinedShuffle&) {}
  // Optimized code divides an integer by 0 in these lanes. That alone is no fault: a compiler may
  // move a division above the test that guards it if its result is then unused.
  virtual void on_undefined_quotient(const StepInfo&, std::uint32_t /*mask*/) {}
  // printf: the output of one lane.
  virtual void on_print(const StepInfo&, std::uint32_t /*lane*/, const std::string& /*text*/) {}
  // The lanes of `mask` call a function and get uninitialized local memory for it. (The kernel's
  // own begins with its block.)
  virtual void on_local_frame(const StepInfo&, std::uint64_t /*generic_address*/,
                              std::uint32_t /*bytes*/) {}
  // A lane gets uninitialized memory from malloc().
  virtual void on_allocation(const StepInfo&, std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  virtual void on_block_start(std::uint32_t /*block*/) {}
  // Called when the block's registers and shared memory can be read for the last time.
  virtual void on_block_end(std::uint32_t /*block*/) {}
};

}  // namespace tilestep::simt
