// The fast pass against a set-based oracle, with random accesses of every shape.
#include "insight/check/screen.h"

#include "ptx/parse.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

namespace tilestep::insight {
namespace {

constexpr std::uint32_t kThreads = 80;  // two whole warps and a half
constexpr std::uint32_t kWords = 96;
constexpr std::uint32_t kBlocks = 3;

constexpr const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 kernel_param_0)
{
  .shared .align 16 .b8 s[384];
  .reg .b64 %rd<3>;
  mov.u64 %rd1, s;
  bar.sync 0;
  ret;
}
)";

std::shared_ptr<const simt::Program> make_program() {
  auto module = ptx::parse(kPtx);
  if (!module) {
    throw std::runtime_error(module.error().message);
  }
  problem::Launch launch;
  launch.grid = {kBlocks, 1, 1};
  launch.block = {kThreads, 1, 1};
  problem::Buffer buffer;
  buffer.name = "x";
  buffer.rows = 1;
  buffer.cols = kWords;
  buffer.pitch = kWords;
  buffer.contents.resize(4 * kWords);
  launch.buffers.push_back(buffer);
  const auto pack = [](const std::vector<std::uint64_t>& addresses) {
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), addresses.data(), 8);
    return Result<std::vector<std::byte>>(parameters);
  };
  auto program =
      simt::Program::make(std::make_shared<const ptx::Module>(std::move(*module)), 0, launch, pack);
  if (!program) {
    throw std::runtime_error(program.error().message);
  }
  return *program;
}

// The complete access history of a word.
class Oracle {
 public:
  void shared(std::uint32_t block, std::uint32_t thread, std::uint32_t word,
              simt::AccessKind kind) {
    Block& b = blocks_[block];
    if (kind != simt::AccessKind::Store && !b.stored[word]) {
      suspects.insert(word);
    }
    b.stored[word] = b.stored[word] || kind != simt::AccessKind::Load;
    touch(b.interval[word], {block, thread, kind}, word, suspects);
  }
  void global(std::uint32_t block, std::uint32_t thread, std::uint32_t word,
              simt::AccessKind kind) {
    // Ordered: the same block in an earlier interval. Such accesses are kept separately, for other
    // blocks.
    for (const Touch& other : earlier_[word]) {
      if (other.block != block && clash(other, {block, thread, kind})) {
        global_suspects.insert(word);
      }
    }
    touch(blocks_[block].global[word], {block, thread, kind}, word, global_suspects);
    for (auto& [index, b] : blocks_) {
      if (index != block) {
        touch_only_check(b.global[word], {block, thread, kind}, word);
      }
    }
  }
  void barrier(std::uint32_t block) {
    Block& b = blocks_[block];
    b.interval.clear();
    for (auto& [word, touches] : b.global) {
      earlier_[word].insert(earlier_[word].end(), touches.begin(), touches.end());
    }
    b.global.clear();
  }

  std::set<std::uint32_t> suspects;
  std::set<std::uint32_t> global_suspects;

 private:
  struct Touch {
    std::uint32_t block;
    std::uint32_t thread;
    simt::AccessKind kind;
  };
  struct Block {
    std::map<std::uint32_t, bool> stored;
    std::map<std::uint32_t, std::vector<Touch>> interval;
    std::map<std::uint32_t, std::vector<Touch>> global;
  };

  static bool clash(const Touch& a, const Touch& b) {
    const bool both_read = a.kind == simt::AccessKind::Load && b.kind == simt::AccessKind::Load;
    const bool both_atomic =
        a.kind == simt::AccessKind::Atomic && b.kind == simt::AccessKind::Atomic;
    return !both_read && !both_atomic;
  }
  void touch_only_check(const std::vector<Touch>& touches, const Touch& now, std::uint32_t word) {
    for (const Touch& other : touches) {
      if (clash(other, now)) {
        global_suspects.insert(word);
      }
    }
  }
  static void touch(std::vector<Touch>& touches, const Touch& now, std::uint32_t word,
                    std::set<std::uint32_t>& found) {
    for (const Touch& other : touches) {
      if (other.thread != now.thread && clash(other, now)) {
        found.insert(word);
      }
    }
    touches.push_back(now);
  }

