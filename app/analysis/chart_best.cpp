// The line "best by size": measured, or what the rivals' own points make of it.
#include "analysis/chart_parts.h"
#include "problem/describe/best_by_size.h"
#include "problem/tr.h"
#include "timing/best_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::analysis {
namespace {

using problem::kBestBySize;

std::string shown_title(const ChartRequest& request, const std::string& kernel) {
  return tr(title_of(request, kernel).c_str());
}

// "Sliced along k, small: 4.2 % faster than Sliced along k, 135.9 % of cuBLAS"
std::string told_victory(const ChartRequest& request, const timing::DataSet& data,
                         const timing::Point& won, const timing::Point* second) {
  std::string text = shown_title(request, stage_kernel(won));
  const char* before = ": ";
  const auto add = [&](const std::string& clause) {
    text += before + clause;
    before = ", ";
  };
  if (second != nullptr) {
    add(tr("{:.1f} % faster than {}", 100.0 * (second->median_ms() / won.median_ms() - 1.0),
           shown_title(request, second->kernel)));
  }
  const double cublas = data.median_ms(timing::kCublas, won.problem, 0);
  if (cublas > 0.0) {
    add(tr("{:.1f} % of cuBLAS", 100.0 * cublas / won.median_ms()));
  }
  return text;
}

const timing::Fastest* at_size(const std::vector<timing::Fastest>& all, problem::Problem size) {
  const auto found = std::ranges::find_if(
      all, [&](const timing::Fastest& one) { return one.first->problem == size; });
  return found == all.end() ? nullptr : &*found;
}

// Of points that were measured as best_by_size: the second is the fastest other rival there.
void tell_measured(const ChartRequest& request, const timing::DataSet& data,
                   const std::vector<timing::Fastest>& rivals, Curve& curve) {
  for (Mark& mark : curve.marks) {
    const timing::Fastest* const here = at_size(rivals, mark.point->problem);
    const bool is_itself = here != nullptr && here->first->kernel == mark.point->launched;
    const timing::Point* const second = here == nullptr ? nullptr
                                        : is_itself     ? here->second
                                                        : here->first;
    mark.won = told_victory(request, data, *mark.point, second);
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
      curve.marks.back().won = told_victory(request, data, *fastest.first, fastest.second);
    }
  }
  return curve;
}

}  // namespace

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
    // A line through the points of one kernel would say nothing.
    const bool is_choice =
        std::ranges::any_of(rivals, [](const auto& one) { return one.second != nullptr; });
    if (is_choice && is_shown(request, kBestBySize)) {
      Curve curve = derived(request, d, rivals);
      if (!curve.marks.empty()) {
        // First, so that it lies below the curves whose points it has.
        chart.curves.insert(chart.curves.begin(), std::move(curve));
      }
    }
  }
}

}  // namespace tilestep::analysis
