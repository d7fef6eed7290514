// The costs of kernels, as claimed by their headers and teaching texts: memory traffic, coalescing,
// bank conflicts, stores, rounding errors. The second half of docs/reports/claims.md.
#include "insight/check/check.h"
#include "insight/count/cost.h"
#include "problem/launch/reference.h"
#include "simulated.h"
#include "tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tilestep {
namespace {

using problem::Problem;
using simt::AccessKind;

std::uint64_t volume(int a, int b, int c = 1) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) *
         static_cast<std::uint64_t>(c);
}

class Cost : public testing::Test {
 protected:
  insight::Counters count(const std::string& kernel, Problem size, int block_size) {
    return insight::count(simulated_.program(kernel, size, block_size, compile::Build::Fast));
  }
  test::Tally tally(const problem::Launch& launch) {
    return test::Tally(simulated_.program(launch));
  }

  test::Simulated simulated_;
};

std::uint64_t loads_of(const insight::Counters& counters) {
  return counters.buffers[0].loads + counters.buffers[1].loads;
}

double sectors_a_request(const insight::AccessCounters& counters) {
  return static_cast<double>(counters.sectors) / static_cast<double>(counters.requests);
}

std::uint32_t line_in(const std::string& kernel, const std::string& part) {
  return test::line_of(test::repository_catalog().find(kernel)->source, part);
}

// A: the effect of BLOCK_SIZE on a thread.

TEST_F(Cost, A9_AThreadDoesNoMoreWithALargerBlockSize) {
  for (const int block_size : {1, 2, 4, 8}) {
    const auto program = simulated_.program("tiled", {8, 8, 8}, block_size, compile::Build::Fast);
    EXPECT_EQ(insight::total_cost(*program, insight::profile(program)).flops, 2 * volume(8, 8, 8));
    EXPECT_EQ(program->launch().grid.count() * program->launch().block.count(), volume(8, 8));
  }
}

// D: "Matrix multiplication": from the plain kernel to tiles with Kahan's summation.

TEST_F(Cost, D1_PlainReadsTwiceNCubed) {
  EXPECT_EQ(loads_of(count("naive_1d", {20, 20, 20}, 4)), 2 * volume(20, 20, 20));
}

TEST_F(Cost, D2_WithARowInSharedMemoryNCubedPlusNSquared) {
  for (const char* const kernel : {"row_in_shared_kahan", "pitched"}) {
    const insight::Counters counters = count(kernel, {20, 20, 20}, 4);
    EXPECT_EQ(counters.buffers[0].loads, volume(20, 20));
    EXPECT_EQ(counters.buffers[1].loads, volume(20, 20, 20));
  }
}

// The text: 2·n³ / k, about 500 MB at n = 1000 and k = 16, an eighth of the row kernel's. Loads are
// proportional to K, so 40 of the 1000 columns are counted.
TEST_F(Cost, D3_TilesReadTwiceNCubedByBlockSize_RoundedUp) {
  EXPECT_EQ(loads_of(count("tiled_kahan_bounds", {32, 32, 32}, 16)), 2 * volume(32, 32, 32) / 16);
  const std::uint64_t loads = 25 * loads_of(count("tiled_kahan_bounds", {1000, 1000, 40}, 16));
  EXPECT_EQ(loads, 2 * volume(63, 1000, 1000));  // 63 = 1000 / 16 rounded up
  EXPECT_EQ(4 * loads, 504'000'000U);            // bytes
  const std::uint64_t row_kernel = volume(1000, 1000, 1000) + volume(1000, 1000);
  EXPECT_NEAR(static_cast<double>(row_kernel) / static_cast<double>(loads), 7.94, 0.01);
}

// The text has 512 threads a block; since compute capability 2.0 it is 1024.
TEST_F(Cost, D4_ABlockOf32By32Launches) {
  EXPECT_EQ(test::launch_of("tiled_kahan_bounds", {64, 64, 64}, 32).block.count(), 1024U);
}

problem::Comparison errors_of(const insight::CheckResult& result) {
  return result.comparison;
}

