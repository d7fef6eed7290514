// Characters typed right after a chord that opens a field belong to the field.
#include "ui/overlays.h"

#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

TEST(OpeningField, IsAwaitedFromTheCommandUntilAFieldHasTheKeyboard) {
  OpeningField field;
  state::AppState state;
  EXPECT_FALSE(field.is_awaited(state, false));
  state.show_palette = true;
  EXPECT_TRUE(field.is_awaited(state, false));
  EXPECT_TRUE(field.is_awaited(state, false));
  EXPECT_FALSE(field.is_awaited(state, true));
  // A click beside it: no field opens, so keys are shortcuts again.
  EXPECT_FALSE(field.is_awaited(state, false));
}

TEST(OpeningField, IsNotAwaitedForEver) {
  OpeningField field;
  state::AppState state;
  state.asked = state::Asked::Open;
  int frames = 0;
  while (field.is_awaited(state, false)) {
    ASSERT_LT(++frames, 100);
  }
  EXPECT_GT(frames, 2);
}

TEST(OpeningField, IsAwaitedAnewEachTime) {
  OpeningField field;
  state::AppState state;
  state.show_go_to = true;
  EXPECT_TRUE(field.is_awaited(state, false));
  state.show_go_to = false;
  EXPECT_FALSE(field.is_awaited(state, false));
  state.show_go_to = true;
  EXPECT_TRUE(field.is_awaited(state, false));
}

}  // namespace
}  // namespace tilestep::ui
