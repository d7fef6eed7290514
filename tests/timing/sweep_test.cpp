// Whole sweeps on the fake driver: real catalog, real compiler, kernels that the test computes.
#include "timing/sweep.h"

#include "folders.h"
#include "timing/dataset_points.h"
#include "timing/fake_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tilestep::timing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SweepOnFakeGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::driver().on_launch = multiply;
    device = open_fake_device();
    auto loaded = problem::load_catalog(tilestep::test::source_folder().string() + "/kernels");
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    catalog = std::move(*loaded);
    plan.kernels = {"tiled"};
    plan.problems = {{8, 8, 8}};
    plan.block_sizes = {4};
  }

  Result<DataSet> sweep() {
    plan.reference = reference;
    plan.order_seed = seed;
    const SweepHooks hooks{&cancel,
                           [this](const Progress& progress, const Point& point) {
                             reports.push_back(progress);
                             reported.push_back(point);
                           },
                           [this](const DataSet& data) { so_far.push_back(data.points.size()); }};
    return run_sweep(*device, compiler, catalog, plan, hooks).map([this](SweepOutcome outcome) {
      gpu_lost = outcome.gpu_lost;
      return std::move(outcome.data);
    });
  }

  SweepPlan plan;
  problem::Catalog catalog;
  compile::Compiler compiler{compile::CacheOptions{}};
  std::unique_ptr<gpu::Device> device;
  std::atomic<bool> cancel = false;
  std::vector<Progress> reports;
  std::vector<Point> reported;
  std::vector<std::size_t> so_far;
  std::string gpu_lost;
  bool reference = false;  // a fake GPU takes a long time for 1024×1024×1024
  std::uint32_t seed = 0;
};

TEST_F(SweepOnFakeGpu, MeasuresCublasFirstAndThenEveryBlockSize) {
  plan.block_sizes = {2, 4};
  const auto data = sweep();
  ASSERT_TRUE(data.has_value()) << data.error().message;
  ASSERT_EQ(data->points.size(), 3U);
  EXPECT_EQ(data->points[0].kernel, "cublas");
  EXPECT_EQ(data->points[0].block_size, 0);
  EXPECT_EQ(data->points[1].block_size, 2);
  EXPECT_EQ(data->points[2].block_size, 4);
  for (const Point& point : data->points) {
    EXPECT_TRUE(point.verified) << point.kernel << ": " << point.note;
    EXPECT_EQ(point.samples_ms.size(), 30U);
  }
  EXPECT_EQ(data->points[1].registers, 37);
  EXPECT_EQ(data->points[1].shared_bytes, 2048);
  EXPECT_EQ(reported, data->points);
  EXPECT_EQ(reports.back().done, 3U);
  EXPECT_EQ(reports.back().total, 3U);
  EXPECT_EQ(reports.back().current, "tiled, 8, BLOCK_SIZE 4");
}

TEST_F(SweepOnFakeGpu, LaunchesWhatTheDescriptionSays) {
  std::vector<fake::Launch> launches;
  fake::driver().on_launch = [&](const fake::Launch& launch) {
    launches.push_back(launch);
    return multiply(launch);
  };
  plan.problems = {{5, 9, 7}};
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  ASSERT_FALSE(launches.empty());
  EXPECT_THAT(launches[0].entry, HasSubstr("matmul_tiled"));
  EXPECT_THAT(launches[0].grid, ElementsAre(3U, 2U, 1U));
  EXPECT_THAT(launches[0].block, ElementsAre(4U, 4U, 1U));
  const MatmulArguments arguments = matmul_arguments(launches[0]);
  EXPECT_EQ(arguments.M, 5);
  EXPECT_EQ(arguments.N, 9);
  EXPECT_EQ(arguments.K, 7);
  EXPECT_TRUE(data->points.back().verified) << data->points.back().note;
}

