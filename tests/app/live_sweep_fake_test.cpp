// A sweep started in the window, on a driver in host memory that computes C and lets only a given
// number of points pass.
#include "app/live_sweep.h"
#include "timing/fake_gpu.h"

#include <gmock/gmock.h>
#include <mutex>

#include <condition_variable>
#include <map>
#include <set>

namespace tilestep::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kReferenceSize = 1024;  // of the launch that is timed with every point
constexpr int kIllegalAddress = 700;
// A slow GPU, because short launches are warmed up a thousand times, and each is computed.
constexpr float kCublasMs = 0.5F;

// The fake GPU's treatment of launches. The first launch of each kernel and BLOCK_SIZE waits until
// the number of allowed points is high enough.
class Gate {
 public:
  void let_through(std::size_t points) {
    const std::lock_guard lock(mutex_);
    most_ = points;
    changed_.notify_all();
  }
  void fail_at(std::size_t point) { fails_at_ = point; }
  void spoil(const std::string& entry) { wrong_ = entry; }

  int launch(const fake::Launch& launch) {
    const timing::MatmulArguments a = timing::matmul_arguments(launch);
    if (a.K == kReferenceSize) {
      fake::driver().durations_ms = {kCublasMs};
      return 0;
    }
    {
      std::unique_lock lock(mutex_);
      seen_.emplace(launch.entry, launch.block[0]);
      changed_.wait(lock, [this] { return seen_.size() <= most_; });
      if (fails_at_ > 0 && seen_.size() >= fails_at_) {
        return kIllegalAddress;
      }
    }
    std::vector<float>& product = products_[a.M];
    const auto count = static_cast<std::size_t>(a.M) * static_cast<std::size_t>(a.N);
    if (product.empty()) {
      timing::multiply(launch);
      product.assign(a.C, a.C + count);
    }
    std::copy(product.begin(), product.end(), a.C);
    if (!wrong_.empty() && launch.entry.find(wrong_) != std::string::npos) {
      a.C[5] += 1.0F;
    }
    const double flops = 2.0 * a.M * a.N * a.K;
    const double gflops = 2.0 + 1.5 * launch.block[0];
    fake::driver().durations_ms = {static_cast<float>(flops / gflops * 1e-6)};
    return 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t most_ = 1000;
  std::set<std::pair<std::string, unsigned>> seen_;
  std::map<int, std::vector<float>> products_;
  std::size_t fails_at_ = 0;  // 0: never
  std::string wrong_;
};

class LiveSweepFake : public SweepInWindow {
 protected:
  void start(WindowSize size = {}) {
    fake::reset();
    gate = std::make_shared<Gate>();
    fake::driver().on_launch = [g = gate](const fake::Launch& launch) { return g->launch(launch); };
    ASSERT_NO_FATAL_FAILURE(open(timing::fake_libraries(), size));
  }
  void TearDown() override {
    if (gate) {
      gate->let_through(1000);
    }
    harness.reset();  // its workers stop launching
    fake::reset();
  }
  bool see(std::size_t points) {
    gate->let_through(points);
    return frames_until([&] {
      const analysis::Curve* const shown =
          live() == nullptr ? nullptr : curve(harness->state().kernel);
      return shown != nullptr && shown->marks.size() >= points;
    });
  }
  bool until_it_ends() {
    return frames_until([this] { return !bench().running && !bench().message.empty(); });
  }

