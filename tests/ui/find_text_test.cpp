#include "ui/source/source_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FindAll, CountsLinesAndCharacters) {
  EXPECT_THAT(find_all("acc = 0;\n  acc += As·acc;", {"acc", true, false}),
              ElementsAre(FoundText{1, 0, 3}, FoundText{2, 2, 5}, FoundText{2, 12, 15}));
  EXPECT_THAT(find_all("aaaa", {"aa", false, false}),
              ElementsAre(FoundText{1, 0, 2}, FoundText{1, 2, 4}));
  EXPECT_THAT(find_all("abc", {"", false, false}), IsEmpty());
}

TEST(FindAll, MindsCaseAndWordsWhereAsked) {
  EXPECT_THAT(find_all("As as ASx", {"as", false, false}),
              ElementsAre(FoundText{1, 0, 2}, FoundText{1, 3, 5}, FoundText{1, 6, 8}));
  EXPECT_THAT(find_all("As as ASx", {"as", true, false}), ElementsAre(FoundText{1, 3, 5}));
  EXPECT_THAT(find_all("As as ASx", {"as", false, true}),
              ElementsAre(FoundText{1, 0, 2}, FoundText{1, 3, 5}));
}

TEST(Nearest, GoesAroundTheEnds) {
  const std::vector<FoundText> all{{1, 0, 3}, {2, 2, 5}, {2, 12, 15}};
  EXPECT_EQ(nearest(all, 1, 0, +1), 0);
  EXPECT_EQ(nearest(all, 1, 1, +1), 1);
  EXPECT_EQ(nearest(all, 3, 0, +1), 0);
  EXPECT_EQ(nearest(all, 2, 12, -1), 1);
  EXPECT_EQ(nearest(all, 1, 0, -1), 2);
  EXPECT_EQ(nearest({}, 1, 0, +1), -1);
}

TEST(UndoStrokes, AreWhatWasTypedInOneGo) {
  UndoStrokes strokes;
  double now = 0.0;
  for (std::size_t typed = 1; typed <= 5; ++typed) {
    strokes.note(typed, 3, now += 0.1);
  }
  EXPECT_EQ(strokes.undo_to(), 0U);
  strokes.note(6, 3, now += 2.0);  // after a pause
  EXPECT_EQ(strokes.undo_to(), 5U);
  strokes.note(7, 4, now += 0.1);  // on another line
  EXPECT_EQ(strokes.undo_to(), 6U);
  strokes.moved_to(6);
  EXPECT_EQ(strokes.undo_to(), 5U);
  strokes.moved_to(5);
  EXPECT_EQ(strokes.undo_to(), 0U);
  EXPECT_EQ(strokes.redo_to(), 6U);
  strokes.moved_to(0);
  EXPECT_EQ(strokes.redo_to(), 5U);
  strokes.note(1, 4, now += 0.1);  // typed again: the undone change is gone
  EXPECT_EQ(strokes.undo_to(), 0U);
  EXPECT_GT(strokes.redo_to(), 7U);
}

}  // namespace
}  // namespace tilestep::ui
