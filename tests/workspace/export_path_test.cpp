// Exported files go to the user's folders, under free names.
#include "problem/file.h"
#include "temporary_folder.h"
#include "workspace/open_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ExportPath : public testing::Test {
 protected:
  void SetUp() override {
    set("HOME", home().c_str());
    for (const char* const name : {"XDG_PICTURES_DIR", "XDG_DOCUMENTS_DIR", "XDG_CONFIG_HOME"}) {
      set(name, nullptr);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }
  void set(const char* name, const char* value) {
    const char* const old = std::getenv(name);
    before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  [[nodiscard]] const fs::path& home() const { return folder_.path(); }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(problem::write_file(file, text));
  }

 private:
  test::TemporaryFolder folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(ExportPath, PicturesGoToThePicturesAndNumbersToTheDocuments) {
  EXPECT_EQ(export_folder(state::ExportOf::Stage), home() / "Pictures");
  EXPECT_EQ(export_folder(state::ExportOf::Film), home() / "Pictures");
  EXPECT_EQ(export_folder(state::ExportOf::Trace), home() / "Documents");
}

TEST_F(ExportPath, TheUsersOwnFoldersAreAsked) {
  write(home() / ".config/user-dirs.dirs",
        "# comment\nXDG_DOCUMENTS_DIR=\"/data/me\"\nXDG_PICTURES_DIR=\"$HOME/Bilder\"\n");
  EXPECT_EQ(export_folder(state::ExportOf::Stage), home() / "Bilder");
  EXPECT_EQ(export_folder(state::ExportOf::Counters), "/data/me");
  set("XDG_PICTURES_DIR", "/pictures");
  EXPECT_EQ(export_folder(state::ExportOf::Stage), "/pictures");
}

TEST_F(ExportPath, AFolderThatIsNeitherAbsoluteNorBelowHomeIsNone) {
  EXPECT_EQ(user_directory("XDG_PICTURES_DIR=\"Bilder\"", "XDG_PICTURES_DIR", "/home/me"), "");
  EXPECT_EQ(user_directory("XDG_PICTURES_DIR=\"$HOME/\"", "XDG_PICTURES_DIR", "/home/me"),
            "/home/me/");
  EXPECT_EQ(user_directory("#XDG_PICTURES_DIR=\"/a\"", "XDG_PICTURES_DIR", "/home/me"), "");
  EXPECT_EQ(user_directory("XDG_PICTURES_DIR=", "XDG_PICTURES_DIR", "/home/me"), "");
}

TEST_F(ExportPath, ANameThatIsTakenIsNumbered) {
  EXPECT_EQ(free_path(home(), "tilestep-tiled-phase-2.png"), home() / "tilestep-tiled-phase-2.png");
  write(home() / "tilestep-tiled-phase-2.png", "x");
  write(home() / "tilestep-tiled-phase-2-2.png", "x");
  EXPECT_EQ(free_path(home(), "tilestep-tiled-phase-2.png"),
            home() / "tilestep-tiled-phase-2-3.png");
}

TEST_F(ExportPath, AFileIsNotReplacedUnlessThatIsWanted) {
  write(home() / "x.png", "x");
  const auto kept = make_ready(home() / "x.png", Existing::Keep);
  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("already exists"));
  EXPECT_TRUE(make_ready(home() / "x.png", Existing::Replace));
}

TEST_F(ExportPath, TheFolderIsMadeAndWhatCannotBeIsASentence) {
  EXPECT_TRUE(make_ready(home() / "a/b/x.png", Existing::Keep));
  EXPECT_TRUE(fs::is_directory(home() / "a/b"));
  EXPECT_THAT(make_ready(home() / "a", Existing::Keep).error().message, HasSubstr("is a folder"));
  EXPECT_THAT(make_ready("x.png", Existing::Keep).error().message, HasSubstr("begins with /"));
  EXPECT_THAT(make_ready("", Existing::Keep).error().message, HasSubstr("begins with /"));
  write(home() / "file", "x");
  EXPECT_THAT(make_ready(home() / "file/x.png", Existing::Keep).error().message,
              HasSubstr("cannot be created"));
  EXPECT_EQ(from_home("~/x.png"), home() / "x.png");
}

}  // namespace
}  // namespace tilestep::workspace
