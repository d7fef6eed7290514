// A scene as a text and as a line, and back: by equality of states.
#include "state/scene_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tilestep::state {
namespace {

// States as different as commands make them.
AppState random_state(unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&random](int most) { return std::uniform_int_distribution(0, most)(random); };
  AppState s;
  s.kernel = upto(1) == 0 ? "naive" : "dir with blanks/it's \"mine\" & 100 %.cu";
  s.edited_source = upto(1) == 0 ? "" : "int x = 1; // é\n\t\"quoted\" \\ back & forth %41\n";
  s.parameters = {{upto(64) + 1, upto(64) + 1, upto(64) + 1}, upto(16) + 1};
  s.step = static_cast<std::uint64_t>(upto(100000));
  s.focus.block = static_cast<std::uint32_t>(upto(9));
  s.focus.thread = static_cast<std::uint32_t>(upto(99));
  s.breakpoints = {upto(20) + 1, upto(20) + 30};
  s.conditions = {{upto(20) + 1, "tx == 3 && t == 1"}};
  s.watch = upto(1) == 0 ? "" : "acc * 2";
  s.theme = upto(1) == 0 ? Theme::Dark : Theme::Light;
  s.scale = 0.5F + 0.25F * static_cast<float>(upto(6));
  s.camera = {static_cast<float>(upto(4)), 1.5F, -2.25F};
  s.lecture = upto(1) == 0;
  s.timing.selected_kernel = upto(1) == 0 ? "" : "tiled";
  s.timing.overlays = {"a", "b c"};
  return s;
}

TEST(SceneText, IsReadBackAsItWas) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const AppState state = random_state(seed);
    const auto from_file = read_scene(scene_toml(state), "scene.toml");
    ASSERT_TRUE(from_file) << from_file.error().message;
    EXPECT_EQ(*from_file, state) << seed;
    const std::string link = scene_link(state);
    const auto from_link = read_link(link);
    ASSERT_TRUE(from_link) << from_link.error().message << "\n" << link;
    EXPECT_EQ(*from_link, state) << seed;
    EXPECT_EQ(link.find_first_of(" \n\t'\"`$\\<>|;()"), std::string::npos)
        << "a shell would read it otherwise: " << link;
  }
}

TEST(SceneText, OfAFreshStartIsItsVersionAlone) {
  EXPECT_EQ(scene_toml(AppState()), "version = 1\n");
  EXPECT_EQ(scene_link(AppState()), "tilestep:version=1");
}

TEST(SceneText, LeavesOutWhatIsOfTheMoment) {
  AppState state;
  state.playing = true;
  state.show_palette = true;
  state.editing = true;
  EXPECT_EQ(scene_toml(state), "version = 1\n");
}

TEST(SceneText, OfANewerTilestepIsRefusedInASentence) {
  const auto read = read_scene("version = 2\nshade = true\n", "s.toml");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("newer Tilestep"), std::string::npos);
}

TEST(SceneText, MistakesSayWhereTheyAre) {
  const auto unknown = read_scene("version = 1\nkernal = \"tiled\"\n", "s.toml");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("s.toml:2"), std::string::npos) << unknown.error().message;
  EXPECT_NE(unknown.error().message.find("kernel"), std::string::npos) << unknown.error().message;
  EXPECT_FALSE(read_link("https://example.org"));
  const auto cut = read_link("tilestep:version=1&kernel=%2");
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("cut off"), std::string::npos);
  EXPECT_FALSE(read_link("tilestep:version=1&kernel=%zz"));
}

}  // namespace
}  // namespace tilestep::state
