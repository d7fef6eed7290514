// The machine: executes a launch's PTX on the CPU, one instruction of one warp per step.
//
// Warp-wide structure-of-arrays registers, masks, reconvergence at the immediate post-dominator.
// Pure: no clock, no file, no thread; the same program and the same sequence of step() calls give
// the same bytes. Copyable: a copy is a snapshot of the whole launch (blocks that have not started
// or have ended hold no registers or shared memory).
//
// Arithmetic: IEEE 754 binary32/64 as PTX ISA 9.0 defines it: .rn by default, fma fused, mul+add
// never fused, denormals kept unless .ftz, canonical NaN 0x7fffffff, float→int saturating with NaN
// → 0, shift counts clamped. approx instructions (ex2, lg2, sin, cos, rsqrt, rcp.approx …) are
// computed correctly rounded: within the manual's error bound, but not equal to the hardware in the
// last bit.
#pragma once

#include "ptx/model/module.h"
#include "simt/machine/program.h"
#include "simt/state/event.h"
#include "simt/state/machine_state.h"
#include "simt/state/storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tilestep::simt {

// The position of a warp. Diverged warps show the path that runs next.
struct WarpView {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t active = 0;  // lanes that execute next
  std::uint32_t live = 0;    // lanes that have not exited
  std::uint32_t call_depth = 0;
  std::uint32_t frame = 0;  // current call (Machine::call)
};

// A call in progress. The kernel itself is call 0 and its own caller.
struct CallView {
  std::uint32_t function = 0;
  std::uint32_t caller = 0;
  std::uint32_t call_pc = ptx::kNoPc;  // of the call instruction, in the caller
};

// The call that runs next, as an argument for its registers and memory.
inline constexpr std::uint32_t kRunningFrame = 0xffffffffU;

class Machine {
 public:
  explicit Machine(const std::shared_ptr<const Program>& program);
  // Runs only these blocks; all others count as Ended.
  Machine(std::shared_ptr<const Program> program, BlockPart part);
  Machine(const Machine&);
  Machine& operator=(const Machine&);
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] BlockPart part() const;  // the blocks it runs

  // Executes one instruction of a Ready warp (asserts that it is Ready). Starts the warp's block if
  // it has not started. A barrier that completes releases its block's warps within the step.
  void step(WarpId id, Observer* observer);

  // Steps one warp until it is no longer Ready or max_steps are done; returns the number of steps.
  // Equals that many calls of step(), but is faster.
  std::uint64_t run(WarpId id, std::uint64_t max_steps, Observer* observer);

  // The same, but stops when the warp is at one of the instructions marked in `places` (by pc of
  // the kernel itself, not of its callees). The observer sees every step.
  std::uint64_t run_to(WarpId id, const std::vector<bool>& places, std::uint64_t max_steps,
                       Observer& observer);

  [[nodiscard]] BlockStatus block_status(std::uint32_t block) const;
  [[nodiscard]] WarpView warp(WarpId id) const;
  [[nodiscard]] bool done() const;  // every block Ended or Stopped
  // Call it when no warp of a running block is Ready: reports BarrierDeadlock and stops the block.
  void stop_deadlocked(std::uint32_t block, Observer* observer);

  // A warp's calls have numbers; diverged lanes can be in different calls at once. Empty if no call
  // has the number.
  [[nodiscard]] std::optional<CallView> call(WarpId id, std::uint32_t frame) const;
  // Register contents in a call. Lanes that never wrote the register hold unspecified bits.
  [[nodiscard]] std::uint64_t register_lane(WarpId id, ptx::Register reg, int lane,
                                            std::uint32_t frame = kRunningFrame) const;
  // Contents of all lanes.
  [[nodiscard]] std::array<std::uint64_t, kWarpSize> register_row(
      WarpId id, ptx::Register reg, std::uint32_t frame = kRunningFrame) const;
  // Changes a register in a call in progress: for analyses that skip instructions.
  void set_register_lane(WarpId id, ptx::Register reg, int lane, std::uint64_t value,
                         std::uint32_t frame = kRunningFrame);
  // From now on instructions of tensor cores do not write their results: for analyses that ignore
  // memory contents. Their reads are reported as before.
  void leave_out_products();
  // The mbarrier that each bulk copy under way signals; 0: a copy that a thread waits for.
  [[nodiscard]] std::vector<std::uint64_t> bulk_copies(std::uint32_t block) const;
  // Bytes at a generic address, as thread `thread` (linear) of a block sees them; empty if any byte
  // is outside its allocation or the block holds no memory.
  [[nodiscard]] std::optional<std::vector<std::byte>> read(std::uint32_t block,
                                                           std::uint32_t thread,
                                                           std::uint64_t generic_address,
                                                           std::size_t bytes) const;
  // Whole contents of a buffer of the launch, or of a block's shared memory (Program::shared_room).
  [[nodiscard]] std::span<const std::byte> buffer(std::uint32_t launch_buffer) const;
  [[nodiscard]] std::span<const std::byte> shared(std::uint32_t block) const;  // empty: not running
  // Generic address of a call's local memory, for one lane; 0 if it has none.
  [[nodiscard]] std::uint64_t local_frame(WarpId id, int lane,
                                          std::uint32_t frame = kRunningFrame) const;
  // One lane's incoming parameters of a call, then the values it returns (Function::params,
  // returns).
  [[nodiscard]] std::vector<std::byte> params(WarpId id, int lane,
                                              std::uint32_t frame = kRunningFrame) const;

  // Copies all changes of another machine of the same program to global memory.
  void adopt_stores(const Machine& other);

  // A copy of a fraction of the size that can only be copied; a copy of it is a normal machine.
  [[nodiscard]] Machine packed() const;

  // Equality of everything that execution depends on.
  friend bool operator==(const Machine& a, const Machine& b);
  // Bytes it occupies now.
  [[nodiscard]] std::size_t footprint() const;

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  explicit Machine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The machine's state, for schedules.

struct Machine::Impl {
  Impl(std::shared_ptr<const Program> p, BlockPart part)
      : program(std::move(p)), state(program->data(), part) {}
  Impl(const Impl& other, MachineState::Form form)
      : program(other.program), state(other.state, form) {}

  std::shared_ptr<const Program> program;
  MachineState state;
};

}  // namespace tilestep::simt