// "Ideally the largest relative error is below 1e-6": Kahan's summation achieves this, float does
// not.
TEST_F(Cost, D5_KahanTakesTheErrorToTheLastBit) {
  problem::InputSpec input;
  input.pattern = problem::Pattern::Unit;
  const auto errors = [&](const char* kernel) {
    const auto program = simulated_.program(test::launch_of(kernel, {16, 16, 1000}, 16, input),
                                            compile::Build::Fast);
    return errors_of(insight::check(program, {simt::ScheduleKind::Sequential}));
  };
  const problem::Comparison plain = errors("naive_1d");
  const problem::Comparison kahan = errors("naive_1d_kahan");
  EXPECT_GT(plain.max_rel_error, 5e-7);
  EXPECT_LT(kahan.max_rel_error, 1.2e-7);  // one unit in the last place
  EXPECT_GT(plain.average_rel_error, 10 * kahan.average_rel_error);
  EXPECT_EQ(errors("row_in_shared_kahan").max_rel_error, kahan.max_rel_error);
  EXPECT_EQ(errors("tiled_kahan_bounds").max_rel_error, kahan.max_rel_error);
}

// The text blames rows of 1000 floats for bad alignment. They start at multiples of 4000 bytes, so
// they are aligned to 32-byte sectors: on today's GPUs it costs sectors only if N is not a multiple
// of 8.
TEST_F(Cost, D6_PitchSavesSectorsOnlyWhereRowsAreNoMultipleOf32Bytes) {
  const auto sectors = [&](const char* kernel, int N) {
    return count(kernel, {1, N, 8}, 16).global_loads.sectors;
  };
  EXPECT_EQ(sectors("row_in_shared_kahan", 1000), sectors("pitched", 1000));
  EXPECT_EQ(sectors("pitched", 1001), 8U * 126 + 1);  // the fewest: 1001 floats, and the row of A
  EXPECT_EQ(sectors("row_in_shared_kahan", 1001), 8U * 126 + 1 + 7 * 31);
}

// E: "Optimising matrix multiplication with shared memory": TILE_WIDTH, ds_A[tx][ty].

TEST_F(Cost, E1_TilesAreLoadedCoalesced) {
  for (const char* const kernel : {"tiled", "tiled_transposed"}) {
    EXPECT_EQ(sectors_a_request(count(kernel, {64, 64, 64}, 16).global_loads), 4.0) << kernel;
    EXPECT_EQ(sectors_a_request(count(kernel, {64, 64, 64}, 32).global_loads), 4.0) << kernel;
  }
}

// By hand: thread (tx, ty) stores word tx·W + ty. At W = 16 a warp is 16 tx times 2 ty; 16·tx mod
// 32 is 0 or 16, so 32 words share 4 banks: 8 passes. At 8: 8 tx, 4 ty, 16 banks, 2 passes. At 32:
// one ty, one bank, 32 passes.
TEST_F(Cost, E2_TransposedTilesConflict) {
  const std::uint32_t store = line_in("tiled_transposed", "As[tx][ty] =");
  const std::uint32_t load = line_in("tiled_transposed", "acc +=");
  const std::map<int, std::uint32_t> by_block_size{{4, 1}, {8, 2}, {16, 8}, {32, 32}};
  for (const auto& [block_size, passes] : by_block_size) {
    const test::Tally counted =
        tally(test::launch_of("tiled_transposed", {32, 32, 32}, block_size));
    EXPECT_EQ(counted.passes(AccessKind::Store, store), passes) << block_size;
    EXPECT_EQ(counted.passes(AccessKind::Store, store + 1), passes) << block_size;
    EXPECT_EQ(counted.passes(AccessKind::Load, load), passes) << block_size;
    const insight::Counters counters = count("tiled_transposed", {32, 32, 32}, block_size);
    EXPECT_EQ(counters.shared_stores.wavefronts, passes * counters.shared_stores.requests);
  }
}

TEST_F(Cost, E3_TheTextbookTileDoesNot) {
  for (const int block_size : {4, 8, 16, 32}) {
    const insight::Counters counters = count("tiled", {32, 32, 32}, block_size);
    EXPECT_EQ(counters.shared_stores.wavefronts, counters.shared_stores.requests);
    EXPECT_EQ(counters.shared_loads.wavefronts, counters.shared_loads.requests);
  }
}

TEST_F(Cost, E4_PaddingOf32ByBlockSizeTakesTheConflictsOut) {
  for (const int block_size : {4, 8, 16, 32}) {
    const insight::Counters counters = count("tiled_padded", {32, 32, 32}, block_size);
    EXPECT_EQ(counters.shared_stores.wavefronts, counters.shared_stores.requests) << block_size;
    EXPECT_EQ(counters.shared_loads.wavefronts, counters.shared_loads.requests) << block_size;
  }
}

