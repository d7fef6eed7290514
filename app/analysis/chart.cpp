#include "analysis/chart.h"

#include "analysis/prediction.h"
#include "problem/describe/best_by_size.h"
#include "problem/problem.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "state/words.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace tilestep::analysis {
namespace {

using problem::Problem;
using state::SpeedUnit;
using state::TimingPage;

constexpr double kTera = 1000.0;  // in GFLOP/s
constexpr double kRoomToDraw = 2e-4;

void sort_by_x(Curve& curve) {
  std::ranges::sort(curve.marks, [](const Mark& a, const Mark& b) { return a.x < b.x; });
}

// If nothing is known to compare with, a result is not verified, and the note says why.
bool result_is_wrong(const timing::Point& point) {
  return !point.verified && (point.note.empty() || point.note.starts_with("result "));
}

// The marks of one kernel in one data set: those for which `x_of` returns a position.
Curve measured_curve(const ChartRequest& request, std::size_t dataset, const std::string& kernel,
                     const PlaceOf& place_of) {
  const timing::DataSet& data = *request.datasets[dataset];
  const Scale scale(request, data);
  Curve curve = new_curve(request, dataset, kernel);
  for (const timing::Point& point : data.points) {
    if (point.kernel != kernel || point.samples_ms.empty()) {
      continue;
    }
    const std::optional<double> x = place_of(point);
    const double factor = scale.factor(point.problem);
    if (x && factor > 0.0) {
      curve.marks.push_back(measured_mark(point, *x, factor));
    }
  }
  sort_by_x(curve);
  curve.is_wrong = curve.is_wrong || std::ranges::any_of(curve.marks, [](const Mark& mark) {
                     return result_is_wrong(*mark.point);
                   });
  if (!curve.is_wrong &&
      std::ranges::any_of(curve.marks, [](const Mark& mark) { return !mark.point->verified; })) {
    curve.name = tr("{}, not verified", curve.name);
    curve.english += ", not verified";
  }
  return curve;
}

// Tensor cores are so far above that only a logarithmic axis has room for both; and they compute
// something else. The other ways to call cuBLAS are shown only with all kernels.
bool has_room(const ChartRequest& request, const std::string& kernel) {
  const timing::CublasSeries* const cublas = timing::find_cublas(kernel);
  if (cublas == nullptr || cublas->math == gpu::Math::Float32) {
    return true;
  }
  return request.view.every_kernel && request.view.page != TimingPage::Ladder &&
         (request.view.log_scale || cublas->math == gpu::Math::Default);
}

// TFLOP/s, if no number of the axis is then below 1.
void name_unit(const ChartRequest& request, Axis& y) {
  const bool is_large = y.is_log ? y.low >= kTera : y.high >= 10.0 * kTera;
  const bool as_tera = request.view.unit == SpeedUnit::Gflops && is_large;
  y.title = as_tera ? "TFLOP/s" : word_of(request.view.unit).tooltip.text();
  y.divisor = as_tera ? kTera : 1.0;
}

}  // namespace

void add_measured(const ChartRequest& request, Chart& chart, const PlaceOf& place_of) {
  for (std::size_t d = 0; d < request.datasets.size(); ++d) {
    for (const std::string& kernel : request.datasets[d]->kernels()) {
      if (!is_shown(request, kernel) || request.view.guess.hides(kernel)) {
        continue;
      }
      Curve curve = measured_curve(request, d, kernel, place_of);
      const bool is_of_stage = !request.view.alone || !is_library(kernel);
      const bool shown = is_of_stage && has_room(request, kernel);
      if (shown && !curve.marks.empty()) {
        chart.curves.push_back(std::move(curve));
      }
    }
  }
}

void fit_y(const ChartRequest& request, Chart& chart) {
  double low = 0.0;
  double high = 0.0;
  for (const Curve& curve : chart.curves) {
    for (const Mark& mark : curve.marks) {
      high = std::max(high, mark.y + mark.above);
      low = low == 0.0 ? mark.y : std::min(low, mark.y);
    }
  }
  chart.y.is_log = request.view.log_scale && !request.view.alone && low > 0.0;
  chart.y.low = chart.y.is_log ? 0.7 * low : 0.0;
  chart.y.high = high > 0.0 ? (chart.y.is_log ? 2.0 : 1.1) * high : 1.0;
  // The curve that the user will draw needs space below the existing ones.
  if (!request.view.guess.kernel.empty() && chart.y.is_log) {
    chart.y.low = std::min(chart.y.low, kRoomToDraw * chart.y.high);
  }
  name_unit(request, chart.y);
  name_ends(request, chart);
}

