#include "cli/check_command.h"

#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/words.h"
#include "insight/check/finding.h"
#include "insight/count/representatives.h"
#include "insight/names.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"
#include "timing/dataset.h"
#include "workspace/pool.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace tilestep::cli {
namespace {

using nlohmann::json;

const char* name(std::optional<simt::AccessKind> access) {
  return access ? word_of(*access).label.text() : tr("operation");
}

json to_json(const problem::Dim3& d) {
  return json::array({d.x, d.y, d.z});
}

json to_json(const insight::Finding& finding, compile::Build build) {
  json parties = json::array();
  for (const insight::Party& party : finding.parties) {
    parties.push_back({{"block", to_json(party.block)},
                       {"thread", to_json(party.thread)},
                       {"line", party.line},
                       {"step", party.step},
                       {"access", name(party.access)}});
  }
  return {{"kind", word_of(finding.kind).file}, {"build", word_of(build).file},
          {"variable", finding.variable},       {"element", finding.element},
          {"occurrences", finding.occurrences}, {"sentence", finding.sentence},
          {"same_value", finding.same_value},   {"parties", std::move(parties)}};
}

void print_text(const Prepared& p, const insight::Printout& printout) {
  if (printout.texts.empty()) {
    return;
  }
  say("\nPrinted by the kernel:\n");
  for (const insight::Printed& printed : printout.texts) {
    std::string text(trimmed(printed.text));
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      text.insert(at + 1, "    ");  // further lines of the same printf
    }
    say("  {}, line {}: {}\n", insight::thread_of_block(printed.thread, printed.block, p.launch),
        printed.line, text);
  }
  if (printout.left_out > 0) {
    say("  {} more messages are not shown.\n", printout.left_out);
  }
}

// A feature that Tilestep does not simulate is not a mistake of the kernel's.
bool is_limit(const insight::Finding& finding) {
  return finding.kind == insight::FindingKind::NotSimulated;
}

void print_text(const Prepared& p, const insight::Finding& finding, const char* in,
                bool has_steps) {
  const Message kind = word_of(finding.kind).label;
  const std::string what =
      finding.element.empty() ? std::string(kind.text()) : tr("{} on {}", kind, finding.element);
  say("\n{}{}  ({}×)\n  {}\n", what, in, finding.occurrences, finding.sentence);
  for (const insight::Party& party : finding.parties) {
    const std::string who = insight::thread_of_block(party.thread, party.block, p.launch);
    say("  {}:{}  {}{}\n", p.launch.source_name, party.line, insight::with_verb(who, party.access),
        has_steps ? tr(", step {}", party.step) : "");
  }
}

void print_text(const Prepared& p, const insight::CheckResult& result, const StepCheck& step) {
  say("{}\n", headline(p));
  if (!p.guessed.empty()) {
    say("\nnote\n  {}\n", p.guessed);
  }
  if (result.blocks_executed < result.blocks) {
    say("\nExecuted {} of {} blocks. It has been proved that the others do the same at other "
        "addresses, and that no block accesses what another one stores. --blocks all executes "
        "every block.\n",
        grouped(result.blocks_executed), grouped(result.blocks));
  }
  if (result.blocks_watched != 0 && result.blocks_watched < result.blocks_executed) {
    say("\nAll {} blocks ran. {} of them ran again with full checks: for each suspicious "
        "instruction, the first block that executed it. The occurrence counts cover only these "
        "blocks.\n",
        grouped(result.blocks_executed), grouped(result.blocks_watched));
  }
  for (const std::string& sentence : p.launch.not_on_gpu) {
    say("\nDo not launch on a GPU: {}\n", tr(sentence.c_str()));
  }
  print_text(p, result.printout);
  for (const insight::Finding& finding : result.findings) {
    if (!is_limit(finding)) {
      print_text(p, finding, "", result.has_steps());
    }
  }
  for (const insight::Finding& finding : step.more) {
    print_text(p, finding, tr(", only in the step build"), step.has_steps);
  }
  if (!step.more.empty()) {
    say("\nThe step build follows the source text. In the fast build the compiler has removed or "
        "changed these operations, so a GPU may not show the fault, but the source has it.\n");
  }
  for (const std::string& note : result.notes) {
    say("\nnote\n  {}\n", note);
  }
  if (std::any_of(result.findings.begin(), result.findings.end(), is_limit)) {
    return;  // the result of an aborted launch has no meaning
  }
  for (const problem::BufferComparison& output : result.outputs) {
    const problem::Comparison& c = output.comparison;
    if (c.wrong == 0) {
      say("\n{} is correct: {} elements, largest error {:g}; relative error {:g} at most, {:g} on "
          "average\n",
          output.buffer, c.compared, c.max_abs_error, c.max_rel_error, c.average_rel_error);
    } else {
      say("\n{} is wrong: {} of {} elements; first: {}\n", output.buffer, c.wrong, c.compared,
          first_wrong(output));
      if (output.never_stored > 0) {
        say("{}\n",
            tr_n("{} of the {} elements is never stored.",
                 "{} of the {} elements are never stored.", output.never_stored, c.compared));
      }
    }
  }
  const std::size_t count = result.findings.size() + step.more.size();
  const bool is_wrong = std::ranges::any_of(
      result.outputs, [](const auto& output) { return output.comparison.wrong != 0; });
  say("{}{}\n",
      count != 0 ? tr_n("{} finding.", "{} findings.", count)
      : is_wrong ? tr("No findings, but the result is wrong.")
                 : tr("No findings."),
      step.left_out.empty() ? "" : " " + step.left_out);
}

