// tilestep check: findings and the comparison with the reference, without recording.
#include "cli/check_report.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/say.h"
#include "cli/word_option.h"
#include "cli/words.h"
#include "insight/check/check.h"
#include "insight/count/representatives.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"
#include "workspace/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace tilestep::cli {

namespace {

// The step build takes about three times as long as the fast one: beyond this many warp
// instructions of the fast build it is checked only where it is asked for.
constexpr std::uint64_t kBothBuilds = 20'000'000;

// A full check of this many warp instructions takes some two seconds on two cores.
constexpr std::uint64_t kQuickCheck = 300'000'000;
// Launches below both of these are quick: no proof is tried.
constexpr std::uint64_t kFewProducts = 1ULL << 30;  // M·N·K
constexpr std::uint64_t kFewThreads = 1ULL << 22;
// Warp instructions that a proof may take.
constexpr std::uint64_t kProofOfClasses = 8'000'000;

struct CheckOptions {
  LaunchOptions launch;
  CheckedBuilds builds = CheckedBuilds::Both;
  CheckedBlocks blocks = CheckedBlocks::Auto;
  bool as_json = false;
  std::size_t cores = 0;
};

bool may_take_long(const problem::Launch& launch) {
  const problem::Problem& p = launch.parameters.problem;
  return std::uint64_t(p.M) * p.N * p.K >= kFewProducts ||
         launch.grid.count() * launch.block.count() >= kFewThreads;
}

// The blocks that are enough to execute. Proved on buffers that take no memory.
Result<insight::BlockClasses> classes_of(const CheckOptions& options, Context& context,
                                         const Prepared& prepared,
                                         const std::atomic<bool>& cancelled) {
  const auto empty = prepare(context, options.launch, prepared.kernel.build, 0,
                             problem::BufferContents::Zero, &prepared.spec);
  if (!empty) {
    return tl::unexpected(empty.error());
  }
  return insight::block_classes(empty->program, kProofOfClasses, &cancelled);
}

// Nothing: all blocks are to be executed.
Result<std::optional<insight::BlockClasses>> wanted_classes(const CheckOptions& options,
                                                            Context& context,
                                                            const Prepared& prepared,
                                                            const std::atomic<bool>& cancelled) {
  const bool is_asked_for = options.blocks == CheckedBlocks::Classes;
  if (options.blocks == CheckedBlocks::All || (!is_asked_for && !may_take_long(prepared.launch))) {
    return std::nullopt;
  }
  auto classes = classes_of(options, context, prepared, cancelled);
  if (!classes && is_asked_for) {
    return fail(
        tr("--blocks classes: no proof says which blocks are enough: {}. Choose "
           "--blocks all, or a smaller size.",
           classes.error().message));
  }
  if (!classes || (!is_asked_for && classes->warp_instructions <= kQuickCheck)) {
    return std::nullopt;
  }
  return std::optional(std::move(*classes));
}

// Ctrl-C cancels it.
Result<insight::CheckResult> run_check(const CheckOptions& options, Context& context,
                                       const Prepared& prepared) {
  const Interrupt interrupt;
  const auto classes = wanted_classes(options, context, prepared, interrupt.cancelled());
  if (!classes) {
    return tl::unexpected(classes.error());
  }
  if (*classes) {
    ProgressLine progress("check", static_cast<std::uint32_t>((*classes)->representatives.size()));
    return insight::check_classes(prepared.program, **classes, &interrupt.cancelled(),
                                  &progress.done());
  }
  ProgressLine progress("check", prepared.program->block_count());
  return insight::check(prepared.program, prepared.schedule, &interrupt.cancelled(),
                        &progress.done(), workspace::cores(options.cores));
}

// The step build, from which the compiler removes nothing: checked once, for whoever asks first.
class StepBuild {
 public:
  StepBuild(CheckOptions options, Context& context, const Prepared& fast,
            const insight::CheckResult& result)
      : options_(std::move(options)), context_(context), fast_(fast) {
    if (result.blocks_executed < result.blocks) {
      options_.blocks = CheckedBlocks::Classes;
    }
  }

  // Fails with a sentence about the check.
  const Result<insight::CheckResult>& checked() {
    if (!checked_) {
      checked_ = run();
    }
    return *checked_;
  }

 private:
  Result<insight::CheckResult> run() {
    const auto prepared =
        prepare(context_, options_.launch, compile::Build::Step, 0, {}, &fast_.spec);
    if (!prepared) {
      return fail(tr("The step build could not be checked: {}", prepared.error().message));
    }
    auto result = run_check(options_, context_, *prepared);
    if (!result || result->cancelled) {
      return fail(tr("Only the fast build was checked."));
    }
    return result;
  }

