#include "workspace/session.h"

#include "problem/file.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

class Sessions : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  fs::path file_ = *session_file(folder_.path(), "");
};

TEST_F(Sessions, ComeBackAsTheyWere) {
  state::AppState state;
  SessionKeeper keeper(file_, state);
  state.kernel = "naive";
  state.edited_source = "text\n";
  state.breakpoints = {3};
  state.show_palette = true;  // of the moment
  ASSERT_TRUE(keeper.keep(state, 10.0));
  state.step = 7;
  ASSERT_TRUE(keeper.keep(state, 11.0));  // within the pause
  const Restored early = restore_session(file_);
  ASSERT_TRUE(early.state) << early.sentence;
  EXPECT_EQ(early.state->step, 0U);
  ASSERT_TRUE(keeper.keep(state, 11.1, true));
  const Restored last = restore_session(file_);
  ASSERT_TRUE(last.state);
  state.show_palette = false;
  EXPECT_EQ(*last.state, state);
}

TEST_F(Sessions, ThatNeverWereAreNoMistake) {
  const Restored none = restore_session(file_);
  EXPECT_FALSE(none.state);
  EXPECT_TRUE(none.sentence.empty());
}

TEST_F(Sessions, NothingIsWrittenWhereNothingHasChanged) {
  SessionKeeper keeper(file_, {});
  ASSERT_TRUE(keeper.keep({}, 10.0, true));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(Sessions, ThatCannotBeReadAreKeptAndToldOf) {
  fs::create_directories(file_.parent_path());
  for (const char* text : {"version = 1\nkernel = tiled\n", "version = 2\n"}) {
    ASSERT_TRUE(problem::write_file(file_, text));
    const Restored broken = restore_session(file_);
    EXPECT_FALSE(broken.state);
    EXPECT_NE(broken.sentence.find("Its file is kept as"), std::string::npos) << broken.sentence;
    EXPECT_FALSE(fs::exists(file_));
  }
  EXPECT_EQ(*problem::read_file(file_.parent_path() / "default.unread.toml"),
            "version = 1\nkernel = tiled\n");
  EXPECT_EQ(*problem::read_file(file_.parent_path() / "default.unread-2.toml"), "version = 2\n");
}

TEST_F(Sessions, HaveNames) {
  EXPECT_FALSE(session_file(folder_.path(), "../else"));
  const auto named = session_file(folder_.path(), "lecture-4");
  ASSERT_TRUE(named);
  ASSERT_TRUE(SessionKeeper(*named, {})
                  .keep(
                      [] {
                        state::AppState state;
                        state.kernel = "naive";
                        return state;
                      }(),
                      10.0, true));
  EXPECT_EQ(session_names(folder_.path()), (std::vector<std::string>{"lecture-4"}));
  EXPECT_TRUE(session_file({}, "")->empty()) << "nowhere to keep one";
}

}  // namespace
}  // namespace tilestep::workspace
