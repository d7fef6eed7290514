#include "compile/cache.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilestep::compile {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

Output output(int number, std::size_t bytes = 1000) {
  Output o;
  o.compiler = "NVRTC 13.0";
  o.entry = "_Z1k" + std::to_string(number);
  o.log = "a.cu(1): warning #177-D: w\n";
  o.diagnostics = parse_diagnostics(o.log);
  o.ptx = std::string(bytes, static_cast<char>('a' + number % 26)) + '\n' + '\0' + '\n' +
          std::to_string(number);
  return o;
}

std::string key(int number) {
  return "key" + std::to_string(number);
}

bool same(const Output& a, const Output& b) {
  return a.ptx == b.ptx && a.entry == b.entry && a.compiler == b.compiler && a.log == b.log &&
         a.diagnostics == b.diagnostics;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> files(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    found.push_back(entry.path());
  }
  return found;
}

// Starts a child process that runs `work`.
pid_t start(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(work() ? 0 : 1);
  }
  return child;
}

// The exit status of a child process, or minus the signal that ended it.
int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class DiskCacheTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST(DiskCacheEntry, KeepsACubinAsACubin) {
  Output cubin = output(1);
  cubin.cubin = std::exchange(cubin.ptx, "");
  const std::optional<Output> read = from_entry_text(to_entry_text(cubin));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cubin, cubin.cubin);
  EXPECT_EQ(read->ptx, "");
  EXPECT_EQ(read->entry, cubin.entry);
  std::string damaged = to_entry_text(cubin);
  damaged.back() ^= 1;
  EXPECT_FALSE(from_entry_text(damaged));
}

TEST_F(DiskCacheTest, ReturnsWhatWasStored) {
  const DiskCache cache({folder_.path() / "a" / "b", {}, 1U << 20});
  EXPECT_FALSE(cache.find(key(1)));
  cache.store(key(1), output(1));
  const std::optional<Output> found = cache.find(key(1));
  ASSERT_TRUE(found);
  EXPECT_TRUE(same(*found, output(1)));
  EXPECT_TRUE(found->from_cache);
  EXPECT_FALSE(cache.find(key(2)));
}

TEST_F(DiskCacheTest, ReadOnlyFolders_ComeAfterTheUsersAndAreNotWritten) {
  const fs::path shipped = folder_.path() / "shipped";
  DiskCache({shipped, {}, 1U << 20}).store(key(1), output(1));
  const std::string before = read(files(shipped)[0]);
  const DiskCache cache({folder_.path() / "user", {folder_.path() / "none", shipped}, 1U << 20});
  ASSERT_TRUE(cache.find(key(1)));
  EXPECT_TRUE(same(*cache.find(key(1)), output(1)));
  cache.store(key(2), output(2));
  EXPECT_EQ(files(shipped).size(), 1U);
  EXPECT_EQ(read(files(shipped)[0]), before);
}

TEST_F(DiskCacheTest, DamagedEntry_IsIgnoredAndRemoved) {
  const DiskCache cache({folder_.path(), {}, 1U << 20});
  cache.store(key(1), output(1, 20));
  const fs::path file = files(folder_.path())[0];
  const std::string good = read(file);
  std::vector<std::string> damaged;
  for (std::size_t size = 0; size < good.size(); ++size) {
    damaged.push_back(good.substr(0, size));  // truncated
    std::string flipped = good;
    flipped[size] = static_cast<char>(flipped[size] ^ 1);
    damaged.push_back(flipped);
  }
  damaged.push_back(good + "x");
  damaged.push_back("tilestep-ptx 1\ncompiler x\nentry x\nlog 99999999999999999999\nptx 1\n");
  damaged.push_back("tilestep-ptx 1\ncompiler x\nentry x\nlog -1\nptx 1\nchecksum 0\nx");
  for (const std::string& text : damaged) {
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_FALSE(cache.find(key(1))) << text;
    EXPECT_FALSE(fs::exists(file)) << text;
  }
}

TEST_F(DiskCacheTest, OtherFormatVersion_IsIgnored) {
  std::string text = to_entry_text(output(1));
  ASSERT_TRUE(from_entry_text(text));
  EXPECT_FALSE(from_entry_text("tilestep-ptx 2" + text.substr(14)));
}

