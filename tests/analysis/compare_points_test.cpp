// Ratios of two points as products of causes: alone, and against measurements of an H200.
#include "analysis/compare_points.h"

#include "data.h"
#include "folders.h"
#include "workspace/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <string>

namespace tilestep::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const GpuModel& gpu_called(const std::string& name) {
  for (const GpuModel& gpu : known_gpus()) {
    if (gpu.name == name) {
      return gpu;
    }
  }
  ADD_FAILURE() << name;
  return known_gpus().front();
}

ComparedPoint point_of(const std::string& name, const LaunchFacts& facts, double measured_ms) {
  return {name, &facts, gpu_called("NVIDIA H200"), measured_ms};
}

double product(const Comparison& comparison) {
  double all = 1.0;
  for (const Factor& factor : comparison.factors) {
    all *= factor.ratio;
  }
  return all;
}

const Factor* find_factor(const Comparison& comparison, Cause cause) {
  for (const Factor& factor : comparison.factors) {
    if (factor.cause == cause) {
      return &factor;
    }
  }
  return nullptr;
}

// BLOCK_SIZE 17 compared with test::facts("tiled", 16): more passes, idle lanes, fewer warps, a
// tail.
LaunchFacts worse_facts() {
  LaunchFacts facts = test::facts("tiled", 17);
  facts.blocks = 1321;
  facts.threads = 289;
  facts.needs->threads = 289;
  facts.needs->shared_bytes = 2 * 4 * 17 * 17;
  facts.cost.shared_loads.wavefronts = 1321 * 60'000ULL;
  facts.cost.shared_loads.requests = facts.cost.shared_loads.wavefronts;
  facts.l2_sectors = 5000.0;
  return facts;
}

TEST(ComparePoints, WaitsForRegistersAndTensorCoresAreCausesOfTheirOwn) {
  LaunchFacts fast = test::facts("tiled", 16);
  fast.cost.shared_loads.wavefronts = 0;  // issue slots bind
  fast.schedule.instructions = 20'000.0;
  LaunchFacts slow = fast;
  slow.schedule.port_waits = 2'000.0;  // of a warp: of 1320 blocks of 8
  Comparison c = compare_points(point_of("a", fast, 0.0), point_of("b", slow, 0.0));
  ASSERT_EQ(c.factors.size(), 1U);
  EXPECT_EQ(c.factors[0].cause, Cause::RegisterPorts);
  EXPECT_GT(c.factors[0].ratio, 1.05);
  EXPECT_THAT(c.factors[0].counted, HasSubstr("instead of 0 cycles for registers"));
  slow.schedule.port_waits = 0.0;
  slow.schedule.matrix_products = 10'000.0;
  c = compare_points(point_of("a", fast, 0.0), point_of("b", slow, 0.0));
  ASSERT_EQ(c.factors.size(), 1U);
  EXPECT_EQ(c.factors[0].cause, Cause::TensorCores);
}

TEST(ComparePoints, TermsGiveThePredictedTime) {
  for (const LaunchFacts& facts : {test::facts("tiled", 16), worse_facts()}) {
    const GpuModel& gpu = gpu_called("NVIDIA H200");
    EXPECT_NEAR(predicted_ms(terms_of(facts, gpu), gpu) / predict(facts, gpu).ms, 1.0, 1e-12);
  }
}

TEST(ComparePoints, FactorsMultiplyToThePredictedRatioAndWithTheRestToTheMeasuredOne) {
  const LaunchFacts a = test::facts("tiled", 16);
  const LaunchFacts b = worse_facts();
  const Comparison c = compare_points(point_of("16", a, 2.0), point_of("17", b, 3.0));
  const GpuModel& gpu = gpu_called("NVIDIA H200");
  EXPECT_FALSE(c.swapped);
  EXPECT_DOUBLE_EQ(c.measured, 1.5);
  EXPECT_NEAR(product(c), predict(b, gpu).ms / predict(a, gpu).ms, 1e-9);
  EXPECT_NEAR(product(c), c.predicted, 1e-9);
  EXPECT_NEAR(product(c) * c.rest, c.measured, 1e-9);
  EXPECT_GE(c.factors.size(), 5U);
  for (std::size_t i = 1; i < c.factors.size(); ++i) {
    EXPECT_GE(std::fabs(std::log(c.factors[i - 1].ratio)), std::fabs(std::log(c.factors[i].ratio)));
  }
  EXPECT_EQ(c.factors.front().cause, Cause::SharedPasses) << "which bind, and have doubled";
}

TEST(ComparePoints, TheSlowerPointIsTheSubjectInEitherOrder) {
  const LaunchFacts a = test::facts("tiled", 16);
  const LaunchFacts b = worse_facts();
  const Comparison forth = compare_points(point_of("16", a, 2.0), point_of("17", b, 3.0));
  const Comparison back = compare_points(point_of("17", b, 3.0), point_of("16", a, 2.0));
  EXPECT_TRUE(back.swapped);
  EXPECT_EQ(forth.sentence(), back.sentence());
  EXPECT_THAT(forth.sentence(), HasSubstr("17 takes 1.50× as long as 16: "));
  EXPECT_THAT(forth.sentence(), HasSubstr("× from passes through shared memory ("));
  EXPECT_THAT(forth.sentence(), HasSubstr("× from the rest."));
}

