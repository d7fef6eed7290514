// tilestep check: findings and the comparison with the reference, without recording.
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/word_option.h"
#include "compile/words.h"
#include "insight/check/check.h"
#include "insight/check/words.h"
#include "insight/names.h"
#include "problem/text.h"
#include "simt/machine/words.h"
#include "workspace/cores.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>

namespace tilestep::cli {

namespace {

using nlohmann::json;

struct CheckOptions {
  LaunchOptions launch;
  compile::Build build = compile::Build::Fast;
  bool as_json = false;
  std::size_t cores = 0;
};

const char* name(std::optional<simt::AccessKind> access) {
  return access ? word_of(*access).label : "operation";
}

json to_json(const problem::Dim3& d) {
  return json::array({d.x, d.y, d.z});
}

json to_json(const insight::Finding& finding) {
  json parties = json::array();
  for (const insight::Party& party : finding.parties) {
    parties.push_back({{"block", to_json(party.block)},
                       {"thread", to_json(party.thread)},
                       {"line", party.line},
                       {"step", party.step},
                       {"access", name(party.access)}});
  }
  return {{"kind", word_of(finding.kind).file}, {"variable", finding.variable},
          {"element", finding.element},         {"occurrences", finding.occurrences},
          {"sentence", finding.sentence},       {"same_value", finding.same_value},
          {"parties", std::move(parties)}};
}

void print_json(const Prepared& p, const insight::CheckResult& result) {
  json findings = json::array();
  for (const insight::Finding& finding : result.findings) {
    findings.push_back(to_json(finding));
  }
  const auto& size = p.launch.parameters.problem;
  json out = {{"kernel", p.launch.id},
              {"M", size.M},
              {"N", size.N},
              {"K", size.K},
              {"block_size", p.launch.parameters.block_size},
              {"clean", result.clean()},
              {"not_on_gpu", p.launch.not_on_gpu},
              {"warp_instructions", result.warp_instructions},
              {"findings", std::move(findings)},
              {"notes", result.notes}};
  for (const problem::BufferComparison& output : result.outputs) {
    out["outputs"].push_back({{"buffer", output.buffer},
                              {"compared", output.comparison.compared},
                              {"wrong", output.comparison.wrong},
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
  fmt::print("{}\n", out.dump(2));
}

void print_text(const Prepared& p, const insight::CheckResult& result) {
  fmt::print("{}\n", headline(p));
  for (const std::string& sentence : p.launch.not_on_gpu) {
    fmt::print("\nDo not launch on a GPU: {}\n", sentence);
  }
  for (const insight::Finding& finding : result.findings) {
    fmt::print("\n{}{}{}  ({}×)\n  {}\n", word_of(finding.kind).label,
               finding.element.empty() ? "" : " on ", finding.element, finding.occurrences,
               finding.sentence);
    for (const insight::Party& party : finding.parties) {
      const std::string who = insight::thread_of_block(party.thread, party.block, p.launch);
      fmt::print("  {}:{}  {}, step {}\n", p.launch.source_name, party.line,
                 insight::with_verb(who, party.access), party.step);
    }
  }
  for (const std::string& note : result.notes) {
    fmt::print("\nnote\n  {}\n", note);
  }
  for (const problem::BufferComparison& output : result.outputs) {
    const problem::Comparison& c = output.comparison;
    if (c.wrong == 0) {
      fmt::print(
          "\n{} is right: {} elements, largest error {:g}; relative error {:g} at most, {:g} on "
          "average\n",
          output.buffer, c.compared, c.max_abs_error, c.max_rel_error, c.average_rel_error);
    } else {
      fmt::print("\n{} is wrong: {} of {} elements; first: {}\n", output.buffer, c.wrong,
                 c.compared, first_wrong(output));
    }
  }
  fmt::print("{}\n", result.findings.empty() ? "No findings."
                                             : plural(result.findings.size(), "finding") + ".");
}

// Ctrl-C cancels it.
insight::CheckResult run_check(const Prepared& prepared, std::size_t cores) {
  const Interrupt interrupt;
  ProgressLine progress("check", prepared.program->block_count());
  return insight::check(prepared.program, prepared.schedule, &interrupt.cancelled(),
                        &progress.done(), workspace::cores(cores));
}

int check(const CheckOptions& options, Context& context) {
  const auto prepared = prepare(context, options.launch, options.build);
  if (!prepared) {
    return wrong_use(prepared.error());
  }
  const insight::CheckResult result = run_check(*prepared, options.cores);
  if (result.cancelled) {
    fmt::print(stderr, "{} The rest is not checked.\n", result.cancelled_at);
    return 2;
  }
  if (options.as_json) {
    print_json(*prepared, result);
  } else {
    print_text(*prepared, result);
  }
  return result.clean() ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  // Findings do not depend on the schedule, but time does: this one runs blocks on all cores.
  options->launch.schedule = "sequential";
  auto* command = app.add_subcommand(
      "check", "Find races and other faults, and compare the result with the reference");
  add_launch_options(*command, options->launch);
  add_word_option(*command, "--build", options->build,
                  "Build: fast (as the hardware runs it) or step (-G)");
  command->add_option("--cores", options->cores, "CPU cores to use; 0: all")->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n  tilestep check tiled_missing_barrier --size 64,64,64 --block 16\n"
      "Exit status: 0 clean; 1 findings or a wrong result; 2 wrong use or input.");
  command->callback([options, &context] { context.status = check(*options, context); });
}

}  // namespace tilestep::cli
