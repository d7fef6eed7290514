// A sweep started in the window, on the machine's own GPU; skipped where there is none.
#include "app/harness.h"
#include "gpu/device.h"
#include "gpu/probe.h"
#include "temporary_folder.h"
#include "timing/dataset.h"
#include "ui/icons.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace tilestep::test {
namespace {

constexpr std::size_t kSeen = 3;
constexpr std::chrono::seconds kPatience{60};

workspace::Paths paths_with(const std::filesystem::path& user_data) {
  workspace::Paths paths = build_tree_paths();
  paths.user_data = user_data;
  return paths;
}

class LiveSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const gpu::Probe probe = gpu::probe(); !probe.device_found) {
      GTEST_SKIP() << "skipped: "
                   << (probe.driver_found ? probe.device_message : probe.driver_message);
    }
    harness = std::make_unique<Harness>(paths_with(folder.path()), Settle::Not);
    state::AppState state = harness->state();
    state.tab = state::Tab::Timing;
    state.kernel = "tiled";
    state.timing.measure_all_kernels = false;
    harness->workspace().set_state(state);
  }

  // Frames at the window's pace until it holds; false: it did not within kPatience.
  bool frames_until(const std::function<bool()>& holds) {
    const auto start = std::chrono::steady_clock::now();
    while (!holds()) {
      if (std::chrono::steady_clock::now() - start > kPatience) {
        return false;
      }
      harness->frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  void press(const std::string& label) {
    EXPECT_TRUE(harness->run([&](ImGuiTestContext& ctx) {
      ctx.ItemClick(fmt::format("//###timing/**/{}", label).c_str());
    }));
  }

  [[nodiscard]] const workspace::BenchStatus& bench() const { return harness->view().bench; }
  // Null until the first point is there.
  [[nodiscard]] const timing::DataSet* live() const {
    const auto& all = *harness->view().datasets;
    const auto found = std::find_if(all.begin(), all.end(), [](const timing::DataSet& data) {
      return data.name.starts_with("live-");
    });
    return found == all.end() ? nullptr : &*found;
  }
  // Data sets: points that came since one was written stand beside it.
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    std::error_code none_yet;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder.path() / "timings", none_yet)) {
      if (entry.path().extension() == ".json") {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  TemporaryFolder folder;
  std::unique_ptr<Harness> harness;
};

TEST_F(LiveSweep, ShowsAndSavesPointsAsTheyComeAndCancellingKeepsThem) {
  ASSERT_TRUE(frames_until([this] { return bench().gpu_found; })) << bench().gpu;
  press(fmt::format("{}  measure here", ui::icon::kPlay));
  ASSERT_TRUE(frames_until([this] { return live() != nullptr && live()->points.size() >= kSeen; }))
      << bench().message;
  EXPECT_TRUE(bench().running);
  EXPECT_GT(bench().fraction, 0.0);
  EXPECT_LT(bench().fraction, 1.0);
  harness->frame();
  platform::write_png(harness->window().read_pixels(),
                      std::filesystem::path(testing::TempDir()) / "tilestep_live_sweep.png");

  // On disk already: a kill would lose the point in flight.
  ASSERT_EQ(files().size(), 1U) << "one file, which grows";
  EXPECT_GE(timing::load_dataset(files().front())->points.size(), kSeen);

  press(ui::icon::kStop);
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
}

}  // namespace
}  // namespace tilestep::test
