// Races with an effect: two accesses were executed in the opposite of the program's order.
#include "insight/check/race_effect.h"

#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace tilestep::insight {
namespace {

std::shared_ptr<const record::Recording> record_with_warps_of_4(const std::string& kernel,
                                                                problem::Problem size, int block,
                                                                const simt::Schedule& schedule) {
  auto made = record::Recording::make(
      test::Simulated().program(kernel, size, block, compile::Build::Step, 4), schedule);
  if (!made) {
    throw std::runtime_error(made.error().message);
  }
  return *made;
}

const simt::Schedule kRunAhead{simt::ScheduleKind::RunAhead};

// Threads of a block that read a wrong value.
std::set<std::uint32_t> misled(const record::Recording& recording, std::uint32_t block) {
  std::set<std::uint32_t> threads;
  for (const RaceEffect& effect : find_race_effects(recording, block)) {
    const RaceEffectValues values = values_of(recording, effect);
    if (values.found != values.should) {
      threads.insert(effect.reader.thread);
    }
  }
  return threads;
}

TEST(RaceEffect, TheFastWarpsStoreIsFoundByASlowOnesRead) {
  const auto recording = record_with_warps_of_4("tiled_missing_barrier", {8, 8, 8}, 4, kRunAhead);
  const auto effects = find_race_effects(*recording, 0);
  const auto first = std::find_if(effects.begin(), effects.end(), [&](const RaceEffect& s) {
    return finding_of(recording->program(), s).element == "Bs[0][0]" && s.reader.thread == 4;
  });
  ASSERT_NE(first, effects.end());
  EXPECT_TRUE(first->is_lost());
  EXPECT_EQ(first->writer.thread, 0U);
  EXPECT_EQ(first->writer.line, 25U);
  EXPECT_EQ(first->reader.line, 28U);
  EXPECT_LT(first->writer.step, first->reader.step);
  const Finding finding = finding_of(recording->program(), *first);
  EXPECT_TRUE(finding.takes_effect);
  EXPECT_EQ(finding.parties.front().access, simt::AccessKind::Store);
  EXPECT_EQ(finding.parties.back().access, simt::AccessKind::Load);
  const RaceEffectValues values = values_of(*recording, *first);
  ASSERT_TRUE(values.found && values.should);
  EXPECT_NE(*values.found, *values.should);
}

TEST(RaceEffect, ReadsThatComeTooEarlyNeedWhatIsStoredLater) {
  const auto recording =
      record_with_warps_of_4("tiled_missing_first_barrier", {8, 8, 8}, 4, kRunAhead);
  const auto effects = find_race_effects(*recording, 0);
  ASSERT_FALSE(effects.empty());
  for (const RaceEffect& effect : effects) {
    EXPECT_FALSE(effect.is_lost());
    EXPECT_EQ(finding_of(recording->program(), effect).parties.front().access,
              simt::AccessKind::Load);
  }
  EXPECT_EQ(values_of(*recording, effects.front()).found, std::nullopt)
      << "nobody had stored anything there yet";
}

TEST(RaceEffect, LockstepAndKernelsWithTheirBarriersHaveNone) {
  EXPECT_TRUE(
      find_race_effects(*record_with_warps_of_4("tiled_missing_barrier", {8, 8, 8}, 4, {}), 0)
          .empty());
  for (const char* kernel : {"tiled", "tiled_padded", "double_buffered", "submatrix"}) {
    EXPECT_TRUE(
        find_race_effects(*record_with_warps_of_4(kernel, {8, 8, 8}, 4, kRunAhead), 0).empty())
        << kernel;
  }
}

// Every thread of these kernels computes one element: it is wrong if its thread read a wrong value.
TEST(RaceEffect, ElementsAreWrongWhereTheirThreadsWereMisled) {
  struct Case {
    const char* kernel;
    problem::Problem size;
    int block;
  };
  for (const Case& c : {Case{"tiled_missing_barrier", {8, 8, 8}, 4},
                        Case{"tiled_missing_first_barrier", {8, 8, 8}, 4},
                        Case{"single_block_ktiles_missing_barrier", {4, 4, 8}, 4}}) {
    SCOPED_TRACE(c.kernel);
    const auto recording = record_with_warps_of_4(c.kernel, c.size, c.block, kRunAhead);
    const auto right = record_with_warps_of_4(
        std::string(c.kernel).find("single") == 0 ? "single_block_ktiles" : "tiled", c.size,
        c.block, {});
    const record::State end = recording->state_at(recording->step_count());
    const record::State good = right->state_at(right->step_count());
    constexpr std::uint32_t kC = 2;
    const auto bytes = end.machine().buffer(kC);
    const auto wanted = good.machine().buffer(kC);
    std::size_t wrong = 0;
    for (std::uint32_t block = 0; block < recording->program().block_count(); ++block) {
      std::set<std::uint32_t> wrong_threads;
      for (std::size_t word = 0; word < bytes.size() / 4; ++word) {
        const record::Writer writer = end.buffer_writer(kC, word);
        if (writer.block == block &&
            std::memcmp(bytes.data() + 4 * word, wanted.data() + 4 * word, 4) != 0) {
          wrong_threads.insert(writer.thread);
        }
      }
      EXPECT_EQ(wrong_threads, misled(*recording, block)) << "block " << block;
      wrong += wrong_threads.size();
    }
    EXPECT_GT(wrong, 0U);
  }
}

}  // namespace
}  // namespace tilestep::insight
