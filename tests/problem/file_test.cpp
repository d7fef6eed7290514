#include "problem/file.h"

#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace tilestep::problem {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

TEST(WriteFile, ReplacesTheOldBytesAndLeavesNothingElse) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "a.txt";
  const std::string bytes("one\0two\n", 8);
  ASSERT_TRUE(write_file(file, "something longer than that"));
  ASSERT_TRUE(write_file(file, bytes));
  EXPECT_EQ(read_file(file), bytes);
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(WriteFile, AFullDisk_LeavesTheOldFile_AndSaysPlaceCauseAndCure) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "a.txt";
  ASSERT_TRUE(write_file(file, "old"));
  // As on a full disk, the first bytes go and the later ones do not.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  auto* const old_handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Result<void> written = write_file(file, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, file.string() +
                                         ": cannot be written: File too large. Free some space, "
                                         "then try again.");
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(WriteFile, AFolderThatIsNotThere_IsSaid) {
  EXPECT_EQ(write_file("/nowhere/at/all.txt", "x").error().message,
            "/nowhere/at/all.txt: cannot be written: No such file or directory. Choose a place "
            "that exists and can be written to.");
}

TEST(WriteFile, AFolderOfThatName_Stays) {
  const test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "a" / "kept");
  const Result<void> written = write_file(folder.path() / "a", "x");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message,
              AllOf(StartsWith((folder.path() / "a").string()), HasSubstr("cannot be replaced: "),
                    HasSubstr("Choose a place")));
  EXPECT_TRUE(fs::exists(folder.path() / "a" / "kept"));
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(WriteFile, ALink_StaysALink) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "real", "old"));
  fs::create_symlink("real", folder.path() / "link");
  ASSERT_TRUE(write_file(folder.path() / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.path() / "real"), "new");
}

TEST(WriteFile, KeepsWhoMayReadTheOldFile) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "a", "old"));
  fs::permissions(folder.path() / "a", fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(write_file(folder.path() / "a", "new"));
  EXPECT_EQ(fs::status(folder.path() / "a").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

// A rename would put a file where the device was.
TEST(WriteFile, ADevice_IsWrittenTo_AndStaysOne) {
  const test::TemporaryFolder folder;
  fs::create_symlink("/dev/null", folder.path() / "null");
  EXPECT_TRUE(write_file(folder.path() / "null", "x"));
  EXPECT_TRUE(fs::is_character_file(folder.path() / "null"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(ends[1]), "x"));
  char read_back = 0;
  EXPECT_EQ(::read(ends[0], &read_back, 1), 1);
  EXPECT_EQ(read_back, 'x');
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tilestep::problem
