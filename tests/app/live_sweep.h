// A sweep that is started in the window by a click, with the driver in the given paths. Its
// pictures are written to the folder in TILESTEP_PICTURES.
#pragma once

#include "app/harness.h"
#include "temporary_folder.h"
#include "timing/dataset.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tilestep::test {

class SweepInWindow : public ::testing::Test {
 protected:
  static constexpr std::chrono::seconds kPatience{60};

  // A window on the Timing tab that measures only the kernel on stage.
  void open(gpu::LibraryNames libraries, WindowSize size = {}) {
    workspace::Paths paths = build_tree_paths();
    paths.user_data = folder.path();
    paths.libraries = std::move(libraries);
    harness = std::make_unique<Harness>(paths, Settle::Not, size);
    state::AppState state = harness->state();
    state.tab = state::Tab::Timing;
    state.kernel = "tiled";
    state.timing.measure_all_kernels = false;
    harness->workspace().set_state(state);
    ASSERT_TRUE(frames_until([this] { return bench().gpu_found; })) << bench().gpu;
    ASSERT_TRUE(frames_until([this] { return harness->view().timing.dataset != nullptr; }));
  }

  // Draws frames at the window's pace until `holds`; false: it did not within kPatience.
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
    })) << label;
  }
  void press_measure() { press(fmt::format("{}  Measure here", ui::icon::kPlay)); }
  void press_stop() { press(ui::icon::kStop); }
  // Opens a file as one that is dropped on the window or typed into its field.
  void open_file(const std::filesystem::path& file) {
    harness->workspace().update({state::OpenFile{file.string()}}, 0.0);
    EXPECT_TRUE(frames_until([&] {
      return harness->state().kernel == file.string() && harness->view().run.scene != nullptr &&
             !harness->view().run.is_old;
    })) << harness->view().messages.refusal;
    state::AppState state = harness->state();
    state.tab = state::Tab::Timing;
    state.timing.problem = kTimedProblem;
    harness->workspace().set_state(state);
  }
  // C = A·B, one element per thread.
  [[nodiscard]] std::filesystem::path own_kernel(const std::string& name,
                                                 const std::string& result = "sum") const {
    const std::filesystem::path file = folder.path() / (name + ".cu");
    std::ofstream(file) << "__global__ void " << name
                        << "(const float* A, const float* B, float* C, int M, int N, int K) {\n"
                           "  int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;\n"
                           "  int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;\n"
                           "  if (row >= M || col >= N) return;\n"
                           "  float sum = 0.0f;\n"
                           "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n"
                           "  C[row * N + col] = "
                        << result << ";\n}\n";
    return file;
  }

  [[nodiscard]] const workspace::BenchStatus& bench() const { return harness->view().timing.bench; }
  // The data set on the plot, if it is or was being measured; null until its first point exists.
  [[nodiscard]] const timing::DataSet* live() const {
    const timing::DataSet* const shown = harness->view().timing.dataset.get();
    return shown != nullptr && shown->name.starts_with("live-") ? shown : nullptr;
  }
  [[nodiscard]] std::size_t live_points() const {
    return live() == nullptr ? 0 : live()->points.size();
  }
  // The curve on the plot of the measured data set; null: none.
  [[nodiscard]] const analysis::Curve* curve(const std::string& kernel,
                                             bool overlay = false) const {
    const auto& curves = harness->view().timing.shown->chart.curves;
    const auto found = std::ranges::find_if(curves, [&](const analysis::Curve& one) {
      return one.kernel == kernel && one.is_overlay == overlay &&
             (one.role == analysis::Role::Measured || one.role == analysis::Role::Library);
    });
    return found == curves.end() ? nullptr : &*found;
  }
  // Data set files; the points since a file was written are beside it.
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

  // Pictures in both themes and two text sizes, if requested.
  void picture(const std::string& name) {
    const char* const where = std::getenv("TILESTEP_PICTURES");
    if (where == nullptr) {
      return;
    }
    std::filesystem::create_directories(where);
    const state::AppState before = harness->state();
    for (const auto theme : {state::Theme::Dark, state::Theme::Light}) {
      for (const float scale : {1.0F, 2.0F}) {
        harness->workspace().update({state::SetTheme{theme}, state::SetScale{scale}}, 0.0);
        for (int i = 0; i < 6; ++i) {
          harness->frame();
        }
        const platform::Image image = harness->window().read_pixels();
        platform::write_png(
            image, std::filesystem::path(where) /
                       fmt::format("{}-{}x{}-{:.0f}-{}.png", name, image.width, image.height, scale,
                                   theme == state::Theme::Dark ? "dark" : "light"));
      }
    }
    harness->workspace().update({state::SetTheme{before.theme}, state::SetScale{before.scale}},
                                0.0);
  }

  TemporaryFolder folder;
  std::unique_ptr<Harness> harness;
};

}  // namespace tilestep::test
