// The catalog's kernels, quickly; matrix_sweep_test.cpp covers every size.
#include "loading/arguments.h"
#include "loading/loader.h"
#include "loading/prepare.h"
#include "matrix_kernels.h"
#include "own_kernels.h"
#include "simt/exec/isa.h"

#include <gtest/gtest.h>

namespace tilestep::simt {
namespace {

TEST(MatrixKernels, ComputeTheProductWithoutAFault) {
  MatrixKernels kernels;
  for (const char* const id : {"naive", "tiled", "submatrix"}) {
    for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
      for (const int warp_size : {32, 8}) {
        for (const Schedule& schedule : kMatrixSchedules) {
          Log log;
          const auto program = kernels.program(id, {8, 12, 16}, 4, build, warp_size);
          EXPECT_EQ(wrong_elements(run(program, schedule, &log)), 0U) << id;
          EXPECT_TRUE(log.faults.empty()) << log.faults[0].detail;
        }
      }
    }
  }
}

// The same launch with whole warps, with warps that are never full, and on plain x86-64: masked and
// unmasked execution produce the same bits. Inputs are fractions, so that rounding matters.
TEST(MatrixKernels, GiveTheSameBitsHoweverTheyAreExecuted) {
  MatrixKernels kernels;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    for (const int block_size : {4, 8, 16}) {
      problem::Launch launch = kernels.launch("tiled", {24, 24, 24}, block_size);
      for (problem::Buffer& buffer : launch.buffers) {
        for (std::size_t k = 0; k + 4 <= buffer.contents.size(); k += 4) {
          const float value = 1.0F / static_cast<float>(k % 97 + 3);
          std::memcpy(buffer.contents.data() + k, &value, sizeof value);
        }
      }
      const loading::Kernel& kernel = kernels.kernel("tiled", block_size, build);
      const auto pack = [&](const std::vector<std::uint64_t>& addresses) {
        return loading::pack_arguments(kernel, launch, addresses, loading::machine_tensor_map);
      };
      std::vector<std::vector<std::byte>> results;
      const Isa plain = baseline::isa();
      for (const int warp_size : {32, 16, 1}) {
        for (const Isa* const isa : {static_cast<const Isa*>(nullptr), &plain}) {
          const auto program =
              Program::make(kernel.module, kernel.entry, launch, pack, warp_size, isa);
          ASSERT_TRUE(program.has_value());
          const Machine machine = run(*program, {ScheduleKind::Sequential});
          const auto bytes = machine.buffer(2);
          results.emplace_back(bytes.begin(), bytes.end());
          EXPECT_EQ(results.back(), results.front());
        }
      }
    }
  }
}

TEST(MatrixKernels, LeaveTheirInputsAlone) {
  MatrixKernels kernels;
  const auto program = kernels.program("tiled", {17, 9, 20}, 8, compile::Build::Fast);
  const Machine machine = run(program, {ScheduleKind::Sequential});
  for (const std::uint32_t input : {0U, 1U}) {
    const auto bytes = machine.buffer(input);
    EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), program->launch().buffers[input].contents);
  }
}

TEST(Programs, RefuseWhatCannotBeLaunched) {
  MatrixKernels kernels;
  const loading::Kernel& kernel = kernels.kernel("tiled", 4, compile::Build::Step);
  const auto refuse = [&](const std::function<void(problem::Launch&)>& change, int warp_size) {
    problem::Launch launch = kernels.launch("tiled", {8, 8, 8}, 4);
    change(launch);
    const auto program = loading::make_program(kernel, launch, warp_size);
    EXPECT_FALSE(program.has_value());
    return program ? std::string() : program.error().message;
  };
  const auto nothing = [](problem::Launch&) {};
  EXPECT_NE(refuse(nothing, 5).find("warp of 5 lanes"), std::string::npos);
  EXPECT_NE(refuse(nothing, 64).find("warp of 64 lanes"), std::string::npos);
  EXPECT_NE(refuse(
                [](problem::Launch& l) {
                  l.block = {33, 32, 1};
                },
                32)
                .find("1056 threads"),
            std::string::npos);
  EXPECT_NE(refuse(
                [](problem::Launch& l) {
                  l.grid = {0, 1, 1};
                },
                32)
                .find("0 blocks"),
            std::string::npos);
  EXPECT_FALSE(refuse([](problem::Launch& l) { l.arguments.pop_back(); }, 32).empty());
}

TEST(Programs, DescribeTheirLaunch) {
  MatrixKernels kernels;
  const auto program = kernels.program("tiled", {9, 20, 8}, 4, compile::Build::Step, 8);
  EXPECT_EQ(program->block_count(), 15U);
  EXPECT_EQ(program->threads_per_block(), 16U);
  EXPECT_EQ(program->warps_per_block(), 2U);
  EXPECT_EQ(program->warp_size(), 8U);
  EXPECT_EQ(program->block_index(7), (problem::Dim3{2, 1, 0}));
  EXPECT_EQ(program->thread_index(6), (problem::Dim3{2, 1, 0}));
  EXPECT_EQ(program->shared_bytes(), 128U);
  std::vector<std::string> names;
  for (const Allocation& allocation : program->allocations()) {
    EXPECT_EQ(allocation.base % (allocation.kind == AllocationKind::Shared ? 4 : 256), 0U);
    names.push_back(allocation.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"A", "B", "C", "As", "Bs", "parameters", "local memory"}));
}

}  // namespace
}  // namespace tilestep::simt
