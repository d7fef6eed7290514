// wgmma and bulk copies against plain loops. tests/gpu/units_test.cpp compares the same kernels
// with a GPU.
#include "own_kernels.h"
#include "problem/launch/tensor_map.h"
#include "simt/exec/matrix.h"
#include "unit_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace tilestep::simt {
namespace {

using test::Boxes;
using test::Warpgroup;

std::vector<std::uint32_t> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> bits(count);
  for (std::uint32_t& word : bits) {
    const float unit = static_cast<float>(random() >> 8) / 8388608.0F - 1.0F;
    word = std::bit_cast<std::uint32_t>(unit);
  }
  return bits;
}

// Expected element (r, col) of one block's wgmma, by the rule of docs/reports/tensor-units.md.
std::uint32_t expected(const Warpgroup& shape, const std::uint32_t* a, const std::uint32_t* b,
                       std::uint32_t c, std::size_t r, std::size_t col) {
  std::vector<FloatParts> x;
  std::vector<FloatParts> y;
  for (std::size_t k = 0; k < 8; ++k) {
    x.push_back(tf32_parts(a[r * 8 + k]));
    y.push_back(tf32_parts(b[col * 8 + k]));
    x.back().negative = x.back().negative != (shape.scale_a < 0);
    y.back().negative = y.back().negative != (shape.scale_b < 0);
  }
  return tf32_sum(x, y, shape.adds ? c : 0);
}

void expect_products(const Warpgroup& shape) {
  constexpr int kBlocks = 2;
  const auto n = static_cast<std::size_t>(shape.columns);
  const auto a = random_floats(kBlocks * 64 * 8, 1);
  const auto b = random_floats(kBlocks * n * 8, 2);
  const auto c = random_floats(kBlocks * 64 * n, 3);
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    const auto program = simulated.program(test::warpgroup_launch(shape, kBlocks, a, b, c), build);
    Log log;
    const auto d =
        contents<std::uint32_t>(run_to_the_end(program, {ScheduleKind::Lockstep}, &log), 3);
    ASSERT_TRUE(log.faults.empty()) << log.faults.front().detail;
    for (std::size_t i = 0; i < d.size(); ++i) {
      const std::size_t block = i / (64 * n);
      const std::size_t r = i / n % 64;
      ASSERT_EQ(d[i], expected(shape, a.data() + block * 64 * 8, b.data() + block * n * 8, c[i], r,
                               i % n))
          << "block " << block << ", row " << r << ", column " << i % n;
    }
  }
}

TEST(Warpgroups, MultiplyEveryWidth) {
  for (const int columns : {8, 16, 24, 64, 128, 248}) {
    SCOPED_TRACE(columns);
    expect_products({.columns = columns});
  }
}

TEST(Warpgroups, FindBothFactorsInSharedMemoryByTheirDescriptors) {
  for (const auto& [swizzle, begin] :
       std::vector<std::pair<int, int>>{{0, 0}, {32, 0}, {64, 1}, {128, 0}, {128, 1}, {128, 3}}) {
    SCOPED_TRACE(std::to_string(swizzle) + " from " + std::to_string(begin));
    expect_products({.columns = 32, .swizzle = swizzle, .begin = begin, .in_registers = false});
    expect_products({.columns = 40, .swizzle = swizzle, .begin = begin});
  }
}

TEST(Warpgroups, StartANewSumAndNegateFactors) {
  expect_products({.columns = 16, .adds = false});
  expect_products({.columns = 16, .scale_a = -1});
  expect_products({.columns = 16, .in_registers = false, .scale_a = -1, .scale_b = -1});
}

// Any operands: unusual ones are left to the sum of one element.
TEST(Warpgroups, AddAnyBitsByTheRule) {
  std::mt19937 random(5);
  const auto any = [&](std::size_t count, unsigned exponents) {
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t& word : words) {
      const auto bits = static_cast<std::uint32_t>(random());
      const auto exponent = static_cast<std::uint32_t>(127 - exponents / 2 + random() % exponents);
      word = exponents == 256 ? bits : (bits & 0x807fffffU) | exponent << 23;
    }
    return words;
  };
  test::Simulated simulated;
  const Warpgroup shape{.columns = 16};
  for (const unsigned exponents : {4U, 40U, 200U, 256U}) {
    const auto a = any(512, exponents);
    const auto b = any(128, exponents);
    const auto c = any(1024, exponents);
    const auto d = contents<std::uint32_t>(
        run_to_the_end(simulated.program(test::warpgroup_launch(shape, 1, a, b, c))), 3);
    for (std::size_t i = 0; i < d.size(); ++i) {
      ASSERT_EQ(d[i], expected(shape, a.data(), b.data(), c[i], i / 16, i % 16))
          << exponents << " exponents, element " << i;
    }
  }
}

TEST(Warpgroups, OfOtherTypesAreNotSimulatedAndSaySo) {
  problem::Launch launch = test::warpgroup_launch({}, 1, {}, {}, {});
  const std::string tf32 = "m64n8k8.f32.tf32.tf32";
  const std::string half = "m64n8k16.f32.f16.f16";
  launch.source.replace(launch.source.find(tf32), tf32.size(), half);
  launch.source.replace(launch.source.find("1, 1; }"), 7, "1, 1, 0; }");
  test::Simulated simulated;
  Log log;
  run_to_the_end(simulated.program(launch), {}, &log);
  ASSERT_FALSE(log.faults.empty());
  EXPECT_EQ(log.faults.front().kind, FaultKind::NotSimulated);
  EXPECT_NE(log.faults.front().detail.find("wgmma.mma_async"), std::string::npos);
}

