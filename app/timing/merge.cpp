#include "timing/merge.h"

#include "problem/tr.h"
#include "timing/cublas_series.h"
#include "timing/sampling.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

namespace tilestep::timing {
namespace {

using Key = std::tuple<std::string, int, int, int, int>;

Key key(const Point& point) {
  return {point.kernel, point.problem.M, point.problem.N, point.problem.K, point.block_size};
}

Result<void> check_same(const DataSet& first, const DataSet& other) {
  const auto& a = first.provenance;
  const auto& b = other.provenance;
  const std::tuple<const char*, const std::string&, const std::string&> fields[] = {
      {"GPU", a.gpu, b.gpu},
      {"driver", a.driver, b.driver},
      {"NVRTC", a.cuda, b.cuda},
      {"cuBLAS", a.cublas, b.cublas}};
  for (const auto& [what, mine, theirs] : fields) {
    // A part without cuBLAS, or without a kernel, does not know one.
    if (mine != theirs && !mine.empty() && !theirs.empty()) {
      return fail(tr("{} and {} cannot be merged: {} is {} in the first and {} in the second.",
                     first.name, other.name, what, mine, theirs));
    }
  }
  return {};
}

void take_over(const Provenance& from, Provenance& to) {
  const auto fill = [](const std::string& text, std::string& into) {
    into = into.empty() ? text : into;
  };
  fill(from.cuda, to.cuda);
  fill(from.cublas, to.cublas);
  if (to.method.find(from.method) == std::string::npos) {
    to.method += (to.method.empty() ? "" : " Other points: ") + from.method;
  }
  to.date = std::min(to.date, from.date);
  if (to.host.find(from.host) == std::string::npos) {
    to.host += "; " + from.host;
  }
}

class Earlier {
 public:
  explicit Earlier(const problem::Catalog& catalog) : catalog_(catalog) {}
  [[nodiscard]] bool operator()(const Point& a, const Point& b) const { return rank(a) < rank(b); }

 private:
  [[nodiscard]] std::tuple<int, int, int, std::ptrdiff_t, std::string, int> rank(
      const Point& point) const {
    const auto all = static_cast<std::ptrdiff_t>(catalog_.kernels.size());
    const std::span<const CublasSeries> series = cublas_series();
    const CublasSeries* const cublas = find_cublas(point.kernel);
    std::ptrdiff_t place = all;  // behind all kernels: variations of them, best_by_size
    if (cublas != nullptr) {
      place = cublas - series.data() - static_cast<std::ptrdiff_t>(series.size());
    } else if (const auto found = std::find_if(
                   catalog_.kernels.begin(), catalog_.kernels.end(),
                   [&](const problem::LaunchSpec& spec) { return spec.id == point.kernel; });
               found != catalog_.kernels.end()) {
      place = found - catalog_.kernels.begin();
    }
    const problem::Problem& p = point.problem;
    return {p.M, p.N, p.K, place, place == all ? point.kernel : std::string(), point.block_size};
  }

  const problem::Catalog& catalog_;
};

}  // namespace

void sort_points(std::vector<Point>& points, const problem::Catalog& catalog) {
  std::stable_sort(points.begin(), points.end(), Earlier(catalog));
}

void insert_point(Point point, std::vector<Point>& points, const problem::Catalog& catalog) {
  const auto after = std::upper_bound(points.begin(), points.end(), point, Earlier(catalog));
  points.insert(after, std::move(point));
}

Result<DataSet> merge(const std::vector<DataSet>& parts, const problem::Catalog& catalog) {
  assert(!parts.empty());
  DataSet all;
  all.name = parts.front().name;
  all.provenance = parts.front().provenance;
  std::map<Key, std::string> seen;
  std::vector<int> sm_clocks;
  std::vector<int> memory_clocks;
  for (const DataSet& part : parts) {
    if (const Result<void> same = check_same(parts.front(), part); !same) {
      return tl::unexpected(same.error());
    }
    for (const Point& point : part.points) {
      const auto [known, is_new] = seen.try_emplace(key(point), part.name);
      if (!is_new) {
        return fail(tr("{}, {}×{}×{}, BLOCK_SIZE {}: duplicate point in {} and {}. Remove one.",
                       point.kernel, point.problem.M, point.problem.N, point.problem.K,
                       point.block_size, known->second, part.name));
      }
      all.points.push_back(point);
    }
    take_over(part.provenance, all.provenance);
    sm_clocks.push_back(part.provenance.sm_clock_mhz);
    memory_clocks.push_back(part.provenance.memory_clock_mhz);
  }
  all.provenance.sm_clock_mhz = median(sm_clocks);
  all.provenance.memory_clock_mhz = median(memory_clocks);
  sort_points(all.points, catalog);
  return all;
}

}  // namespace tilestep::timing