  CheckOptions options_;
  Context& context_;
  const Prepared& fast_;
  std::optional<Result<insight::CheckResult>> checked_;
};

// The compiler removes what has no effect on the result, and a race with it: so the step build is
// looked at too.
// `fast` is told with what the step build knows of the same findings.
StepCheck check_step_build(StepBuild& step, insight::CheckResult& fast) {
  if (fast.warp_instructions > kBothBuilds) {
    return {{},
            tr("Only the fast build was checked; the step build, from which the compiler removes "
               "nothing, takes three times as long: --build step."),
            true};
  }
  if (!step.checked()) {
    return {{}, step.checked().error().message, true};
  }
  const std::vector<insight::Finding>& told = step.checked()->findings;
  if (fast.findings.empty() && told.empty() && fast.comparison.wrong > 0) {
    // A store that is overwritten is one that the compiler removes.
    std::ranges::copy_if(
        step.checked()->notes, std::back_inserter(fast.notes),
        [&](const auto& note) { return std::ranges::count(fast.notes, note) == 0; });
  }
  insight::take_names(fast.findings, told);
  insight::take_lines(fast.findings, told);
  return {insight::findings_beyond(told, fast.findings), "", step.checked()->has_steps()};
}

bool has_trap(const insight::CheckResult& result) {
  return std::any_of(result.findings.begin(), result.findings.end(), [](const auto& finding) {
    return finding.kind == insight::FindingKind::Trap;
  });
}

// The fast build has a trap where the compiler saw that behaviour is undefined (a store to
// __constant__ memory). What it is about, the step build says, which does not have it.
void explain_traps(StepBuild& step, const Prepared& prepared, insight::CheckResult& result) {
  if (!has_trap(result) || prepared.kernel.step == nullptr || !step.checked()) {
    return;
  }
  const insight::CheckResult& told = *step.checked();
  if (!told.findings.empty() && !has_trap(told)) {
    result.findings = told.findings;
  }
}

int check(const CheckOptions& options, Context& context) {
  const bool steps = options.builds == CheckedBuilds::Step;
  const auto prepared =
      prepare(context, options.launch, steps ? compile::Build::Step : compile::Build::Fast);
  if (!prepared) {
    return wrong_use(prepared.error());
  }
  Result<insight::CheckResult> checked = run_check(options, context, *prepared);
  if (!checked) {
    return wrong_use(checked.error());
  }
  insight::CheckResult& result = *checked;
  if (result.cancelled) {
    fmt::print(stderr, "{}\n", tr("{} The rest is not checked.", result.cancelled_at));
    return 2;
  }
  StepBuild step_build(options, context, *prepared, result);
  explain_traps(step_build, *prepared, result);
  StepCheck step;
  if (options.builds == CheckedBuilds::Both) {
    step = check_step_build(step_build, result);
    std::erase_if(step.more, is_limit);
  }
  if (options.as_json) {
    print_json(*prepared, result, step);
  } else {
    print_text(*prepared, result, step);
  }
  const auto limit = std::find_if(result.findings.begin(), result.findings.end(), is_limit);
  if (limit != result.findings.end()) {
    return wrong_use({tr("{}: {} The rest of the launch is not checked.",
                         prepared->launch.source_name, limit->sentence)});
  }
  return result.clean() && step.more.empty() ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  // Findings do not depend on the schedule, but time does: this one runs blocks on all cores.
  options->launch.schedule = "sequential";
  auto* command = app.add_subcommand(
      "check", "Find races and other faults, and compare the result with the reference");
  add_launch_options(*command, options->launch);
  add_word_option(*command, "--build", options->builds,
                  "Build: fast (as the hardware runs it), step (-G: as the text says) or both");
  add_word_option(*command, "--blocks", options->blocks,
                  "Blocks to execute: all; classes (one of those that are proved to do the same); "
                  "or auto (classes where all would take long)");
  command->add_option("--cores", options->cores, "CPU cores to use; 0: all")->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n  tilestep check tiled_missing_barrier --size 64,64,64 --block 16\n"
      "Exit status: 0 clean; 1 findings or a wrong result; 2 wrong use or input, or code that "
      "Tilestep does not simulate.");
  command->callback([options, &context] { context.status = check(*options, context); });
}

}  // namespace tilestep::cli
