// The time from a slider's move to the stage, and its cost in memory.
//
//   benchmark_slider N [KERNEL…]
//
// Moves BLOCK_SIZE from 32 to 1, one position after the other, as soon as the previous one is on
// stage, then once from 32 to 1 at the speed of a hand. Prints the slowest answers, the time until
// the last recording is complete, and the largest resident set. A window that looks ahead moves to
// neighbors that it has already recorded: prints the slowest frame, and the memory it keeps.
#include "folders.h"
#include "workspace/jobs.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace tilestep {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

struct Answer {
  int block_size = 0;
  double ms = 0.0;
  bool refused = false;
};

// Waits until the stage shows this BLOCK_SIZE, or says why not.
Answer wait_for(workspace::Workspace& workspace, int block_size, Clock::time_point start) {
  while (true) {
    const workspace::FrameView& view = workspace.view();
    if (view.run.scene != nullptr && view.run.scene->launch.parameters.block_size == block_size) {
      return {block_size, ms_since(start), false};
    }
    if (!view.jobs.busy && !view.messages.error.empty()) {
      return {block_size, ms_since(start), true};
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    workspace.update({}, ms_since(start) / 1000.0);
  }
}

Answer move_to(workspace::Workspace& workspace, int n, int block_size) {
  const auto start = Clock::now();
  workspace.update({state::SetParameters{{{n, n, n}, block_size}}}, 0.0);
  return wait_for(workspace, block_size, start);
}

void try_kernel(const workspace::Paths& paths, const std::string& kernel, int n) {
  compile::Compiler compiler(workspace::cache_options(paths));
  workspace::Workspace workspace(paths, compiler);
  workspace.settle();
  workspace.update({state::SelectKernel{kernel}, state::SetParameters{{{n, n, n}, 32}}}, 0.0);
  workspace.settle();
  std::vector<Answer> answers;
  for (int block_size = 31; block_size > 0; --block_size) {
    const Answer answer = move_to(workspace, n, block_size);
    if (!answer.refused) {
      answers.push_back(answer);
    }
  }
  std::ranges::sort(answers, std::ranges::greater{}, &Answer::ms);
  std::string slowest;
  for (const Answer& answer : std::span(answers).first(std::min<std::size_t>(answers.size(), 3))) {
    slowest += fmt::format(" {} in {:.0f} ms", answer.block_size, answer.ms);
  }
  workspace.settle();
  static_cast<void>(move_to(workspace, n, 32));
  workspace.settle();
  const auto drag = Clock::now();
  for (int block_size = 31; block_size > 1; --block_size) {
    workspace.update({state::SetParameters{{{n, n, n}, block_size}}}, 0.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(8));
  }
  const Answer last = move_to(workspace, n, 1);
  workspace.settle();
  fmt::print(
      "{:<28} N {:>3}: slowest{}; dragged to 1: {:.0f} ms, all done {:.1f} s; peak {:.0f} MB\n",
      kernel, n, slowest, last.ms, ms_since(drag) / 1000.0, peak_mb());
}

// Each value's likely next ones, after a pause.
void try_prepared(const workspace::Paths& paths, const std::string& kernel, int n) {
  compile::Compiler compiler(workspace::cache_options(paths));
  workspace::Workspace workspace(paths, compiler);
  workspace.look_ahead();
  workspace.update({state::SelectKernel{kernel}, state::SetParameters{{{n, n, n}, 4}}}, 0.0);
  workspace.settle();
  double slowest = 0.0;
  int late = 0;
  std::uint64_t kept = 0;
  for (const int block_size : {5, 6, 8, 9, 16, 17, 16, 18, 32, 31}) {
    const auto start = Clock::now();
    workspace.update({state::SetParameters{{{n, n, n}, block_size}}}, 0.0);
    slowest = std::max(slowest, ms_since(start));
    late += workspace.view().jobs.busy ? 1 : 0;
    static_cast<void>(wait_for(workspace, block_size, start));
    workspace.settle();
    kept = std::max(kept, workspace.view().jobs.kept_bytes);
  }
  fmt::print(
      "{:<28} N {:>3}: prepared: slowest frame {:.0f} ms, {} of 10 not in it; kept {:.0f} MB, "
      "peak {:.0f} MB\n",
      kernel, n, slowest, late, static_cast<double>(kept) / 1e6, peak_mb());
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  using namespace tilestep;
  int n = 0;
  if (argc < 2 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), n).ec != std::errc{}) {
    fmt::print(stderr, "benchmark_slider N [KERNEL…]\n");
    return 2;
  }
  workspace::Paths paths;
  paths.assets = tilestep::test::share_folder();
  paths.kernels = paths.assets / "kernels";
  paths.shaders = paths.assets / "shaders";
  paths.ptx_cache = paths.assets / "ptx-cache";
  for (int i = 2; i < std::max(argc, 3); ++i) {
    try_kernel(paths, i < argc ? argv[i] : "tiled", n);
    try_prepared(paths, i < argc ? argv[i] : "tiled", n);
  }
  return 0;
}
