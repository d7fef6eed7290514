// What is wrong with a launch, found by executing it once, whatever the schedule was.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/watchers.h"
#include "insight/count/counters.h"
#include "insight/count/representatives.h"
#include "insight/names.h"
#include "problem/launch/expected.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::insight {

struct CheckResult {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // what GPUs let pass though the language does not
  std::vector<problem::BufferComparison> outputs;  // that something is expected of
  // The most telling of them.
  bool has_reference = false;
  std::string compared;  // its buffer
  problem::Comparison comparison;
  double tolerance = 0.0;
  Printout printout;
  std::uint64_t warp_instructions = 0;  // executed
  Counters counters;                    // likewise
  std::uint64_t blocks = 0;             // of the launch
  std::uint64_t blocks_executed = 0;
  // By the exact pass, where one was needed (watchers.h): occurrences count these.
  std::uint64_t blocks_watched = 0;
  bool cancelled = false;
  std::string cancelled_at;  // cancelled: after how much it stood where

  // Whether the steps of findings are those of a run of all blocks.
  [[nodiscard]] bool has_steps() const { return blocks_watched == blocks; }
  [[nodiscard]] bool clean() const {
    return findings.empty() && (!has_reference || comparison.wrong == 0);
  }
};

// Runs a launch to its end and compares the output with the reference. A fast pass looks for words
// of memory with anything odd about them; only if there are any, a second run under a Checker tells
// exactly what. `blocks_done` counts blocks that have ended, in each of the runs.
// `watched`: the second run is of as many blocks as are enough (watchers.h); or of all, so
// that the steps of findings are those of a run under this schedule.
enum class Watched { Enough, All };
[[nodiscard]] CheckResult check(const std::shared_ptr<const simt::Program>& program,
                                simt::Schedule schedule, const std::atomic<bool>* cancel = nullptr,
                                std::atomic<std::uint32_t>* blocks_done = nullptr,
                                const Cores& cores = {}, Watched watched = Watched::Enough);

// Executes the representatives alone (insight/count/representatives.h). What every block does is
// known from them, so all of the above is found, once for a class; the result is compared in the
// elements that they store, or evenly spread ones of them.
[[nodiscard]] CheckResult check_classes(const std::shared_ptr<const simt::Program>& program,
                                        const BlockClasses& classes,
                                        const std::atomic<bool>* cancel = nullptr,
                                        std::atomic<std::uint32_t>* blocks_done = nullptr);

// Those of `findings` that are not in `known`: of another kind, on another variable or at other
// lines. For two builds of one kernel, whose steps differ.
[[nodiscard]] std::vector<Finding> findings_beyond(const std::vector<Finding>& findings,
                                                   const std::vector<Finding>& known);
// Gives findings of a fast build on local arrays, which have no names there, those of the step
// build.
void take_names(std::vector<Finding>& findings, const std::vector<Finding>& step);
// A fast build divides 64-bit integers in a branch of its own, which the compiler puts at the line
// of the kernel's head: such a division takes the places that it has in the step build.
void take_lines(std::vector<Finding>& findings, const std::vector<Finding>& step);

}  // namespace tilestep::insight
