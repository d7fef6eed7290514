// Observers that several checks share, and a way to attach several to one run.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/suspects.h"
#include "problem/problem.h"
#include "ptx/model/instruction.h"
#include "simt/machine/machine.h"
#include "simt/machine/program.h"
#include "simt/state/event.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tilestep::insight {

class Watchers : public simt::Observer {
 public:
  void add(simt::Observer* watcher) { watchers_.push_back(watcher); }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    tell([&](simt::Observer& w) { w.before_step(info); });
  }
  void after_step(const simt::StepInfo& info) override {
    tell([&](simt::Observer& w) { w.after_step(info); });
  }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    tell([&](simt::Observer& w) { w.on_memory(info, event); });
  }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    tell([&](simt::Observer& w) { w.on_barrier(info, event); });
  }
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override {
    tell([&](simt::Observer& w) { w.on_fault(info, event); });
  }
  void on_undefined_shuffle(const simt::StepInfo& info,
                            const simt::UndefinedShuffle& shuffle) override {
    tell([&](simt::Observer& w) { w.on_undefined_shuffle(info, shuffle); });
  }
  void on_undefined_quotient(const simt::StepInfo& info, std::uint32_t mask) override {
    tell([&](simt::Observer& w) { w.on_undefined_quotient(info, mask); });
  }
  void on_print(const simt::StepInfo& info, std::uint32_t lane, const std::string& text) override {
    tell([&](simt::Observer& w) { w.on_print(info, lane, text); });
  }
  void on_local_frame(const simt::StepInfo& info, std::uint64_t address,
                      std::uint32_t bytes) override {
    tell([&](simt::Observer& w) { w.on_local_frame(info, address, bytes); });
  }
  void on_allocation(const simt::StepInfo& info, std::uint64_t address,
                     std::uint64_t bytes) override {
    tell([&](simt::Observer& w) { w.on_allocation(info, address, bytes); });
  }
  void on_block_start(std::uint32_t block) override {
    tell([&](simt::Observer& w) { w.on_block_start(block); });
  }
  void on_block_end(std::uint32_t block) override {
    tell([&](simt::Observer& w) { w.on_block_end(block); });
  }

 private:
  template <class F>
  void tell(F&& f) {
    for (simt::Observer* watcher : watchers_) {
      f(*watcher);
    }
  }

  std::vector<simt::Observer*> watchers_;
};

// The blocks of a long launch that the exact pass of a check executes.

// Launches of at most this many warp instructions are watched in full, which takes one or two
// seconds.
inline constexpr std::uint64_t kAlwaysWatched = 2'000'000;
// Longer launches: blocks with about this many warp instructions are watched.
inline constexpr std::uint64_t kWatched = 1'000'000;

// Blocks in which a fast pass of `steps` warp instructions found suspects: for each instruction the
// first block, and the block that it conflicts with. `evenly`: adds evenly spaced blocks within the
// budget of instructions. Empty: all blocks, because they are few, or may wait for each other, or
// because it is unknown which of them conflict.
[[nodiscard]] std::vector<std::uint32_t> watched_blocks(const simt::Program& program,
                                                        const SuspectBlocks& suspects,
                                                        std::uint64_t steps, bool evenly);

// The source line that each warp of a run is at.

class WarpLines {
 public:
  explicit WarpLines(const simt::Program& program);

  // Call it before every step. An instruction without a line belongs to the previous line.
  void enter(const simt::StepInfo& info) {
    if (const std::uint32_t line = of_pc_[info.function][info.pc]; line != 0) {
      current_[index(info.id)] = line;
    }
  }
  [[nodiscard]] std::uint32_t line(simt::WarpId id) const { return current_[index(id)]; }
  // The instruction's own line, or that of its call if its function has no lines. Lanes that have
  // diverged may be at another line than the warp's last one.
  [[nodiscard]] std::uint32_t line_of(const simt::StepInfo& info,
                                      const simt::Machine& machine) const;

 private:
  [[nodiscard]] std::size_t index(simt::WarpId id) const {
    return std::size_t{id.block} * warps_per_block_ + id.warp;
  }

