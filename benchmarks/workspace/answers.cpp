// How long a click on a timed point waits for its reasons (workspace::count_launch).
//
//   benchmark_answers DATASET.json BLOCK_SIZE…
//
// Counts every measured launch with these BLOCK_SIZEs (0: kernels without) twice: with a compiler
// that has not seen the kernel yet (machine code is made by NVRTC), and with one that has; then
// asks once more for what was kept of it (workspace/kept_answers.h). Prints medians, the 99th
// percentile and the worst, and how long the roofline takes, which needs all kernels of a size.
#include "folders.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
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
      "{:<14} {:>6} launches: median {:6.1f} ms, 99 % within {:6.1f} ms, worst {:6.1f} ms ({})\n",
      name, answers.size(), at(0.5), at(0.99), answers.back().ms, answers.back().of);
}

int run(const char* file, const std::vector<int>& block_sizes) {
  const std::filesystem::path share = tilestep::test::share_folder();
  const auto catalog = problem::load_catalog(share / "kernels");
  const auto data = timing::load_dataset(file);
  if (!catalog || !data) {
    fmt::print(stderr, "{}\n", catalog ? data.error().message : catalog.error().message);
    return 2;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tilestep_answers_{}", getpid());
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  workspace::KeptAnswers keeper({folder, {}});
  const std::atomic<bool> cancel{false};
  std::vector<Answer> first;
  std::vector<Answer> again;
  std::vector<Answer> kept;
  std::map<std::pair<int, int>, double> rooflines;  // by N and BLOCK_SIZE
  for (const timing::Point& point : data->points) {
    if (std::ranges::count(block_sizes, point.block_size) == 0 || point.samples_ms.empty() ||
        catalog->find(point.kernel) == nullptr) {
      continue;
    }
    const workspace::SurveyItem item{point.kernel, {point.problem, point.block_size}, 90};
    for (std::vector<Answer>* const answers : {&first, &again, &kept}) {
      const auto start = std::chrono::steady_clock::now();
      const auto facts = workspace::count_launch(
          item, *catalog, {compiler, cancel, answers == &again ? nullptr : &keeper});
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - start;
      answers->push_back(
          {taken.count(), fmt::format("{} {}×{}×{} BLOCK_SIZE {}", point.kernel, point.problem.M,
                                      point.problem.N, point.problem.K, point.block_size)});
      if (answers == &kept && point.problem.M == point.problem.N) {
        rooflines[{point.problem.N, point.block_size}] += taken.count();
      }
    }
  }
  print_row("first", first);
  print_row("again", again);
  print_row("kept", kept);
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
