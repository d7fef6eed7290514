// The cost of a frame of the whole window at 1920×1080, off-screen, everything drawn and finished.
//
// Budget of a changed frame (N = 64): 25 ms with software OpenGL on two cores; on a GPU 1 ms
// without change, 4 ms for a step or a seek. With TILESTEP_UNPAINTED set nothing is painted: the
// time of the window's thread before OpenGL.
#include "build_tree_paths.h"
#include "platform/window.h"
#include "ui/draw.h"
#include "ui/panel.h"
#include "ui/theme.h"
#include "workspace/workspace.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <stdexcept>

namespace tilestep {
namespace {

using test::build_tree_paths;

class Scene {
 public:
  Scene(const std::string& kernel, int n, int block_size) {
    state::AppState state;
    state.kernel = kernel;
    state.parameters = {{n, n, n}, block_size};
    state.animate = false;
    workspace_.set_state(state);
    workspace_.settle();
    if (workspace_.view().run.scene == nullptr) {
      throw std::runtime_error(workspace_.view().messages.error);
    }
    go_to(0.6);
    for (int i = 0; i < 4; ++i) {
      frame();
    }
  }

  // A share of the whole run.
  void go_to(double share) {
    const auto steps = static_cast<double>(workspace_.view().run.scene->recording->step_count());
    workspace_.update({state::SeekStep{static_cast<std::uint64_t>(steps * share)}}, 0.0);
    workspace_.settle();
  }
  [[nodiscard]] bool is_over() const {
    return workspace_.state().step >= workspace_.view().run.scene->recording->step_count();
  }
  void command(const state::Command& command) { workspace_.update({command}, 0.0); }
  void update() { workspace_.update({}, 0.0); }
  void settle() { workspace_.settle(); }
  void refine() { workspace_.view().run.scene->recording->refine(); }

  void frame() {
    window_.frame(0.0, [this] {
      const ui::Context context{workspace_.state(),
                                workspace_.view(),
                                ui::theme(workspace_.state().theme),
                                window_.fonts(),
                                &window_.cells(),
                                memory_,
                                0.0};
      const auto start = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(ui::draw(context));
      drawn_ += std::chrono::steady_clock::now() - start;
    });
  }
  // The share of frame() that prepares the drawing, without OpenGL: milliseconds per frame.
  void count_drawing(benchmark::State& state) const {
    state.counters["made"] =
        benchmark::Counter(std::chrono::duration<double, std::milli>(drawn_).count(),
                           benchmark::Counter::kAvgIterations);
  }
  void start_counting() { drawn_ = {}; }

 private:
  static platform::WindowOptions options() {
    const workspace::Paths paths = build_tree_paths();
    platform::WindowOptions options;
    options.width = 1920;
    options.height = 1080;
    options.off_screen = true;
    options.paint_when_read = std::getenv("TILESTEP_UNPAINTED") != nullptr;
    options.fonts = paths.assets / "fonts";
    options.shaders = paths.shaders;
    return options;
  }

  compile::Compiler compiler_{workspace::cache_options(build_tree_paths())};
  workspace::Workspace workspace_{build_tree_paths(), compiler_};
  platform::Window window_{options()};
  ui::Memory memory_;
  std::chrono::steady_clock::duration drawn_{};
};

// Nothing changes from frame to frame: the cost of hovering and of playing slowly.
void still(benchmark::State& state, const std::string& kernel, int n, int block_size) {
  Scene scene(kernel, n, block_size);
  scene.start_counting();
  for (auto _ : state) {
    scene.frame();
  }
  scene.count_drawing(state);
}

// As many numbers on stage as fit: zoomed in until every visible cell shows its value.
void zoomed(benchmark::State& state, const std::string& kernel, int n, int block_size) {
  Scene scene(kernel, n, block_size);
  scene.command(state::SetCamera{{1.0F, static_cast<float>(n), static_cast<float>(n)}});
  scene.start_counting();
  for (auto _ : state) {
    scene.frame();
  }
  scene.count_drawing(state);
}

// In every frame a statement further, or anywhere in the run.
void stepping(benchmark::State& state, const std::string& kernel, int n, int block_size) {
  Scene scene(kernel, n, block_size);
  scene.start_counting();
  for (auto _ : state) {
    if (scene.is_over()) {
      scene.go_to(0.0);
    }
    scene.command(state::Step{state::Unit::Statement, +1});
    scene.frame();
  }
  scene.count_drawing(state);
}
void seek(benchmark::State& state, Scene& scene) {
  std::mt19937 random(1);
  std::uniform_real_distribution share(0.0, 1.0);
  scene.start_counting();
  for (auto _ : state) {
    scene.go_to(share(random));
    scene.frame();
  }
  scene.count_drawing(state);
}
void seeking(benchmark::State& state, const std::string& kernel, int n, int block_size) {
  Scene scene(kernel, n, block_size);
  scene.refine();  // as in a window that has been open for a second
  seek(state, scene);
}
// In the second after a change.
void seeking_at_once(benchmark::State& state, const std::string& kernel, int n, int block_size) {
  Scene scene(kernel, n, block_size);
  seek(state, scene);
}

// A page of the Timing tab with every kernel of the shipped data set, as the window shows it: a
// selected point with its story, and the workspace queried before every frame.
void timing(benchmark::State& state, state::TimingPage page) {
  Scene scene("tiled", 8, 4);
  state::TimingView view;
  view.page = page;
  view.every_kernel = true;
  view.predict = false;
  view.selected_kernel = "tiled";
  view.selected_block_size = 16;
  scene.command(state::SetTab{state::Tab::Timing});
  scene.command(state::SetTimingView{view});
  scene.settle();
  scene.frame();
  scene.start_counting();
  for (auto _ : state) {
    scene.update();
    scene.frame();
  }
  scene.count_drawing(state);
}

// The page of one SM: one wave of tiled<16> at 1024, 64 warps. In every frame other clocks are on
// screen: `clocks` of them.
void one_sm(benchmark::State& state, std::int64_t clocks) {
  Scene scene("tiled", 64, 16);
  state::TimingView view;
  view.page = state::TimingPage::Sm;
  view.problem = {1024, 1024, 1024};
  scene.command(state::SetTab{state::Tab::Timing});
  scene.command(state::SetTimingView{view});
  scene.settle();
  scene.update();
  scene.settle();
  view.sm.clocks = clocks;
  scene.start_counting();
  for (auto _ : state) {
    view.sm.first = (view.sm.first + 101) % 50'000;
    scene.command(state::SetTimingView{view});
    scene.frame();
  }
  scene.count_drawing(state);
}

BENCHMARK_CAPTURE(still, tiled_8, "tiled", 8, 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(still, tiled_64, "tiled", 64, 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(zoomed, tiled_64, "tiled", 64, 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stepping, tiled_64, "tiled", 64, 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seeking, tiled_64, "tiled", 64, 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seeking_at_once, tiled_64, "tiled", 64, 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stepping, naive_64, "naive", 64, 16)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(timing, by_block_size, state::TimingPage::BlockSize)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing, by_size, state::TimingPage::Size)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing, ladder, state::TimingPage::Ladder)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing, roofline, state::TimingPage::Roofline)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing, occupancy, state::TimingPage::Occupancy)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_sm, clocks_100, 100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_sm, clocks_5000, 5'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_sm, clocks_50000, 50'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilestep
