// tilestep check: findings and the comparison with the reference, without recording.
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/say.h"
#include "cli/word_option.h"
#include "cli/words.h"
#include "compile/words.h"
#include "insight/check/check.h"
#include "insight/check/words.h"
#include "insight/names.h"
#include "loading/program.h"
#include "problem/text.h"
#include "simt/machine/words.h"
#include "workspace/cores.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

namespace tilestep::cli {

namespace {

using nlohmann::json;

// The step build takes about three times as long as the fast one: beyond this many warp
// instructions of the fast build it is checked only where it is asked for.
constexpr std::uint64_t kBothBuilds = 20'000'000;

struct CheckOptions {
  LaunchOptions launch;
  CheckedBuilds builds = CheckedBuilds::Both;
  bool as_json = false;
  std::size_t cores = 0;
};

// What the step build adds to the check of the fast one.
struct StepCheck {
  std::vector<insight::Finding> more;  // that the fast build does not have
  std::string left_out;                // a sentence, where it was not checked
};

const char* name(std::optional<simt::AccessKind> access) {
  return access ? word_of(*access).label : "operation";
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

// What Tilestep does not simulate is no mistake of the kernel's.
bool is_limit(const insight::Finding& finding) {
  return finding.kind == insight::FindingKind::NotSimulated;
}

void print_json(const Prepared& p, const insight::CheckResult& result, const StepCheck& step) {
  json findings = json::array();
  json not_simulated = json::array();
  for (const insight::Finding& finding : result.findings) {
    if (is_limit(finding)) {
      not_simulated.push_back(finding.sentence);
    } else {
      findings.push_back(to_json(finding, p.kernel.build));
    }
  }
  for (const insight::Finding& finding : step.more) {
    findings.push_back(to_json(finding, compile::Build::Step));
  }
  const auto& size = p.launch.parameters.problem;
  json out = {{"kernel", p.launch.id},
              {"M", size.M},
              {"N", size.N},
              {"K", size.K},
              {"block_size", p.launch.parameters.block_size},
              {"clean", result.clean() && step.more.empty()},
              {"not_on_gpu", p.launch.not_on_gpu},
              {"warp_instructions", result.warp_instructions},
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
  fmt::print("{}\n", json_text(out));
}

void print_text(const Prepared& p, const insight::Finding& finding, const char* in) {
  say("\n{}{}{}{}  ({}×)\n  {}\n", word_of(finding.kind).label,
      finding.element.empty() ? "" : " on ", finding.element, in, finding.occurrences,
      finding.sentence);
  for (const insight::Party& party : finding.parties) {
    const std::string who = insight::thread_of_block(party.thread, party.block, p.launch);
    say("  {}:{}  {}, step {}\n", p.launch.source_name, party.line,
        insight::with_verb(who, party.access), party.step);
  }
}

void print_text(const Prepared& p, const insight::Printout& printout) {
  if (printout.texts.empty()) {
    return;
  }
  say("\nPrinted by the kernel:\n");
  for (const insight::Printed& printed : printout.texts) {
    say("  {}, line {}: {}\n", insight::thread_of_block(printed.thread, printed.block, p.launch),
        printed.line, trimmed(printed.text));
  }
  if (printout.left_out > 0) {
    say("  {} more texts are not shown.\n", printout.left_out);
  }
}

void print_text(const Prepared& p, const insight::CheckResult& result, const StepCheck& step) {
  say("{}\n", headline(p));
  if (!p.guessed.empty()) {
    say("\nnote\n  {}\n", p.guessed);
  }
  for (const std::string& sentence : p.launch.not_on_gpu) {
    say("\nDo not launch on a GPU: {}\n", sentence);
  }
  print_text(p, result.printout);
  for (const insight::Finding& finding : result.findings) {
    if (!is_limit(finding)) {
      print_text(p, finding, "");
    }
  }
  for (const insight::Finding& finding : step.more) {
    print_text(p, finding, ", in the step build alone");
  }
  if (!step.more.empty()) {
    say("\nThe step build follows the text. In the fast build the compiler has removed or changed "
        "these operations, so a GPU may not show the fault; the text has it.\n");
  }
  for (const std::string& note : result.notes) {
    say("\nnote\n  {}\n", note);
  }
  if (std::any_of(result.findings.begin(), result.findings.end(), is_limit)) {
    return;  // a launch that stopped half-way says nothing about its result
  }
  for (const problem::BufferComparison& output : result.outputs) {
    const problem::Comparison& c = output.comparison;
    if (c.wrong == 0) {
      say("\n{} is right: {} elements, largest error {:g}; relative error {:g} at most, {:g} on "
          "average\n",
          output.buffer, c.compared, c.max_abs_error, c.max_rel_error, c.average_rel_error);
    } else {
      say("\n{} is wrong: {} of {} elements; first: {}\n", output.buffer, c.wrong, c.compared,
          first_wrong(output));
      if (output.never_stored > 0) {
        say("No thread stores {} of its {} elements.\n", output.never_stored, c.compared);
      }
    }
  }
  const std::size_t count = result.findings.size() + step.more.size();
  say("{}{}\n", count == 0 ? "No findings." : plural(count, "finding") + ".",
      step.left_out.empty() ? "" : " " + step.left_out);
}

// Ctrl-C cancels it.
insight::CheckResult run_check(const Prepared& prepared, std::size_t cores) {
  const Interrupt interrupt;
  ProgressLine progress("check", prepared.program->block_count());
  return insight::check(prepared.program, prepared.schedule, &interrupt.cancelled(),
                        &progress.done(), workspace::cores(cores));
}

// The compiler removes what has no effect on the result, and a race with it: so the build that
// removes nothing is looked at too.
StepCheck check_step_build(const CheckOptions& options, Context& context,
                           const Prepared& prepared_fast, const insight::CheckResult& fast) {
  if (fast.warp_instructions > kBothBuilds) {
    return {{},
            "Only the fast build was checked; the step build, from which the compiler removes "
            "nothing, takes three times as long: --build step."};
  }
  const auto prepared =
      prepare(context, options.launch, compile::Build::Step, 0, {}, &prepared_fast.spec);
  if (!prepared) {
    return {{}, "The step build could not be checked: " + prepared.error().message};
  }
  const insight::CheckResult step = run_check(*prepared, options.cores);
  if (step.cancelled) {
    return {{}, "Only the fast build was checked."};
  }
  return {insight::findings_beyond(step.findings, fast.findings), ""};
}

bool has_trap(const insight::CheckResult& result) {
  return std::any_of(result.findings.begin(), result.findings.end(), [](const auto& finding) {
    return finding.kind == insight::FindingKind::Trap;
  });
}

// The fast build has a trap where the compiler saw that behaviour is undefined (a store to
// __constant__ memory). What it is about, the step build says, which does not have it.
void explain_traps(const Prepared& prepared, std::size_t cores, insight::CheckResult& result) {
  if (!has_trap(result) || prepared.kernel.step == nullptr) {
    return;
  }
  auto program =
      loading::make_program(*prepared.kernel.step, prepared.launch, prepared.program->warp_size());
  if (!program) {
    return;
  }
  Prepared step = prepared;
  step.program = std::move(*program);
  insight::CheckResult told = run_check(step, cores);
  if (!told.cancelled && !told.findings.empty() && !has_trap(told)) {
    result.findings = std::move(told.findings);
  }
}

int check(const CheckOptions& options, Context& context) {
  const bool steps = options.builds == CheckedBuilds::Step;
  const auto prepared =
      prepare(context, options.launch, steps ? compile::Build::Step : compile::Build::Fast);
  if (!prepared) {
    return wrong_use(prepared.error());
  }
  insight::CheckResult result = run_check(*prepared, options.cores);
  if (result.cancelled) {
    fmt::print(stderr, "{} The rest is not checked.\n", result.cancelled_at);
    return 2;
  }
  explain_traps(*prepared, options.cores, result);
  StepCheck step;
  if (options.builds == CheckedBuilds::Both) {
    step = check_step_build(options, context, *prepared, result);
    std::erase_if(step.more, is_limit);
  }
  if (options.as_json) {
    print_json(*prepared, result, step);
  } else {
    print_text(*prepared, result, step);
  }
  const auto limit = std::find_if(result.findings.begin(), result.findings.end(), is_limit);
  if (limit != result.findings.end()) {
    return wrong_use({fmt::format("{}: {} The rest of the launch is not checked.",
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
  command->add_option("--cores", options->cores, "CPU cores to use; 0: all")->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n  tilestep check tiled_missing_barrier --size 64,64,64 --block 16\n"
      "Exit status: 0 clean; 1 findings or a wrong result; 2 wrong use or input, or code that "
      "Tilestep does not simulate.");
  command->callback([options, &context] { context.status = check(*options, context); });
}

}  // namespace tilestep::cli
