// Everything at one step of a recording: the machine, and the data that the recording tracks in
// addition.
#pragma once

#include "record/value.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::record {

// The last thread that stored to a cell, and the step. Kept for every 4-byte word of shared memory
// and of the buffers.
struct Writer {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;  // linear in the block
  std::uint64_t step = 0;
  std::uint32_t line = 0;
  bool written = false;  // false: still the initial contents (or uninitialised shared memory)

  friend bool operator==(const Writer&, const Writer&) = default;
};

class State {
 public:
  State(const State&);
  State& operator=(const State&);
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  [[nodiscard]] std::uint64_t step() const;  // steps executed so far
  [[nodiscard]] const simt::Machine& machine() const;

  // The thread's current source line (statement_line); 0 if it has exited. If a fault stopped it,
  // the line of the fault.
  [[nodiscard]] std::uint32_t line(std::uint32_t block, std::uint32_t thread) const;
  // Variables visible to the thread at its position, outermost first, inner hiding outer: those of
  // the kernel, then, inside a device function, those of the callers and the function's own. A
  // thread that has exited or was stopped keeps the kernel's last values, marked ThreadExited.
  [[nodiscard]] std::vector<NamedValue> variables(std::uint32_t block, std::uint32_t thread) const;
  // One of these variables, or else a __shared__, __device__ or __constant__ variable of that name.
  [[nodiscard]] std::optional<Value> variable(std::uint32_t block, std::uint32_t thread,
                                              const std::string& name) const;
  [[nodiscard]] Writer buffer_writer(std::uint32_t launch_buffer, std::uint64_t word) const;
  [[nodiscard]] Writer shared_writer(std::uint32_t block, std::uint64_t word) const;
  // Shared memory of a block; for an ended block the contents at its end.
  [[nodiscard]] std::span<const std::byte> shared(std::uint32_t block) const;

  friend bool operator==(const State& a, const State& b);

 private:
  friend class Recording;
  friend class VariableOfThreads;
  struct Impl;
  explicit State(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A variable of a running thread: a function's variable, in one of the thread's frames.
struct LiveVariable {
  std::uint32_t function = 0;
  std::uint32_t variable = 0;
  std::uint32_t frame = 0;
};

// State::variable() for many threads: threads of a warp at one position share one lookup.
class VariableOfThreads {
 public:
  VariableOfThreads(const State& state, std::string name);  // the state must outlive this object

  // Valid until the next call.
  const std::optional<Value>& read(std::uint32_t block, std::uint32_t thread);

 private:
  struct Site {
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t frame = 0;
    std::uint32_t pc = 0;
    friend bool operator==(const Site&, const Site&) = default;
  };
  const State& state_;
  std::string name_;
  std::optional<Value> value_;
  // Position and result of the last lookup.
  Site site_;
  std::optional<LiveVariable> found_;
};

}  // namespace tilestep::record