TEST_F(SweepOnFakeGpu, ProvenanceSaysWhereAndHow) {
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  const Provenance& p = data->provenance;
  EXPECT_EQ(p.gpu, "Fake GPU");
  EXPECT_EQ(p.driver, "580.1");
  EXPECT_EQ(p.cublas, "13.1.2");
  EXPECT_THAT(p.cuda, HasSubstr("NVRTC"));
  EXPECT_EQ(p.sm_clock_mhz, 1980);
  EXPECT_EQ(p.memory_clock_mhz, 3201);
  EXPECT_EQ(p.max_sm_clock_mhz, 2000);
  EXPECT_THAT(p.date, ::testing::MatchesRegex("....-..-..T..:..:..Z"));
  EXPECT_THAT(p.method, HasSubstr("CUDA events"));
}

TEST_F(SweepOnFakeGpu, AnUnmetRequirementIsTheNoteInsteadOfSamples) {
  plan.kernels = {"submatrix"};
  plan.block_sizes = {3};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 1U);
  EXPECT_TRUE(data->points[0].samples_ms.empty());
  EXPECT_THAT(data->points[0].note, HasSubstr("BLOCK_SIZE must divide M, N and K"));
}

TEST_F(SweepOnFakeGpu, ARequirementOfAnyMachineIsTheNoteToo) {
  plan.kernels = {"float4_loads"};
  plan.block_sizes = {3};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 1U);
  EXPECT_THAT(data->points[0].note, HasSubstr("Choose 4, 8, 12, … 32"));
}

TEST_F(SweepOnFakeGpu, StructArgumentsArriveAsTheKernelLaysThemOut) {
  struct DeviceMatrix {
    int width;
    int height;
    int stride;
    float* elements;
  };
  fake::driver().on_launch = [](const fake::Launch& launch) {
    std::array<DeviceMatrix, 3> m{};
    EXPECT_EQ(launch.arguments.size(), sizeof m);
    std::memcpy(m.data(), launch.arguments.data(), sizeof m);
    for (int row = 0; row < m[2].height; ++row) {
      for (int col = 0; col < m[2].width; ++col) {
        float sum = 0.0F;
        for (int k = 0; k < m[0].width; ++k) {
          sum += m[0].elements[row * m[0].stride + k] * m[1].elements[k * m[1].stride + col];
        }
        m[2].elements[row * m[2].stride + col] = sum;
      }
    }
    return 0;
  };
  plan.kernels = {"submatrix"};
  plan.problems = {{8, 16, 12}};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 1U);
  EXPECT_TRUE(data->points[0].verified) << data->points[0].note;
}

TEST_F(SweepOnFakeGpu, AWrongKernelIsNotedAndTheOthersAreMeasured) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    multiply(launch);
    if (launch.entry.find("missing_barrier") != std::string::npos) {
      matmul_arguments(launch).C[5] += 1.0F;
    }
    return 0;
  };
  plan.kernels = {"tiled_missing_barrier", "tiled"};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_TRUE(data->points[0].verified);
  EXPECT_EQ(data->points[1].kernel, "tiled_missing_barrier");
  EXPECT_THAT(data->points[1].note, StartsWith("result wrong: C[0][5]"));
  EXPECT_TRUE(data->points[1].samples_ms.empty());
}

TEST_F(SweepOnFakeGpu, ALaunchThatFailsIsANoteAndTheSweepGoesOn) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    return launch.block[0] == 2 ? 701 : multiply(launch);
  };
  plan.block_sizes = {2, 4};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_THAT(data->points[0].note, HasSubstr("cuLaunchKernel failed"));
  EXPECT_TRUE(data->points[1].verified);
}

TEST_F(SweepOnFakeGpu, ACublasThatDoesNotStartIsLeftOut) {
  fake::driver().blas_create_status = 1;
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  ASSERT_EQ(data->points.size(), 1U);
  EXPECT_TRUE(data->points[0].verified);
  EXPECT_EQ(data->provenance.cublas, "");
}

TEST_F(SweepOnFakeGpu, ALostContextEndsTheSweepWithWhatWasMeasured) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    return launch.block[0] == 4 ? 700 : multiply(launch);
  };
  plan.block_sizes = {2, 4, 8};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_TRUE(data->points[0].verified);
  EXPECT_THAT(data->points[1].note, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(gpu_lost, StartsWith("tiled, 8, BLOCK_SIZE 4: "));
}

