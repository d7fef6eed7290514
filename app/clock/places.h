// The steps of a recording on the clocks of an SM that executes the same blocks: where the stage is
// in time.
//
// A step of the build machine code is found exactly: the n-th execution of a machine instruction by
// a warp. In the other builds a step belongs to a source line: the n-th of r steps of a warp on a
// line is placed at number n·c/r of the c machine instructions that the warp issues for this line.
// ptxas moves instructions over each other, so the places of two lines may overlap.
//
// The schedule "as on the SM" executes the warps in the order of these places.
//
// Pure, but for with_clocks, which compiles and reads a table.
#pragma once

#include "clock/estimate.h"
#include "clock/sm.h"
#include "clock/trace.h"
#include "compile/compiler.h"
#include "problem/launch/launch.h"
#include "problem/problem.h"
#include "problem/result.h"
#include "problem/values/inputs.h"
#include "record/recording.h"
#include "simt/machine/program.h"
#include "simt/machine/schedule.h"
#include "simt/state/event.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace tilestep::clock {

inline constexpr std::uint64_t kMostOfWhole = 1'000'000;  // machine instructions of a launch
// All blocks of a launch on one SM, with the states of each warp. `launch`: made for 1 SM.
// `at_once` blocks; 0: as many as fit. Fails with a sentence, also if the launch executes more than
// kMostOfWhole instructions.
[[nodiscard]] Result<SmRun> run_whole(TimedLaunch& launch, const SmTable& table, int at_once = 0,
                                      const std::atomic<bool>* cancel = nullptr);

// Schedule::clocks for `program`: the same launch in any build, of which `run` has `code`.
[[nodiscard]] std::shared_ptr<const simt::StatementClocks> statement_clocks(
    const std::shared_ptr<const simt::Program>& program, const std::vector<CodedInstruction>& code,
    const SmRun& run);
// `schedule` with the clocks that it needs: for the one as on the SM of an H200 the launch's
// machine code is made and run. `program`: of the launch that `spec` describes with these values.
// `tables`: the folder of the SMs' tables. Fails with a sentence.
[[nodiscard]] Result<simt::Schedule> with_clocks(
    simt::Schedule schedule, const std::shared_ptr<const simt::Program>& program,
    compile::Compiler& compiler, const problem::LaunchSpec& spec,
    const problem::Parameters& parameters, const problem::InputSpec& input,
    const std::filesystem::path& tables);

// A step, or another number of a warp's steps, and the clock in which it is issued.
struct Place {
  std::uint64_t step = 0;
  std::int64_t clock = 0;
  double instructions = 1.0;  // of the machine, for this step: c/r
};

class Places {
 public:
  static constexpr std::uint64_t kMostSteps = 1'000'000;  // of the recording

  // `run`: with the states of each warp, of the launch that was recorded, with `code`. Null: it was
  // cancelled, or the recording is longer than kMostSteps.
  [[nodiscard]] static std::shared_ptr<const Places> make(
      const record::Recording& recording, const std::vector<CodedInstruction>& code,
      const SmRun& run, const std::atomic<bool>* cancel = nullptr);

  // Whether a step is one machine instruction, found exactly.
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  [[nodiscard]] bool has(simt::WarpId warp) const { return !of(warp).empty(); }
  // The clock in which the warp issues the latest of its instructions before step `step`; if it has
  // executed none, the first one's.
  [[nodiscard]] std::int64_t clock_at(simt::WarpId warp, std::uint64_t step) const;
  // The step after the latest one of the warp that is placed at or before the clock; 0: there is
  // none. Where ptxas has moved lines over each other: the step for which most machine
  // instructions are on its side of the clock.
  [[nodiscard]] std::uint64_t step_at(simt::WarpId warp, std::int64_t clock) const;

 private:
  [[nodiscard]] const std::vector<Place>& of(simt::WarpId warp) const;

  bool is_exact_ = false;
  std::uint32_t warps_ = 1;                 // of a block
  std::vector<std::vector<Place>> places_;  // by warp of the grid, in the order of steps
};

}  // namespace tilestep::clock
