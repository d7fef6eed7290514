// The model of an SM, with programs of a few instructions whose clocks are known by hand.
#include "clock/sm.h"

#include "folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tilestep::clock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SmTable shipped_table() {
  return load_sm_table(test::source_folder() / "assets" / "clock", "H200").value();
}

CodedInstruction instruction(Unit unit, int stall = 1) {
  CodedInstruction one;
  one.unit = unit;
  one.stall = static_cast<std::uint8_t>(stall);
  return one;
}

// A kernel of straight code, which each warp of each block executes.
struct Program {
  std::vector<CodedInstruction> code;
  std::vector<RequestShape> shapes{{1, 0, {}}};  // 0: an access to shared memory without conflicts
  std::vector<std::vector<std::uint64_t>> lines{};  // of each warp's accesses; missing: 0
  std::size_t warps = 1;
  std::size_t blocks = 1;
  std::uint32_t at_once = 1;

  SmRun run(const SmTable& table) const {
    auto trace = std::make_shared<BlockTrace>();
    trace->warps.resize(warps);
    for (std::size_t w = 0; w < warps; ++w) {
      WarpTrace& warp = trace->warps[w];
      for (std::uint32_t i = 0; i < code.size(); ++i) {
        TraceStep step{.instruction = i};
        if (is_memory(code[i].unit)) {
          step.request = static_cast<std::uint32_t>(warp.requests.size());
          const std::size_t access = warp.requests.size();
          const bool has_line = w < lines.size() && access < lines[w].size();
          warp.requests.push_back({has_line ? lines[w][access] : 0, 0});
        }
        warp.steps.push_back(step);
      }
    }
    SmOptions options;
    options.blocks_at_once = at_once;
    options.records = true;
    return simulate(
        code, shapes, [&](std::size_t) { return trace; }, blocks, table, options);
  }
};

using Spans = std::vector<std::pair<std::int64_t, WarpState>>;
Spans spans_of(const WarpLife& life) {
  Spans spans;
  for (const StateSpan& span : life.spans) {
    spans.emplace_back(span.start, span.state);
  }
  return spans;
}

// A warp starts to issue in the clock after its start.
TEST(Sm, ALoneWarpIssuesWhenItsStallsHavePassed) {
  const Program program{
      .code = {instruction(Unit::Fma, 4), instruction(Unit::Fma, 1), instruction(Unit::Exit)}};
  const SmRun run = program.run(shipped_table());
  using enum WarpState;
  EXPECT_THAT(spans_of(run.lives.at(0)),
              ElementsAre(std::pair{0, Wait}, std::pair{1, Selected}, std::pair{2, Wait},
                          std::pair{5, Selected}, std::pair{6, Selected}));
  EXPECT_EQ(run.lives.at(0).end, 7);
  EXPECT_EQ(run.clocks, 7);
  EXPECT_EQ(run.instructions, 3);
}

// The result of a load from shared memory: through the queue, then the data stage.
TEST(Sm, AScoreboardIsFreeWhenTheLoadHasReturned) {
  SmTable table = shipped_table();
  table.numbers.queue_delay = 5;
  table.numbers.shared_load = 20;
  CodedInstruction load = instruction(Unit::SharedLoad);
  load.result_board = 0;
  CodedInstruction use = instruction(Unit::Fma);
  use.awaited_boards = 1;
  const Program program{.code = {load, use, instruction(Unit::Exit)}};
  const SmRun run = program.run(table);
  using enum WarpState;
  // Issued at 1, in the data stage at 1 + 5, returned at 6 + 20.
  EXPECT_THAT(spans_of(run.lives.at(0)),
              ElementsAre(std::pair{0, Wait}, std::pair{1, Selected}, std::pair{2, ShortScoreboard},
                          std::pair{26, Selected}, std::pair{27, Selected}));
}

TEST(Sm, ABankConflictDelaysALoadByItsPasses) {
  CodedInstruction load = instruction(Unit::SharedLoad);
  load.result_board = 0;
  CodedInstruction use = instruction(Unit::Fma);
  use.awaited_boards = 1;
  Program program{.code = {load, use, instruction(Unit::Exit)}};
  const std::int64_t one = program.run(shipped_table()).clocks;
  program.shapes = {{32, 0, {}}};
  // 21 + 2n clocks (measured): a pass in every second clock.
  EXPECT_EQ(program.run(shipped_table()).clocks, one + 62);
}

// A load that a lane of a warp waits for, of one line in global memory.
CodedInstruction load_of_line(std::uint8_t board) {
  CodedInstruction load = instruction(Unit::GlobalLoad);
  load.result_board = board;
  return load;
}