TEST_F(SweepOnFakeGpu, AKernelThatDoesNotEndEndsTheSweepWithWhatWasMeasured) {
  fake::driver().on_launch = [](const fake::Launch& launch) {
    fake::driver().never_ends = launch.block[0] == 4;
    return multiply(launch);
  };
  plan.block_sizes = {2, 4, 8};
  plan.cublas = false;
  plan.time_limit_seconds = 0.02;
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_TRUE(data->points[0].verified);
  EXPECT_THAT(data->points[1].note, HasSubstr("did not finish within 0.02 s"));
  EXPECT_TRUE(data->points[1].samples_ms.empty());
  EXPECT_THAT(gpu_lost, StartsWith("tiled, 8, BLOCK_SIZE 4: The kernel did not finish"));
}

TEST_F(SweepOnFakeGpu, CancellingKeepsThePointsMeasuredSoFar) {
  plan.block_sizes = {1, 2, 3, 4};
  plan.cublas = false;
  std::size_t seen = 0;
  plan.reference = false;
  const SweepHooks hooks{&cancel, [&](const Progress&, const Point&) { cancel = ++seen == 2; }, {}};
  const auto data = run_sweep(*device, compiler, catalog, plan, hooks);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->data.points.size(), 2U);
  EXPECT_EQ(data->gpu_lost, "");
}

TEST_F(SweepOnFakeGpu, WhatWasMeasuredBeforeIsKeptAndNotMeasuredAgain) {
  Point old{"tiled", {8, 8, 8}, 4, std::vector<double>(20, 7.0), true, "", 1000, 0, 0};
  Point other{"naive", {64, 64, 64}, 4, std::vector<double>(20, 8.0), true, "", 0, 0, 0};
  plan.measured = {old, other};
  plan.block_sizes = {4, 8};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 3U);
  EXPECT_EQ(data->points[0], old);
  EXPECT_EQ(data->points[1].block_size, 8);
  EXPECT_EQ(data->points[2], other);
  EXPECT_EQ(reports.size(), 1U);

  cancel = true;
  EXPECT_EQ(sweep()->points.size(), 2U);
}

TEST_F(SweepOnFakeGpu, PointsAreSortedWhateverTheOrderOfMeasuring) {
  plan.kernels = {"tiled", "naive"};
  plan.problems = {{16, 16, 16}, {8, 8, 8}};
  plan.block_sizes = {8, 2};
  const auto data = sweep();
  std::vector<std::string> order;
  for (const Point& point : data->points) {
    order.push_back(point.kernel + " " + std::to_string(point.problem.M) + " " +
                    std::to_string(point.block_size));
  }
  EXPECT_THAT(order,
              ElementsAre("cublas 8 0", "naive 8 2", "naive 8 8", "tiled 8 2", "tiled 8 8",
                          "cublas 16 0", "naive 16 2", "naive 16 8", "tiled 16 2", "tiled 16 8"));
}

TEST_F(SweepOnFakeGpu, SeveralKernelsShareTheirUploadedInputs) {
  plan.kernels = {"naive", "tiled"};
  plan.block_sizes = {2, 4, 8};
  std::size_t most_buffers = 0;
  fake::driver().on_launch = [&](const fake::Launch& launch) {
    most_buffers = std::max(most_buffers, fake::driver().memory.size());
    return multiply(launch);
  };
  const auto data = sweep();
  EXPECT_EQ(data->points.size(), 7U);
  EXPECT_EQ(most_buffers, 4U);  // A, B, C and the scratch that flushes L2
}

TEST_F(SweepOnFakeGpu, AKernelThatDoesNotCompileIsANote) {
  catalog.kernels[1].source = "this is no CUDA";
  plan.kernels = {catalog.kernels[1].id};
  plan.cublas = false;
  const auto data = sweep();
  ASSERT_EQ(data->points.size(), 1U);
  EXPECT_NE(data->points[0].note, "");
  EXPECT_TRUE(data->points[0].samples_ms.empty());
}

