// From start to the first complete frame: catalog and timings read, the tiled kernel recorded, the
// window open, everything drawn. Each start is a separate process, so that it loads OpenGL anew;
// the time to load the program itself is extra (tilestep --version).
//
// Budget (software OpenGL on two cores): 300 ms.
#include "build_tree_paths.h"
#include "platform/window.h"
#include "problem/language.h"
#include "ui/draw.h"
#include "ui/panel.h"
#include "ui/theme.h"
#include "workspace/workspace.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tilestep {
namespace {

using test::build_tree_paths;

double seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// The work of open_window() until something is visible.
void start(int width, int height, const std::string& language) {
  const workspace::Paths paths = build_tree_paths();
  find_languages(paths.assets / "words");
  compile::Compiler compiler(workspace::cache_options(paths));
  workspace::Workspace workspace(paths, compiler);
  state::AppState state = workspace.state();
  state.language = language;
  workspace.set_state(std::move(state));
  workspace.update({}, 0.0);
  platform::WindowOptions options;
  options.width = width;
  options.height = height;
  options.off_screen = true;
  options.fonts = paths.assets / "fonts";
  options.shaders = paths.shaders;
  platform::Window window(options);
  ui::Memory memory;
  bool complete = false;
  while (!complete) {
    complete = workspace.view().run.scene != nullptr;
    window.frame(0.0, [&] {
      const ui::Context context{workspace.state(),
                                workspace.view(),
                                ui::theme(workspace.state().theme),
                                window.fonts(),
                                &window.cells(),
                                memory,
                                0.0};
      benchmark::DoNotOptimize(ui::draw(context));
    });
    workspace.update({}, 0.0);
  }
}

double timed_in_a_process(int width, int height, const std::string& language) {
  int ends[2] = {};
  if (pipe(ends) != 0) {
    throw std::runtime_error("pipe failed");
  }
  const double from = seconds();
  const pid_t child = fork();
  if (child == 0) {
    start(width, height, language);
    const double to = seconds();
    _exit(write(ends[1], &to, sizeof to) == sizeof to ? 0 : 1);
  }
  close(ends[1]);
  double to = 0.0;
  const bool told = child > 0 && read(ends[0], &to, sizeof to) == sizeof to;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!told) {
    throw std::runtime_error("the process that was to be timed failed");
  }
  return to - from;
}

void first_complete_frame(benchmark::State& state, const std::string& language) {
  for (auto _ : state) {
    state.SetIterationTime(timed_in_a_process(static_cast<int>(state.range(0)),
                                              static_cast<int>(state.range(1)), language));
  }
}

void at_both_sizes(benchmark::internal::Benchmark* each) {
  each->Args({1280, 720})
      ->Args({1920, 1080})
      ->UseManualTime()
      ->Iterations(10)
      ->Unit(benchmark::kMillisecond);
}

// The Chinese font is read when its first glyph is drawn.
BENCHMARK_CAPTURE(first_complete_frame, en, std::string("en"))->Apply(at_both_sizes);
BENCHMARK_CAPTURE(first_complete_frame, zh, std::string("zh"))->Apply(at_both_sizes);

}  // namespace
}  // namespace tilestep
