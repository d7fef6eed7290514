// Finds what is wrong with a launch by executing it once. The result does not depend on the
// schedule.
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
  std::vector<std::string> notes;                  // allowed by GPUs, undefined in the language
  std::vector<problem::BufferComparison> outputs;  // outputs with a reference
  // The first output that is wrong, otherwise the first one.
  bool has_reference = false;
  std::string compared;  // buffer that `comparison` is of
  problem::Comparison comparison;
  double tolerance = 0.0;
  Printout printout;
  std::uint64_t warp_instructions = 0;
  Counters counters;         // of the executed instructions
  std::uint64_t blocks = 0;  // in the launch
  std::uint64_t blocks_executed = 0;
  // Blocks that the exact pass executed, if one was needed (watchers.h). Occurrences of findings
  // count these blocks.
  std::uint64_t blocks_watched = 0;
  bool cancelled = false;
  std::string cancelled_at;  // if cancelled: how far the run was, and where a thread was

  // Whether the step numbers of findings are those of a run of all blocks.
  [[nodiscard]] bool has_steps() const { return blocks_watched == blocks; }
  [[nodiscard]] bool clean() const {
    return findings.empty() && (!has_reference || comparison.wrong == 0);
  }
};

// Runs a launch to its end and compares the output with the reference. A fast pass looks for
// suspect words of memory. Only if there are any, a second run under a Checker finds the exact
// cause. `blocks_done` counts the blocks that have ended, in each of the runs. `watched`: Enough
// executes as many blocks as the second run needs (watchers.h). All executes every block, so that
// the steps of findings are those of a run under this schedule.
enum class Watched { Enough, All };
[[nodiscard]] CheckResult check(const std::shared_ptr<const simt::Program>& program,
                                const simt::Schedule& schedule,
                                const std::atomic<bool>* cancel = nullptr,
                                std::atomic<std::uint32_t>* blocks_done = nullptr,
                                const Cores& cores = {}, Watched watched = Watched::Enough);

// Executes only the representatives (insight/count/representatives.h). They show what every block
// does, so this finds everything that check() finds, once for each class. It compares the elements
// that the representatives store, or an evenly spaced subset of them.
[[nodiscard]] CheckResult check_classes(const std::shared_ptr<const simt::Program>& program,
                                        const BlockClasses& classes,
                                        const std::atomic<bool>* cancel = nullptr,
                                        std::atomic<std::uint32_t>* blocks_done = nullptr);

// Findings of `findings` that `known` lacks: those of another kind, on another variable or at other
// lines. Compares two builds of one kernel, whose steps differ.
[[nodiscard]] std::vector<Finding> findings_beyond(const std::vector<Finding>& findings,
                                                   const std::vector<Finding>& known);
// Local arrays have no names in a fast build. This copies their names from the step build's
// findings.
void take_names(std::vector<Finding>& findings, const std::vector<Finding>& step);
// A fast build divides 64-bit integers in a separate branch, and the compiler gives that branch the
// line of the kernel's head. This gives such a division the lines that it has in the step build.
void take_lines(std::vector<Finding>& findings, const std::vector<Finding>& step);

}  // namespace tilestep::insight
