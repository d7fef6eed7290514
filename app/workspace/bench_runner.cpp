#include "workspace/bench_runner.h"

#include <chrono>
#include <utility>

namespace tilestep::workspace {

void BenchRunner::show_live(LivePoint live) {
  show_beside(live.dataset, desk_.datasets, desk_.state.timing);
  if (desk_.status.running) {
    desk_.status.message = live.unsaved;
  }
  add_live(std::move(live), desk_.datasets, *desk_.catalog);
  ++desk_.data_version;
}

void BenchRunner::end(BenchResult result) {
  desk_.status.running = false;
  desk_.status.current.clear();
  desk_.status.message = result.message;
  if (result.gpu_lost) {
    desk_.status.gpu_found = false;
    desk_.status.gpu = result.message;
  }
  if (!result.data || result.data->points.empty()) {
    return;
  }
  desk_.status.message += (desk_.status.message.empty() ? "" : " ") + result.saved;
  show_beside(result.data->name, desk_.datasets, desk_.state.timing);
  live_dataset(result.data->name, desk_.datasets) = std::move(*result.data);
  ++desk_.data_version;
}

void BenchRunner::notice(const state::Command& command) {
  if (command.is<state::StartBench>()) {
    start();
  } else if (command.is<state::CancelBench>()) {
    cancel();
  }
}

void BenchRunner::cancel() {
  if (control_) {
    control_->cancel = true;
  }
}

void BenchRunner::start() {
  if (desk_.status.running || !desk_.status.gpu_found) {
    return;
  }
  desk_.status.running = true;
  desk_.status.fraction = 0.0;
  desk_.status.done = 0;
  desk_.status.total = 0;
  desk_.status.seconds_left = 0.0;
  desk_.status.message.clear();
  control_ = std::make_shared<JobControl>();
  const auto catalog =
      std::make_shared<const problem::Catalog>(with_own_kernel(*desk_.catalog, desk_.state.kernel));
  const timing::SweepPlan plan = live_plan(desk_.state, *catalog);
  pool_.submit([this, plan, catalog, control = control_]() -> Completion {
    const auto started = std::chrono::steady_clock::now();
    const auto report = [this, started](const timing::Progress& progress) {
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - started;
      pool_.hand_over([this, progress, seconds = past.count()] {
        show_progress(progress, seconds, desk_.status);
      });
    };
    const auto add = [this](LivePoint live) {
      auto point = std::make_shared<LivePoint>(std::move(live));
      pool_.hand_over([this, point] { show_live(std::move(*point)); });
    };
    auto result = std::make_shared<BenchResult>(
        run_bench(*catalog, desk_.compiler, plan, desk_.paths, *control, {report, add}));
    return [this, result] { end(std::move(*result)); };
  });
}

}  // namespace tilestep::workspace
