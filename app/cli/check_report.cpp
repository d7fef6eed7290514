#include "cli/check_report.h"

#include "cli/json_text.h"
#include "cli/say.h"
#include "insight/check/finding.h"
#include "insight/names.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"
#include "timing/dataset.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
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
    say("  {} more texts are not shown.\n", printout.left_out);
  }
}

}  // namespace

bool is_limit(const insight::Finding& finding) {
  return finding.kind == insight::FindingKind::NotSimulated;
}

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
  json out = {{"kernel", p.launch.id},
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

void print_json(const Prepared& p, const insight::CheckResult& result, const StepCheck& step) {
  fmt::print("{}\n", json_text(check_json({p.launch, p.kernel.build, p.guessed}, result, step)));
}

void print_text(const Prepared& p, const insight::CheckResult& result, const StepCheck& step) {
  say("{}\n", headline(p));
  if (!p.guessed.empty()) {
    say("\nnote\n  {}\n", p.guessed);
  }
  if (result.blocks_executed < result.blocks) {
    say("\nExecuted {} of {} blocks. It is proved that the others do the same at other addresses, "
        "and that no block touches what another one stores. --blocks all executes every block.\n",
        grouped(result.blocks_executed), grouped(result.blocks));
  }
  if (result.blocks_watched != 0 && result.blocks_watched < result.blocks_executed) {
    say("\nAll {} blocks ran. {} of them ran again, watched closely: for each instruction with "
        "something odd the first block that met it. Occurrences count these blocks alone.\n",
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
    print_text(p, finding, tr(", in the step build alone"), step.has_steps);
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
        say("{}\n", tr_n("{} of its {} elements is stored by no thread.",
                         "{} of its {} elements are stored by no thread.", output.never_stored,
                         c.compared));
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

}  // namespace tilestep::cli
