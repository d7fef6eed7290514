#include "state/apply.h"

#include "state/command.h"

#include <gtest/gtest.h>

namespace tilestep::state {
namespace {

AppState after(const Command& command, AppState state = {}) {
  return apply(std::move(state), command, {});
}

TEST(Apply, SizesStayInTheirRanges) {
  const AppState low = after(SetParameters{{{0, -3, 0}, 0}});
  EXPECT_EQ(low.parameters, (problem::Parameters{{1, 1, 1}, 1}));
  const AppState high = after(SetParameters{{{1 << 20, 1, 1}, 99}});
  EXPECT_EQ(high.parameters.problem.M, 4096);
  EXPECT_EQ(high.parameters.block_size, 32);
}

TEST(Apply, AnotherKernelKeepsThePlaceAndLosesTheOldBreakpoints) {
  AppState state;
  state.step = 40;
  state.breakpoints = {7};
  state.edited_source = "text";
  state.playing = true;
  const AppState changed = after(SelectKernel{"naive"}, state);
  EXPECT_EQ(changed.kernel, "naive");
  EXPECT_EQ(changed.step, 40U) << "the workspace finds the same moment of the new run";
  EXPECT_TRUE(changed.breakpoints.empty());
  EXPECT_TRUE(changed.edited_source.empty());
  EXPECT_FALSE(changed.playing);
}

TEST(Apply, AnEmptyTextIsNotTheFilesOwn) {
  EXPECT_EQ(after(EditSource{""}).edited_source, "\n");
  EXPECT_EQ(after(ResetSource{}, after(EditSource{"x"})).edited_source, "");
}

TEST(Apply, FindingBeginsTypingAndLeavingEndsFinding) {
  const AppState finding = after(ShowFind{true});
  EXPECT_TRUE(finding.editing);
  EXPECT_TRUE(finding.show_find);
  AppState edited = after(EditSource{"x"}, finding);
  for (const Command& leave :
       {Command{StopEditing{true}}, Command{SetSourcePage{SourcePage::Difference}}}) {
    const AppState left = after(leave, edited);
    EXPECT_FALSE(left.editing);
    EXPECT_FALSE(left.show_find);
    EXPECT_EQ(left.edited_source, "x");
  }
}

TEST(Apply, SavedUnderAnotherNameEverythingStaysButTheName) {
  AppState state = after(EditSource{"x"});
  state.step = 7;
  state.breakpoints = {3};
  state.show_save_as = true;
  const AppState saved = after(SavedAs{"mine.cu"}, state);
  EXPECT_EQ(saved.kernel, "mine.cu");
  EXPECT_EQ(saved.edited_source, "");
  EXPECT_EQ(saved.step, 7U);
  EXPECT_EQ(saved.breakpoints, std::set<int>{3});
  EXPECT_FALSE(saved.show_save_as);
}

TEST(Apply, ChoosingTheSameKernelAgainKeepsThePlace) {
  AppState state;
  state.step = 40;
  EXPECT_EQ(after(SelectKernel{state.kernel}, state), state);
}

TEST(Apply, ABeatIsAskedAnewAndNoneIsBeforeTheFirst) {
  AppState state = after(OpenLesson{"03-two-barriers", 2});
  state = after(ShowNotes{}, state);
  state = after(GiveAnswer{"389"}, state);
  EXPECT_EQ(state.course.answering, Answering::Given);
  EXPECT_EQ(state.course.given, "389");
  const AppState next = after(GoToBeat{3}, state);
  EXPECT_EQ(next.course, (LessonView{"03-two-barriers", 3, false, true}));
  EXPECT_EQ(after(GoToBeat{-1}, next).course.beat, 0);
  EXPECT_EQ(after(ShowAnswer{}, next).course.answering, Answering::Shown);
  EXPECT_EQ(after(AskAgain{}, state).course.given, "");
  state.course.missed = "206";
  EXPECT_EQ(after(AskAgain{}, state).course.missed, "") << "a first try again";
  EXPECT_TRUE(after(ShowHint{}, next).course.hint);
  EXPECT_FALSE(after(GoToBeat{4}, after(ShowHint{}, next)).course.hint);
  EXPECT_EQ(after(CloseLesson{}, state).course, LessonView());
  EXPECT_TRUE(after(GoToBeat{1}, after(ShowRing{true}, state)).course.ring);
}

TEST(Apply, HandsAreCountedForABeat_AndTakenBack) {
  AppState state = after(OpenLesson{"03-two-barriers", 2});
  state = after(Vote{2, 3}, after(Vote{0, 1}, state));
  EXPECT_EQ(state.course.votes, (std::vector<int>{1, 0, 3}));
  EXPECT_EQ(after(Vote{0, -2}, state).course.votes, (std::vector<int>{0, 0, 3}));
  EXPECT_TRUE(after(GoToBeat{3}, state).course.votes.empty());
  EXPECT_TRUE(after(AskAgain{}, state).course.votes.empty());
}

TEST(Apply, ASpotlightTakesTheRingsPlace) {
  const AppState lit = after(ShowRing{true, true}, after(ShowRing{true}));
  EXPECT_FALSE(lit.course.ring);
  EXPECT_TRUE(lit.course.spotlight);
  EXPECT_TRUE(after(GoToBeat{1}, lit).course.spotlight);
  EXPECT_FALSE(after(ShowRing{false}, lit).course.spotlight);
}

TEST(Apply, AFilmGoesOnFromBeatToBeat_UntilItIsClosed) {
  AppState state = after(OpenLesson{"opening", 0});
  state.course.film = true;
  EXPECT_TRUE(after(GoToBeat{3}, state).course.film);
  EXPECT_FALSE(after(CloseLesson{}, state).course.film);
}

TEST(Apply, ABreakpointTogglesAndLineZeroIsNone) {
  const AppState set = after(ToggleBreakpoint{12});
  EXPECT_EQ(set.breakpoints, (std::set<int>{12}));
  EXPECT_TRUE(after(ToggleBreakpoint{12}, set).breakpoints.empty());
  EXPECT_TRUE(after(ToggleBreakpoint{0}).breakpoints.empty());
}

TEST(Apply, DroppingAnEditRestoresTheFilesText) {
  AppState state = after(StartEditing{});
  EXPECT_TRUE(state.editing);
  state = after(EditSource{"changed"}, state);
  EXPECT_EQ(after(StopEditing{true}, state).edited_source, "changed");
  EXPECT_EQ(after(StopEditing{false}, state).edited_source, "");
}

TEST(Apply, ScaleAndPaceStayUsable) {
  EXPECT_FLOAT_EQ(after(SetScale{100.0F}).scale, 3.0F);
  EXPECT_FLOAT_EQ(after(SetScale{0.0F}).scale, 0.6F);
  EXPECT_FLOAT_EQ(after(SetPace{1e9F}).pace, 240.0F);
}

TEST(Apply, TheProblemOnThePlotIsOnTheStageInMiniature) {
  AppState state = after(SetParameters{{{8, 8, 8}, 16}});
  TimingView view = state.timing;
  view.unit = SpeedUnit::OfPeak;
  EXPECT_EQ(after(SetTimingView{view}, state).parameters.problem, (problem::Problem{8, 8, 8}))
      << "the same problem on the plot: the stage's stays";
  view.problem = {1000, 1000, 1000};
  state = after(SetTimingView{view}, state);
  EXPECT_EQ(state.parameters, (problem::Parameters{{24, 24, 24}, 16}));
  state = after(SetTimedBlockSize{13}, state);
  EXPECT_EQ(state.parameters, (problem::Parameters{{25, 25, 25}, 13})) << "and follows BLOCK_SIZE";
  state = after(SetParameters{{{5, 6, 7}, 13}}, state);
  state = after(SetTimedBlockSize{4}, state);
  EXPECT_EQ(state.parameters, (problem::Parameters{{5, 6, 7}, 4})) << "a size of one's own stays";
}

TEST(Apply, AnotherKernelBringsItsOwnSizes_UnlessSomebodyChoseOthers) {
  problem::Catalog catalog;
  for (const char* const id : {"small", "large"}) {
    problem::LaunchSpec& spec = catalog.kernels.emplace_back();
    spec.id = id;
  }
  catalog.kernels[1].default_problem = problem::Problem{32, 32, 32};
  catalog.kernels[1].default_block_size = 16;
  catalog.kernels[1].focus_thread = 128;
  AppState state;
  state.kernel = "small";
  state.parameters = problem::default_parameters(catalog.kernels[0]);
  const Context context{nullptr, &catalog};
  AppState large = apply(state, SelectKernel{"large"}, context);
  EXPECT_EQ(large.parameters, (problem::Parameters{{32, 32, 32}, 16}));
  EXPECT_EQ(large.focus.thread, 128U);
  EXPECT_EQ(apply(large, SelectKernel{"small"}, context).focus.thread, 0U);
  EXPECT_EQ(apply(large, SelectKernel{"small"}, context).parameters, state.parameters);
  large.parameters.problem.K = 5;
  EXPECT_EQ(apply(large, SelectKernel{"small"}, context).parameters, large.parameters);
}

TEST(Apply, AClickedTimingPointOpensOnTheStage) {
  AppState state;
  state.tab = Tab::Timing;
  const AppState opened = after(OpenOnStage{"naive", 24}, state);
  EXPECT_EQ(opened.tab, Tab::Step);
  EXPECT_EQ(opened.kernel, "naive");
  EXPECT_EQ(opened.parameters, (problem::Parameters{{40, 40, 40}, 24})) << "4096 in miniature";
}

TEST(Apply, TheFirstThreadIsFocusedLikeAnyOther) {
  AppState state = after(FocusThread{1, 5}, {});
  EXPECT_EQ(state.focus.thread, 5U);
  state = after(FocusThread{1, 0}, state);
  EXPECT_EQ(state.focus.thread, 0U);
}

TEST(Apply, AStageIsOpenedWithWhatIsToBeSeenBesideIt) {
  const auto opened = [](Beside beside) {
    OpenOnStage open{"naive", 24};
    open.beside = beside;
    AppState state;
    state.tab = Tab::Timing;
    return after(open, state);
  };
  EXPECT_EQ(opened(Beside::Nothing).tab, Tab::Step);
  EXPECT_FALSE(opened(Beside::Nothing).show_memory);
  EXPECT_TRUE(opened(Beside::Memory).show_memory);
  EXPECT_FALSE(opened(Beside::Memory).inspector_open);
  EXPECT_FALSE(opened(Beside::Warp).show_memory);
  EXPECT_EQ(opened(Beside::Warp).inspector, InspectorPage::Warp);
  EXPECT_TRUE(opened(Beside::Warp).inspector_open);
  EXPECT_EQ(opened(Beside::Ptx).source_page, SourcePage::Ptx);
}

}  // namespace
}  // namespace tilestep::state
