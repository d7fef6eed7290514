#include "problem/file.h"

#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
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
  // As on a full disk, the first bytes are written and the later ones are not.
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
  EXPECT_EQ(write_file("-", "x").error().message,
            "'-' is not a file. Name one, or /dev/stdout for standard output.");
  EXPECT_EQ(write_file("/nowhere/at/all.txt", "x").error().message,
            "/nowhere/at/all.txt: cannot be written: No such file or directory. Choose a path that "
            "exists and is writable.");
}

TEST(WriteFile, AFolderOfThatName_Stays) {
  const test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "a" / "kept");
  const Result<void> written = write_file(folder.path() / "a", "x");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message,
              AllOf(StartsWith((folder.path() / "a").string()), HasSubstr("cannot be replaced: "),
                    HasSubstr("Choose a path")));
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

// A rename would replace the device by a file.
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

TEST(WriteFile, WhatAKilledProcessLeft_IsNoObstacle) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "a.txt";
  fs::path left = file;
  left += "." + std::to_string(::gettid()) + std::string(kUnfinishedFile);
  // A link would be followed to a file that is not ours.
  ASSERT_TRUE(write_file(folder.path() / "other", "other"));
  fs::create_symlink("other", left);
  ASSERT_TRUE(write_file(file, "new"));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_EQ(read_file(folder.path() / "other"), "other");
  EXPECT_EQ(entries(folder.path()), 2);
}

TEST(WriteFile, ADescriptorOfAFile_IsWrittenBehindWhatIsThere) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "log";
  ASSERT_TRUE(write_file(file, "one "));
  const int log = ::open(file.c_str(), O_WRONLY | O_APPEND);
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(log), "two"));
  ::close(log);
  EXPECT_EQ(read_file(file), "one two");
}

TEST(WriteFile, WithoutAName_IsRefused) {
  EXPECT_THAT(write_file("", "x").error().message, HasSubstr("is empty"));
  EXPECT_THAT(read_file("").error().message, HasSubstr("is empty"));
}

TEST(AppendToFile, AFullDisk_LeavesNoHalfLine) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "a.points";
  ASSERT_TRUE(append_to_file(file, "one\n"));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{6, before.rlim_max};
  auto* const old_handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Result<void> appended = append_to_file(file, "two\n");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(appended);
  EXPECT_THAT(appended.error().message, HasSubstr("Free some space"));
  ASSERT_TRUE(append_to_file(file, "three\n"));
  EXPECT_EQ(read_file(file), "one\nthree\n");
}

TEST(ReadFile, WhatIsNoPlainFile_IsRefusedAtOnce) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_file(pipe).error().message,
            pipe.string() + " is a named pipe, not a file. Name a file.");
  EXPECT_THAT(append_to_file(pipe, "x").error().message, HasSubstr(pipe.string()));
  EXPECT_THAT(read_file(folder.path()).error().message, HasSubstr(" is a folder, not a file."));
  EXPECT_THAT(read_file("/dev/zero").error().message, HasSubstr(" is a device, not a file."));
  EXPECT_THAT(read_file("/proc/self/mem").error().message,
              HasSubstr("/proc/self/mem cannot be read: Input/output error."));
  EXPECT_THAT(read_file(pipe / "x").error().message, HasSubstr("Not a directory. Check the path."));
}

TEST(ReadFile, APipeOfThisProcess_IsReadToItsEnd) {
  const test::TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  fs::create_symlink("/dev/fd/" + std::to_string(ends[0]), folder.path() / "link");
  EXPECT_EQ(read_file(folder.path() / "link"), "text");
  ::close(ends[0]);
}

}  // namespace
}  // namespace tilestep::problem
