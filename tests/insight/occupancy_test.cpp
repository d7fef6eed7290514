// Occupancy against CUDA's own formula: cuda_occupancy.h if a toolkit has it, and numbers recorded
// from it (13.0) everywhere.
#include "insight/occupancy/occupancy.h"

#include "folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define TILESTEP_HAS_CUDA_OCCUPANCY
#endif

namespace tilestep::insight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kRecorded =
    tilestep::test::source_folder() / "tests/insight/occupancy_recorded.csv";

const Architecture& sm(int number) {
  const Architecture* const found = find_architecture(number);
  EXPECT_NE(found, nullptr) << number;
  return *found;
}

// A launch, and the blocks on an SM: at once, and by each limit alone.
using Row = std::vector<int>;

Row ours(const Architecture& of, const BlockNeeds& needs) {
  const Occupancy o = occupancy(needs, of);
  Row row{of.number, needs.threads, needs.registers, needs.shared_bytes, needs.barriers, o.blocks};
  row.insert(row.end(), o.blocks_by.begin(), o.blocks_by.end());
  return row;
}

// Launches of every kind: distributed over a block's possible values, and somewhat beyond.
std::vector<BlockNeeds> samples() {
  std::vector<BlockNeeds> all;
  std::uint32_t state = 1;
  const auto next = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes
    return static_cast<int>((state >> 8U) % below);
  };
  for (int i = 0; i < 60; ++i) {
    BlockNeeds needs;
    needs.threads = i % 3 == 0 ? 1 + next(1040) : 32 * (1 + next(32));
    needs.registers = i % 4 == 0 ? next(256) : 16 + next(64);
    needs.shared_bytes = i % 5 == 0 ? next(240 * 1024) : next(20 * 1024);
    needs.barriers = i % 7 == 0 ? next(16) : 1;
    all.push_back(needs);
  }
  return all;
}

TEST(Occupancy, IsWhatWasRecordedFromCuda) {
  std::ifstream file(kRecorded);
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << kRecorded;
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Row row;
    for (std::string cell; std::getline(cells, cell, ',');) {
      row.push_back(std::stoi(cell));
    }
    ASSERT_EQ(row.size(), 11U) << line;
    EXPECT_EQ(ours(sm(row[0]), {row[1], row[2], row[3], row[4]}), row) << line;
    ++rows;
  }
  EXPECT_EQ(rows, architectures().size() * samples().size());
}

#ifdef TILESTEP_HAS_CUDA_OCCUPANCY

Row cudas(const Architecture& of, const BlockNeeds& needs) {
  cudaOccDeviceProp device;
  device.computeMajor = of.number / 10;
  device.computeMinor = of.number % 10;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = of.warps * 32;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(of.shared_bytes);
  device.numSms = 1;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(of.shared_bytes_of_block());
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(of.reserved_bytes);
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = needs.registers;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(needs.shared_bytes);
  kernel.numBlockBarriers = needs.barriers;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  EXPECT_EQ(
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, needs.threads,
                                              static_cast<std::size_t>(needs.shared_bytes)),
      CUDA_OCC_SUCCESS);
  return {of.number,
          needs.threads,
          needs.registers,
          needs.shared_bytes,
          needs.barriers,
          result.activeBlocksPerMultiprocessor,
          result.blockLimitWarps,
          result.blockLimitRegs,
          result.blockLimitSharedMem,
          result.blockLimitBlocks,
          result.blockLimitBarriers};
}

TEST(Occupancy, IsCudasForEveryNumberOfThreadsAndRegisters) {
  for (const Architecture& of : architectures()) {
    for (int threads = 1; threads <= 1056; ++threads) {
      for (int registers = 0; registers <= 255; ++registers) {
        const BlockNeeds needs{threads, registers, 2 * 16 * 16 * 4};
        ASSERT_EQ(ours(of, needs), cudas(of, needs));
      }
    }
  }
}

TEST(Occupancy, IsCudasForEveryAmountOfSharedMemory) {
  for (const Architecture& of : architectures()) {
    for (int bytes = 0; bytes <= of.shared_bytes + 2048; bytes += bytes < 4096 ? 1 : 60) {
      for (const int threads : {1, 32, 96, 256, 1024}) {
        for (const int barriers : {0, 1, 2, 5, 16}) {
          const BlockNeeds needs{threads, 32, bytes, barriers};
          ASSERT_EQ(ours(of, needs), cudas(of, needs));
        }
      }
    }
  }
}

