// The findings of check() for every kernel of the catalog: under four schedules, in both builds, at
// sizes that are multiples of BLOCK_SIZE and at odd ones. It is as important that a clean kernel
// has no finding as that a broken one has its own.
#include "insight/check/check.h"
#include "insight/check/finding.h"
#include "simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

namespace tilestep {
namespace {

using enum insight::FindingKind;
using Kinds = std::set<insight::FindingKind>;

struct Size {
  problem::Problem problem;
  int block_size = 4;
};
using Sizes = std::vector<Size>;

// Chance: correct or wrong, depending on the schedule.
enum class Verdict { Right, Wrong, Chance };
using enum Verdict;

struct Expectation {
  Sizes sizes;
  Verdict result = Right;
  Kinds found{};        // each of these is reported
  Kinds follow_from{};  // these may be reported as well, but no others
};

struct Row {
  const char* id;
  std::vector<Expectation> expected;
};

// BLOCK_SIZE divides M, N and K.
const Sizes kEven{{{8, 8, 8}, 4}, {{12, 6, 18}, 3}, {{32, 16, 16}, 8}};
// BLOCK_SIZE does not divide them; the last one has tiles that are nearly empty.
const Sizes kOdd{{{5, 7, 9}, 4}, {{13, 6, 11}, 5}, {{17, 1, 33}, 8}};
const Sizes kAny = [] {
  Sizes all = kEven;
  all.insert(all.end(), kOdd.begin(), kOdd.end());
  return all;
}();
// More than one warp per block and more than one phase, so that a missing barrier can have an
// effect.
const Sizes kTwoWarps{{{16, 24, 32}, 8}, {{17, 9, 33}, 8}};
const Sizes kOneWarp{{{8, 8, 8}, 4}, {{5, 7, 9}, 4}};
const Sizes kOnePhase{{{8, 8, 4}, 4}, {{9, 17, 8}, 8}};
const Sizes kOneThread{{{3, 2, 4}, 1}};
const Sizes kSquares{{{3, 3, 3}, 4}, {{7, 7, 7}, 4}, {{16, 16, 16}, 4}};
const Sizes kOneBlock{{{3, 3, 9}, 3}, {{8, 8, 24}, 8}, {{2, 3, 7}, 4}, {{7, 5, 1}, 8}};
const Sizes kFloat4{{{8, 8, 8}, 4}, {{13, 8, 12}, 4}, {{7, 36, 20}, 8}};
const Sizes kNoFloat4{{{5, 7, 9}, 4}, {{8, 8, 6}, 4}, {{17, 1, 33}, 8}};

// Tiles of the tuned instances are larger than all of these sizes except one edge; the last has
// many tiles along K.
const Sizes kTuned{{{129, 20, 33}}, {{13, 7, 9}}, {{8, 8, 80}}};
// Whole tiles of four threads, tiles that are cut on all sides, few and many along K.
const Sizes kTeaching{{{16, 16, 16}}, {{13, 7, 9}}, {{24, 20, 36}}, {{3, 18, 2}}};

// The TMA unit requires rows that are multiples of 16 bytes.
const Sizes kWarpgroups{{{8, 64, 64}}, {{13, 8, 12}}, {{20, 68, 40}}};

// K is the width of a filter: 1, even, wider than a block, wider than C.
const Sizes kWindows{
    {{8, 8, 3}, 4}, {{12, 6, 4}, 3}, {{5, 7, 1}, 4}, {{13, 6, 5}, 8}, {{9, 3, 6}, 2}};

const Kinds kClean;
const Kinds kOut{OutOfRange, GlobalRace};  // an access past a row's end stores to another's element

const Row kRows[] = {
    {"single_block", {{kSquares}}},
    {"single_block_shared", {{kSquares}}},
    {"single_block_ktiles", {{kOneBlock}}},
    {"naive", {{kAny}}},
    {"naive_uncoalesced", {{kAny}}},
    {"naive_1d", {{kAny}}},
    {"naive_1d_kahan", {{kAny}}},
    {"row_in_shared_kahan", {{kAny}}},
    {"pitched", {{kAny}}},
    {"tiled", {{kAny}}},
    {"submatrix", {{kEven}, {kOdd, Wrong, {OutOfRange}, kOut}}},
    {"submatrix_bounded", {{kAny}}},
    {"samples_loop_unchecked", {{kEven}, {kOdd, Chance, {OutOfRange}, kOut}}},
    {"samples_loop", {{kAny}}},
    {"tiled_kahan_bounds", {{kAny}, {{{{33, 20, 40}, 16}}}}},
    {"tiled_transposed", {{kAny}}},
    {"tiled_one_column", {{kAny}}},
    {"tiled_padded", {{kAny}}},
    {"tiled_store_inside_loop", {{kAny}}},
    {"full_strip", {{kAny}}},
    {"sliding_window", {{kAny}}},
    {"float4_loads", {{kFloat4}, {kNoFloat4, Wrong, {Misaligned}, kOut}}},
    {"register_tile_1d", {{kAny}}},
    {"register_tile_2d", {{kAny}}},
    {"register_tile_vectorised", {{kFloat4}, {kNoFloat4, Wrong, {Misaligned}, kOut}}},
    {"double_buffered", {{kAny}}},
    {"register_tile_8x8", {{kTuned}}},
    {"register_tile_8x8_teaching", {{kTeaching}}},
    {"warp_tile", {{kTuned}}},
    {"warp_tile_teaching", {{kTeaching}}},
    {"prefetch_registers", {{kTuned}}},
    {"prefetch_registers_teaching", {{kTeaching}}},
    {"pipelined_tiles", {{kTuned}}},
    {"pipelined_tiles_teaching", {{kTeaching}}},
    {"fragments_ahead", {{kTuned}}},
    {"fragments_ahead_teaching", {{kTeaching}}},
    {"ordered_products", {{kTuned}}},
    {"ordered_products_teaching", {{kTeaching}}},
    {"shared_last_wave", {{kTuned}}},
    {"shared_last_wave_teaching", {{kTeaching}}},
    {"sliced_k", {{kTuned}}},
    {"sliced_k_teaching", {{kTeaching}}},
    {"sliced_k_small", {{kTuned}}},
    {"split_k", {{kTuned}}},
    {"split_k_teaching", {{kTeaching}}},
    {"tensor_tf32x3", {{kTuned}}},
    {"tensor_tf32x3_small", {{kTuned}}},
    {"tensor_tf32x3_in_unit", {{kTuned}}},
    {"tensor_tf32x3_teaching", {{kTeaching}}},
    {"warpgroup_tf32x3", {{kWarpgroups}}},
    {"warpgroup_tf32x3_small", {{kWarpgroups}}},
    {"warpgroup_tf32x3_teaching", {{kWarpgroups}}},
    {"convolution_naive", {{kWindows}}},
    {"convolution_tiled", {{kWindows}}},
    {"attention_naive", {{kAny}}},
    {"attention_tiled", {{kAny}}},
    {"single_block_ktiles_missing_barrier",
     {{{{{3, 3, 9}, 3}, {{2, 3, 7}, 4}}, Right, {SharedRace}},  // one warp: no effect on C
      {{{{8, 8, 24}, 8}, {{7, 5, 17}, 8}}, Chance, {SharedRace}},
      {{{{3, 3, 3}, 3}, {{7, 5, 1}, 8}}}}},  // one round needs one barrier
    {"single_block_ktiles_wrong_b_index",
     {{{{{3, 3, 9}, 3}, {{8, 8, 24}, 8}}},  // B is as wide as a sub-matrix: correct by chance
      {{{{3, 2, 9}, 3}, {{2, 3, 7}, 4}, {{7, 5, 17}, 8}}, Wrong}}},
    {"tiled_missing_first_barrier",
     {{kTwoWarps, Chance, {SharedRace}}, {kOneWarp, Right, {SharedRace}}, {kOneThread}}},
    {"tiled_missing_barrier",
     {{kTwoWarps, Chance, {SharedRace}}, {kOneWarp, Right, {SharedRace}}, {kOnePhase}}},
    {"tiled_divergent_barrier",
     {{kEven}, {kOdd, Chance, {DivergentBarrier}, {SharedRace, UninitialisedRead}}}},
    {"tiled_no_guard", {{kEven}, {kOdd, Chance, {OutOfRange}, kOut}}},
    {"tiled_wrong_index", {{kAny, Wrong}, {kOneThread}}},
    // All of kOdd have a BLOCK_SIZE that divides K - 1, and 1 divides everything.
    {"samples_loop_lost_column", {{kEven}, {kOdd, Wrong}, {kOneThread, Wrong}}},
    {"submatrix_width_for_stride",
     // One sub-matrix, or rows without padding: correct by chance.
     {{{{{4, 4, 4}, 4}, {{32, 32, 32}, 8}}},
      {{{{8, 8, 8}, 4}, {{12, 6, 18}, 3}}, Wrong, {GlobalRace}}}},
    {"full_strip_unrounded_k", {{kEven}, {kOdd, Wrong, {OutOfRange, SharedRace}}}},
};

const simt::Schedule kSchedules[] = {{simt::ScheduleKind::Lockstep},
                                     {simt::ScheduleKind::Sequential},
                                     {simt::ScheduleKind::RunAhead, 0},
                                     {simt::ScheduleKind::Random, 0, 11}};

std::string describe(const Size& size, compile::Build build, const simt::Schedule& schedule) {
  const char* const schedules[] = {"lockstep", "sequential", "run_ahead", "random"};
  std::ostringstream text;
  text << size.problem.M << "x" << size.problem.N << "x" << size.problem.K << ", BLOCK_SIZE "
       << size.block_size << ", " << schedules[static_cast<int>(schedule.kind)]
       << (build == compile::Build::Fast ? ", fast build" : ", step build");
  return text.str();
}

Kinds kinds_of(const insight::CheckResult& result) {
  Kinds kinds;
  for (const insight::Finding& finding : result.findings) {
    kinds.insert(finding.kind);
  }
  return kinds;
}

testing::AssertionResult as_expected(const insight::CheckResult& result,
                                     const Expectation& expected) {
  auto failure = testing::AssertionFailure();
  const Kinds found = kinds_of(result);
  bool fine = result.has_reference;
  for (const insight::FindingKind kind : expected.found) {
    if (found.count(kind) == 0) {
      failure << "\n  missing: " << word_of(kind).label;
      fine = false;
    }
  }
  for (const insight::Finding& finding : result.findings) {
    if (expected.found.count(finding.kind) == 0 && expected.follow_from.count(finding.kind) == 0) {
      failure << "\n  false alarm: " << word_of(finding.kind).label << ": " << finding.sentence;
      fine = false;
    }
  }
  const bool is_right = result.comparison.wrong == 0;
  if (expected.result != Chance && is_right != (expected.result == Right)) {
    failure << "\n  C is " << (is_right ? "right" : "wrong");
    fine = false;
  }
  return fine ? testing::AssertionSuccess() : failure;
}

class KernelFindings : public testing::TestWithParam<Row> {};

// Far slower: only the last size of each, including tiles cut at the edges.
#ifdef TILESTEP_SANITIZED
constexpr bool kOneSize = true;
#else
constexpr bool kOneSize = false;
#endif

std::span<const Size> sizes_of(const Expectation& expected) {
  const std::span<const Size> all = expected.sizes;
  return kOneSize ? all.last(1) : all;
}

// Prints a row instead of its pointer, so that only the test's name is printed.
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.id;
}

TEST_P(KernelFindings, AreThoseExpectedUnderEverySchedule) {
  test::Simulated simulated;
  for (const Expectation& expected : GetParam().expected) {
    bool was_wrong = false;
    for (const Size& size : sizes_of(expected)) {
      for (const compile::Build build : {compile::Build::Fast, compile::Build::Step}) {
        const auto program = simulated.program(GetParam().id, size.problem, size.block_size, build);
        for (const simt::Schedule& schedule : kSchedules) {
          const insight::CheckResult result = insight::check(program, schedule);
          EXPECT_TRUE(as_expected(result, expected)) << describe(size, build, schedule);
          was_wrong |= result.comparison.wrong != 0;
        }
      }
    }
    // A result that depends on chance must be wrong somewhere, or the slip would never be visible.
    EXPECT_TRUE(was_wrong || expected.result != Chance || kOneSize);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, KernelFindings, testing::ValuesIn(kRows),
                         [](const auto& test) { return test.param.id; });

TEST(KernelFindings, AreExpectedOfEveryCatalogKernel) {
  std::vector<std::string> expected;
  for (const Row& row : kRows) {
    expected.emplace_back(row.id);
  }
  std::vector<std::string> there;
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    there.push_back(spec.id);
  }
  EXPECT_THAT(there, testing::UnorderedElementsAreArray(expected));
}

// Running on in spite of such a finding may crash a GPU, so the launch says so beforehand.
TEST(KernelFindings, OutsideTheMatricesAreNothingForAGpu) {
  for (const Row& row : kRows) {
    for (const Expectation& expected : row.expected) {
      const bool dangerous = expected.found.count(OutOfRange) != 0 ||
                             expected.found.count(Misaligned) != 0 ||
                             expected.found.count(DivergentBarrier) != 0;
      for (const Size& size : expected.sizes) {
        const problem::Launch launch = test::launch_of(row.id, size.problem, size.block_size);
        EXPECT_EQ(launch.not_on_gpu.empty(), !dangerous) << row.id << ", " << size.problem.M;
      }
    }
  }
}

TEST(KernelFindings, OfThePresetsAreNone) {
  test::Simulated simulated;
  const problem::Catalog& catalog = test::repository_catalog();
  for (const problem::Preset& preset : catalog.presets) {
    if (preset.problem.M > 100) {
      continue;  // checked by tilestep check; too large to check here
    }
    const Size size{preset.problem, preset.block_size.value_or(4)};
    for (const char* const kernel : {"naive", "tiled", "tiled_kahan_bounds", "samples_loop"}) {
      const auto program =
          simulated.program(test::launch_of(kernel, size.problem, size.block_size,
                                            preset.input.value_or(problem::InputSpec{})),
                            compile::Build::Fast);
      for (const simt::Schedule& schedule : kSchedules) {
        EXPECT_TRUE(insight::check(program, schedule).clean()) << kernel << ", " << preset.id;
      }
    }
  }
}

}  // namespace
}  // namespace tilestep