TEST_F(SweepOnFakeGpu, PlansThatMakeNoSenseAreRefused) {
  plan.samples = 5;
  EXPECT_THAT(sweep().error().message, HasSubstr("5 samples are too few"));
  plan.samples = 20;
  plan.block_sizes = {33};
  EXPECT_THAT(sweep().error().message, HasSubstr("BLOCK_SIZE 33"));
  plan.block_sizes = {4};
  plan.problems = {{8, 0, 8}};
  EXPECT_THAT(sweep().error().message, HasSubstr("8×0×8"));
  plan.problems = {{8, 8, 8}};
  plan.kernels = {"nonsense"};
  EXPECT_THAT(sweep().error().message, HasSubstr("'nonsense' is not in the catalog"));
}

TEST_F(SweepOnFakeGpu, TheOrderIsDrawnAndTheFileIsNot) {
  plan.block_sizes = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto listed = sweep();
  const std::vector<Point> in_order = reported;
  reported.clear();
  seed = 7;
  const auto drawn = sweep();
  ASSERT_TRUE(listed.has_value() && drawn.has_value());
  EXPECT_NE(reported, in_order);
  const auto names = [](const std::vector<Point>& points) {
    std::vector<std::pair<std::string, int>> all;
    for (const Point& point : points) {
      all.emplace_back(point.kernel, point.block_size);
    }
    return all;
  };
  EXPECT_EQ(names(drawn->points), names(listed->points));
  EXPECT_EQ(so_far.back(), 9U);
}

TEST_F(SweepOnFakeGpu, ShardsMeasureEveryPointOnceAndMergeToTheWhole) {
  plan.block_sizes = {1, 2, 3, 4, 5};
  plan.problems = {{4, 4, 4}, {5, 3, 2}};
  const auto whole = sweep();
  std::vector<DataSet> parts;
  for (const int index : {0, 1, 2}) {
    plan.shard = {index, 3};
    auto part = sweep();
    ASSERT_TRUE(part.has_value()) << part.error().message;
    part->name = "part" + std::to_string(index);
    EXPECT_EQ(part->points.size(), 4U);
    parts.push_back(std::move(*part));
  }
  const auto merged = merge(parts, catalog);
  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  ASSERT_EQ(merged->points.size(), whole->points.size());
  for (std::size_t i = 0; i < whole->points.size(); ++i) {
    EXPECT_EQ(merged->points[i].kernel, whole->points[i].kernel);
    EXPECT_EQ(merged->points[i].block_size, whole->points[i].block_size);
    EXPECT_EQ(merged->points[i].problem, whole->points[i].problem);
  }
  parts.push_back(parts.front());
  parts.back().name = "again";
  EXPECT_THAT(merge(parts, catalog).error().message,
              HasSubstr("duplicate point in part0 and again. Remove one."));
  parts.back().provenance.gpu = "Other GPU";
  EXPECT_THAT(merge(parts, catalog).error().message,
              HasSubstr("GPU is Fake GPU in the first file and Other GPU in the second."));
}

TEST_F(SweepOnFakeGpu, AShardOutsideThePlanIsRefused) {
  plan.shard = {2, 2};
  EXPECT_THAT(sweep().error().message,
              HasSubstr("Shard 2/2: choose an index from 0 to 1; there are 2"));
}

TEST_F(SweepOnFakeGpu, TensorCoresAreAPointOfTheirOwn) {
  plan.more_cublas = {"cublas_tf32"};
  plan.block_sizes = {4};
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  ASSERT_EQ(data->points.size(), 3U);
  EXPECT_EQ(data->points[0].kernel, "cublas");
  EXPECT_EQ(data->points[1].kernel, "cublas_tf32");
  plan.kernels.clear();
  plan.cublas = false;
  ASSERT_TRUE(sweep().has_value());
  EXPECT_EQ(fake::driver().math_mode, 3);  // CUBLAS_TF32_TENSOR_OP_MATH
}

