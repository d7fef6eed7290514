#include "analysis/guess.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilestep::analysis {
namespace {

// "4.21×" or "12 %" beyond a ratio of 1 or more.
std::string off_by(double ratio) {
  constexpr double kInPercent = 1.995;
  return ratio < kInPercent ? fmt::format("{:.0f} %", 100.0 * (ratio - 1.0))
                            : fmt::format("{:.1f}×", ratio);
}

std::string in_words(const GuessVerdict& v) {
  if (v.compared == 0) {
    return tr("Nothing that was drawn is measured here.");
  }
  const double ratio = v.drawn / v.measured;
  const std::string miss = off_by(std::max(ratio, 1.0 / ratio));
  return tr(
      "Largest miss: {:.0f} GFLOP/s drawn at BLOCK_SIZE {}, {:.0f} measured, {}. Of {}, half are "
      "at "
      "most {} off.",
      v.drawn, v.block_size, v.measured,
      ratio > 1.0 ? tr("{} too high", miss) : tr("{} too low", miss),
      plural(static_cast<std::uint64_t>(v.compared), "point"), off_by(v.median));
}

}  // namespace

GuessVerdict judge(const state::GuessView& guess, const timing::DataSet& data,
                   problem::Problem problem) {
  GuessVerdict verdict;
  std::vector<double> misses;
  double largest = 0.0;
  for (const auto& [block_size, drawn] : guess.gflops) {
    const timing::Point* const point = data.find(guess.kernel, problem, block_size);
    if (point == nullptr || point->samples_ms.empty()) {
      continue;
    }
    const double measured = timing::gflops(problem, point->median_ms());
    const double miss = std::fabs(std::log(drawn / measured));
    if (misses.empty() || miss > largest) {
      largest = miss;
      verdict.block_size = block_size;
      verdict.drawn = drawn;
      verdict.measured = measured;
    }
    misses.push_back(miss);
  }
  verdict.compared = static_cast<int>(misses.size());
  if (!misses.empty()) {
    const auto middle = misses.begin() + static_cast<std::ptrdiff_t>((misses.size() - 1) / 2);
    std::ranges::nth_element(misses, middle);
    verdict.median = std::exp(*middle);
  }
  verdict.sentence = in_words(verdict);
  return verdict;
}

}  // namespace tilestep::analysis