// Writes the recorded table anew: --gtest_also_run_disabled_tests --gtest_filter=*Recorder*
TEST(Recorder, DISABLED_WritesTheTable) {
  std::ofstream file(kRecorded);
  file << "architecture,threads,registers,shared_bytes,barriers,blocks,by_warps,by_registers,"
          "by_shared_memory,by_blocks,by_barriers\n";
  for (const Architecture& of : architectures()) {
    for (const BlockNeeds& needs : samples()) {
      const Row row = cudas(of, needs);
      for (std::size_t i = 0; i < row.size(); ++i) {
        file << (i == 0 ? "" : ",") << row[i];
      }
      file << "\n";
    }
  }
}

#endif

TEST(Occupancy, OfTheTextbookKernelOnHopper) {
  // 32 registers and two tiles of 16×16 floats: every warp fits.
  const Occupancy o = occupancy({256, 32, 2048}, sm(90));
  EXPECT_EQ(o.blocks, 8);
  EXPECT_EQ(o.warps(), 64);
  EXPECT_EQ(o.share(), 1.0);
  EXPECT_EQ(o.registers_of_block, 8192);
  EXPECT_EQ(o.shared_of_block, 3072);
  EXPECT_THAT(o.limiters(), ElementsAre(Limit::Warps, Limit::Registers));
  EXPECT_EQ(explain(o, sm(90)), "All 64 warps that an SM can hold are resident.");
}

TEST(Occupancy, NamesTheLimiterWithItsNumbers) {
  EXPECT_EQ(explain(occupancy({256, 40, 2048}, sm(90)), sm(90)),
            "Limited by registers (40 registers per thread allow 48 warps, and a block has 8).");
  EXPECT_EQ(explain(occupancy({256, 32, 32768}, sm(86)), sm(86)),
            "Limited by shared memory (a block takes 33792 bytes (1024 of them reserved by the "
            "system), and an SM has 102400).");
  EXPECT_EQ(explain(occupancy({9, 32, 72}, sm(90)), sm(90)),
            "Limited by blocks (an SM holds at most 32 blocks, whatever their size; a block has 1 "
            "warp).");
  EXPECT_EQ(explain(occupancy({1024, 32, 8192}, sm(86)), sm(86)),
            "Limited by warps (a block has 32 warps and an SM holds 48).");
  EXPECT_THAT(explain(occupancy({64, 16, 0, 8}, sm(90)), sm(90)), HasSubstr("barriers (a block"));
}

TEST(Occupancy, TwoThatLimitAlikeAreBothNamed) {
  const Occupancy o = occupancy({576, 60, 4608}, sm(90));
  EXPECT_EQ(o.blocks, 1);
  EXPECT_THAT(o.limiters(), ElementsAre(Limit::Registers));
  const Occupancy both = occupancy({1024, 64, 8192}, sm(86));
  EXPECT_THAT(both.limiters(), ElementsAre(Limit::Warps, Limit::Registers));
  EXPECT_THAT(explain(both, sm(86)), HasSubstr(" and by registers ("));
}

TEST(Occupancy, ALaunchThatCannotRunSaysWhy) {
  EXPECT_THAT(explain(occupancy({1025, 32, 0}, sm(90)), sm(90)),
              HasSubstr("The kernel cannot run: a block has 1025 threads, but at most 1024"));
  EXPECT_THAT(explain(occupancy({1024, 80, 0}, sm(90)), sm(90)),
              HasSubstr("a block needs 81920 registers, but at most 65536"));
  EXPECT_THAT(explain(occupancy({32, 32, 100 * 1024}, sm(89)), sm(89)),
              HasSubstr("a block needs 102400 bytes of shared memory, but at most 101376"));
  BlockNeeds bounded{256, 32, 0};
  bounded.max_threads = 128;
  EXPECT_THAT(explain(occupancy(bounded, sm(90)), sm(90)),
              HasSubstr("has 256 threads, but its __launch_bounds__"));
}

TEST(Occupancy, IdleLanesAreThoseOfTheLastWarp) {
  EXPECT_EQ(occupancy({9, 32, 0}, sm(90)).idle_lanes(), 23);
  EXPECT_EQ(occupancy({33, 32, 0}, sm(90)).idle_lanes(), 31);
  EXPECT_EQ(occupancy({256, 32, 0}, sm(90)).idle_lanes(), 0);
}

TEST(Architectures, AreFoundByTheirNumber) {
  EXPECT_EQ(sm(90).version(), "9.0");
  EXPECT_EQ(sm(120).version(), "12.0");
  EXPECT_EQ(sm(90).shared_bytes_of_block(), 232448);  // as the driver reports it for an H200
  EXPECT_EQ(find_architecture(70), nullptr);
}

}  // namespace
}  // namespace tilestep::insight
