#include "lesson/block.h"
#include "state/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::lesson {
namespace {

using testing::HasSubstr;

Result<Scene> scene_of(const std::string& toml, int line = 1, const std::string& title = "") {
  BlockPlace place{"l.md", line, {}, nullptr};
  if (!title.empty()) {
    place.title.by_language[""].text = title;
  }
  return parse_scene_block(toml, place);
}

std::string block_message(const std::string& toml) {
  const Result<Scene> scene = scene_of("name = \"a\"\n" + toml);
  return scene ? "no error" : scene.error().message;
}

TEST(SceneBlock, EveryKey_SetsItsPartOfTheState) {
  const Result<Scene> scene = scene_of(R"(
name = "a-scene_1"
kernel = "naive"
M = 5
N = 6
K = 7
block_size = 3
input = { pattern = "random", seed = 4 }
schedule = "run_ahead"
warp = 2
seed = 9
warp_size = 8
build = "fast"
compare = { build = "step" }
place = "statement:12"
focus = { block = 1, thread = 2, cell = "As", row = 3, col = 4 }
tab = "timing"
theme = "light"
inspector = "memory"
source = "ptx"
scale = 1.5
pace = 4
camera = { zoom = 2, x = 3.5, y = -1 }
timing = { page = "ladder", unit = "of_cublas", dataset = "h200", size = 512, log = false, predict = false, kernel = "tiled", block_size = 16 }
breakpoints = [20, 23]
)",
                                       1, "Above");
  ASSERT_TRUE(scene) << scene.error().message;
  EXPECT_EQ(scene->name, "a-scene_1");
  EXPECT_EQ(scene->title.in(), "Above");
  EXPECT_EQ(scene->place.kind, Place::Kind::Statement);
  EXPECT_EQ(scene->place.number, 12U);
  state::AppState expected;
  expected.kernel = "naive";
  expected.parameters = {{5, 6, 7}, 3};
  expected.input.pattern = problem::Pattern::Random;
  expected.input.seed = 4;
  expected.schedule = {simt::ScheduleKind::RunAhead, 2, 9};
  expected.warp_size = 8;
  expected.build = problem::Build::Fast;
  expected.comparison = {.on = true, .second = setup_of(expected)};
  expected.comparison.second.build = problem::Build::Step;
  expected.focus = {1, 2, "As", 3, 4, "", -1};
  expected.tab = state::Tab::Timing;
  expected.theme = state::Theme::Light;
  expected.inspector = state::InspectorPage::Memory;
  expected.source_page = state::SourcePage::Ptx;
  expected.scale = 1.5F;
  expected.pace = 4.0F;
  expected.camera = {2.0F, 3.5F, -1.0F};
  expected.timing.page = state::TimingPage::Ladder;
  expected.timing.unit = state::SpeedUnit::OfCublas;
  expected.timing.dataset = "h200";
  expected.timing.problem = {512, 512, 512};
  expected.timing.log_scale = false;
  expected.timing.predict = false;
  expected.timing.selected_kernel = "tiled";
  expected.timing.selected_block_size = 16;
  expected.breakpoints = {20, 23};
  EXPECT_EQ(state::to_toml(scene->state), state::to_toml(expected));
  EXPECT_EQ(scene->state, expected);
}

TEST(SceneBlock, WithOnlyAName_IsTheStateTheProgramOpensWith) {
  const Result<Scene> scene = scene_of("name = \"a\"");
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->state, state::AppState{});
  EXPECT_EQ(scene->place.kind, Place::Kind::Start);
  EXPECT_EQ(scene->title.in(), "a");
}

TEST(SceneBlock, WrongValues_NameLineAndCure) {
  EXPECT_EQ(block_message("M = 0"), "l.md:2: M must be between 1 and 2147483647.");
  EXPECT_EQ(block_message("warp_size = 33"), "l.md:2: warp_size must be between 1 and 32.");
  EXPECT_EQ(block_message("warp_size = 3"), "l.md:2: warp_size must be 1, 2, 4, 8, 16 or 32.");
  EXPECT_EQ(block_message("focus = { block = -1 }"),
            "l.md:2: block must be between 0 and 4294967295.");
  EXPECT_EQ(block_message("schedule = \"fast\""),
            "l.md:2: unknown word 'fast'. Known words: lockstep, sequential, run_ahead, random, "
            "sm.");
  EXPECT_EQ(block_message("theme = 3"), "l.md:2: expected a word in quotes: dark, light.");
  EXPECT_EQ(block_message("focus = 3"), "l.md:2: focus must be a table: { key = value, … }.");
  EXPECT_EQ(block_message("focus = { blok = 1 }"),
            "l.md:2: unknown key 'blok'. Did you mean 'block'?");
  EXPECT_EQ(block_message("breakpoints = [0]"),
            "l.md:2: a breakpoint must be a line number, at least 1.");
  EXPECT_EQ(block_message("breakpoints = 7"),
            "l.md:2: breakpoints must be an array of line numbers.");
  EXPECT_THAT(block_message("place = \"phase\""),
              HasSubstr("l.md:2: 'phase' is not a place in a run"));
  EXPECT_THAT(block_message("input = \"ones\""), HasSubstr("l.md:2: unknown word 'ones'"));
}

TEST(SceneBlock, EveryStateIsASceneOnceItHasAName) {
  state::AppState state;
  state.edited_source = "__global__ void k() {}\n";
  state.timing.overlays = {"live"};
  std::string toml = state::to_toml(state);
  toml.erase(toml.find("\nstep = 0\n"), sizeof("step = 0"));
  const Result<Scene> scene = scene_of("name = \"a\"\n" + toml);
  ASSERT_TRUE(scene) << scene.error().message;
  EXPECT_EQ(scene->state, state);
}

TEST(SceneBlock, AStepIsAPlace) {
  EXPECT_EQ(block_message("step = 3"), "l.md:2: write the place of a scene as place = \"step:N\".");
}

TEST(SceneBlock, NameIsAFileName) {
  EXPECT_THAT(scene_of("name = \"../x\"", 3).error().message,
              testing::StartsWith("l.md:3: `name` must be a file name"));
  EXPECT_THAT(scene_of("M = 3").error().message, HasSubstr("name is missing"));
}

}  // namespace
}  // namespace tilestep::lesson
