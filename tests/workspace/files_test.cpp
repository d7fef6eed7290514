// Files that are opened and saved from the window, through the workspace.
#include "folders.h"
#include "kept_outputs.h"
#include "problem/file.h"
#include "temporary_folder.h"
#include "workspace/file_controller.h"
#include "workspace/open_file.h"
#include "workspace/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScale =
    "__global__ void scale(float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) {\n    x[i] = 2.0f * x[i];\n  }\n}\n";
// As numpy.save writes float64.
std::string npy(const std::string& shape, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

constexpr const char* kScaleDescription =
    "entry = \"scale\"\ngrid = \"ceil_div(N, BLOCK_SIZE)\"\nblock = \"BLOCK_SIZE\"\n"
    "reference = \"\"\n"
    "buffers = [{ name = \"x\", cols = \"N\", role = \"inout\", input = { file = \"x.csv\" } }]\n"
    "arguments = [\"x\", \"N\"]\ndefault_problem = { M = 1, N = 8, K = 1 }\n";

class Files : public testing::Test {
 protected:
  Files() {
    paths_.assets = test::share_folder();
    paths_.kernels = paths_.assets / "kernels";
    paths_.ptx_cache = paths_.assets / "ptx-cache";
    paths_.user_state = folder_.path() / "state";
    paths_.documents = folder_.path() / "documents";
  }
  std::string write(const std::string& name, const std::string& text) {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    EXPECT_TRUE(problem::write_file(file, text));
    return file.string();
  }
  // A user's kernel with a description.
  std::string write_scale() {
    write("mine/x.csv", "1,2,3,4,5,6,7,8\n");
    write("mine/scale.toml", kScaleDescription);
    return write("mine/scale.cu", kScale);
  }
  static void carry_out(Workspace& workspace, const state::Command& command) {
    workspace.update({command}, 0.0);
    workspace.settle();
  }

  test::TemporaryFolder folder_;
  Paths paths_;
  compile::Compiler compiler_{test::kept_outputs()};
};

TEST_F(Files, ASceneOfAnOwnKernelIsTheSameWithoutItsFiles) {
  const std::string file = (paths_.documents / "s.toml").string();
  state::AppState saved;
  {
    Workspace here(paths_, compiler_);
    here.settle();
    carry_out(here, state::OpenFile{write_scale()});
    ASSERT_EQ(here.view().messages.refusal, "");
    carry_out(here, state::SetParameters{{{1, 8, 1}, 4}});
    carry_out(here, state::EditSource{std::string(kScale) + "// edited\n"});
    carry_out(here, state::SeekStep{9});
    ASSERT_EQ(here.view().messages.error, "");
    carry_out(here, state::SaveScene{"s"});
    EXPECT_EQ(here.view().messages.refusal, "");
    EXPECT_NE(here.view().messages.notice.find(file), std::string::npos)
        << here.view().messages.notice;
    saved = here.state();
  }
  fs::remove_all(folder_.path() / "mine");
  Workspace there(paths_, compiler_);
  there.settle();
  carry_out(there, state::OpenFile{file});
  EXPECT_EQ(there.view().messages.refusal, "");
  EXPECT_EQ(there.view().messages.error, "");
  saved.kernel = there.state().kernel;
  EXPECT_TRUE(state::is_of_scene(saved.kernel));
  EXPECT_EQ(there.state(), saved);
  ASSERT_NE(there.view().run.scene, nullptr);
  EXPECT_EQ(there.view().run.scene->kernel_id, saved.kernel);
  EXPECT_EQ(there.view().run.scene->unedited, kScale);
  EXPECT_EQ(there.view().run.scene->spec.source, saved.edited_source);
  EXPECT_EQ(there.view().source.file.path, "") << "it has none: saving asks for one";
  EXPECT_EQ(there.view().source.file.text, kScale);
  EXPECT_EQ(fs::path(there.view().source.file.proposed).filename(), "scale.cu");
  carry_out(there, state::SaveSource{});
  EXPECT_NE(there.view().source.file.mistake, "");
  EXPECT_EQ(there.state().edited_source, saved.edited_source) << "nothing is lost";
  carry_out(there, state::Undo{});
  EXPECT_EQ(there.state().kernel, "tiled") << "opening is undone like a change";
}

TEST_F(Files, AreOpenedByWhatTheyAre) {
  Workspace workspace(paths_, compiler_);
  workspace.settle();
  carry_out(workspace, state::OpenFile{write("a.csv", "1,2\n3,4\n")});
  EXPECT_EQ(workspace.state().input.csv, "1,2\n3,4\n");

  carry_out(workspace, state::OpenFile{write("a.npy", npy("(2, 2)", {0.1, 2.0, -3.5, 1e-9}))});
  EXPECT_EQ(workspace.state().input.csv, "0.1,2\n-3.5,1e-09\n")
      << workspace.view().messages.refusal;
  EXPECT_EQ(workspace.state().input.csv_name, "a.npy");

  write_scale();
  carry_out(workspace, state::OpenFile{(folder_.path() / "mine/scale.toml").string()});
  EXPECT_EQ(workspace.view().run.scene->spec.entry, "scale") << "a description";

  carry_out(workspace, state::OpenFile{(paths_.assets / "lessons/opening.md").string()});
  EXPECT_EQ(workspace.state().kernel, "tiled");
  EXPECT_EQ(workspace.state().step, 0U) << "the first scene's place is the start";
  ASSERT_NE(workspace.view().lesson, nullptr) << "it is open beside the stage";
  EXPECT_GT(workspace.view().lesson->lesson->beats.size(), 2U);
  carry_out(workspace, state::GoToBeat{1});
  EXPECT_GT(workspace.state().step, 0U);

  fs::create_directories(folder_.path() / "data");
  fs::copy_file(paths_.assets / "timings/h200.json", folder_.path() / "data/mine.json");
  carry_out(workspace, state::OpenFile{(folder_.path() / "data/mine.json").string()});
  EXPECT_EQ(workspace.state().tab, state::Tab::Timing);
  EXPECT_EQ(workspace.view().timing.dataset->name, "mine");

  const auto& recent = workspace.view().files.recent;
  ASSERT_EQ(recent.size(), 5U);
  EXPECT_NE(recent[0].find("mine.json"), std::string::npos) << "the latest first";
}

TEST_F(Files, ThatAreWrongGetOneSentenceAndChangeNothing) {
  Workspace workspace(paths_, compiler_);
  workspace.settle();
  const state::AppState before = workspace.state();
  fs::create_directories(folder_.path() / "folder.cu");
  for (const auto& [name, text, said] :
       {std::tuple("a.pdf", "%PDF", "does not open files of this kind"),
        {"a.toml", "[package]\nname = \"x\"\n", "package"},
        {"b.toml", "version = 9\n", "newer Tilestep"},
        {"a.md", "# No scene\n", "scene"},
        {"a.json", "{\"format\": 7}", "a.json"},
        {"a.npy", "1,2", "a.npy"},
        {"words.csv", "Dear diary\n", "words.csv"},
        {"none.csv", "", "none.csv"},
        {"c.toml", "= =", "c.toml:1"}}) {
    carry_out(workspace, state::OpenFile{write(name, text)});
    EXPECT_NE(workspace.view().messages.refusal.find(said), std::string::npos)
        << workspace.view().messages.refusal;
    EXPECT_EQ(workspace.view().messages.notice, "");
  }
  carry_out(workspace, state::OpenFile{write("b.npy", npy("(4,)", {1.0, 2.0, 3.0, 4.0}))});
  EXPECT_NE(workspace.view().messages.refusal.find("a matrix has two"), std::string::npos);
  carry_out(workspace, state::OpenFile{(folder_.path() / "folder.cu").string()});
  EXPECT_NE(workspace.view().messages.refusal, "");
  EXPECT_EQ(workspace.state(), before);
  carry_out(workspace, state::SetTheme{});
  EXPECT_EQ(workspace.view().messages.refusal, "") << "until the next command";
  EXPECT_TRUE(workspace.view().files.recent.empty());
}

// Nothing could run in place of the open kernel: its name, text and run stay.
TEST_F(Files, ThatAreNoKernelAreRefusedAndWhatIsOpenStays) {
  Workspace workspace(paths_, compiler_);
  workspace.settle();
  const state::AppState before = workspace.state();
  const std::string text = workspace.view().source.text;
  write("described.toml", kScaleDescription);
  write("empty.toml", kScaleDescription);
  write("x.csv", "1,2,3,4,5,6,7,8\n");
  write("nothing.toml", std::string("source = \"no.cu\"\n") + kScaleDescription);
  for (const auto& [name, bytes, said] :
       {std::tuple("binary.cu",
                   std::string("\x7f"
                               "ELF\x02\0\0__global__",
                               16),
                   "byte 5 is 0"),
        {"words.cu", std::string("Dear diary, no kernel here.\n"), "no __global__ function"},
        {"none.cu", std::string(), "is empty"},
        {"blank.cu", std::string(" \n\t\r\n"), "is empty"},
        {"host.cu", std::string("int main() { return 0; }\n"), "no __global__ function"},
        {"described.cu", std::string("Dear diary\n"), "no __global__ function"},
        {"empty.cu", std::string(), "is empty"},
        {"two.cu", std::string(kScale) + "__global__ void other(int* p) { *p = 1; }\n",
         "2 __global__ functions"}}) {
    carry_out(workspace, state::OpenFile{write(name, bytes)});
    EXPECT_NE(workspace.view().messages.refusal.find(said), std::string::npos)
        << name << ": " << workspace.view().messages.refusal;
    EXPECT_NE(workspace.view().messages.refusal.find(name), std::string::npos) << "the place";
    EXPECT_EQ(workspace.state(), before) << name;
    EXPECT_EQ(workspace.view().source.text, text) << name;
    EXPECT_EQ(workspace.view().messages.error, "") << name;
  }
  for (const char* description : {"described.toml", "empty.toml", "nothing.toml"}) {
    carry_out(workspace, state::OpenFile{(folder_.path() / description).string()});
    EXPECT_NE(workspace.view().messages.refusal, "") << description;
    EXPECT_EQ(workspace.state(), before) << description;
  }
  EXPECT_TRUE(workspace.view().files.recent.empty());
}

TEST_F(Files, ThatAreGoneLeaveTheRecentOnes) {
  const std::string file = write("a.csv", "1\n");
  {
    Workspace workspace(paths_, compiler_);
    workspace.settle();
    carry_out(workspace, state::OpenFile{file});
  }
  fs::remove(file);
  Workspace workspace(paths_, compiler_);
  ASSERT_EQ(workspace.view().files.recent, std::vector<std::string>{file}) << "from start to start";
  carry_out(workspace, state::OpenFile{file});
  EXPECT_NE(workspace.view().messages.refusal.find("no longer exists"), std::string::npos);
  EXPECT_TRUE(workspace.view().files.recent.empty());
}

TEST_F(Files, AKernelWithoutADescriptionIsInferredAndReadAgainWhenItChanged) {
  Workspace workspace(paths_, compiler_);
  workspace.settle();
  workspace.infer_with([](const std::string& cu_file) {
    problem::LaunchSpec spec = *problem::load_source(cu_file);
    const auto said = problem::parse_description(kScaleDescription, "inferred");
    spec.entry = said->entry;
    spec.grid = said->grid;
    spec.block = said->block;
    spec.buffers = said->buffers;
    spec.buffers[0].input.reset();
    spec.arguments = said->arguments;
    spec.reference = "";
    spec.id = cu_file;
    return std::optional(Inferred{std::move(spec), "the launch is guessed"});
  });
  const std::string file = write("bare.cu", kScale);
  carry_out(workspace, state::OpenFile{file});
  EXPECT_EQ(workspace.view().messages.error, "");
  EXPECT_EQ(workspace.view().messages.notice, "the launch is guessed");
  EXPECT_EQ(workspace.state().kernel, file);
  EXPECT_EQ(workspace.view().run.scene->spec.source, kScale);
  const std::string changed = std::string(kScale) + "// changed\n";
  write("bare.cu", changed);
  carry_out(workspace, state::OpenFile{file});
  EXPECT_EQ(workspace.view().run.scene->spec.source, changed);
  EXPECT_EQ(
      std::ranges::count(workspace.view().kernels.catalog->kernels, file, &problem::LaunchSpec::id),
      1);
}

TEST_F(Files, ThatAreNoScenesAreNotOverwritten) {
  Workspace workspace(paths_, compiler_);
  workspace.settle();
  const std::string description = write("documents/mine.toml", kScaleDescription);
  carry_out(workspace, state::SaveScene{"mine.toml"});
  EXPECT_NE(workspace.view().messages.refusal.find("is not a scene"), std::string::npos);
  EXPECT_EQ(*problem::read_file(description), kScaleDescription);
  carry_out(workspace, state::SaveScene{"one"});
  carry_out(workspace, state::SaveScene{"one"});
  EXPECT_EQ(workspace.view().messages.refusal, "") << "a scene is saved again";
}

TEST_F(Files, AreProposedWithAFreeNameAndCompleted) {
  Workspace workspace(paths_, compiler_);
  workspace.settle();
  carry_out(workspace, state::Ask{state::Asked::SaveScene});
  EXPECT_EQ(workspace.view().files.proposed, (paths_.documents / "tiled-scene.toml").string());
  carry_out(workspace, state::SaveScene{workspace.view().files.proposed});
  carry_out(workspace, state::Ask{state::Asked::SaveScene});
  EXPECT_EQ(workspace.view().files.proposed, (paths_.documents / "tiled-scene-2.toml").string());

  write("documents/lectures/one.cu", "");
  write("documents/.hidden", "");
  const std::string begin = (paths_.documents / "").string();
  carry_out(workspace, state::CompletePath{begin});
  EXPECT_EQ(workspace.view().files.matches,
            (std::vector<std::string>{begin + "lectures/", begin + "tiled-scene.toml"}));
  carry_out(workspace, state::CompletePath{begin + "lec"});
  EXPECT_EQ(workspace.view().files.matches, (std::vector<std::string>{begin + "lectures/"}));
}

}  // namespace
}  // namespace tilestep::workspace
