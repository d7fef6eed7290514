// One executed Setup, from which expressions about it are evaluated. Everything is computed on
// first use and cached.
#pragma once

#include "clock/estimate.h"
#include "clock/measured.h"
#include "clock/sm_table.h"
#include "compile/compiler.h"
#include "insight/check/check.h"
#include "insight/count/cost.h"
#include "insight/trace/accumulators.h"
#include "insight/trace/origin.h"
#include "loading/prepare.h"
#include "problem/describe/catalog.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "timing/dataset.h"

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::course {

// Owns nothing.
struct Tools {
  compile::Compiler& compiler;
  const problem::Catalog& catalog;
  const timing::UnreadDataSet* dataset = nullptr;  // null: no measurements
  const std::atomic<bool>* cancel = nullptr;       // stops the current execution
};

// The cost of a launch, summed up.
struct Counted {
  std::shared_ptr<const simt::Program> program;
  insight::Cost total;
  std::vector<insight::BufferCost> by_buffer;  // as Launch::buffers
  std::vector<insight::AccessCost> accesses;
  std::uint64_t barriers = 0;      // of all blocks
  std::uint32_t barrier_line = 0;  // with most of them; 0: none
  std::uint64_t blocks = 0;
};

// A launch in time: all blocks of the SM that gets most of them, by the model of one SM.
struct SmTime {
  clock::SmRun run;
  int warps = 0;  // at once
};

class Run {
 public:
  Run(const Tools& tools, state::Setup setup) : tools_(tools), setup_(std::move(setup)) {}

  [[nodiscard]] const state::Setup& setup() const { return setup_; }
  // Without compiling: whether the kernel may be launched so, and the launch.
  [[nodiscard]] Result<problem::Launch> shape() const;
  // The step build, which the stage shows.
  [[nodiscard]] const Result<loading::Prepared>& prepared();
  // The compiler's messages; empty before prepared().
  [[nodiscard]] const std::vector<compile::Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] const Result<std::shared_ptr<const record::Recording>>& recording();
  // The check of the step build under this schedule, every block: the findings on the stage.
  [[nodiscard]] const Result<insight::CheckResult>& check();
  // The check of the fast build, whose sums round as the hardware's do.
  [[nodiscard]] const Result<insight::CheckResult>& fast_check();
  // The cost of the fast build; `architecture`: with the loads of its machine code; 0: as in the
  // PTX.
  [[nodiscard]] const Result<Counted>& counted(int architecture);
  [[nodiscard]] const Result<insight::ElementUses>& uses(const std::string& cell);
  [[nodiscard]] const Result<insight::Origin>& origin(const insight::Question& question);
  [[nodiscard]] const insight::BlockSums& sums(std::uint32_t block);
  // Estimated; nothing is in L2 at the start. Fails if the SM executes more than
  // kMostSmInstructions.
  [[nodiscard]] const Result<SmTime>& sm_time(const clock::SmTable& table);
  // The fewest clocks that the machine code leaves between an instruction of this name and the next
  // one that needs its result. Fails if none does.
  [[nodiscard]] Result<int> dependent_clocks(const clock::SmTable& table, std::string_view name);
  // Estimated clocks of `blocks` blocks at once on an SM, with the matrices in L2. Fails if an SM
  // has not so many at once.
  [[nodiscard]] Result<std::int64_t> wave_clocks(const clock::SmTable& table, int blocks);
  static constexpr std::uint64_t kMostSmInstructions = 12'000'000;  // take a few seconds
  // Tools::cancel was set during a computation, whose result is then an error.
  [[nodiscard]] bool was_cancelled() const { return was_cancelled_; }

 private:
  [[nodiscard]] Result<problem::LaunchSpec> spec() const;
  [[nodiscard]] tl::expected<loading::Prepared, loading::LoadFailure> prepare(
      const loading::PrepareOptions& options) const;
  void note_cancel();
  [[nodiscard]] Result<Counted> count(int architecture) const;
  [[nodiscard]] Result<clock::TimedLaunch>& timed(const clock::SmTable& table);
  [[nodiscard]] Result<SmTime> time_of_sm(const clock::SmTable& table);

  const Tools& tools_;
  state::Setup setup_;
  bool was_cancelled_ = false;
  std::vector<compile::Diagnostic> diagnostics_;
  std::optional<Result<loading::Prepared>> prepared_;
  std::optional<Result<std::shared_ptr<const record::Recording>>> recording_;
  std::optional<Result<insight::CheckResult>> check_;
  std::optional<Result<insight::CheckResult>> fast_check_;
  std::map<int, Result<Counted>> counted_;
  std::map<std::string, Result<insight::ElementUses>> uses_;
  std::map<std::string, Result<insight::Origin>> origins_;
  std::map<std::uint32_t, insight::BlockSums> sums_;
  std::optional<Result<clock::TimedLaunch>> timed_;
  std::optional<Result<SmTime>> sm_time_;
  std::map<int, Result<std::int64_t>> wave_clocks_;  // by blocks
};

// The latest runs: a lesson asks many questions about few runs.
class Runs {
 public:
  explicit Runs(Tools tools) : tools_(tools) {}
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;
  Runs(Runs&&) = delete;
  Runs& operator=(Runs&&) = delete;
  ~Runs() = default;

  // Valid until kKept other Setups have been requested. A cancelled run starts over.
  static constexpr std::size_t kKept = 16;
  [[nodiscard]] Run& of(const state::Setup& setup);
  [[nodiscard]] const Tools& tools() const { return tools_; }
  // The SM of the data set's GPU, and its measured launches: in the folder `clock` beside the data
  // set's own.
  [[nodiscard]] const Result<clock::SmTable>& sm_table();
  [[nodiscard]] const Result<clock::MeasuredLaunches>& measured_launches();

 private:
  Tools tools_;
  std::list<Run> runs_;  // the latest first
  std::optional<Result<clock::SmTable>> sm_table_;
  std::optional<Result<clock::MeasuredLaunches>> measured_launches_;
};

}  // namespace tilestep::course