TEST_F(SweepOnFakeGpu, EveryWayToCallCublasIsASeriesOfItsOwn) {
  plan.kernels.clear();
  plan.more_cublas = parse_cublas("default,fast_tf32,fast_16f,fast_16bf,emulated_16bfx9").value();
  fake::driver().refused_compute = 78;  // CUBLAS_COMPUTE_32F_EMULATED_16BFX9
  const auto data = sweep();
  ASSERT_TRUE(data.has_value()) << data.error().message;
  std::vector<std::string> series;
  for (const Point& point : data->points) {
    series.push_back(point.kernel);
    EXPECT_EQ(point.verified, point.kernel != "cublas_emulated_16bfx9") << point.note;
  }
  EXPECT_THAT(series, ElementsAre("cublas", "cublas_default", "cublas_fast_tf32", "cublas_fast_16f",
                                  "cublas_fast_16bf", "cublas_emulated_16bfx9"));
  EXPECT_THAT(data->points.back().note,
              StartsWith("cuBLAS 13.1.2 does not compute this product with "
                         "CUBLAS_COMPUTE_32F_EMULATED_16BFX9: "));
  EXPECT_TRUE(data->points.back().samples_ms.empty());
  EXPECT_THAT(fake::driver().calls, Contains("gemm_ex 74"));
  EXPECT_THAT(fake::driver().calls, Contains("gemm_ex 75"));
  EXPECT_THAT(fake::driver().calls, Contains("gemm_ex 77"));
}

TEST_F(SweepOnFakeGpu, WordsForCublasAreKnownOnes) {
  EXPECT_THAT(parse_cublas("tf32,tf32,pedantic").value(), ElementsAre("cublas_tf32", "cublas"));
  EXPECT_EQ(parse_cublas("all")->size(), cublas_series().size());
  EXPECT_THAT(parse_cublas("fp8").error().message,
              HasSubstr("'fp8' is not a cuBLAS mode. Choose from: pedantic, default, tf32,"));
}

TEST_F(SweepOnFakeGpu, BestBySizeIsThePointOfTheWinner) {
  plan.cublas = false;
  plan.kernels = {problem::kBestBySize};
  plan.problems = {{8, 8, 8}, {16, 16, 16}};
  catalog.best = {};
  EXPECT_THAT(sweep().error().message, HasSubstr("no table of winners"));
  problem::Winner winner;
  winner.problem = {8, 8, 8};
  winner.kernel = "sliced_k_teaching";
  catalog.best.winners.push_back(winner);
  winner.problem = {16, 16, 16};
  winner.kernel = "warp_tile_teaching";
  catalog.best.winners.push_back(winner);
  const auto data = sweep();
  ASSERT_TRUE(data.has_value()) << data.error().message;
  ASSERT_EQ(data->points.size(), 2U);
  EXPECT_EQ(data->points[0].kernel, "best_by_size");
  EXPECT_EQ(data->points[0].launched, "sliced_k_teaching");
  EXPECT_EQ(data->points[1].launched, "warp_tile_teaching");
  EXPECT_TRUE(data->points[1].verified) << data->points[1].note;
  EXPECT_EQ(reports[0].current, "best_by_size, 8 (sliced_k_teaching)");
  EXPECT_EQ(parse_point(to_json(data->points[0]))->launched, "sliced_k_teaching");
}

TEST_F(SweepOnFakeGpu, WarmSamplesStandBesideTheColdOnes) {
  plan.warm = true;
  fake::driver().held_back = 0x24;
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  for (const Point& point : data->points) {
    EXPECT_EQ(point.warm_samples_ms.size(), point.samples_ms.size());
    EXPECT_EQ(point.temperature_c, 41);
    EXPECT_EQ(point.held_back_by, "power cap, thermal");
  }
  EXPECT_THAT(data->provenance.method, HasSubstr("(warm)"));
}

TEST_F(SweepOnFakeGpu, OneLaunchIsTimedBesideEveryPoint) {
  std::size_t references = 0;
  fake::driver().on_launch = [&](const fake::Launch& launch) {
    if (matmul_arguments(launch).M == 1024) {
      ++references;
      return 0;
    }
    return multiply(launch);
  };
  fake::driver().durations_ms = {3.0F, 1.0F, 2.0F, 0.5F};
  reference = true;
  const auto data = sweep();
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(references, 1U + 3U * data->points.size());
  EXPECT_EQ(data->points[0].reference_ms, 2.0);
  EXPECT_EQ(data->points[1].reference_ms, 0.5);
  EXPECT_THAT(data->provenance.method, HasSubstr("tiled, 1024, BLOCK_SIZE 16"));
}

}  // namespace
}  // namespace tilestep::timing