  std::map<std::uint32_t, Block> blocks_;
  std::map<std::uint32_t, std::vector<Touch>> earlier_;
};

class Fuzz {
 public:
  Fuzz(const simt::Program& program, std::uint32_t seed)
      : program_(program), screen_(program), random_(seed) {
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      screen_.on_block_start(block);
    }
  }

  void run(int operations) {
    const ptx::Function& entry = program_.entry();
    for (int i = 0; i < operations; ++i) {
      simt::StepInfo info;
      info.id = {pick(kBlocks), pick(3)};
      info.pc = pick(2);
      info.instruction = &entry.instructions[info.pc];
      if (pick(8) == 0) {
        info.pc = 1;
        info.instruction = &entry.instructions[1];
        screen_.on_barrier(info, {simt::BarrierAction::Release, 0, 0, true, simt::kNoThread});
        oracle_.barrier(info.id.block);
      } else {
        access(info);
      }
    }
  }

  // Atomics and plain accesses of one thread need not be distinguished exactly.
  void compare() {
    std::set<std::uint32_t> shared;
    std::set<std::uint32_t> global;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      if (screen_.suspects().has_shared(word)) {
        shared.insert(word);
      }
      if (screen_.suspects().has_global(0, word)) {
        global.insert(word);
      }
    }
    EXPECT_EQ(shared, oracle_.suspects);
    EXPECT_EQ(global, oracle_.global_suspects);
    found = shared.size() + global.size();
  }

  std::size_t found = 0;

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void access(const simt::StepInfo& info) {
    simt::MemoryEvent event;
    const bool shared = pick(2) == 0;
    event.space = shared ? ptx::Space::Shared : ptx::Space::Global;
    event.kind = pick(3) == 0 ? simt::AccessKind::Store : simt::AccessKind::Load;
    event.bytes = pick(5) == 0 ? 16 : 4;
    const std::uint32_t existing = info.id.warp == 2 ? 0xffffU : ~0U;
    const std::uint32_t wanted = pick(2) == 0 ? ~0U : static_cast<std::uint32_t>(random_());
    // Few lanes most of the time, otherwise everything is a suspect at once.
    const std::uint32_t few = pick(3) != 0 ? 1U << pick(16) : ~0U;
    event.mask = existing & wanted & few;
    if (event.mask == 0) {
      return;
    }
    const std::uint32_t shape = pick(4);
    const std::uint32_t words = event.bytes / 4;
    const std::uint32_t base = pick(kWords / words);
    for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
      const std::uint32_t thread = info.id.warp * simt::kWarpSize + lane;
      const std::uint32_t choice[] = {base, thread, lane / 8 + base, pick(kWords)};
      const std::uint32_t word = choice[shape] * words % kWords;
      event.addresses.set(
          lane, (shared ? simt::kSharedWindow : simt::kGlobalWindow) + std::uint64_t{word} * 4);
      for (std::uint32_t w = word; ((event.mask >> lane) & 1U) != 0 && w < word + words; ++w) {
        if (shared) {
          oracle_.shared(info.id.block, thread, w, event.kind);
        } else {
          oracle_.global(info.id.block, thread, w, event.kind);
        }
      }
    }
    screen_.on_memory(info, event);
  }

  const simt::Program& program_;
  Screen screen_;
  Oracle oracle_;
  std::mt19937 random_;
};

TEST(Screen, AgreesWithTheOracleOnRandomRuns) {
  const auto program = make_program();
  std::size_t found = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    Fuzz fuzz(*program, seed);
    fuzz.run(4 + static_cast<int>(seed % 40));
    fuzz.compare();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    found += fuzz.found;
  }
  EXPECT_GT(found, 1000U);
}

}  // namespace
}  // namespace tilestep::insight
