// A saved scene shows the same pixels on a machine without the kernel's files.
#include "app/harness.h"
#include "program/commands.h"
#include "program/picture.h"
#include "program/window_loop.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::test {
namespace {

namespace fs = std::filesystem;

constexpr int kSceneWidth = 1280;
constexpr int kSceneHeight = 720;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

workspace::Paths paths_of(const fs::path& home) {
  workspace::Paths paths = build_tree_paths();
  paths.documents = home;
  paths.user_state = home / "state";
  return paths;
}

Result<platform::Image> picture_of(workspace::Workspace& workspace, const workspace::Paths& paths,
                                   state::AppState state) {
  program::Studio studio(workspace, paths, kSceneWidth, kSceneHeight);
  return studio.take(std::move(state), std::nullopt);
}

TEST(ScenePicture, OfAnEditedOwnKernelIsTheSameElsewhere) {
  const TemporaryFolder here;
  const TemporaryFolder there;
  const fs::path kernel = here.path() / "mine.cu";
  fs::copy_file(build_tree_paths().kernels / "tiled_padded.cu", kernel);
  cli::Context context;
  context.paths = paths_of(here.path());

  workspace::Workspace first(context.paths, context.compiler);
  first.infer_with(program::infer_by(context));
  const auto carry_out = [&first](const state::Command& command) {
    first.update({command}, 0.0);
    first.settle();
  };
  first.settle();
  carry_out(state::OpenFile{kernel.string()});
  ASSERT_EQ(first.view().messages.refusal + first.view().messages.error, "");
  carry_out(state::EditSource{text_of(kernel) + "// edited\n"});
  carry_out(state::SetTheme{state::Theme::Light});
  carry_out(state::FocusThread{0, 2});
  carry_out(state::Step{state::Unit::Phase, +1});
  carry_out(state::SaveScene{"mine"});
  ASSERT_EQ(first.view().messages.refusal, "");
  ASSERT_TRUE(first.view().narration.shows_phase);
  first.set_notice("");  // the path of the saved file
  const auto before = picture_of(first, context.paths, first.state());
  ASSERT_TRUE(before) << before.error().message;

  fs::rename(here.path() / "mine.toml", there.path() / "sent.toml");
  fs::remove(kernel);
  cli::Context elsewhere;
  elsewhere.paths = paths_of(there.path());
  workspace::Workspace second(elsewhere.paths, elsewhere.compiler);
  auto state = program::scene_beginning(second, program::infer_by(elsewhere),
                                        (there.path() / "sent.toml").string());
  ASSERT_TRUE(state) << state.error().message;
  const auto after = picture_of(second, elsewhere.paths, std::move(*state));
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(different_pixels(*before, *after), 0U);
}

// `render --notes`: the audience's window is another picture.
class LecturersWindow : public testing::Test {
 protected:
  LecturersWindow() { paths.user_state.clear(); }
  // The lecturer's window of a beat of lesson 3, as SVG.
  std::string drawn(int beat) {
    workspace::Workspace workspace(paths, compiler);
    auto state = program::open_beat(workspace, "3", beat);
    EXPECT_TRUE(state) << state.error().message;
    state->course.notes = true;
    program::Studio studio(workspace, paths, 480, 800);
    const auto svg =
        studio.take_svg(std::move(*state), std::nullopt, {.area = program::Area::Notes});
    EXPECT_TRUE(svg) << svg.error().message;
    return svg.value_or("");
  }
  compile::Compiler compiler{compile::CacheOptions{}};
  workspace::Paths paths = build_tree_paths();
};

TEST_F(LecturersWindow, SaysWhatComesNext) {
  const std::string svg = drawn(1);
  for (const char* const words : {"Ask first: how many", "Next: Load the first pair",
                                  "3×3×9 · BLOCK_SIZE 3", "load tile 0"}) {
    EXPECT_THAT(svg, testing::HasSubstr(words));
  }
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("__syncthreads"))) << "the source is the hall's";
}

TEST_F(LecturersWindow, HasTheAnswerThatTheHallDoesNotSee) {
  const std::string svg = drawn(3);
  EXPECT_THAT(svg, testing::HasSubstr("answer:"));
  EXPECT_THAT(svg, testing::HasSubstr("three"));  // of the reason; SVG has a text a word
}

TEST_F(LecturersWindow, HasTheParagraphsAfterTheFirst) {
  EXPECT_THAT(drawn(5), testing::HasSubstr("belong"));
}

TEST_F(LecturersWindow, HasAllLinesOfTheRecap) {
  EXPECT_THAT(drawn(16), testing::HasSubstr("register."));
}

}  // namespace
}  // namespace tilestep::test
