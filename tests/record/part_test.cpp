// A part of the grid, recorded alone, shows the same for its blocks as the whole recording.
#include "record/recording.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace tilestep::record {
namespace {

const simt::Schedule kPartSchedules[] = {{simt::ScheduleKind::Lockstep},
                                         {simt::ScheduleKind::Sequential},
                                         {simt::ScheduleKind::RunAhead, 1},
                                         {simt::ScheduleKind::Random, 0, 7}};

std::shared_ptr<const Recording> record_part(std::shared_ptr<const simt::Program> program,
                                             const simt::Schedule& schedule, simt::BlockPart part) {
  Options options;
  options.part = part;
  auto recording = Recording::make(std::move(program), schedule, options);
  return recording ? *recording : nullptr;
}

std::vector<std::string> phase_names(const Recording& recording, std::uint32_t block) {
  std::vector<std::string> names;
  for (const Phase& phase : recording.phases_of(block)) {
    names.push_back(*phase.name);
  }
  return names;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

class Part : public testing::Test {
 protected:
  test::Simulated simulated_;
};

TEST_F(Part, HasThePhasesAndTheSharedMemoryOfTheWholeRun) {
  const auto program = simulated_.program("tiled", {12, 12, 12}, 4, compile::Build::Step, 8);
  for (const simt::Schedule& schedule : kPartSchedules) {
    const auto whole = *Recording::make(program, schedule);
    const auto part = record_part(program, schedule, {4, 7});
    ASSERT_NE(part, nullptr);
    EXPECT_TRUE(whole->is_whole());
    EXPECT_FALSE(part->is_whole());
    EXPECT_LT(part->step_count(), whole->step_count());
    for (std::uint32_t block = 4; block < 7; ++block) {
      ASSERT_EQ(phase_names(*part, block), phase_names(*whole, block));
      for (std::size_t i = 0; i < whole->phases_of(block).size(); ++i) {
        const State here = part->state_at(part->phases_of(block)[i].last_step);
        const State there = whole->state_at(whole->phases_of(block)[i].last_step);
        EXPECT_TRUE(same_bytes(here.shared(block), there.shared(block)))
            << "block " << block << ", phase " << i;
      }
    }
  }
}

TEST_F(Part, StoresWhatItsBlocksStoreAndNothingElse) {
  const auto program = simulated_.program("tiled", {12, 12, 12}, 4);
  const auto whole = *Recording::make(program, {});
  const auto part = record_part(program, {}, {3, 6});  // the middle row of blocks
  ASSERT_NE(part, nullptr);
  const State here = part->state_at(part->step_count());
  const State there = whole->state_at(whole->step_count());
  for (std::uint32_t cell = 0; cell < 144; ++cell) {
    const bool is_inside = cell / 12 >= 4 && cell / 12 < 8;
    EXPECT_EQ(here.buffer_writer(2, cell).written, is_inside) << "cell " << cell;
    if (is_inside) {
      EXPECT_EQ(std::memcmp(here.machine().buffer(2).data() + cell * 4,
                            there.machine().buffer(2).data() + cell * 4, 4),
                0);
    }
  }
}

TEST_F(Part, HasNothingOfTheOtherBlocks) {
  const auto program = simulated_.program("tiled", {12, 12, 12}, 4);
  const auto part = record_part(program, {}, {3, 6});
  ASSERT_NE(part, nullptr);
  const State middle = part->state_at(part->step_count() / 2);
  for (const std::uint32_t block : {0U, 2U, 6U, 8U}) {
    EXPECT_TRUE(part->phases_of(block).empty());
    EXPECT_FALSE(part->keeps_steps_of(block));
    EXPECT_TRUE(middle.variables(block, 0).empty());
    EXPECT_TRUE(middle.shared(block).empty());
    EXPECT_EQ(middle.line(block, 0), 0U);
  }
}

TEST_F(Part, SeeksAsTheWholeDoes) {
  const auto program = simulated_.program("tiled", {34, 34, 34}, 2);
  Options options;
  options.part = simt::BlockPart{100, 289};
  options.keyframe_steps = 3000;
  const auto part = *Recording::make(program, {}, options);
  options.keyframe_steps = std::uint64_t{1} << 40;
  const auto replay = *Recording::make(program, {}, options);
  for (std::uint64_t k = 0; k < part->step_count(); k += 20'011) {
    ASSERT_TRUE(part->state_at(k) == replay->state_at(k)) << "step " << k;
  }
  std::size_t steps = 0;
  for (std::uint32_t block = 100; block < 289; ++block) {
    std::uint64_t last = 0;
    part->visit_steps_of(block, [&](const Recording::BlockStep& step) {
      EXPECT_GE(step.step, last);
      last = step.step;
      ++steps;
      return true;
    });
  }
  EXPECT_EQ(steps, part->step_count());
}

// The reads of such a block depend on missing blocks.
TEST_F(Part, IsRefusedWhereBlocksReadWhatOthersMayStore) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(float* out) {\n"
      "  out[blockIdx.x] = blockIdx.x == 0 ? 1.0f : out[blockIdx.x - 1] + 1.0f;\n"
      "}\n";
  kernel.grid = {8, 1, 1};
  kernel.block = {1, 1, 1};
  kernel.buffers = {{"out", 8}};
  const auto program = simulated_.program(test::launch_of(kernel));
  Options options;
  options.part = simt::BlockPart{4, 6};
  const auto part = Recording::make(program, {}, options);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().message,
            "Blocks 4 to 5 read what other blocks may store, so they cannot be recorded alone.");
  EXPECT_TRUE(Recording::make(program, {}));
}

// Blocks that need each other cannot be recorded separately, but the run's start is the same.
TEST_F(Part, TheStartOfARunIsThatOfTheWholeRun) {
  const auto program =
      simulated_.program("shared_last_wave_teaching", {8, 8, 8}, 4, compile::Build::Step, 8);
  for (const simt::Schedule& schedule : kPartSchedules) {
    const auto whole = *Recording::make(program, schedule);
    EXPECT_TRUE(whole->is_complete());
    Options options;
    options.only_steps = whole->step_count() / 2;
    const auto start = *Recording::make(program, schedule, options);
    EXPECT_FALSE(start->is_complete());
    EXPECT_TRUE(start->is_whole());
    ASSERT_GE(start->step_count(), options.only_steps);
    ASSERT_LT(start->step_count(), whole->step_count());
    const auto starts = start->statement_starts();
    EXPECT_TRUE(std::ranges::equal(starts, whole->statement_starts().first(starts.size())));
    const State here = start->state_at(start->step_count());
    const State there = whole->state_at(start->step_count());
    for (std::uint32_t block = 0; block < program->block_count(); ++block) {
      EXPECT_TRUE(same_bytes(here.shared(block), there.shared(block))) << "block " << block;
    }
    options.only_steps = whole->step_count() + 1;
    EXPECT_TRUE((*Recording::make(program, schedule, options))->is_complete());
  }
}

}  // namespace
}  // namespace tilestep::record
