#include "timing/best_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilestep::timing {
std::vector<Fastest> fastest_by_size(const DataSet& data, std::span<const std::string> rivals) {
  std::map<std::tuple<int, int, int>, Fastest> by_size;
  for (const Point& point : data.points) {
    if (point.samples_ms.empty() || !point.verified ||
        std::find(rivals.begin(), rivals.end(), point.kernel) == rivals.end()) {
      continue;
    }
    Fastest& fastest = by_size[{point.problem.M, point.problem.N, point.problem.K}];
    if (fastest.first == nullptr || point.median_ms() < fastest.first->median_ms()) {
      fastest.second = fastest.first;
      fastest.first = &point;
    } else if (fastest.second == nullptr || point.median_ms() < fastest.second->median_ms()) {
      fastest.second = &point;
    }
  }
  std::vector<Fastest> all;
  for (const auto& [size, fastest] : by_size) {
    all.push_back(fastest);
  }
  return all;
}

std::vector<std::string> rival_ids(const problem::Catalog& catalog) {
  std::vector<std::string> ids;
  for (const problem::LaunchSpec* const spec : problem::rivals(catalog)) {
    ids.push_back(spec->id);
  }
  return ids;
}

problem::BestTable best_table(const DataSet& data, const problem::Catalog& catalog) {
  const Provenance& p = data.provenance;
  problem::BestTable table{p.gpu,
                           p.driver,
                           p.cuda,
                           p.cublas,
                           p.date,
                           p.sm_clock_mhz,
                           p.memory_clock_mhz,
                           p.max_sm_clock_mhz,
                           p.method,
                           {}};
  for (const Fastest& fastest : fastest_by_size(data, rival_ids(catalog))) {
    const Statistics& s = fastest.first->samples_ms.statistics();
    problem::Winner winner;
    winner.problem = fastest.first->problem;
    winner.kernel = fastest.first->kernel;
    winner.values = catalog.find(winner.kernel)->values;
    winner.median_ms = s.median_ms;
    winner.q1_ms = s.q1_ms;
    winner.q3_ms = s.q3_ms;
    const Point* const cublas = data.find(kCublas, winner.problem, 0);
    winner.cublas_ms = cublas == nullptr ? 0.0 : cublas->median_ms();
    if (fastest.second != nullptr) {
      winner.runner_up = fastest.second->kernel;
      winner.runner_up_ms = fastest.second->median_ms();
    }
    table.winners.push_back(std::move(winner));
  }
  return table;
}

}  // namespace tilestep::timing
