// What is wrong with a launch, found by executing it once, whatever the schedule was.
#pragma once

#include "insight/counters.h"
#include "problem/expected.h"
#include "simt/machine.h"
#include "simt/schedule.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

enum class FindingKind {
  SharedRace,
  GlobalRace,
  IndexOverflow,
  OutOfRange,
  Misaligned,
  UninitialisedRead,
  NanBorn,
  UndefinedExchange,
  DivergentBarrier,
  BarrierDeadlock,
  NotSimulated,
  Trap,
  StackOverflow,
};
[[nodiscard]] const char* name(FindingKind kind);  // "shared-memory race"

// One side of a finding.
struct Party {
  problem::Dim3 block;
  problem::Dim3 thread;
  std::uint32_t line = 0;
  std::uint64_t step = 0;                  // in the run that was analysed
  std::optional<simt::AccessKind> access;  // nothing: a calculation, a barrier, a call, an exchange
};

struct Finding {
  FindingKind kind = FindingKind::SharedRace;
  std::string variable;  // "As"; "A"
  std::string element;   // "As[1][2]"; "A[8][0]"; empty when it has none
  // In execution order: two for a race; the operation and the access for an index that overflows;
  // one otherwise.
  std::vector<Party> parties;
  // Two racing stores left the same bits: the result does not show the race.
  bool same_value = false;
  std::uint64_t occurrences = 1;  // deduplicated by kind, variable and source lines
  std::string sentence;  // for a student: who did what to which element, and what is missing
};

// Races in shared memory (happens-before of barriers, named ones too, and __syncwarp; independent
// of the schedule) and in global memory (the same, and fences with atomics, flags and counters,
// which alone order blocks), out-of-range and misaligned accesses, reads of shared, local and
// output memory that nothing was stored in, barrier faults. Exact: byte by byte (local memory: by
// words), every pair of lines. Attach one to any run of a launch from its start, then take the
// findings.
struct Suspects;

class Checker : public simt::Observer {
 public:
  // `machine` is the one that runs; it must outlive this.
  explicit Checker(const simt::Machine& machine);
  // Looks at some words of memory only (check() knows them from a faster pass); must outlive this.
  Checker(const simt::Machine& machine, const Suspects* suspects);
  ~Checker() override;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;
  Checker(Checker&&) = delete;
  Checker& operator=(Checker&&) = delete;

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo&) override;
  void after_step(const simt::StepInfo&) override;
  void on_memory(const simt::StepInfo&, const simt::MemoryEvent&) override;
  void on_barrier(const simt::StepInfo&, const simt::BarrierEvent&) override;
  void on_fault(const simt::StepInfo&, const simt::FaultEvent&) override;
  void on_local_frame(const simt::StepInfo&, std::uint64_t address, std::uint32_t bytes) override;
  void on_block_start(std::uint32_t block) override;
  void on_block_end(std::uint32_t block) override;

  [[nodiscard]] std::vector<Finding> findings() const;  // most telling first

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct CheckResult {
  std::vector<Finding> findings;
  std::vector<problem::BufferComparison> outputs;  // that something is expected of
  // The most telling of them.
  bool has_reference = false;
  std::string compared;  // its buffer
  problem::Comparison comparison;
  double tolerance = 0.0;
  std::uint64_t warp_instructions = 0;
  Counters counters;
  bool cancelled = false;
  std::string cancelled_at;  // cancelled: after how much it stood where

  [[nodiscard]] bool clean() const {
    return findings.empty() && (!has_reference || comparison.wrong == 0);
  }
};

// Processor cores that a launch may use. `run(n, f)` calls f(0) … f(n − 1), at once where it can,
// and returns when all have returned; nobody starts threads in this room.
struct Cores {
  std::size_t count = 1;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run;
};

// Runs a launch to its end and compares the output with the reference. A fast pass looks for words
// of memory with anything odd about them; only if there are any, a second run under a Checker tells
// exactly what. `blocks_done` counts blocks that have ended, in each of the runs.
[[nodiscard]] CheckResult check(const std::shared_ptr<const simt::Program>& program,
                                simt::Schedule schedule, const std::atomic<bool>* cancel = nullptr,
                                std::atomic<std::uint32_t>* blocks_done = nullptr,
                                const Cores& cores = {});

// "As[1][2]" for a byte offset in a variable of a known type, "A[8][0]" for one in a buffer (rows
// and columns of its shape, also beyond its end), "As+12" where the type is unknown.
[[nodiscard]] std::string element_name(const simt::Program& program, const simt::Place& place);

}  // namespace tilestep::insight
