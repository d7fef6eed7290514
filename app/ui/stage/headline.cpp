#include "ui/stage/headline.h"

#include "ui/stage/overlay.h"

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

std::string statement_sentence(const ContentInputs& in, const StageContent& content) {
  if (in.statement == nullptr || in.state.step() == 0) {
    return "Nothing has been executed yet.";
  }
  const Taking taking = taking_part(in);
  if (taking.executed == 0) {
    return "This block waits; another one moved.";
  }
  const std::string who =
      taking.executed < taking.live
          ? fmt::format("{} of {} threads", taking.executed, taking.live)
          : fmt::format("{} thread{}", taking.executed, taking.executed == 1 ? "" : "s");
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
    deeds.push_back((one ? "reads " : "read ") + listed(reads));
  }
  if (!writes.empty()) {
    deeds.push_back((one ? "writes " : "write ") + listed(writes));
  }
  if (accumulates(in, content)) {
    deeds.push_back((one ? "adds to " : "add to ") + in.accumulator);
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
  const std::string block = index_name(program.block_index(in.block), program.launch().grid);
  const auto phases = in.recording.phases_of(in.block);
  if (phases.empty()) {
    headline.where = "block " + block;
    return headline;
  }
  const std::size_t phase = in.log.phase_before(in.state.step());
  headline.where = fmt::format("Phase {} of {} · block {}", phase + 1, phases.size(), block);
  headline.phase = phases[phase].name;
  headline.kind = phases[phase].kind;
  headline.sentence = statement_sentence(in, content);
  return headline;
}

}  // namespace tilestep::ui
