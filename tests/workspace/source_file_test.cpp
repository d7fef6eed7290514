// The file of the text on screen: saved, and changed by others, without losing anything.
#include "workspace/source_file.h"

#include "build_tree_paths.h"
#include "problem/file.h"
#include "temporary_folder.h"
#include "workspace/workspace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tilestep::workspace {
namespace {

class SourceFiles : public testing::Test {
 protected:
  SourceFiles() {
    kernel_ = (folder_.path() / "mine.cu").string();
    text_ = problem::load_catalog(test::build_tree_paths().kernels)->find("naive")->source;
    EXPECT_TRUE(problem::write_file(kernel_, text_));
    workspace_.settle();
  }
  void carry_out(const state::Command& command) {
    workspace_.update({command}, now_);
    workspace_.settle();
  }
  // Another program writes it, and the window checks again. Another size is noticed even if the
  // file system's clock is coarse.
  void change_on_disk(const std::string& text) {
    ASSERT_TRUE(problem::write_file(kernel_, text));
    now_ += 2.0 * SourceFile::kPause;
    workspace_.update({}, now_);
    workspace_.settle();
  }
  [[nodiscard]] std::string on_disk() const { return problem::read_file(kernel_).value_or(""); }
  [[nodiscard]] const FileView& file() const { return workspace_.view().source.file; }

  test::TemporaryFolder folder_;
  std::string kernel_;
  std::string text_;
  double now_ = 100.0;
  compile::Compiler compiler_{cache_options(test::build_tree_paths())};
  Workspace workspace_{test::build_tree_paths(), compiler_};
};

TEST_F(SourceFiles, AreSavedWithTheTextOnScreen) {
  carry_out(state::OpenFile{kernel_});
  EXPECT_EQ(file().path, kernel_);
  carry_out(state::EditSource{text_ + "// mine\n"});
  carry_out(state::SaveSource{});
  EXPECT_EQ(on_disk(), text_ + "// mine\n");
  EXPECT_EQ(workspace_.state().edited_source, "") << "the file has it now";
  EXPECT_EQ(workspace_.view().source.text, text_ + "// mine\n");
  EXPECT_FALSE(file().on_disk) << "it was us";
}

TEST_F(SourceFiles, ChangedByOthersReachTheStageOnlyWhenTaken) {
  carry_out(state::OpenFile{kernel_});
  change_on_disk(text_ + "// theirs\n");
  ASSERT_TRUE(file().on_disk);
  EXPECT_EQ(workspace_.view().source.text, text_) << "nobody has said so";
  carry_out(state::AnswerDisk{true});
  EXPECT_EQ(workspace_.view().source.text, text_ + "// theirs\n");
  EXPECT_FALSE(file().on_disk);
}

TEST_F(SourceFiles, TakenInPlaceOfAnEditComeBackByUndo) {
  carry_out(state::OpenFile{kernel_});
  carry_out(state::EditSource{text_ + "// mine\n"});
  change_on_disk(text_ + "// theirs\n");
  carry_out(state::AnswerDisk{true});
  EXPECT_EQ(workspace_.view().source.text, text_ + "// theirs\n");
  carry_out(state::Undo{});
  EXPECT_EQ(workspace_.state().edited_source, text_ + "// mine\n");
}

TEST_F(SourceFiles, KeptMineIsAnEditAndIsNotAskedForAgain) {
  carry_out(state::OpenFile{kernel_});
  change_on_disk(text_ + "// theirs\n");
  carry_out(state::AnswerDisk{false});
  EXPECT_EQ(workspace_.state().edited_source, text_);
  now_ += 2.0 * SourceFile::kPause;
  workspace_.update({}, now_);
  EXPECT_FALSE(file().on_disk);
  EXPECT_EQ(on_disk(), text_ + "// theirs\n") << "until it is saved";
}

TEST_F(SourceFiles, OfTheCatalogAreSavedUnderAName) {
  const std::string other = (folder_.path() / "other.cu").string();
  carry_out(state::SelectKernel{"naive"});
  carry_out(state::EditSource{text_ + "// mine\n"});
  carry_out(state::SaveSource{});
  EXPECT_NE(file().mistake, "");
  EXPECT_EQ(workspace_.state().edited_source, text_ + "// mine\n");
  carry_out(state::SaveSource{other});
  EXPECT_EQ(workspace_.state().kernel, other);
  EXPECT_EQ(problem::read_file(other).value_or(""), text_ + "// mine\n");
  EXPECT_EQ(workspace_.view().messages.error, "");
  EXPECT_EQ(workspace_.view().run.scene->launch.source_name, "other.cu");
  EXPECT_TRUE(workspace_.view().run.scene->spec.uses_block_size) << "it starts as it did";
}

TEST_F(SourceFiles, ThatAreThereAreReplacedOnlyWhereAsked) {
  carry_out(state::SelectKernel{"naive"});
  carry_out(state::SaveSource{kernel_});
  EXPECT_NE(file().mistake.find("exists"), std::string::npos) << file().mistake;
  EXPECT_EQ(workspace_.state().kernel, "naive");
  carry_out(state::SaveSource{(folder_.path() / "nowhere" / "x.cu").string()});
  EXPECT_NE(file().mistake, "");
  carry_out(state::SaveSource{kernel_, true});
  EXPECT_EQ(file().mistake, "");
  EXPECT_EQ(workspace_.state().kernel, kernel_);
}

TEST_F(SourceFiles, ThatDoNotCompileKeepTheOldStageAndSaySo) {
  carry_out(state::SelectKernel{"naive"});
  const workspace::Generation before = workspace_.view().run.scene->generation;
  if (!compiler_.nvrtc().found) {
    GTEST_SKIP() << "needs NVRTC";
  }
  std::string broken = text_;
  broken.erase(broken.rfind('}'), 1);
  carry_out(state::EditSource{broken});
  EXPECT_TRUE(workspace_.view().run.is_old);
  EXPECT_EQ(workspace_.view().run.scene->generation, before);
  ASSERT_FALSE(workspace_.view().source.diagnostics.empty());
  EXPECT_NE(workspace_.view().source.diagnostics.front().message.find("'}' is missing"),
            std::string::npos)
      << workspace_.view().source.diagnostics.front().message;
  carry_out(state::ResetSource{});
  EXPECT_FALSE(workspace_.view().run.is_old);
}

}  // namespace
}  // namespace tilestep::workspace