// The step build takes about three times as long as the fast one: above this many warp instructions
// of the fast build it is checked only on request.
constexpr std::uint64_t kBothBuilds = 20'000'000;

// A full check of this many warp instructions takes some two seconds on two cores.
constexpr std::uint64_t kQuickCheck = 300'000'000;
// Launches below both limits are quick: no proof is tried.
constexpr std::uint64_t kFewProducts = 1ULL << 30;  // M·N·K
constexpr std::uint64_t kFewThreads = 1ULL << 22;
// Limit of warp instructions for a proof.
constexpr std::uint64_t kProofOfClasses = 8'000'000;

constexpr int kCheckSchema = 1;

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

// The blocks that have to be executed. Proved with buffers that take no memory.
Result<insight::BlockClasses> classes_of(const CheckOptions& options, Context& context,
                                         const Prepared& prepared,
                                         const std::atomic<bool>& cancelled) {
  const auto empty = prepare(context, options.launch, prepared.kernel.build, 0,
                             problem::BufferContents::Zero, &prepared.spec);
  TILESTEP_RETURN_IF_ERROR(empty);
  return insight::block_classes(empty->program, kProofOfClasses, &cancelled);
}

// Nullopt: all blocks have to be executed.
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
        tr("--blocks classes: it could not be proved which blocks represent all others: {}. Choose "
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
  TILESTEP_RETURN_IF_ERROR(classes);
  if (*classes) {
    ProgressLine progress("check", static_cast<std::uint32_t>((*classes)->representatives.size()));
    return insight::check_classes(prepared.program, **classes, &interrupt.cancelled(),
                                  &progress.done());
  }
  ProgressLine progress("check", prepared.program->block_count());
  return insight::check(prepared.program, prepared.schedule, &interrupt.cancelled(),
                        &progress.done(), workspace::cores(options.cores));
}

// The step build, from which the compiler removes nothing: checked once, on first use.
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

// The compiler removes code without effect on the result, and a race in it: so the step build is
// checked too. Adds the step build's facts to the same findings of `fast`.
StepCheck check_step_build(StepBuild& step, insight::CheckResult& fast) {
  if (fast.warp_instructions > kBothBuilds) {
    return {{},
            tr("Only the fast build was checked. The step build, in which the compiler removes "
               "nothing, takes three times as long; to check it, use --build step."),
            true};
  }
  if (!step.checked()) {
    return {{}, step.checked().error().message, true};
  }
  const std::vector<insight::Finding>& of_step_build = step.checked()->findings;
  if (fast.findings.empty() && of_step_build.empty() && fast.comparison.wrong > 0) {
    // An overwritten store is one that the compiler removes.
    std::ranges::copy_if(
        step.checked()->notes, std::back_inserter(fast.notes),
        [&](const auto& note) { return std::ranges::count(fast.notes, note) == 0; });
  }
  insight::take_names(fast.findings, of_step_build);
  insight::take_lines(fast.findings, of_step_build);
  return {insight::findings_beyond(of_step_build, fast.findings), "", step.checked()->has_steps()};
}

bool has_trap(const insight::CheckResult& result) {
  return std::any_of(result.findings.begin(), result.findings.end(), [](const auto& finding) {
    return finding.kind == insight::FindingKind::Trap;
  });
}

// The fast build has a trap where the compiler saw undefined behavior (a store to __constant__
// memory). The step build has no trap and shows the cause.
void explain_traps(StepBuild& step, const Prepared& prepared, insight::CheckResult& result) {
  if (!has_trap(result) || prepared.kernel.step == nullptr || !step.checked()) {
    return;
  }
  const insight::CheckResult& of_step_build = *step.checked();
  if (!of_step_build.findings.empty() && !has_trap(of_step_build)) {
    result.findings = of_step_build.findings;
  }
}

void print_json(const Prepared& p, const insight::CheckResult& result, const StepCheck& step) {
  fmt::print("{}\n", json_text(check_json({p.launch, p.kernel.build, p.guessed}, result, step)));
}

