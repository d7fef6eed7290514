// Marks of a run: notable places are found once, where they happen.
#include "ui/stage/run_marks.h"

#include "insight/count/counters.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace tilestep::test {
namespace {

const workspace::Generation kOneScene = workspace::Generation::next();
const workspace::Generation kOtherScene = workspace::Generation::next();

using ui::MarkKind;

std::shared_ptr<const record::Recording> recorded(const std::string& kernel, problem::Problem size,
                                                  int block) {
  auto made = record::Recording::make(Simulated().program(kernel, size, block), {});
  if (!made) {
    throw std::runtime_error(made.error().message);
  }
  return *made;
}

std::size_t count(const ui::RunMarks& marks, MarkKind kind) {
  return static_cast<std::size_t>(
      std::count_if(marks.marks().begin(), marks.marks().end(),
                    [kind](const ui::RunMark& mark) { return mark.kind == kind; }));
}

TEST(RunMarks, TransposedTilesHaveABankConflictForEachSlowAccess) {
  const auto run = recorded("tiled_transposed", {16, 16, 16}, 16);
  ui::RunMarks marks;
  EXPECT_FALSE(marks.advance(*run, kOneScene, 0, run->step_count()));
  // The cost of the conflicts equals the counters' passes beyond one per request.
  std::uint64_t more = 0;
  for (const ui::RunMark& mark : marks.marks()) {
    more += mark.kind == MarkKind::Conflict ? mark.cost - mark.least : 0;
  }
  const insight::Counters counters = insight::count(run->shared_program());
  EXPECT_EQ(more, counters.shared_loads.wavefronts - counters.shared_loads.requests +
                      counters.shared_stores.wavefronts - counters.shared_stores.requests);
  EXPECT_GT(more, 0U);
  EXPECT_EQ(count(marks, MarkKind::Barrier), 2U);
  EXPECT_EQ(count(marks, MarkKind::Divergence), 0U);
}

TEST(RunMarks, UncoalescedLoadsAreMarkedAndCoalescedOnesAreNot) {
  const auto bad = recorded("naive_uncoalesced", {16, 16, 16}, 8);
  const auto good = recorded("tiled", {16, 16, 16}, 16);
  ui::RunMarks marks;
  static_cast<void>(marks.advance(*bad, kOneScene, 0, bad->step_count()));
  EXPECT_GT(count(marks, MarkKind::Uncoalesced), 0U);
  static_cast<void>(marks.advance(*good, kOtherScene, 0, good->step_count()));
  EXPECT_EQ(count(marks, MarkKind::Uncoalesced), 0U);
  EXPECT_EQ(count(marks, MarkKind::Conflict), 0U);
}

TEST(RunMarks, AGuardThatSomeLanesFailSplitsTheWarp) {
  const auto run = recorded("naive", {2, 4, 3}, 16);
  ui::RunMarks marks;
  static_cast<void>(marks.advance(*run, kOneScene, 0, run->step_count()));
  const auto split =
      std::find_if(marks.marks().begin(), marks.marks().end(),
                   [](const ui::RunMark& mark) { return mark.kind == MarkKind::Divergence; });
  ASSERT_NE(split, marks.marks().end());
  EXPECT_EQ(narration::plain_text(ui::mark_words(*split)).rfind("A warp diverges at line ", 0), 0U);
}

TEST(RunMarks, PartsOfARunAddUpToTheSame) {
  const auto run = recorded("double_buffered", {8, 8, 8}, 4);
  ui::RunMarks whole;
  static_cast<void>(whole.advance(*run, kOneScene, 1, run->step_count()));
  ui::RunMarks parts;
  while (parts.advance(*run, kOneScene, 1, 37)) {
  }
  ASSERT_EQ(parts.marks().size(), whole.marks().size());
  ASSERT_EQ(parts.copies().size(), whole.copies().size());
  for (std::size_t i = 0; i < whole.copies().size(); ++i) {
    EXPECT_EQ(parts.copies()[i].issued, whole.copies()[i].issued);
    EXPECT_EQ(parts.copies()[i].arrived, whole.copies()[i].arrived);
  }
}

}  // namespace
}  // namespace tilestep::test
