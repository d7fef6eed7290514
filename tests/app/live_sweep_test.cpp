// A sweep started in the window, on the machine's own GPU; skipped if there is none. Pictures are
// written to the folder in TILESTEP_PICTURES.
#include "app/live_sweep.h"

#include "gpu/probe.h"

namespace tilestep::test {
namespace {

constexpr std::size_t kSeen = 3;

class LiveSweep : public SweepInWindow {
 protected:
  void SetUp() override {
    if (const gpu::Probe probe = gpu::probe(); !probe.device_found) {
      GTEST_SKIP() << "skipped: "
                   << (probe.driver_found ? probe.device_message : probe.driver_message);
    }
    ASSERT_NO_FATAL_FAILURE(open(gpu::default_libraries()));
  }
};

TEST_F(LiveSweep, ShowsAndSavesPointsAsTheyComeAndCancellingKeepsThem) {
  press_measure();
  ASSERT_TRUE(frames_until([this] { return live_points() >= kSeen; })) << bench().message;
  EXPECT_TRUE(bench().running);
  EXPECT_GT(bench().fraction, 0.0);
  EXPECT_LT(bench().fraction, 1.0);
  picture("gpu-in-the-middle");

  // On disk already: a kill would lose only the point that is being measured.
  ASSERT_EQ(files().size(), 1U) << "one file, which grows";
  EXPECT_GE(timing::load_dataset(files().front())->points.size(), kSeen);

  press_stop();
  ASSERT_TRUE(frames_until([this] { return !bench().running; }));
  const auto saved = timing::load_dataset(files().front());
  ASSERT_TRUE(saved.has_value()) << saved.error().message;
  EXPECT_EQ(files().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(files().front().string() + ".points")) << "all in one file";
  EXPECT_EQ(saved->points, live()->points);
  EXPECT_GE(saved->points.size(), kSeen);
  EXPECT_LT(saved->points.size(), 33U) << "32 BLOCK_SIZEs and cuBLAS: it was cancelled";
  EXPECT_TRUE(bench().message.starts_with("Saved as")) << bench().message;
  for (const timing::Point& point : saved->points) {
    EXPECT_TRUE(point.verified) << point.kernel << " " << point.block_size << ": " << point.note;
  }
  picture("gpu-stopped");
}

TEST_F(LiveSweep, AnOwnKernelIsMeasuredLikeTheOthers) {
  const auto file = own_kernel("my_matmul");
  open_file(file);
  press_measure();
  ASSERT_TRUE(frames_until([this] { return live_points() >= 1 && !bench().running; }))
      << bench().message;
  ASSERT_NE(curve(file.string()), nullptr) << bench().message;
  EXPECT_EQ(curve(file.string())->name, "my_matmul");
  EXPECT_EQ(curve(file.string())->marks.size(), 32U);
  picture("gpu-own-kernel");
}

TEST_F(LiveSweep, AKernelThatIsWrongIsMarked) {
  const auto file = own_kernel("my_mistake", "sum + 1.0f");
  open_file(file);
  press_measure();
  ASSERT_TRUE(frames_until([this] { return live_points() >= 1 && !bench().running; }))
      << bench().message;
  ASSERT_NE(curve(file.string()), nullptr) << bench().message;
  EXPECT_TRUE(curve(file.string())->is_wrong);
  picture("gpu-wrong");
}

}  // namespace
}  // namespace tilestep::test