// "One column more" is the usual advice. By hand, at W = 16 with rows of 17 words: thread (15, 1)
// stores word 15·17 + 1 = 256, bank 0, as thread (0, 0) does.
TEST_F(Cost, E5_OneColumnOfPaddingIsEnoughOnlyAt32) {
  const std::map<int, std::uint32_t> by_block_size{{8, 2}, {16, 2}, {32, 1}};
  for (const auto& [block_size, passes] : by_block_size) {
    const problem::LaunchSpec& spec = *test::repository_catalog().find("tiled_one_column");
    const test::Tally counted = tally(*problem::evaluate(spec, {{32, 32, 32}, block_size}, {}));
    EXPECT_EQ(counted.passes(AccessKind::Store, line_in("tiled_padded", "As[tx][ty] =")), passes);
    EXPECT_EQ(counted.passes(AccessKind::Load, line_in("tiled_padded", "acc +=")), 1U);
  }
}

TEST_F(Cost, E6_AStoreInsideTheLoopIsMadeInEveryPhase) {
  for (const Problem size : {Problem{2, 4, 3}, Problem{16, 16, 16}, Problem{5, 7, 9}}) {
    for (const int block_size : {4, 16}) {
      const auto phases = static_cast<std::uint64_t>((size.K + block_size - 1) / block_size);
      EXPECT_EQ(count("tiled_store_inside_loop", size, block_size).buffers[2].stores,
                phases * volume(size.M, size.N));
      EXPECT_EQ(count("tiled", size, block_size).buffers[2].stores, volume(size.M, size.N));
    }
  }
}

TEST_F(Cost, E7_TilesCutTheLoadsByTileWidth) {
  EXPECT_EQ(loads_of(count("naive", {32, 32, 32}, 16)),
            16 * loads_of(count("tiled_transposed", {32, 32, 32}, 16)));
}

// F: claims of the kernels' own headers.

TEST_F(Cost, F1_SwappedRowAndColumnSpreadEveryAccess) {
  const auto sectors = [&](const char* kernel) {
    const insight::Counters counters = count(kernel, {64, 64, 64}, 32);
    return std::pair(sectors_a_request(counters.global_loads),
                     sectors_a_request(counters.global_stores));
  };
  // A load of A and one of B: 1 + 4 sectors, against 32 + 1.
  EXPECT_EQ(sectors("naive"), std::pair((1.0 + 4.0) / 2, 4.0));
  EXPECT_EQ(sectors("naive_uncoalesced"), std::pair((32.0 + 1.0) / 2, 32.0));
}

TEST_F(Cost, F2_Float4LoadsMoveTheSameBytesWithAQuarterOfTheRequests) {
  const insight::Counters wide = count("float4_loads", {64, 64, 64}, 16);
  const insight::Counters narrow = count("tiled", {64, 64, 64}, 16);
  EXPECT_EQ(4 * wide.global_loads.requests, narrow.global_loads.requests);
  EXPECT_EQ(wide.global_loads.bytes, narrow.global_loads.bytes);
  EXPECT_EQ(wide.global_loads.sectors, narrow.global_loads.sectors);
}

// Shared loads per product: 2 in tiled, (TM + 1) / TM, (TM + TN) / (TM·TN), 2 / 16.
TEST_F(Cost, F3_RegisterTilesNeedFewerSharedLoads) {
  const Problem size{64, 64, 32};
  const std::uint64_t products = volume(size.M, size.N, size.K);
  const auto shared_loads = [&](const char* kernel) {
    const insight::AccessCounters& loads = count(kernel, size, 8).shared_loads;
    return std::pair(loads.elements, loads.bytes / 4);
  };
  EXPECT_EQ(shared_loads("tiled").first, 2 * products);
  EXPECT_EQ(shared_loads("register_tile_1d").first, products * 5 / 4);
  EXPECT_EQ(shared_loads("register_tile_2d").first, products / 2);
  EXPECT_EQ(shared_loads("register_tile_vectorised").first, products / 8);
  EXPECT_EQ(shared_loads("register_tile_vectorised").second, products / 2);
}

