#include "ui/stage/headline.h"

#include "insight/names.h"
#include "problem/text.h"
#include "ui/names.h"
#include "ui/stage/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::ui {
namespace {

// "A", "A and B", "A, B and C".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

// Names of the sheets that threads of the focus block touched, in the stage's order.
std::vector<std::string> touched(const ContentInputs& in, const StageContent& content,
                                 bool written) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    if (in.shape.sheets[i].kind == SheetKind::Threads) {
      continue;
    }
    const auto& cells = content.sheets[i].cells;
    if (std::any_of(cells.begin(), cells.end(), [written](const Cell& cell) {
          return cell.by_focus_block && (written ? cell.is_written : cell.is_read);
        })) {
      names.push_back(in.shape.sheets[i].name);
    }
  }
  return names;
}

bool accumulates(const ContentInputs& in, const StageContent& content) {
  if (in.shape.threads == kNoSheet) {
    return false;
  }
  const auto& cells = content.sheets[static_cast<std::size_t>(in.shape.threads)].cells;
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.is_written; });
}

struct Taking {
  int executed = 0;
  int live = 0;
};
Taking taking_part(const ContentInputs& in) {
  Taking taking;
  for (const record::Activity::Executed& executed : in.statement->executed) {
    if (executed.warp.block == in.block) {
      taking.executed += std::popcount(executed.mask);
      taking.live += std::popcount(executed.live);
    }
  }
  return taking;
}

struct Result {
  Verdict verdict = Verdict::None;
  std::string sentence;
};

// The run is over: what stopped it, or what it left in the output that there is a reference for.
Result result_sentence(const ContentInputs& in, const StageContent& content) {
  for (const record::Activity::Fault& fault : in.recording.faults()) {
    if (in.state.machine().block_status(fault.warp.block) == simt::BlockStatus::Stopped) {
      return {Verdict::Wrong,
              fmt::format("A fault at line {} stopped the run. See Findings.", fault.line)};
    }
  }
  std::vector<std::string> right;
  for (std::size_t i = 0; i < in.shape.sheets.size(); ++i) {
    const Sheet& sheet = in.shape.sheets[i];
    if (expected_of(in, sheet) == nullptr) {
      continue;
    }
    const auto& cells = content.sheets[i].cells;
    const auto wrong = std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
      return cell.is_wrong || (cell.state != CellState::Value && cell.state != CellState::Unused);
    });
    if (wrong > 0) {
      return {Verdict::Wrong,
              fmt::format("The run is complete: {} of {} elements of {} differ from the reference.",
                          wrong, sheet.count, sheet.name)};
    }
    right.push_back(sheet.name);
  }
  return right.empty()
             ? Result{Verdict::None, "The run is complete."}
             : Result{Verdict::Right, fmt::format("The run is complete: {} equal{} the reference.",
                                                  listed(right), right.size() == 1 ? "s" : "")};
}

// The focus block did not take part in the last statement.
std::string idle_sentence(const ContentInputs& in) {
  switch (in.state.machine().block_status(in.block)) {
    case simt::BlockStatus::NotStarted:
      return "This block has not started yet; another block moved.";
    case simt::BlockStatus::Ended:
      return "This block has ended; another block moved.";
    case simt::BlockStatus::Stopped:
      return "A fault stopped this block; another block moved.";
    case simt::BlockStatus::Running:
      break;
  }
  return "This block waits; another block moved.";
}

// "reads ", "store ".
std::string deed(simt::AccessKind kind, bool one) {
  return (one ? insight::verb(kind) : insight::verb_of_several(kind)) + " ";
}

std::string statement_sentence(const ContentInputs& in, const StageContent& content) {
  if (in.statement == nullptr || in.state.step() == 0) {
    return "No statement has run yet.";
  }
  const Taking taking = taking_part(in);
  if (taking.executed == 0) {
    return idle_sentence(in);
  }
  const std::string who = taking.executed < taking.live
                              ? fmt::format("{} of {} threads", taking.executed, taking.live)
                              : plural(taking.executed, "thread");
  const bool one = taking.executed == 1 && taking.live == 1;
  for (const record::Activity::Barrier& barrier : in.statement->barriers) {
    if (barrier.warp.block == in.block) {
      return fmt::format("{} {} at the barrier.", who, one ? "is" : "are");
    }
  }
  const std::vector<std::string> reads = touched(in, content, false);
  const std::vector<std::string> writes = touched(in, content, true);
  std::vector<std::string> deeds;
  if (!reads.empty()) {
    deeds.push_back(deed(simt::AccessKind::Load, one) + listed(reads));
  }
  if (!writes.empty()) {
    deeds.push_back(deed(simt::AccessKind::Store, one) + listed(writes));
  }
  if (accumulates(in, content)) {
    const std::string sums = one ? "its sums" : "their sums";
    deeds.push_back((one ? "adds to " : "add to ") +
                    (in.accumulator.empty() ? sums : in.accumulator));
  }
  if (deeds.empty()) {
    return fmt::format("{} {} in registers.", who, one ? "computes" : "compute");
  }
  return fmt::format("{} {}.", who, listed(deeds));
}

}  // namespace

Headline make_headline(const ContentInputs& in, const StageContent& content) {
  Headline headline;
  const auto& program = in.recording.program();
  const std::string block = block_name(program, in.block);
  const auto phases = in.recording.phases_of(in.block);
  if (phases.empty()) {
    headline.where = block;
    return headline;
  }
  const std::size_t phase = in.log.phase_before(in.state.step());
  headline.where = fmt::format("Phase {} of {} · {}", phase + 1, phases.size(), block);
  headline.phase = *phases[phase].name;
  headline.kind = phases[phase].kind;
  if (in.state.step() > 0 && in.state.step() >= in.recording.step_count()) {
    const Result result = result_sentence(in, content);
    headline.verdict = result.verdict;
    headline.sentence = result.sentence;
  } else {
    headline.sentence = statement_sentence(in, content);
  }
  return headline;
}

}  // namespace tilestep::ui
