// The time from a click on a timed point to its reasons (workspace::count_launch).
//
//   benchmark_answers DATASET.json BLOCK_SIZE…
//
// Counts every measured launch with these BLOCK_SIZEs (0: kernels without) twice: with a compiler
// that has not seen the kernel yet (NVRTC makes the machine code), and with one that has; then
// reads what was kept of it (workspace/kept_answers.h). Prints medians, the 99th percentile and the
// worst, and the time of the roofline, which needs all kernels of a size.
#include "data.h"
#include "folders.h"
#include "workspace/survey.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilestep {
namespace {

struct Answer {
  double ms = 0.0;
  std::string of;
};

void print_row(const char* name, std::vector<Answer> answers) {
  if (answers.empty()) {
    return;
  }
  std::ranges::sort(answers, {}, &Answer::ms);
  const auto at = [&](double share) {
    return answers[static_cast<std::size_t>(share * static_cast<double>(answers.size() - 1))].ms;
  };
  fmt::print(
      "{:<14} {:>6} launches: median {:6.1f} ms, 99% within {:6.1f} ms, worst {:6.1f} ms ({})\n",
      name, answers.size(), at(0.5), at(0.99), answers.back().ms, answers.back().of);
}

struct Asked {
  workspace::SurveyItem item;
  std::string name;
};

std::vector<Asked> asked_points(const timing::DataSet& data, const problem::Catalog& catalog,
                                const std::vector<int>& block_sizes) {
  std::vector<Asked> all;
  for (const timing::Point& point : data.points) {
    if (std::ranges::count(block_sizes, point.block_size) != 0 && !point.samples_ms.empty() &&
        catalog.find(point.kernel) != nullptr) {
      all.push_back({{point.kernel, {point.problem, point.block_size}, 90},
                     fmt::format("{} {}×{}×{} BLOCK_SIZE {}", point.kernel, point.problem.M,
                                 point.problem.N, point.problem.K, point.block_size)});
    }
  }
  return all;
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// In a workspace like the window's, from the click until its reasons are there: the point's and the
// next rung's.
std::vector<Answer> click(const std::vector<Asked>& points, const workspace::Paths& paths) {
  compile::Compiler compiler(workspace::cache_options(paths));
  workspace::Workspace workspace(paths, compiler);
  workspace.update({state::SetTab{state::Tab::Timing}}, 0.0);
  workspace.settle();
  std::vector<Answer> answers;
  for (const Asked& asked : points) {
    state::TimingView view = workspace.state().timing;
    view.problem = asked.item.parameters.problem;
    view.selected_kernel = asked.item.kernel;
    view.selected_block_size = asked.item.parameters.block_size;
    view.predict = false;
    const auto start = std::chrono::steady_clock::now();
    workspace.update({state::SetTimingView{view}}, 0.0);
    while (workspace.view().timing.uncounted > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      workspace.update({}, 0.0);
    }
    answers.push_back({ms_since(start), asked.name});
  }
  return answers;
}

int run(const char* file, const std::vector<int>& block_sizes) {
  const std::filesystem::path share = tilestep::test::share_folder();
  const auto read = read_launches(file);
  if (!read) {
    return 2;
  }
  const auto& [catalog, data] = *read;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tilestep_answers_{}", getpid());
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  workspace::KeptAnswers keeper({folder, {}});
  const std::atomic<bool> cancel{false};
  std::vector<Answer> first;
  std::vector<Answer> again;
  std::vector<Answer> kept;
  std::map<std::pair<int, int>, double> rooflines;  // by N and BLOCK_SIZE
  const std::vector<Asked> points = asked_points(data, catalog, block_sizes);
  for (const auto& [item, name] : points) {
    for (std::vector<Answer>* const answers : {&first, &again, &kept}) {
      const auto start = std::chrono::steady_clock::now();
      const auto facts = workspace::count_launch(
          item, catalog, {compiler, cancel, answers == &again ? nullptr : &keeper});
      answers->push_back({ms_since(start), name});
      const problem::Problem& problem = item.parameters.problem;
      if (answers == &kept && problem.M == problem.N) {
        rooflines[{problem.N, item.parameters.block_size}] += answers->back().ms;
      }
    }
  }
  print_row("first", first);
  print_row("again", again);
  print_row("kept", kept);
  workspace::Paths paths;
  paths.kernels = share / "kernels";
  paths.assets = share;
  paths.ptx_cache = share / "ptx-cache";
  paths.user_answers = folder;
  print_row("clicked, kept", click(points, paths));
  std::filesystem::remove_all(folder);
  for (const auto& [of, ms] : rooflines) {
    fmt::print("roofline at {}, BLOCK_SIZE {}: {:.0f} ms of one core, kept\n", of.first, of.second,
               ms);
  }
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  std::vector<int> block_sizes;
  for (int i = 2; i < argc; ++i) {
    int size = 0;
    std::from_chars(argv[i], argv[i] + std::strlen(argv[i]), size);
    block_sizes.push_back(size);
  }
  if (block_sizes.empty()) {
    std::fputs("usage: benchmark_answers DATASET.json BLOCK_SIZE...\n", stderr);
    return 2;
  }
  return tilestep::run(argv[1], block_sizes);
}