TEST_F(Cost, F4_RegisterTilesReadTheMatricesLessOften) {
  const Problem size{70, 68, 32};
  const auto loads = [&](const char* kernel) {
    const insight::Counters counters = count(kernel, size, 8);
    return std::pair(counters.buffers[0].loads, counters.buffers[1].loads);
  };
  const std::uint64_t a = volume(size.M, size.K);
  const std::uint64_t b = volume(size.K, size.N);
  EXPECT_EQ(loads("register_tile_1d"), std::pair(9 * a, 3 * b));
  EXPECT_EQ(loads("register_tile_2d"), std::pair(3 * a, 3 * b));
  EXPECT_EQ(loads("register_tile_vectorised"), std::pair(3 * a, 3 * b));
}

// As and Bs are stored equally often. A row of Bs is a multiple of 32 words wide, so the rows that
// one warp stores fall on the same banks.
TEST_F(Cost, F5_TwoDimensionalRegisterTilesConflictOnlyWhereAWarpStoresSeveralRowsOfBs) {
  for (const int block_size : {8, 16, 32}) {
    const insight::Counters counters = count("register_tile_2d", {128, 128, 32}, block_size);
    EXPECT_EQ(counters.shared_loads.wavefronts, counters.shared_loads.requests) << block_size;
    const auto rows_a_warp = static_cast<std::uint64_t>(32 / block_size);
    EXPECT_EQ(counters.shared_stores.wavefronts,
              counters.shared_stores.requests / 2 * (1 + rows_a_warp))
        << block_size;
  }
}

TEST_F(Cost, F6_AWiderWindowNeedsFewerBarriers) {
  const Problem size{8, 8, 64};
  EXPECT_EQ(tally(test::launch_of("tiled", size, 8)).barriers(0), 2 * 64 / 8);
  EXPECT_EQ(tally(test::launch_of("sliding_window", size, 8)).barriers(0), 2 * 64 / 16);
}

TEST_F(Cost, F7_LanesOverACompactTileReadWithoutConflicts) {
  const Problem size{128, 128, 32};
  const insight::AccessCounters rows = count("register_tile_8x8", size, 4).shared_loads;
  const insight::AccessCounters tile = count("warp_tile", size, 4).shared_loads;
  EXPECT_EQ(4 * rows.bytes / 4, volume(size.M, size.N, size.K));
  EXPECT_EQ(rows.requests, tile.requests);
  EXPECT_EQ(rows.wavefronts, 5 * rows.requests);
  EXPECT_EQ(tile.wavefronts, 2 * tile.requests);
}

TEST_F(Cost, F8_AWiderTileReadsALessOften) {
  const Problem size{256, 512, 16};
  const auto loads = [&](const char* kernel) {
    const insight::Counters counters = count(kernel, size, 4);
    return std::pair(counters.buffers[0].loads, counters.buffers[1].loads);
  };
  const std::uint64_t a = volume(size.M, size.K);
  const std::uint64_t b = volume(size.K, size.N);
  EXPECT_EQ(loads("prefetch_registers"), std::pair(4 * a, 2 * b));
  EXPECT_EQ(loads("pipelined_tiles"), std::pair(2 * a, 2 * b));
}

TEST_F(Cost, F9_StagesNeedOneBarrierATile) {
  const Problem size{16, 16, 64};  // 4 tiles along K
  EXPECT_EQ(tally(test::launch_of("prefetch_registers", size, 4)).barriers(0), 2 * 4);
  EXPECT_EQ(tally(test::launch_of("pipelined_tiles", size, 4)).barriers(0), 4);
  EXPECT_EQ(tally(test::launch_of("fragments_ahead", size, 4)).barriers(0), 4 + 1);
  EXPECT_EQ(tally(test::launch_of("ordered_products", size, 4)).barriers(0), 4 + 1);
}

// With one slice the same loads but no sum, so the difference is the cost of the slices.
TEST_F(Cost, F10_SlicesAreSummedThroughSharedMemory) {
  problem::LaunchSpec spec = *test::repository_catalog().find("sliced_k_teaching");
  const auto loads = [&] {
    const auto launch = problem::evaluate(spec, {{8, 8, 32}, 4}, {});
    return insight::count(simulated_.program(*launch, compile::Build::Fast)).shared_loads;
  };
  const std::uint64_t words = loads().bytes / 4;
  // (TM + TN) words of a thread for each of its steps plus one, two slices of 4 threads.
  const std::uint64_t steps = 32 / 2 + 1;
  EXPECT_EQ(words, 2 * 4 * 8 * steps + 2 * volume(8, 8));
}