Result<int> check(const CheckOptions& options, Context& context) {
  using enum CheckedBuilds;
  const auto prepared = prepare(context, options.launch,
                                options.builds == Step      ? compile::Build::Step
                                : options.builds == Machine ? compile::Build::Machine
                                                            : compile::Build::Fast);
  TILESTEP_RETURN_IF_ERROR(prepared);
  Result<insight::CheckResult> checked = run_check(options, context, *prepared);
  TILESTEP_RETURN_IF_ERROR(checked);
  insight::CheckResult& result = *checked;
  if (result.cancelled) {
    fmt::print(stderr, "{}\n", tr("{} The rest is not checked.", result.cancelled_at));
    return 2;
  }
  StepBuild step_build(options, context, *prepared, result);
  explain_traps(step_build, *prepared, result);
  StepCheck step;
  if (options.builds == Both) {
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
    return fail(tr("{}: {} The rest of the launch is not checked.", prepared->launch.source_name,
                   limit->sentence));
  }
  return result.clean() && step.more.empty() ? 0 : 1;
}

}  // namespace

json check_json(const CheckedLaunch& p, const insight::CheckResult& result, const StepCheck& step) {
  json findings = json::array();
  json not_simulated = json::array();
  for (const insight::Finding& finding : result.findings) {
    if (is_limit(finding)) {
      not_simulated.push_back(finding.sentence);
    } else {
      findings.push_back(to_json(finding, p.build));
    }
  }
  for (const insight::Finding& finding : step.more) {
    findings.push_back(to_json(finding, compile::Build::Step));
  }
  const auto& size = p.launch.parameters.problem;
  json out = {{"schema", "tilestep-check"},
              {"version", kCheckSchema},
              {"kernel", p.launch.id},
              {"M", size.M},
              {"N", size.N},
              {"K", size.K},
              {"block_size", p.launch.parameters.block_size},
              {"clean", result.clean() && step.more.empty()},
              {"not_on_gpu", p.launch.not_on_gpu},
              {"warp_instructions", result.warp_instructions},
              {"blocks", result.blocks},
              {"blocks_executed", result.blocks_executed},
              {"blocks_watched", result.blocks_watched},
              {"not_simulated", std::move(not_simulated)},
              {"guessed", p.guessed},
              {"notes", result.notes},
              {"findings", std::move(findings)}};
  for (const insight::Printed& printed : result.printout.texts) {
    out["printed"].push_back({{"block", to_json(printed.block)},
                              {"thread", to_json(printed.thread)},
                              {"line", printed.line},
                              {"text", printed.text}});
  }
  for (const problem::BufferComparison& output : result.outputs) {
    out["outputs"].push_back({{"buffer", output.buffer},
                              {"compared", output.comparison.compared},
                              {"wrong", output.comparison.wrong},
                              {"never_stored", output.never_stored},
                              {"max_abs_error", output.comparison.max_abs_error},
                              {"max_rel_error", output.comparison.max_rel_error},
                              {"tolerance", output.tolerance}});
  }
  if (result.has_reference) {
    out["comparison"] = {{"compared", result.comparison.compared},
                         {"wrong", result.comparison.wrong},
                         {"max_abs_error", result.comparison.max_abs_error},
                         {"max_rel_error", result.comparison.max_rel_error},
                         {"average_rel_error", result.comparison.average_rel_error},
                         {"tolerance", result.tolerance}};
  }
  return out;
}

std::string findings_csv(const json& check) {
  std::string out =
      "finding,kind,variable,element,occurrences,access,block,thread,line,step,sentence\n";
  std::size_t number = 0;
  for (const json& finding : check["findings"]) {
    ++number;
    for (const json& party : finding["parties"]) {
      const auto text = [&finding](const char* key) {
        return timing::csv_cell(finding[key].get<std::string>());
      };
      const auto place = [&party](const char* key) {
        return fmt::format("\"{},{},{}\"", party[key][0].dump(), party[key][1].dump(),
                           party[key][2].dump());
      };
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", number, text("kind"),
                         text("variable"), text("element"), finding["occurrences"].dump(),
                         timing::csv_cell(party["access"].get<std::string>()), place("block"),
                         place("thread"), party["line"].dump(), party["step"].dump(),
                         text("sentence"));
    }
  }
  return out;
}

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  // Findings do not depend on the schedule, but time does: this one uses all cores.
  options->launch.schedule = "sequential";
  auto* command = app.add_subcommand(
      "check", "Find races and other faults, and compare the result with the reference");
  add_launch_options(*command, options->launch);
  add_word_option(
      *command, "--build", options->builds,
      "Build: fast (optimized), step (-G: follows the source), both, or machine (the hardware's "
      "instructions)");
  add_word_option(*command, "--blocks", options->blocks,
                  "Blocks to execute: all; classes (one of each set of provably equivalent "
                  "blocks); or auto (classes if all would take too long)");
  command->add_option("--cores", options->cores, "CPU cores to use; 0: all")->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n  tilestep check tiled_missing_barrier --size 64,64,64 --block 16\n"
      "Exit status: 0 clean; 1 findings or a wrong result; 2 wrong use or input, or code that "
      "Tilestep does not simulate.");
  command->callback([options, &context] { context.status = status_of(check(*options, context)); });
}

}  // namespace tilestep::cli