  std::shared_ptr<Gate> gate;
};

TEST_F(LiveSweepFake, PointsComeOneByOneBesideTheRecordedOnes) {
  ASSERT_NO_FATAL_FAILURE(start());
  const std::string recorded = harness->view().timing.dataset->name;
  gate->let_through(0);
  press_measure();
  ASSERT_TRUE(frames_until([this] { return bench().running; }));
  for (std::size_t points = 1; points <= 4; ++points) {
    ASSERT_TRUE(see(points)) << bench().message;
    EXPECT_EQ(curve("tiled")->marks.size(), points) << "no more than were let through";
    EXPECT_GE(bench().done, points);
    EXPECT_EQ(bench().total, 33U) << "32 BLOCK_SIZEs, and cuBLAS";
    EXPECT_GT(bench().seconds_left, 0.0);
  }
  ASSERT_NE(curve("tiled", true), nullptr) << "the recorded ones stay on the plot";
  EXPECT_EQ(curve("tiled", true)->dataset, recorded);
  EXPECT_EQ(curve("tiled", true)->marks.size(), 32U);
  EXPECT_THAT(bench().current, StartsWith("tiled, 256, BLOCK_SIZE "));
  gate->let_through(1000);
  ASSERT_TRUE(until_it_ends());
  EXPECT_THAT(bench().message, StartsWith("Saved as "));
  EXPECT_EQ(live_points(), 33U);
  ASSERT_NE(curve(timing::kCublas), nullptr);
  EXPECT_EQ(curve(timing::kCublas)->role, analysis::Role::Library);
}

TEST_F(LiveSweepFake, StopKeepsWhatWasMeasuredAndAnotherOneBegins) {
  ASSERT_NO_FATAL_FAILURE(start());
  press_measure();
  ASSERT_TRUE(see(3)) << bench().message;
  press_stop();
  gate->let_through(1000);
  ASSERT_TRUE(until_it_ends());
  const std::string first = live()->name;
  const std::size_t kept = live_points();
  EXPECT_GE(kept, 3U);
  EXPECT_LT(kept, 33U);
  EXPECT_THAT(bench().message, StartsWith("Saved as "));
  // Data sets are named by the second of their start.
  const auto now = [] {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  };
  const auto then = now();
  ASSERT_TRUE(frames_until([&] { return now() != then; }));
  press_measure();
  ASSERT_TRUE(frames_until([&] { return live()->name != first; }));
  EXPECT_TRUE(harness->state().timing.overlays.contains(first)) << "the first stays beside it";
  ASSERT_TRUE(until_it_ends());
  EXPECT_EQ(live_points(), 33U);
  ASSERT_EQ(files().size(), 2U);
  for (const auto& file : files()) {
    const auto saved = timing::load_dataset(file);
    ASSERT_TRUE(saved.has_value()) << saved.error().message;
    EXPECT_EQ(saved->points.size(), saved->name == first ? kept : 33U);
  }
}

TEST_F(LiveSweepFake, AnOwnKernelIsPlottedByItsNameBesideCublas) {
  ASSERT_NO_FATAL_FAILURE(start());
  const auto file = own_kernel("my_matmul");
  open_file(file);
  press_measure();
  ASSERT_TRUE(until_it_ends());
  ASSERT_NE(curve(file.string()), nullptr) << bench().message;
  EXPECT_EQ(curve(file.string())->name, "my_matmul");
  EXPECT_EQ(curve(file.string())->marks.size(), 32U);
  EXPECT_FALSE(curve(file.string())->is_wrong) << bench().message;
  EXPECT_NE(curve(timing::kCublas), nullptr);
}

TEST_F(LiveSweepFake, AKernelThatIsWrongIsMarkedAndTold) {
  ASSERT_NO_FATAL_FAILURE(start());
  gate->spoil("my_mistake");
  const auto file = own_kernel("my_mistake");
  open_file(file);
  press_measure();
  ASSERT_TRUE(until_it_ends());
  ASSERT_NE(curve(file.string()), nullptr) << bench().message;
  EXPECT_TRUE(curve(file.string())->is_wrong);
  EXPECT_THAT(bench().message,
              StartsWith("32 of 33 points are not verified; the first is my_mistake, "
                         "BLOCK_SIZE 1: result wrong: C[0][5] is "));
  EXPECT_THAT(bench().message, HasSubstr("Saved as "));
}

TEST_F(LiveSweepFake, ADriverThatFailsIsToldAndItsPointsStay) {
  ASSERT_NO_FATAL_FAILURE(start());
  gate->fail_at(4);
  press_measure();
  ASSERT_TRUE(until_it_ends());
  EXPECT_THAT(bench().message, HasSubstr("cuLaunchKernel failed"));
  EXPECT_THAT(bench().message, HasSubstr("Saved as "));
  EXPECT_FALSE(bench().gpu_found) << "until the program is started again";
  ASSERT_NE(curve("tiled"), nullptr);
  EXPECT_EQ(curve("tiled")->marks.size(), 3U);
  EXPECT_EQ(timing::load_dataset(files().front())->points, live()->points);
}

// Writes pictures to look at.
TEST_F(LiveSweepFake, Pictures) {
  if (std::getenv("TILESTEP_PICTURES") == nullptr) {
    GTEST_SKIP() << "skipped: TILESTEP_PICTURES names no folder";
  }
  for (const WindowSize size : {WindowSize{1280, 720}, WindowSize{1920, 1080}}) {
    ASSERT_NO_FATAL_FAILURE(start(size));
    picture("before");
    press_measure();
    ASSERT_TRUE(see(9));
    EXPECT_TRUE(bench().running);
    picture("middle");
    press_stop();
    gate->let_through(1000);
    ASSERT_TRUE(until_it_ends());
    picture("stopped");
    const auto file = own_kernel("my_matmul");
    open_file(file);
    press_measure();
    ASSERT_TRUE(until_it_ends());
    picture("own");
    gate->spoil("my_mistake");
    open_file(own_kernel("my_mistake"));
    press_measure();
    ASSERT_TRUE(until_it_ends());
    picture("wrong");
    gate->fail_at(1);
    press_measure();
    ASSERT_TRUE(until_it_ends());
    picture("failed");
    TearDown();
  }
}

}  // namespace
}  // namespace tilestep::test