TEST_F(Cost, F11_TheLastWaveIsDealtOutEvenly) {
  // 4 tiles of C with 3 slots, 9 steps each: 3 blocks with all 9, 3 with 3; one barrier per step
  // and one before, for a part two more.
  const test::Tally counted = tally(test::launch_of("shared_last_wave_teaching", {16, 16, 36}, 4));
  for (const std::uint32_t block : {0U, 1U, 2U}) {
    EXPECT_EQ(counted.barriers(block), 9 + 1);
  }
  for (const std::uint32_t block : {3U, 4U, 5U}) {
    EXPECT_EQ(counted.barriers(block), 3 + 1 + 2);
  }
}

TEST_F(Cost, F12_ThreeProductsOnTheTensorCoreReadOperandsOnceAndWithoutConflicts) {
  const Problem size{64, 128, 64};
  const insight::Counters counters = count("tensor_tf32x3", size, 4);
  const insight::AccessCounters& loads = counters.shared_loads;
  // (32 + 64) / (32 · 64) of a word per product.
  EXPECT_EQ(loads.bytes / 4, volume(size.M, size.N, size.K) * (32 + 64) / (32 * 64));
  EXPECT_EQ(loads.wavefronts, loads.requests);
  // The unit computes 3 multiply-adds per product, and the splitting costs a subtraction per word
  // read; in float, an addition per 8 products.
  const std::uint64_t products = volume(size.M, size.N, size.K);
  const auto flops = [&](const char* kernel) {
    const auto program = simulated_.program(kernel, size, 4, compile::Build::Fast);
    return insight::total_cost(*program, insight::profile(program)).flops;
  };
  EXPECT_EQ(flops("tensor_tf32x3_in_unit"), 3 * 2 * products + loads.bytes / 4);
  EXPECT_EQ(flops("tensor_tf32x3"), flops("tensor_tf32x3_in_unit") + products / 8);
}

TEST_F(Cost, F13_SharersLeaveTheirSumsOnceAndOneBlockATileReadsThem) {
  const Problem size{16, 16, 64};  // 4 tiles of C with 8 slots: two sharers, 4 steps each
  const insight::BufferCounters parts = count("split_k_teaching", size, 4).buffers[3];
  EXPECT_EQ(parts.stores, 2 * volume(size.M, size.N));
  EXPECT_EQ(parts.loads, 2 * volume(size.M, size.N));
  // One barrier per step and one before, two for the sum of the slices, two for the arrival.
  const test::Tally counted = tally(test::launch_of("split_k_teaching", size, 4));
  for (std::uint32_t block = 0; block < 8; ++block) {
    EXPECT_EQ(counted.barriers(block), 4 + 1 + 2 + 2);
  }
}

TEST_F(Cost, F14_ATileOfAConvolutionHasAHalo) {
  const Problem size{32, 48, 5};
  const insight::Counters tiles = count("convolution_tiled", size, 16);
  EXPECT_EQ(tiles.buffers[0].loads, 6 * volume(16 + 4, 16 + 4));
  EXPECT_EQ(count("convolution_naive", size, 16).buffers[0].loads, volume(32, 48, 25));
  EXPECT_EQ(tally(test::launch_of("convolution_tiled", {8, 8, 3}, 4)).barriers(0), 1U);
}

// Keys is loaded for each score that is computed, so its loads count the scores.
TEST_F(Cost, F15_BlocksShareScoresAndASoftmaxGoesTileByTile) {
  const Problem size{16, 24, 8};
  const std::uint64_t scores = volume(size.M, size.N);
  EXPECT_EQ(count("attention_naive", size, 4).buffers[1].loads, 2 * 8 * scores * 8);
  EXPECT_EQ(count("attention_tiled", size, 4).buffers[1].loads, 2 * scores * 8 / 4);
  EXPECT_EQ(tally(test::launch_of("attention_tiled", size, 4)).barriers(0), 4U * 6);
  const auto error = [&](int block_size) {
    const auto result = insight::check(
        simulated_.program("attention_tiled", {4, 32, 8}, block_size, compile::Build::Fast), {});
    EXPECT_TRUE(result.has_reference);
    return result.comparison.max_abs_error;
  };
  EXPECT_LT(error(32), 3e-6);  // one tile: no sum is scaled
  EXPECT_LT(error(2), 3e-6);   // 16 tiles
}

}  // namespace
}  // namespace tilestep
