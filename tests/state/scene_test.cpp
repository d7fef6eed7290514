// A scene as a text and as a line, and back: by equality of states.
#include "state/scene.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tilestep::state {
namespace {

// Random states made by commands.
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
  s.language = upto(1) == 0 ? "" : "zh";
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
    EXPECT_EQ(from_file->state, state) << seed;
    const std::string link = scene_link(state);
    const auto from_link = read_link(link);
    ASSERT_TRUE(from_link) << from_link.error().message << "\n" << link;
    EXPECT_EQ(from_link->state, state) << seed;
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
  state.asked = Asked::SaveScene;
  EXPECT_EQ(scene_toml(state), "version = 1\n");
}

// A kernel that is in no catalog.
problem::LaunchSpec own_kernel() {
  problem::LaunchSpec spec;
  spec.id = "/home/somebody/mine/scale.cu";
  spec.title = "scale";
  spec.source_name = "scale.cu";
  spec.source = "#include \"by.h\"\n__global__ void scale(float* x) {\n\tx[0] *= BY;  // \\ '\n}\n";
  spec.headers = {{"by.h", "#define BY 3.0f\n"}, {"sub/o'dd \"name\".h", "'''"}};
  spec.include = {"/home/somebody/headers"};
  spec.entry = "scale";
  spec.reference = "";
  spec.buffers.resize(1);
  spec.buffers[0].name = "x";
  spec.buffers[0].cols = "4";
  spec.buffers[0].role = problem::BufferRole::InOut;
  spec.buffers[0].input = problem::input_of(problem::Pattern::Csv);
  spec.buffers[0].input->csv = "1,2,3,4\n";
  spec.buffers[0].input->csv_name = "x.csv";
  spec.arguments.resize(1);
  spec.arguments[0].kind = problem::ArgumentSpec::Kind::Buffer;
  spec.arguments[0].buffer = "x";
  return spec;
}

TEST(SceneText, HoldsAnOwnKernelWholly) {
  const problem::LaunchSpec own = own_kernel();
  AppState state;
  state.kernel = own.id;
  state.timing.selected_kernel = own.id;
  state.edited_source = "'''\r\n// é\n";
  state.step = 3;
  const std::string text = scene_toml(state, &own);
  EXPECT_EQ(text.find("somebody"), std::string::npos) << "a folder of this machine: " << text;
  for (const auto& scene : {read_scene(text, "s.toml"), read_link(scene_link(state, &own))}) {
    ASSERT_TRUE(scene) << scene.error().message << text;
    ASSERT_TRUE(scene->kernel);
    EXPECT_EQ(scene->kernel->source, own.source);
    EXPECT_EQ(scene->kernel->headers, own.headers);
    EXPECT_EQ(scene->kernel->source_name, "scale.cu");
    EXPECT_EQ(scene->kernel->title, "scale");
    ASSERT_EQ(scene->kernel->buffers.size(), 1U);
    EXPECT_EQ(scene->kernel->buffers[0].input, own.buffers[0].input) << "the file's values";
    EXPECT_EQ(scene->state.kernel, scene->kernel->id);
    EXPECT_EQ(scene->state.timing.selected_kernel, scene->kernel->id);
    EXPECT_TRUE(is_of_scene(scene->state.kernel));
    EXPECT_EQ(scene->state.edited_source, state.edited_source);
    EXPECT_EQ(scene->state.step, 3U);
    EXPECT_EQ(scene_toml(scene->state, &*scene->kernel), text) << "written again";
  }
}

TEST(SceneText, GivesOtherKernelsOfOneNameOtherIds) {
  problem::LaunchSpec own = own_kernel();
  AppState state;
  state.kernel = own.id;
  const auto one = read_scene(scene_toml(state, &own), "one.toml");
  own.headers["by.h"] = "#define BY 4.0f\n";
  const auto two = read_scene(scene_toml(state, &own), "two.toml");
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->state.kernel, two->state.kernel);
}

TEST(SceneText, OfABrokenOwnKernelSaysWhere) {
  const auto lacks = read_scene("[own_kernel]\ntext = \"x\"\n", "s.toml");
  ASSERT_FALSE(lacks);
  EXPECT_NE(lacks.error().message.find("description"), std::string::npos) << lacks.error().message;
  const auto wrong =
      read_scene("[own_kernel]\ntext = \"x\"\ndescription = \"entri = 1\"\n", "s.toml");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("s.toml, own_kernel.description"), std::string::npos)
      << wrong.error().message;
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
  const auto address = read_link("https://example.org/tilestep/#tilestep:version=1&step=40");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->state.step, 40U);
  const auto cut = read_link("tilestep:version=1&kernel=%2");
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("cut off"), std::string::npos);
  EXPECT_FALSE(read_link("tilestep:version=1&kernel=%zz"));
}

}  // namespace
}  // namespace tilestep::state