TEST(Sm, AHitIsNotDelayedByAnotherWarpsMiss) {
  CodedInstruction use = instruction(Unit::Fma);
  use.awaited_boards = 1;
  // The second warp's line is in L1 since its first load; the first warp then misses another one.
  const Program program{
      .code = {load_of_line(0), use, load_of_line(0), use, instruction(Unit::Exit)},
      .shapes = {{1, 0, {{0, 1}}}},
      .lines = {{0, 100}, {0, 0}},
      .warps = 2};
  const SmRun run = program.run(shipped_table());
  const auto returned = [&run](std::uint32_t warp, std::size_t load) {
    for (const WarpLife& life : run.lives) {
      if (life.warp == warp) {
        return life.loads.at(load);
      }
    }
    return LoadTime{};
  };
  const LoadTime miss = returned(0, 1);
  const LoadTime hit = returned(1, 1);
  EXPECT_EQ(hit.level, MemoryLevel::L1);
  EXPECT_GT(miss.level, MemoryLevel::L1);
  ASSERT_GE(hit.entered, miss.entered);
  EXPECT_LT(hit.returned, miss.returned);
  EXPECT_EQ(hit.returned - hit.entered, shipped_table().numbers.l1_hit);
}

TEST(Sm, StoresToGlobalMemoryTakeThreeClocksEach) {
  CodedInstruction use = instruction(Unit::Fma);
  use.awaited_boards = 1;
  // The load enters after the stores.
  Program program{.code = {load_of_line(0), use, instruction(Unit::Exit)},
                  .shapes = {{1, 0, {{0, 1}}}},
                  .warps = 8};
  const SmRun without = program.run(shipped_table());
  program.code.insert(program.code.begin(), 8, instruction(Unit::GlobalStore));
  EXPECT_EQ(program.run(shipped_table()).passes, without.passes + std::uint64_t{3} * 64);
}

TEST(Sm, AfterAnAccessToMemoryTheNextWarpComes) {
  const Program program{.code = {instruction(Unit::Barrier, 5), instruction(Unit::SharedLoad),
                                 instruction(Unit::SharedLoad), instruction(Unit::Exit)},
                        .warps = 5};  // warps 0 and 4 have one scheduler
  const SmRun run = program.run(shipped_table());
  std::map<std::int64_t, std::uint32_t> issued;  // the warp, by clock
  for (const WarpLife& life : run.lives) {
    for (const StateSpan& span : life.spans) {
      if (span.state == WarpState::Selected && life.slot % 4 == 0 && span.instruction > 0) {
        issued.emplace(span.start, life.warp);
      }
    }
  }
  ASSERT_GE(issued.size(), 4U);
  auto next = issued.begin();
  const std::uint32_t first = next->second;
  EXPECT_NE((++next)->second, first) << "both have a second load";
  EXPECT_EQ((++next)->second, first);
}

TEST(Sm, ABarrierHoldsEachWarpUntilTheLastOne) {
  SmTable table = shipped_table();
  CodedInstruction slow = instruction(Unit::SharedLoad);
  const Program program{.code = {slow, instruction(Unit::Barrier, 5), instruction(Unit::Exit)},
                        .warps = 8};
  const SmRun run = program.run(table);
  std::int64_t last_arrival = 0;
  std::int64_t first_exit = run.clocks;
  for (const WarpLife& life : run.lives) {
    for (const StateSpan& span : life.spans) {
      if (span.state == WarpState::Selected && span.instruction == 1) {
        last_arrival = std::max(last_arrival, span.start);
      }
    }
    first_exit = std::min(first_exit, life.end);
  }
  EXPECT_GE(first_exit, last_arrival + static_cast<std::int64_t>(table.numbers.barrier));
}

TEST(Sm, WarpsThatWaitForEachOtherForeverEndTheRun) {
  // Two warps at different barriers.
  const std::vector<CodedInstruction> code{[] {
                                             CodedInstruction one = instruction(Unit::Barrier, 5);
                                             one.barrier = 1;
                                             return one;
                                           }(),
                                           instruction(Unit::Barrier, 5), instruction(Unit::Exit)};
  auto trace = std::make_shared<BlockTrace>();
  trace->warps.resize(2);
  trace->warps[0].steps = {{.instruction = 0}, {.instruction = 2}};
  trace->warps[1].steps = {{.instruction = 1}, {.instruction = 2}};
  const SmRun run = simulate(code, {}, [&](std::size_t) { return trace; }, 1, shipped_table(), {});
  EXPECT_TRUE(run.is_stuck);
}

// Even and odd registers are two banks, each of which gives one register a clock.
TEST(Sm, ThreeRegistersOfOneBankHoldUpTheNextInstructions) {
  const auto clocks_with = [](std::array<std::uint8_t, 3> sources) {
    CodedInstruction product = instruction(Unit::Fma);
    product.sources = sources;
    Program program{.code = std::vector<CodedInstruction>(40, product), .warps = 1};
    program.code.push_back(instruction(Unit::Exit));
    return program.run(shipped_table()).clocks;
  };
  const std::int64_t spread = clocks_with({2, 3, ptx::kZeroRegister});
  EXPECT_NEAR(static_cast<double>(spread), 42, 2);
  EXPECT_GT(clocks_with({2, 4, 6}), spread + 60);
}

