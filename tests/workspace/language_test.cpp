// Another language: what holds sentences is made again, the place stays.
#include "problem/language.h"

#include "build_tree_paths.h"
#include "folders.h"
#include "narration/narrator.h"
#include "workspace/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilestep::workspace {
namespace {

using testing::HasSubstr;

class LanguageTest : public ::testing::Test {
 protected:
  LanguageTest() {
    find_languages(tilestep::test::source_folder() / "assets" / "words");
    workspace.settle();
  }
  void TearDown() override { EXPECT_TRUE(speak(kEnglishTag)); }

  void carry_out(const state::Command& command) {
    workspace.update({command}, 0.0);
    workspace.settle();
  }
  [[nodiscard]] std::string first_finding() const {
    const FrameView& view = workspace.view();
    return view.run.check == nullptr || view.run.check->findings.empty()
               ? ""
               : view.run.check->findings[0].sentence;
  }
  [[nodiscard]] std::string first_phase() const {
    return *workspace.view().run.scene->recording->phases_of(0)[0].name;
  }

  compile::Compiler compiler{cache_options(test::build_tree_paths())};
  Workspace workspace{test::build_tree_paths(), compiler};
};

TEST_F(LanguageTest, IsThatOfFindingsAndPhasesAtOnce) {
  carry_out(state::SelectKernel{"tiled_missing_first_barrier"});
  carry_out(state::SeekStep{40});
  const std::string english = first_finding();
  EXPECT_THAT(english, HasSubstr("no barrier orders the two"));
  EXPECT_THAT(first_phase(), HasSubstr("load tile 0"));
  const std::uint64_t step = workspace.state().step;
  carry_out(state::SetLanguage{"zh"});
  EXPECT_THAT(first_finding(), HasSubstr("没有同步规定两者的先后"));
  EXPECT_THAT(first_phase(), HasSubstr("加载分块 0"));
  EXPECT_EQ(workspace.state().step, step);
  carry_out(state::SetLanguage{"en"});
  EXPECT_EQ(first_finding(), english);
}

TEST_F(LanguageTest, ThatIsNotThereIsSaid) {
  carry_out(state::SetLanguage{"xx"});
  EXPECT_THAT(workspace.view().messages.error, HasSubstr("language 'xx'"));
  EXPECT_EQ(spoken_language(), "en");
}

}  // namespace
}  // namespace tilestep::workspace