  std::vector<std::vector<std::uint32_t>> of_pc_;  // by function and pc
  std::vector<std::uint32_t> current_;             // by block and warp
  std::uint32_t warps_per_block_;
};

// A lane of the step as a party of a finding; `access` stays empty.
[[nodiscard]] Party party_of(const simt::Program& program, const simt::StepInfo& info,
                             std::uint32_t lane, std::uint32_t line, std::uint64_t step);

// Barriers in a loop whose number of passes differs between threads: threads of a warp reach the
// barrier again after others that had reached it have exited the kernel. Since compute capability
// 7.0 exited threads block nobody, but the copies of an unrolled loop's barrier are several
// barriers, and a GPU then waits forever (seen on an H100). Lanes that only exit before a barrier
// are no finding.

class LeftLoops final : public simt::Observer {
 public:
  // `machine` executes the launch; it must outlive this object.
  explicit LeftLoops(const simt::Machine& machine) : machine_(machine), lines_(machine.program()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { lines_.enter(info); }
  void after_step(const simt::StepInfo&) override { ++step_; }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;

  [[nodiscard]] std::vector<Finding> findings() const { return findings_of(findings_); }

 private:
  using Place = std::vector<std::uint32_t>;
  [[nodiscard]] Place place_of(const simt::StepInfo& info) const;

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  // By block, warp and place, the lanes that have arrived.
  std::map<std::tuple<std::uint32_t, std::uint32_t, Place>, std::uint32_t> came_;
  std::map<std::uint32_t, Finding> findings_;  // by line
};

// Adds each of these barriers once, without the note that GPUs allow it.
void take_left_loops(std::vector<Finding>& findings, const LeftLoops& loops);

// The operation that produces a NaN: a floating-point operation whose result is NaN although all
// its operands are numbers.
//
// Watched: add, sub, mul, mad, fma, div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh of f16, bf16
// (pairs too), f32 and f64. Not watched: matrix operations and atomics.

class NanWatch final : public simt::Observer {
 public:
  // Called after a step that produces a NaN, with its lanes and the source operands: a row of lanes
  // each.
  using OnBirth = std::function<void(const simt::StepInfo& info, std::uint32_t lanes,
                                     std::span<const std::uint64_t> operands)>;
  // `machine` executes the launch; it must outlive this object.
  NanWatch(const simt::Machine& machine, OnBirth on_birth);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;

 private:
  [[nodiscard]] std::uint32_t lanes_with_nan(const simt::StepInfo& info, std::uint32_t first,
                                             std::uint32_t count) const;

  const simt::Machine& machine_;
  bool watched_ = false;                 // the current step
  std::uint32_t clean_lanes_ = 0;        // lanes whose operands are numbers
  std::vector<std::uint64_t> operands_;  // of the step: by source operand and lane
  OnBirth on_birth_;
};

// The operation with these source operands as text: "0 / 0".
[[nodiscard]] std::string operation_text(const ptx::Instruction& instruction,
                                         std::span<const std::uint64_t> operands);
// Whether bits of a floating-point type hold a NaN (either half of a pair).
[[nodiscard]] bool is_nan(std::uint64_t bits, ptx::Type type);

// What a launch printed with printf, thread by thread.

struct Printed {
  problem::Dim3 block;
  problem::Dim3 thread;
  std::uint32_t line = 0;  // of the source; 0: unknown
  std::string text;        // formatted, with line ends
};

// In execution order, which on a GPU depends on its schedule of the blocks.
struct Printout {
  static constexpr std::size_t kMost = 1000;  // texts that are kept

  std::vector<Printed> texts;
  std::uint64_t left_out = 0;

  void add(Printed printed) {
    if (texts.size() < kMost) {
      texts.push_back(std::move(printed));
    } else {
      ++left_out;
    }
  }
  void add(const Printout& other) {
    for (const Printed& printed : other.texts) {
      add(printed);
    }
    left_out += other.left_out;
  }
};

}  // namespace tilestep::insight
