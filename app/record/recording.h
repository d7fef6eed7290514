// One run made seekable: state_at(k) for any step k, forward or back, equal to replaying from 0.
//
// A step is one instruction of one warp. A statement (ends_statement) is the unit of F11; with the
// lockstep schedule it is one round: the current statement of every resident block. A phase is a
// block's stretch between barriers, named by what it did. Nothing is stored per step: keyframes and
// statement starts are, and the rest is executed again (60 to 80 ns a step).
#pragma once

#include "simt/machine.h"
#include "simt/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::record {

enum class PhaseKind : std::uint8_t {
  Setup,
  Load,
  Multiply,
  LoadAndMultiply,
  Compute,
  WriteBack,
  Other
};

// A launch of many small blocks has half a million.
struct Phase {
  std::uint32_t block = 0;
  int tile = -1;  // Load, Multiply: number of the tile; -1: none
  PhaseKind kind = PhaseKind::Other;
  bool ends_at_barrier = false;
  const std::string* name = nullptr;  // "load tile 0", "write back"; the recording's
  std::uint64_t first_step = 0;       // steps [first_step, last_step) contain the block's of it
  std::uint64_t last_step = 0;
};

// Who wrote a cell last, and when. kept for every 4-byte word of shared memory and of the buffers.
struct Writer {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;  // linear in the block
  std::uint64_t step = 0;
  std::uint32_t line = 0;
  bool written = false;  // false: still the initial contents (or uninitialised shared)

  friend bool operator==(const Writer&, const Writer&) = default;
};

// A value with its type, as the inspector and the tooltip show it.
struct Value {
  enum class Status : std::uint8_t {
    Ok,
    NotYetAssigned,
    OptimisedOut,
    OutOfScope,
    ThreadExited,
    Unreadable
  };
  Status status = Status::Unreadable;
  ptx::TypeId type = ptx::kNoType;
  std::vector<std::byte> bytes;

  friend bool operator==(const Value&, const Value&) = default;
};

struct NamedValue {
  std::string name;
  bool is_parameter = false;
  Value value;
};

// Everything at one step: the machine and what the recording knows beyond it.
class State {
 public:
  State(const State&);
  State& operator=(const State&);
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  [[nodiscard]] std::uint64_t step() const;  // steps executed so far
  [[nodiscard]] const simt::Machine& machine() const;

  // The thread's current source line (statement_line), 0 when it has exited. Where a fault stopped
  // it when it was stopped.
  [[nodiscard]] std::uint32_t line(std::uint32_t block, std::uint32_t thread) const;
  // Variables visible to the thread at its place, outermost first, inner hiding outer: those of
  // the kernel, then, inside a device function, those of the callers and the function's own. A
  // thread that has exited or was stopped keeps the kernel's last values, marked ThreadExited.
  [[nodiscard]] std::vector<NamedValue> variables(std::uint32_t block, std::uint32_t thread) const;
  // One of them, or else a __shared__, __device__ or __constant__ variable of that name.
  [[nodiscard]] std::optional<Value> variable(std::uint32_t block, std::uint32_t thread,
                                              const std::string& name) const;
  [[nodiscard]] Writer buffer_writer(std::uint32_t launch_buffer, std::uint64_t word) const;
  [[nodiscard]] Writer shared_writer(std::uint32_t block, std::uint64_t word) const;
  // Shared memory of a block; that of an ended block is kept as it was at its end.
  [[nodiscard]] std::span<const std::byte> shared(std::uint32_t block) const;

  friend bool operator==(const State& a, const State& b);

 private:
  friend class Recording;
  struct Impl;
  explicit State(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

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
  // Lanes of a warp that did not take part in a statement that others of the warp executed.
  struct Executed {
    simt::WarpId warp;
    std::uint32_t line;
    std::uint32_t mask;
    std::uint32_t live;
  };
  std::vector<Executed> executed;
};

struct Options {
  std::uint64_t max_steps = 40'000'000;
  std::uint64_t keyframe_bytes = 120ULL << 20;  // total for keyframes
  std::uint64_t keyframe_steps = 0;             // between keyframes; 0: chosen by what they cost
  const std::atomic<bool>* cancel = nullptr;
  std::atomic<std::uint64_t>* progress = nullptr;  // steps recorded so far
};

class Recording {
 public:
  // Executes the launch to its end. Fails when it needs more than max_steps (the message says how
  // many blocks were done and what to do: a smaller size, or `check`), or was cancelled.
  [[nodiscard]] static Result<std::shared_ptr<const Recording>> make(
      std::shared_ptr<const simt::Program> program, simt::Schedule schedule, Options options = {});
  ~Recording();

  [[nodiscard]] const simt::Program& program() const;
  [[nodiscard]] const std::shared_ptr<const simt::Program>& shared_program() const;
  [[nodiscard]] const simt::Schedule& schedule() const;
  [[nodiscard]] std::uint64_t step_count() const;
  // Step index at which each statement starts; the last entry is step_count(). Sorted.
  [[nodiscard]] std::span<const std::uint64_t> statement_starts() const;
  // The block's phases, by time.
  [[nodiscard]] std::span<const Phase> phases_of(std::uint32_t block) const;
  [[nodiscard]] const Phase* phase_at(std::uint32_t block, std::uint64_t step) const;
  [[nodiscard]] std::span<const Activity::Fault> faults() const;

  // The state after k steps, 0 <= k <= step_count().
  [[nodiscard]] State state_at(std::uint64_t k) const;
  // The same, starting from a state already at hand when that is nearer than a keyframe. Moving the
  // hint in saves copying it: what stepping forward does.
  [[nodiscard]] State state_at(std::uint64_t k, const State& hint) const;
  [[nodiscard]] State state_at(std::uint64_t k, State&& hint) const;
  // What steps [first, last) did. A hint at or before `first` saves the way from a keyframe.
  [[nodiscard]] Activity activity(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] Activity activity(std::uint64_t first, std::uint64_t last, const State& hint) const;
  // Index of the statement that contains step k (the statement about to execute at state k); at
  // the end of the run the number of statements.
  [[nodiscard]] std::size_t statement_of(std::uint64_t k) const;
  // The steps of one block, in order: a block can be executed again by itself, in the very order it
  // had among the others, with Machine::step. Empty when it cannot: another block stores what some
  // block reads, or the recording is too long to keep the order.
  struct BlockStep {
    std::uint64_t step = 0;
    std::uint32_t warp = 0;  // in the block
  };
  [[nodiscard]] std::vector<BlockStep> steps_of(std::uint32_t block) const;
  // Re-executes steps [first, last) with an observer of the caller's (from the nearest keyframe).
  void replay(std::uint64_t first, std::uint64_t last, simt::Observer& observer) const;

 private:
  struct Impl;
  explicit Recording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// "73", "0.5", "{width: 8, …}", "&A[1][3]": a value as text; "–" where there is none yet. Floats:
// shortest that reads back.
[[nodiscard]] std::string format_value(const simt::Program& program, const Value& value);

}  // namespace tilestep::record
