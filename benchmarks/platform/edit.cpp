// From a changed character of the kernel to the same place of the new recording on stage: NVRTC,
// parsing, recording, one frame.
//
// Budget at N = 16: 150 ms.
#include "build_tree_paths.h"
#include "platform/window.h"
#include "ui/draw.h"
#include "ui/panel.h"
#include "ui/theme.h"
#include "workspace/workspace.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace tilestep {
namespace {

using test::build_tree_paths;

platform::WindowOptions options(const workspace::Paths& paths) {
  platform::WindowOptions options;
  options.width = 1920;
  options.height = 1080;
  options.off_screen = true;
  options.fonts = paths.assets / "fonts";
  options.shaders = paths.shaders;
  return options;
}

void edit_to_stage(benchmark::State& state) {
  const workspace::Paths paths = build_tree_paths();
  compile::Compiler compiler(workspace::cache_options(paths));
  workspace::Workspace workspace(paths, compiler);
  platform::Window window(options(paths));
  ui::Memory memory;
  const int n = static_cast<int>(state.range(0));
  state::AppState at;
  at.parameters = {{n, n, n}, 4};
  at.animate = false;
  workspace.set_state(at);
  workspace.settle();
  const std::string source = workspace.view().source.text;
  workspace.update({state::StartEditing{}}, 0.0);
  int edits = 0;
  for (auto _ : state) {
    const workspace::Generation shown = workspace.view().run.scene->generation;
    // A text that is in no cache.
    workspace.update({state::EditSource{source + "// " + std::to_string(++edits) + "\n"}}, 0.0);
    while (workspace.view().run.scene->generation == shown) {
      if (!workspace.view().messages.error.empty()) {
        throw std::runtime_error(workspace.view().messages.error);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      workspace.update({}, 0.0);
    }
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
    state.PauseTiming();
    workspace.settle();  // does not wait for the checks that follow
    state.ResumeTiming();
  }
}
BENCHMARK(edit_to_stage)->Arg(8)->Arg(16)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilestep
