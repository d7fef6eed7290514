#include "analysis/chart.h"
#include "analysis/words.h"
#include "problem/describe/best_by_size.h"
#include "timing/dataset_csv.h"

#include <fmt/format.h>

#include <iterator>

namespace tilestep::analysis {

std::string to_csv(const Chart& chart) {
  std::string out =
      "curve,kind,data_set,kernel,M,N,K,block_size,x,y,gflops,median_ms,q1_ms,q3_ms,samples,"
      "launched\n";
  for (const Curve& curve : chart.curves) {
    for (const Mark& mark : curve.marks) {
      const std::string problem = mark.point == nullptr
                                      ? ",,"
                                      : fmt::format("{},{},{}", mark.point->problem.M,
                                                    mark.point->problem.N, mark.point->problem.K);
      const std::string times =
          mark.point == nullptr
              ? ",,,"
              : fmt::format("{},{},{},{}", mark.statistics.median_ms, mark.statistics.q1_ms,
                            mark.statistics.q3_ms, mark.statistics.samples);
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}\n",
                     timing::csv_cell(curve.english), word_of(curve.role).file,
                     timing::csv_cell(curve.dataset), curve.kernel, problem, mark.block_size,
                     mark.x, mark.y, mark.gflops, times,
                     curve.kernel == problem::kBestBySize ? stage_kernel(*mark.point) : "");
    }
  }
  return out;
}

}  // namespace tilestep::analysis