namespace {

constexpr Message kMeasuredNote =
    "median, whiskers: quartiles · FP32 · cold L2 · verified before timing";

Chart by_block_size(const ChartRequest& request) {
  Chart chart;
  const Problem problem = request.view.problem;
  chart.title = tr("Speed versus BLOCK_SIZE");
  chart.note = request.datasets.empty() ? fmt::format("{} {}", request.gpu.name, request.gpu.source)
                                        : std::string(kMeasuredNote.text());
  chart.x = {"BLOCK_SIZE",
             false,
             0.0,
             problem::kLargestBlockSize + 1.0,
             {1, 4, 8, 12, 16, 20, 24, 28, 32}};
  add_measured(request, chart, [&](const timing::Point& point) -> std::optional<double> {
    const bool is_fixed = point.block_size == 0 && !is_library(point.kernel);
    return point.problem == problem ? std::optional(is_fixed ? kFixedTiles : point.block_size)
                                    : std::nullopt;
  });
  const bool has_fixed = std::ranges::any_of(chart.curves, [](const Curve& curve) {
    return curve.role == Role::Measured && curve.marks.back().x == kFixedTiles;
  });
  if (has_fixed) {
    chart.x.high = kFixedTiles + 1.0;
    chart.x.ticks.push_back(kFixedTiles);
    chart.x.name_of_last = tr("fixed");
  }
  chart.x_is_block_size = true;
  add_prediction(request, problem, chart);
  add_guess(request, problem, chart);
  if (!request.view.alone) {
    add_level_peak(request, problem, chart);
  }
  fit_y(request, chart);
  return chart;
}

Chart by_size(const ChartRequest& request) {
  Chart chart;
  chart.title = tr("Speed versus size, BLOCK_SIZE {}", request.block_size);
  chart.note = kMeasuredNote.text();
  chart.x = {"M = N = K", true, 1.0, 1.0, {}};
  add_measured(request, chart, [&](const timing::Point& point) -> std::optional<double> {
    const bool fits = point.block_size == request.block_size || point.block_size == 0;
    return fits && is_square(point.problem) ? std::optional(static_cast<double>(point.problem.N))
                                            : std::nullopt;
  });
  add_best_by_size(request, chart);
  std::set<double> sizes;
  for (const Curve& curve : chart.curves) {
    for (const Mark& mark : curve.marks) {
      sizes.insert(mark.x);
    }
  }
  chart.x.ticks.assign(sizes.begin(), sizes.end());
  if (!sizes.empty()) {
    chart.x.low = *sizes.begin() * 0.8;
    chart.x.high = *sizes.rbegin() * 1.25;
    // In units of cuBLAS it has another height at every size.
    if (request.view.unit != SpeedUnit::OfCublas && !request.view.alone) {
      add_level_peak(request, request.view.problem, chart);
    }
  }
  fit_y(request, chart);
  return chart;
}

// Each kernel's mark at the chosen BLOCK_SIZE, and its best as a second one.
Chart ladder(const ChartRequest& request) {
  Chart chart;
  const Problem problem = request.view.problem;
  chart.is_bars = true;
  chart.title = tr("Kernels at BLOCK_SIZE {}", request.block_size);
  chart.note = tr("tick: the kernel's best BLOCK_SIZE · median · FP32 · cold L2");
  add_measured(request, chart, [&](const timing::Point& point) -> std::optional<double> {
    return point.problem == problem ? std::optional(static_cast<double>(point.block_size))
                                    : std::nullopt;
  });
  for (Curve& curve : chart.curves) {
    const auto best = std::ranges::max_element(
        curve.marks, [](const Mark& a, const Mark& b) { return a.y < b.y; });
    Mark best_mark = *best;
    std::erase_if(curve.marks, [&](const Mark& mark) {
      return mark.block_size != 0 && mark.block_size != request.block_size;
    });
    if (!curve.marks.empty()) {
      curve.marks.push_back(std::move(best_mark));
    }
  }
  std::erase_if(chart.curves, [](const Curve& curve) { return curve.marks.empty(); });
  std::ranges::stable_sort(chart.curves, [](const Curve& a, const Curve& b) {
    return std::pair(!a.is_wrong, a.marks.front().y) < std::pair(!b.is_wrong, b.marks.front().y);
  });
  fit_y(request, chart);
  // The length of a bar is meaningful only if the axis starts at zero.
  chart.y.is_log = false;
  chart.y.low = 0.0;
  chart.y.high = 0.0;
  for (const Curve& curve : chart.curves) {
    chart.y.high = std::max(chart.y.high, 1.02 * curve.marks.back().y);
  }
  name_unit(request, chart.y);
  chart.note = chart.y.title + " · " + chart.note;
  return chart;
}

using problem::kBestBySize;

std::string shown_title(const ChartRequest& request, const std::string& kernel) {
  return tr(chart_title(request, kernel).c_str());
}

// "Sliced along k, small: 4.2% faster than Sliced along k, 135.9% of cuBLAS"
std::string winner_text(const ChartRequest& request, const timing::DataSet& data,
                        const timing::Point& won, const timing::Point* second) {
  std::string text = shown_title(request, stage_kernel(won));
  const char* before = ": ";
  const auto add = [&](const std::string& clause) {
    text += before + clause;
    before = ", ";
  };
  if (second != nullptr) {
    add(tr("{:.1f}% faster than {}", 100.0 * (second->median_ms() / won.median_ms() - 1.0),
           shown_title(request, second->kernel)));
  }
  const double cublas = data.median_ms(timing::kCublas, won.problem, 0);
  if (cublas > 0.0) {
    add(tr("{:.1f}% of cuBLAS", 100.0 * cublas / won.median_ms()));
  }
  return text;
}

const timing::Fastest* at_size(const std::vector<timing::Fastest>& all, problem::Problem size) {
  const auto found = std::ranges::find_if(
      all, [&](const timing::Fastest& one) { return one.first->problem == size; });
  return found == all.end() ? nullptr : &*found;
}

// For points that were measured as best_by_size: the second is the fastest other rival there.
void tell_measured(const ChartRequest& request, const timing::DataSet& data,
                   const std::vector<timing::Fastest>& rivals, Curve& curve) {
  for (Mark& mark : curve.marks) {
    const timing::Fastest* const here = at_size(rivals, mark.point->problem);
    const bool is_itself = here != nullptr && here->first->kernel == mark.point->launched;
    const timing::Point* const second = here == nullptr ? nullptr
                                        : is_itself     ? here->second
                                                        : here->first;
    mark.won = winner_text(request, data, *mark.point, second);
  }
}

Curve derived(const ChartRequest& request, std::size_t dataset,
              const std::vector<timing::Fastest>& rivals) {
  const timing::DataSet& data = *request.datasets[dataset];
  Curve curve = new_curve(request, dataset, kBestBySize);
  curve.name = tr("{}, derived", curve.name);
  curve.english += ", derived";
  const Scale scale(request, data);
  for (const timing::Fastest& fastest : rivals) {
    const problem::Problem& size = fastest.first->problem;
    const double factor = scale.factor(size);
    if (is_square(size) && factor > 0.0) {
      curve.marks.push_back(measured_mark(*fastest.first, size.N, factor));
      curve.marks.back().won = winner_text(request, data, *fastest.first, fastest.second);
    }
  }
  return curve;
}

}  // namespace