TEST_F(DiskCacheTest, AboveItsLimit_TheLeastRecentlyUsedGoFirst) {
  const DiskCache cache({folder_.path(), {}, 3500});
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; ++i) {
    cache.store(key(i), output(i));
    fs::last_write_time(folder_.path() / (key(i) + ".ptx-entry"), now - hours(10 - i));
  }
  EXPECT_TRUE(cache.find(key(0)));  // used now
  cache.store(key(3), output(3));
  EXPECT_TRUE(cache.find(key(0)));
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.find(key(2)));
  EXPECT_TRUE(cache.find(key(3)));
}

TEST_F(DiskCacheTest, OtherFilesInTheFolder_AreLeftAlone) {
  std::ofstream(folder_.path() / "notes.txt") << std::string(10000, 'x');
  const DiskCache cache({folder_.path(), {}, 2000});
  cache.store(key(1), output(1));
  EXPECT_TRUE(cache.find(key(1)));
  EXPECT_TRUE(fs::exists(folder_.path() / "notes.txt"));
}

TEST_F(DiskCacheTest, WhatAKilledProcessLeft_IsRemovedAtALaterStart) {
  const std::vector<fs::path> abandoned = {folder_.path() / "key9.ptx-entry.17.part",
                                           folder_.path() / "key9.unfinished-aB3xYz"};
  const std::vector<fs::path> kept = {
      folder_.path() / "key9.ptx-entry.18.part",  // another process may be writing it
      folder_.path() / "notes.part"};
  for (const auto& files : {abandoned, kept}) {
    for (const fs::path& file : files) {
      std::ofstream(file) << "x";
      fs::last_write_time(file, fs::file_time_type::clock::now() - hours(2));
    }
  }
  fs::last_write_time(kept.front(), fs::file_time_type::clock::now());
  const DiskCache cache({folder_.path(), {}, 1U << 20});
  for (const fs::path& file : abandoned) {
    EXPECT_FALSE(fs::exists(file)) << file;
  }
  for (const fs::path& file : kept) {
    EXPECT_TRUE(fs::exists(file)) << file;
  }
}

TEST_F(DiskCacheTest, UnwritableFolder_IsNoError) {
  const fs::path file = folder_.path() / "file";
  std::ofstream(file) << "x";
  for (const fs::path& place : {file / "below a file", fs::path("/proc/none"), fs::path()}) {
    const DiskCache cache({place, {}, 1U << 20});
    cache.store(key(1), output(1));
    EXPECT_FALSE(cache.find(key(1)));
  }
}

// Children do not return into the test: they end with _exit.
TEST_F(DiskCacheTest, KilledInTheMiddle_LeavesOnlyWholeEntries) {
  constexpr int kRounds = 20;
  constexpr std::size_t kBytes = 1U << 20;
  for (int round = 0; round < kRounds; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = start([&] {
      const DiskCache cache({folder_.path(), {}, 1ULL << 30});
      for (int i = 0;; ++i) {
        cache.store(key(i % 3), output(i % 3, kBytes));
        (void)!write(pipe_ends[1], "x", 1);
      }
      return true;
    });
    char stored = 0;
    for (int i = 0; i <= round % 4; ++i) {
      ASSERT_EQ(::read(pipe_ends[0], &stored, 1), 1);
    }
    kill(child, SIGKILL);
    EXPECT_EQ(end_of(child), -SIGKILL);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    const DiskCache cache({folder_.path(), {}, 1ULL << 30});
    for (const fs::path& file : files(folder_.path())) {
      if (file.extension() == ".ptx-entry") {
        EXPECT_TRUE(from_entry_text(read(file))) << file;
      }
    }
    ASSERT_TRUE(cache.find(key(0)));  // the first one was whole before the kill
    EXPECT_TRUE(same(*cache.find(key(0)), output(0, kBytes)));
    for (const fs::path& file : files(folder_.path())) {
      fs::remove(file);
    }
  }
}

TEST_F(DiskCacheTest, TwoProcesses_StoreFindAndEvictTheSameKeys) {
  const auto work = [&](int step) {
    const DiskCache cache({folder_.path(), {}, 5000});  // room for four of the seven entries
    for (int i = 0; i < 1000; ++i) {
      const int number = (i * step) % 7;
      const std::optional<Output> found = cache.find(key(number));
      if (found && !same(*found, output(number))) {
        return false;
      }
      cache.store(key(number), output(number));
    }
    return true;
  };
  const pid_t first = start([&] { return work(3); });
  const pid_t second = start([&] { return work(5); });
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);
  for (const fs::path& file : files(folder_.path())) {
    EXPECT_TRUE(from_entry_text(read(file))) << file;
  }
}

}  // namespace
}  // namespace tilestep::compile
