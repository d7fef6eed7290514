// One executed Setup, from which expressions about it are evaluated. Everything is computed on
// first use and cached.
#pragma once

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
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
  std::uint64_t barriers = 0;  // of all blocks
  std::uint64_t blocks = 0;
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
  // Tools::cancel was set during a computation, whose result is then an error.
  [[nodiscard]] bool was_cancelled() const { return was_cancelled_; }

 private:
  [[nodiscard]] Result<problem::LaunchSpec> spec() const;
  [[nodiscard]] tl::expected<loading::Prepared, loading::LoadFailure> prepare(
      const loading::PrepareOptions& options) const;
  void note_cancel();
  [[nodiscard]] Result<Counted> count(int architecture) const;

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

 private:
  Tools tools_;
  std::list<Run> runs_;  // the latest first
};

}  // namespace tilestep::course