const std::vector<int> kPlaces = {0, 0, 8, 8, 16, 12, 20, 16, -4, -3, 20, 18, 4, 5, 40, 0, 0, -9};

void expect_boxes(const Boxes& boxes) {
  test::Simulated simulated;
  const problem::Launch launch = test::boxes_launch(boxes, kPlaces);
  Log log;
  const Machine machine = run_to_the_end(simulated.program(launch), {ScheduleKind::Lockstep}, &log);
  ASSERT_TRUE(log.faults.empty()) << log.faults.front().detail;
  const auto back = contents<float>(machine, 1);
  const auto out = contents<float>(machine, 3);
  const int words = boxes.box_rows * boxes.box_cols;
  std::vector<float> wanted_back(back.size());
  for (std::size_t block = 0; block < kPlaces.size() / 2; ++block) {
    for (int i = 0; i < words; ++i) {
      const int row = kPlaces[2 * block + 1] + i / boxes.box_cols;
      const int col = kPlaces[2 * block] + i % boxes.box_cols;
      const bool inside = row >= 0 && row < boxes.rows && col >= 0 && col < boxes.cols;
      const auto value = static_cast<float>(inside ? row * boxes.pitch + col + 1 : 0);
      const std::uint64_t lies = problem::swizzled(static_cast<std::uint64_t>(i) * 4,
                                                   static_cast<std::uint32_t>(boxes.swizzle));
      ASSERT_EQ(out[block * static_cast<std::size_t>(words) + lies / 4], value)
          << "block " << block << ", element " << i;
      if (inside && kPlaces[2 * block] >= 0 && kPlaces[2 * block + 1] >= 0) {
        wanted_back[static_cast<std::size_t>(row * boxes.pitch + col)] = value;
      }
    }
  }
  EXPECT_EQ(back, wanted_back);
}

TEST(BulkTensorCopies, BringBoxesWithZerosOutsideAndTakeThemBack) {
  expect_boxes({});
  expect_boxes({.cols = 22, .pitch = 28});
  expect_boxes({.box_rows = 3, .box_cols = 12});
}

TEST(BulkTensorCopies, Swizzle) {
  expect_boxes({.box_rows = 16, .box_cols = 8, .swizzle = 32});
  expect_boxes({.box_rows = 16, .box_cols = 16, .swizzle = 64});
  expect_boxes({.cols = 32, .pitch = 32, .box_rows = 16, .box_cols = 32, .swizzle = 128});
}

// An H100 stops with an illegal instruction in both cases.
TEST(BulkTensorCopies, ThatAGpuRefusesAreFaults) {
  test::Simulated simulated;
  const auto first_fault = [&](const problem::Launch& launch) {
    Log log;
    run_to_the_end(simulated.program(launch), {}, &log);
    return log.faults.empty() ? FaultKind::Trap : log.faults.front().kind;
  };
  EXPECT_EQ(first_fault(test::boxes_launch({}, {3, 0})), FaultKind::Misaligned);
  problem::Launch stores = test::boxes_launch({}, {-4, 0});
  const std::string only = " && col >= 0 && row >= 0";
  stores.source.replace(stores.source.find(only), only.size(), "");
  EXPECT_EQ(first_fault(stores), FaultKind::OutOfRange);
}

TEST(BulkTensorCopies, NeedATensorMap) {
  problem::Launch launch = test::boxes_launch({}, {0, 0});
  const std::string map = "\"l\"(&in)";
  launch.source.replace(launch.source.find(map), map.size(), "\"l\"(where)");
  test::Simulated simulated;
  Log log;
  run_to_the_end(simulated.program(launch), {}, &log);
  ASSERT_FALSE(log.faults.empty());
  EXPECT_NE(log.faults.front().detail.find("there is no tensor map"), std::string::npos)
      << log.faults.front().detail;
}

TEST(BulkCopies, GoBothWays) {
  test::Simulated simulated;
  const auto out = contents<float>(run_to_the_end(simulated.program(test::bulk_launch(100))), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], static_cast<float>(i + 2));
  }
}

TEST(BulkCopies, ArriveWhereSomebodyWaitsAndNoEarlier) {
  problem::Launch launch = test::bulk_launch(64);
  const std::string wait = "wait(barrier, 0);";
  launch.source.replace(launch.source.find(wait), wait.size(), "");
  test::Simulated simulated;
  const auto out = contents<float>(run_to_the_end(simulated.program(launch)), 1);
  EXPECT_NE(out[5], 7.0F);
}

TEST(BulkCopies, OfWhatIsNotAlignedAreFaults) {
  problem::Launch launch = test::bulk_launch(64);
  const std::string from = "\"l\"(in)";
  launch.source.replace(launch.source.find(from), from.size(), "\"l\"(in + 1)");
  test::Simulated simulated;
  Log log;
  Machine machine(simulated.program(launch));
  Scheduler scheduler(machine.program(), {ScheduleKind::Sequential});
  run_to_end(machine, scheduler, &log);
  ASSERT_FALSE(log.faults.empty());
  EXPECT_EQ(log.faults.front().kind, FaultKind::Misaligned);
}

}  // namespace
}  // namespace tilestep::simt
