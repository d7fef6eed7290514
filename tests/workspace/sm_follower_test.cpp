// One SM in time, as the Timing tab asks for it: what was measured with stamps, beside the
// estimate.
#include "workspace/sm_follower.h"

#include "build_tree_paths.h"
#include "catalog_launch.h"
#include "folders.h"
#include "kept_outputs.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kFirstBarrier = 27;  // lines of kernels/tiled.cu
constexpr std::uint32_t kSecondBarrier = 31;

// tiled<4> at 8³: one warp a block, two tiles of 1,000 clocks.
clock::StampedRun measured_run() {
  using enum clock::StampPlace;
  clock::StampedWarp warp;
  warp.stamps.push_back({0, 14, Start});
  for (const std::int64_t tile : {0, 1000}) {
    warp.stamps.push_back({tile + 400, kFirstBarrier, BeforeBarrier});
    warp.stamps.push_back({tile + 450, kFirstBarrier, AfterBarrier});
    warp.stamps.push_back({tile + 900, kSecondBarrier, BeforeBarrier});
    warp.stamps.push_back({tile + 920, kSecondBarrier, AfterBarrier});
  }
  warp.stamps.push_back({2000, 36, End});
  clock::StampedRun run;
  run.gpu = "NVIDIA H200";
  run.kernel = "tiled";
  run.problem = {8, 8, 8};
  run.block_size = 4;
  run.at_once = 1;
  run.warps = {warp};
  return run;
}

class OneSm : public testing::Test {
 protected:
  OneSm() {
    const fs::path clock = folder_.path() / "clock";
    fs::copy(test::source_folder() / "assets" / "clock", clock, fs::copy_options::recursive);
    fs::create_directories(clock / "h200_stamps");
    std::ofstream(clock / "h200_stamps" / "tiled_4_8x8x8.json") << clock::to_json(measured_run());
    paths_.assets = folder_.path();
  }
  // The answer when everything is computed.
  const ShownSm& answer(const std::string& kernel) {
    SmQuestion question;
    question.key.kernel = kernel;
    question.key.parameters = {{8, 8, 8}, 4};
    question.key.build = compile::Build::Machine;
    question.gpu = "NVIDIA H200";
    const auto& shown = follower_.follow(question);
    while (pool_.pending() > 0) {
      pool_.wait_for_result();
      pool_.apply_results();
    }
    return *shown;
  }

  test::TemporaryFolder folder_;
  Paths paths_ = test::build_tree_paths();
  compile::Compiler compiler_{test::kept_outputs()};
  CatalogPtr catalog_ = std::make_shared<const problem::Catalog>(test::repository_catalog());
  Pool pool_{1};
  SmFollower follower_{paths_, pool_, compiler_, catalog_};
};

TEST_F(OneSm, HasTheStampsThatAreShippedOfItsLaunch) {
  const ShownSm& shown = answer("tiled");
  ASSERT_EQ(shown.why_not, "");
  ASSERT_TRUE(shown.stamped);
  EXPECT_EQ(shown.stamped->measured, measured_run());
  ASSERT_EQ(shown.stamped->estimated.size(), 1U);
  EXPECT_EQ(shown.stamped->estimated[0].stamps.size(), measured_run().warps[0].stamps.size());
  ASSERT_EQ(shown.stamped->phases.size(), 6U);
  for (const clock::ComparedPhase& phase : shown.stamped->phases) {
    EXPECT_TRUE(phase.estimated) << clock::phase_name(phase.measured.phase);
  }
}

TEST_F(OneSm, HasNoneOfALaunchThatWasNotMeasured) {
  const ShownSm& shown = answer("naive");
  ASSERT_EQ(shown.why_not, "");
  EXPECT_FALSE(shown.stamped);
}

}  // namespace
}  // namespace tilestep::workspace