// What must hold for every run.
void expect_consistent(const SmRun& run, std::size_t instructions) {
  std::uint64_t lived = 0;
  std::map<std::pair<std::uint32_t, std::int64_t>, int> issues;  // by scheduler and clock
  for (const WarpLife& life : run.lives) {
    ASSERT_FALSE(life.spans.empty());
    EXPECT_LE(life.spans.front().start, life.start);
    lived += static_cast<std::uint64_t>(life.end - life.spans.front().start);
    for (std::size_t k = 0; k < life.spans.size(); ++k) {
      const std::int64_t end = k + 1 < life.spans.size() ? life.spans[k + 1].start : life.end;
      EXPECT_LT(life.spans[k].start, end);
      if (life.spans[k].state == WarpState::Selected) {
        EXPECT_EQ(end, life.spans[k].start + 1);
        ++issues[{life.slot % 4, life.spans[k].start}];
      }
    }
  }
  for (const auto& [place, count] : issues) {
    EXPECT_EQ(count, 1) << "two warps issue at clock " << place.second;
  }
  EXPECT_EQ(issues.size(), instructions);
  EXPECT_EQ(run.instructions, instructions);
  EXPECT_EQ(run.warp_clocks, lived);
  std::uint64_t by_state = 0;
  for (const std::uint64_t clocks : run.by_state) {
    by_state += clocks;
  }
  EXPECT_EQ(by_state, run.warp_clocks);
  EXPECT_EQ(run.by_state[0], run.instructions);
}

Program mixed_program() {
  CodedInstruction global = instruction(Unit::GlobalLoad, 2);
  global.result_board = 1;
  CodedInstruction store = instruction(Unit::SharedStore, 2);
  store.awaited_boards = 2;
  store.operand_board = 2;
  CodedInstruction load = instruction(Unit::SharedLoad, 1);
  load.result_board = 0;
  CodedInstruction product = instruction(Unit::Fma, 4);
  product.awaited_boards = 1;
  Program program{.code = {}, .warps = 5, .blocks = 7, .at_once = 3};
  program.shapes = {{1, 0, {{0, 15}, {32, 3}}}};
  for (int k = 0; k < 6; ++k) {
    program.code.insert(program.code.end(),
                        {global, store, instruction(Unit::Barrier, 5), load, product,
                         instruction(Unit::Alu, 2), instruction(Unit::Barrier, 5)});
  }
  program.code.push_back(instruction(Unit::Exit));
  return program;
}

TEST(Sm, StatesFillTheLifeOfEachWarpAndASchedulerIssuesOnceAClock) {
  const Program program = mixed_program();
  const SmRun run = program.run(shipped_table());
  expect_consistent(run, program.code.size() * program.warps * program.blocks);
  EXPECT_EQ(run.lives.size(), program.warps * program.blocks);
}

TEST(Sm, TheSameRunGivesTheSameClocks) {
  const Program program = mixed_program();
  const SmRun one = program.run(shipped_table());
  const SmRun two = program.run(shipped_table());
  ASSERT_EQ(one.lives.size(), two.lives.size());
  for (std::size_t k = 0; k < one.lives.size(); ++k) {
    EXPECT_EQ(spans_of(one.lives[k]), spans_of(two.lives[k]));
  }
}

// One warp alone: each latency can only delay it.
TEST(Sm, ALongerLatencyNeverMakesALoneWarpFaster) {
  Program program = mixed_program();
  program.warps = 1;
  program.blocks = 1;
  const SmTable table = shipped_table();
  const std::int64_t before = program.run(table).clocks;
  for (const SmField& field : sm_fields()) {
    if (field.unit == "clocks") {
      SmTable slower = table;
      slower.numbers.*field.number += 1.0;
      EXPECT_GE(program.run(slower).clocks, before) << field.name;
    }
  }
}

TEST(SmTable, ANumberWithoutAnOriginIsNamed) {
  const auto table = read_sm_table(
      R"({"format": "tilestep-sm", "gpu": "X", "numbers": {"shared_load": {"value": 3}}})");
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("'shared_load' needs a value and an origin"));
}

TEST(SmTable, IsFoundByThePartOfAGpusName) {
  const auto folder = test::source_folder() / "assets" / "clock";
  EXPECT_EQ(load_sm_table(folder, "H100").value().gpu, "NVIDIA H100 80GB HBM3");
  const auto unknown = load_sm_table(folder, "NVIDIA B200");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("NVIDIA H200, NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(load_sm_table(folder, "NVIDIA B200", OtherGpu::Replaced).value().gpu, "NVIDIA H200");
}

TEST(SmTable, OtherFilesAreRefused) {
  EXPECT_FALSE(read_sm_table("[]"));
  EXPECT_FALSE(read_sm_table("no JSON"));
}

}  // namespace
}  // namespace tilestep::clock