bool Chart::is_empty() const {
  return std::ranges::all_of(curves, [](const Curve& curve) { return curve.marks.empty(); });
}

Chart make_chart(const ChartRequest& request) {
  switch (request.view.page) {
    case TimingPage::Size:
      return by_size(request);
    case TimingPage::Ladder:
      return ladder(request);
    case TimingPage::Roofline:
      return roofline(request);
    case TimingPage::BlockSize:
    case TimingPage::Occupancy:
    case TimingPage::Counters:
    case TimingPage::Sm:
      break;
  }
  return by_block_size(request);
}

std::vector<Problem> measured_problems(const timing::DataSet& data) {
  std::vector<Problem> all;
  for (const timing::Point& point : data.points) {
    if (!point.samples_ms.empty() && std::ranges::find(all, point.problem) == all.end()) {
      all.push_back(point.problem);
    }
  }
  std::ranges::sort(all, [](Problem a, Problem b) {
    return std::tuple(!is_square(a), a.M, a.N, a.K) < std::tuple(!is_square(b), b.M, b.N, b.K);
  });
  return all;
}

std::optional<Problem> nearest_problem(const timing::DataSet& data, Problem wanted) {
  const auto distance = [wanted](Problem p) {
    return std::tuple(p != wanted, !is_square(p), is_square(p) ? std::abs(p.N - wanted.N) : 0, p.M,
                      p.N, p.K);
  };
  std::optional<Problem> nearest;
  for (const timing::Point& point : data.points) {
    if (!point.samples_ms.empty() && (!nearest || distance(point.problem) < distance(*nearest))) {
      nearest = point.problem;
    }
  }
  return nearest;
}

Problem shown_problem(const timing::DataSet* data, Problem wanted) {
  return data == nullptr ? wanted : nearest_problem(*data, wanted).value_or(wanted);
}

std::string to_text(Problem p) {
  return is_square(p) ? std::to_string(p.N) : fmt::format("{}×{}×{}", p.M, p.N, p.K);
}

// The line "best by size": measured, or derived from the rivals' own points.

const std::string& stage_kernel(const timing::Point& point) {
  return point.launched.empty() ? point.kernel : point.launched;
}

void add_best_by_size(const ChartRequest& request, Chart& chart) {
  for (std::size_t d = 0; d < request.datasets.size(); ++d) {
    const timing::DataSet& data = *request.datasets[d];
    const std::vector<timing::Fastest> rivals = timing::fastest_by_size(data, request.rivals);
    const auto measured = std::ranges::find_if(chart.curves, [&](const Curve& curve) {
      return curve.kernel == kBestBySize && curve.dataset == data.name;
    });
    if (measured != chart.curves.end()) {
      tell_measured(request, data, rivals, *measured);
      continue;
    }
    // A line through the points of only one kernel would add nothing.
    const bool is_choice =
        std::ranges::any_of(rivals, [](const auto& one) { return one.second != nullptr; });
    if (is_choice && is_shown(request, kBestBySize)) {
      Curve curve = derived(request, d, rivals);
      if (!curve.marks.empty()) {
        // First, so that it is below the curves whose points it has.
        chart.curves.insert(chart.curves.begin(), std::move(curve));
      }
    }
  }
}

}  // namespace tilestep::analysis
