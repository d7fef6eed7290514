// Occupancy computed from the cubin, and the driver's occupancy for the same cubin on this
// machine's GPU: every catalog kernel with every BLOCK_SIZE. Skipped without a GPU.
#include "insight/occupancy/occupancy.h"

#include "compile/compiler.h"
#include "gpu/device.h"
#include "support/catalog_launch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <thread>

namespace tilestep {
namespace {

constexpr int kLargestBlockSize = 32;
constexpr int kUsualBlockSize = 16;

struct Case {
  problem::Launch launch;
  Result<compile::Output> output = fail("not compiled");
};

std::string title(const problem::Launch& launch) {
  return fmt::format("{:<36} {:>2}", launch.id, launch.parameters.block_size);
}

class GpuOccupancy : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = gpu::Device::open();
    if (!opened) {
      GTEST_SKIP() << "skipped: " << opened.error().message;
    }
    device_ = std::move(*opened);
    const gpu::DeviceInfo& info = device_->info();
    sm_ = insight::find_architecture(10 * info.compute_major + info.compute_minor);
    if (sm_ == nullptr) {
      GTEST_SKIP() << "skipped: compute capability " << info.compute_major << "."
                   << info.compute_minor << " is not in the table";
    }
    const compile::NvrtcInfo nvrtc = compiler_.nvrtc();
    if (!nvrtc.found) {
      GTEST_SKIP() << "skipped: " << nvrtc.why_not;
    }
    // Machine code runs on drivers of the same major version and later.
    if (info.cuda_driver_api / 1000 < nvrtc.major) {
      GTEST_SKIP() << "skipped: the driver (CUDA " << info.cuda_driver_api / 1000
                   << ") is older than NVRTC " << nvrtc.major;
    }
  }

  // On all cores: there are about a thousand.
  std::vector<Case> compile_all() {
    std::vector<Case> cases;
    for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
      for (int block_size = 1; block_size <= kLargestBlockSize; ++block_size) {
        if (auto launch = test::some_launch(spec, block_size)) {
          cases.push_back({std::move(*launch)});
        }
      }
    }
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < cases.size(); i = next++) {
        cases[i].output =
            compiler_.compile(compile::make_cubin_request(cases[i].launch, sm_->number));
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back(work);
    }
    threads.clear();  // joins
    return cases;
  }

  // Blocks on an SM according to the driver; 0 if it refuses the launch.
  int asked(const gpu::LoadedKernel& kernel, const problem::Launch& launch) {
    try {
      return device_->max_active_blocks(kernel,
                                        {launch.grid, launch.block, launch.dynamic_shared_bytes});
    } catch (const gpu::GpuError& error) {
      EXPECT_FALSE(error.context_lost()) << error.what();
      return 0;
    }
  }

  std::unique_ptr<gpu::Device> device_;
  const insight::Architecture* sm_ = nullptr;
  compile::Compiler compiler_{compile::CacheOptions{}};
};

// One line of the table of differences, or empty.
std::string difference(const Case& one, const ptx::CubinKernel& ours, int our_blocks,
                       const gpu::KernelResources& theirs, int their_blocks) {
  const bool same = static_cast<int>(ours.registers) == theirs.registers &&
                    static_cast<int>(ours.static_shared_bytes) == theirs.static_shared_bytes &&
                    our_blocks == their_blocks;
  return same ? ""
              : fmt::format(
                    "{}  registers {} : {}  static shared {} : {}  local {} : {}  "
                    "blocks/SM {} : {}\n",
                    title(one.launch), ours.registers, theirs.registers, ours.static_shared_bytes,
                    theirs.static_shared_bytes, ours.local_bytes, theirs.local_bytes, our_blocks,
                    their_blocks);
}

TEST_F(GpuOccupancy, IsTheDriversForEveryCatalogKernelAndBlockSize) {
  int compared = 0;
  int other_local = 0;
  std::string differences;
  std::string failures;
  for (const Case& one : compile_all()) {
    if (!one.output || !one.output->ok()) {
      failures += fmt::format("{}  {}\n", title(one.launch),
                              one.output ? one.output->log : one.output.error().message);
      continue;
    }
    const auto ours = ptx::read_cubin(one.output->cubin, one.output->entry);
    const auto loaded = device_->load(one.output->cubin, one.output->entry);
    if (!ours || !loaded) {
      failures += fmt::format("{}  {}\n", title(one.launch),
                              ours ? loaded.error().message : ours.error().message);
      continue;
    }
    const insight::Occupancy o = insight::occupancy(insight::needs_of(*ours, one.launch), *sm_);
    differences +=
        difference(one, *ours, o.blocks, loaded->resources(), asked(*loaded, one.launch));
    other_local += static_cast<int>(ours->local_bytes) == loaded->resources().local_bytes ? 0 : 1;
    ++compared;
  }
  std::cout << fmt::format(
      "{} launches compared on {} (compute capability {}); local memory differs in {}.\n", compared,
      device_->info().name, sm_->version(), other_local);
  EXPECT_EQ(differences, "") << "computed from the cubin : said by the driver\n" << differences;
  EXPECT_EQ(failures, "") << failures;
  EXPECT_GT(compared, 800);
}

// Timings use PTX that the driver compiles itself, possibly to other registers than in NVRTC's
// cubin. That is no error: the test prints it and does not judge it.
TEST_F(GpuOccupancy, OfTheDriversOwnCodeForThePtxIsTold) {
  std::string told;
  int compared = 0;
  for (const problem::LaunchSpec& spec : test::repository_catalog().kernels) {
    const auto launch = test::some_launch(spec, kUsualBlockSize);
    if (!launch) {
      continue;
    }
    const auto cubin = compiler_.compile(compile::make_cubin_request(*launch, sm_->number));
    const auto ptx = compiler_.compile(compile::make_request(*launch, compile::Build::Fast));
    ASSERT_TRUE(cubin && ptx && cubin->ok() && ptx->ok()) << spec.id;
    const auto ours = ptx::read_cubin(cubin->cubin, cubin->entry);
    const auto loaded = device_->load(ptx->ptx, ptx->entry);
    ASSERT_TRUE(ours) << ours.error().message;
    ASSERT_TRUE(loaded) << loaded.error().message;
    const int blocks = asked(*loaded, *launch);
    const insight::Occupancy o = insight::occupancy(insight::needs_of(*ours, *launch), *sm_);
    if (loaded->resources().registers != o.needs.registers || blocks != o.blocks) {
      told += fmt::format("{}  registers {} : {}  blocks/SM {} : {}\n", title(*launch),
                          o.needs.registers, loaded->resources().registers, o.blocks, blocks);
    }
    ++compared;
  }
  std::cout << fmt::format("{} kernels with BLOCK_SIZE {}; these differ (cubin : PTX):\n{}",
                           compared, kUsualBlockSize, told.empty() ? "none\n" : told);
  EXPECT_GT(compared, 25);
}

}  // namespace
}  // namespace tilestep