TEST(ComparePoints, ACauseThatDoesNotDifferHasNoFactor) {
  const LaunchFacts a = test::facts("tiled", 16);
  EXPECT_TRUE(compare_points(point_of("16", a, 2.0), point_of("16", a, 2.0)).factors.empty());
  LaunchFacts b = a;
  b.cost.shared_loads.wavefronts *= 2;
  const Comparison c = compare_points(point_of("one", a, 0.0), point_of("two", b, 0.0));
  ASSERT_EQ(c.factors.size(), 1U);
  EXPECT_EQ(c.factors.front().cause, Cause::SharedPasses);
  EXPECT_GT(c.factors.front().ratio, 1.0);
  EXPECT_DOUBLE_EQ(c.measured, 0.0);
  EXPECT_THAT(c.sentence(), HasSubstr("two should take "));
  EXPECT_THAT(c.sentence(), Not(HasSubstr("the rest")));
}

TEST(ComparePoints, ARestOfMoreThanATenthIsSaidNotToBeExplained) {
  const LaunchFacts a = test::facts("tiled", 16);
  LaunchFacts b = a;
  b.cost.shared_loads.wavefronts *= 2;
  const double ratio = compare_points(point_of("a", a, 0.0), point_of("b", b, 0.0)).predicted;
  const auto with_rest = [&](double rest) {
    return compare_points(point_of("a", a, 1.0), point_of("b", b, ratio * rest));
  };
  EXPECT_TRUE(with_rest(1.09).explained);
  EXPECT_TRUE(with_rest(0.92).explained);
  EXPECT_FALSE(with_rest(0.90).explained);
  EXPECT_FALSE(with_rest(1.11).explained);
  EXPECT_THAT(with_rest(1.09).sentence(), Not(HasSubstr("does not explain")));
  EXPECT_THAT(with_rest(1.11).sentence(),
              HasSubstr("The model does not explain this ratio: it predicts "));
}

TEST(ComparePoints, AnotherGpuIsOneFactorOfTheSameLaunch) {
  const LaunchFacts facts = test::facts("tiled", 16);
  ComparedPoint other = point_of("H100", facts, 0.0);
  other.gpu = gpu_called("NVIDIA A100-SXM4-80GB");
  const Comparison c = compare_points(point_of("H200", facts, 0.0), other);
  ASSERT_NE(find_factor(c, Cause::Gpu), nullptr);
  EXPECT_THAT(find_factor(c, Cause::Gpu)->sentence(),
              HasSubstr("NVIDIA A100-SXM4-80GB instead of NVIDIA H200"));
  EXPECT_EQ(find_factor(c, Cause::SharedPasses), nullptr);
}

TEST(ComparePoints, AlignmentIsNamedWhereRowsOfTheTilesHaveLostIt) {
  LaunchFacts a = test::facts("tiled", 16);
  LaunchFacts b = worse_facts();
  a.is_machine_code = b.is_machine_code = true;
  a.cost.shared_loads.threads = a.cost.shared_loads.elements / 2;
  b.cost.shared_loads.threads = b.cost.shared_loads.elements;
  const auto said = [&] {
    const Comparison c = compare_points(point_of("16", a, 2.0), point_of("17", b, 3.0));
    return find_factor(c, Cause::SharedPasses)->sentence();
  };
  EXPECT_THAT(said(), HasSubstr("rows of 17 floats are not 16-byte aligned"));
  b.needs->shared_bytes += 4 * 17;  // a padding column somewhere
  EXPECT_THAT(said(), HasSubstr("a load reads 1.0 words instead of 2.0"));
  b.cost.shared_loads.conflicts = b.cost.shared_loads.wavefronts / 2;
  EXPECT_THAT(said(), HasSubstr("50% instead of 0% of the passes are due to bank conflicts"));
}

// A part of what benchmarks/workspace/compare_points.cpp does over the whole data set.
TEST(ComparePoints, ExplainsNeighboursThatAnH200Measured) {
  const std::filesystem::path share = tilestep::test::share_folder();
  const auto catalog = problem::load_catalog(share / "kernels");
  const auto data = timing::load_dataset(share / "timings" / "h200.json");
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(data);
  const GpuModel gpu = gpu_model(data->provenance);
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << "without NVRTC there is no machine code to count";
  }
  const std::atomic<bool> cancel{false};
  int pairs = 0;
  int explained = 0;
  for (const std::string kernel : {"tiled", "naive", "tiled_padded"}) {
    std::map<int, LaunchFacts> all;
    for (int block_size = 8; block_size <= 20; ++block_size) {
      const problem::Parameters parameters{{1024, 1024, 1024}, block_size};
      all[block_size] = *workspace::count_launch({kernel, parameters, gpu.architecture}, *catalog,
                                                 {compiler, cancel});
    }
    const auto named = [&](int block_size) {
      const timing::Point* point = data->find(kernel, {1024, 1024, 1024}, block_size);
      return ComparedPoint{std::to_string(block_size), &all[block_size], gpu,
                           point->samples_ms.statistics().median_ms};
    };
    for (int block_size = 8; block_size < 20; ++block_size) {
      const Comparison c = compare_points(named(block_size), named(block_size + 1));
      EXPECT_NEAR(product(c) * c.rest, c.measured, 1e-9);
      ++pairs;
      explained += c.explained ? 1 : 0;
    }
    if (kernel == "tiled") {
      EXPECT_THAT(compare_points(named(16), named(17)).sentence(),
                  HasSubstr("rows of 17 floats are not 16-byte aligned"));
    }
  }
  EXPECT_GE(10 * explained, 9 * pairs) << explained << " of " << pairs;
}

}  // namespace
}  // namespace tilestep::analysis
