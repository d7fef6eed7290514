#include "timing/dataset_points.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "timing/sampling.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <re2/re2.h>
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
    // A part without cuBLAS, or without a kernel, has no version of it.
    if (mine != theirs && !mine.empty() && !theirs.empty()) {
      return fail(tr("{} and {} cannot be merged: {} is {} in the first file and {} in the second.",
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
    std::ptrdiff_t place = all;  // after all kernels: variations of them, best_by_size
    if (cublas != nullptr) {
      place = cublas - series.data() - static_cast<std::ptrdiff_t>(series.size());
    } else if (const auto found = std::ranges::find_if(
                   catalog_.kernels,
                   [&](const problem::LaunchSpec& spec) { return spec.id == point.kernel; });
               found != catalog_.kernels.end()) {
      place = found - catalog_.kernels.begin();
    }
    const problem::Problem& p = point.problem;
    return {p.M, p.N, p.K, place, place == all ? point.kernel : std::string(), point.block_size};
  }

  const problem::Catalog& catalog_;
};

// As the verifier writes them; each is translated as a whole.
[[maybe_unused]] constexpr Message kWhole[] = {
    Message("not verified: the description names no reference"),
    Message("not verified: too large for the host's reference, and the inputs are not integers")};

std::string translated_mistake(const std::string& mistake) {
  static const RE2 row(R"(row (\d+) of C is not that of A·B)");
  static const RE2 element(
      R"((\w+)\[(\d+)\]\[(\d+)\] is (\S+), expected (\S+) \((\d+) of (\d+) elements wrong\))");
  std::string a, b, c, d, e, f, g;
  if (RE2::FullMatch(mistake, row, &a)) {
    return tr("row {} of C is not that of A·B", a);
  }
  return RE2::FullMatch(mistake, element, &a, &b, &c, &d, &e, &f, &g)
             ? tr("{}[{}][{}] is {}, expected {} ({} of {} elements wrong)", a, b, c, d, e, f, g)
             : mistake;
}

std::string translated_part(const std::string& part) {
  static const RE2 few(R"(one launch takes (\S+) (ms|s): (\d+) samples)");
  static const RE2 wrong("result wrong: (.*)");
  static const RE2 late("result right at first, wrong in the last timed launch: (.*)");
  static const RE2 refused(R"(([A-Za-z0-9_]+): (.*))");
  std::string a, b, c;
  if (RE2::FullMatch(part, few, &a, &b, &c)) {
    return tr("one launch takes {} {}: {} samples", a, b, c);
  }
  if (RE2::FullMatch(part, wrong, &a)) {
    return tr("result wrong: {}", translated_mistake(a));
  }
  if (RE2::FullMatch(part, late, &a)) {
    return tr("result correct at first, wrong in the last timed launch: {}", translated_mistake(a));
  }
  if (RE2::FullMatch(part, refused, &a, &b)) {
    return a + ": " + tr(b.c_str());
  }
  return tr(part.c_str());
}

using gpu::Math;

constexpr std::array<CublasSeries, 7> kSeries{{
    {kCublas, "pedantic", Message("cuBLAS SGEMM"), Math::Float32},
    {"cublas_default", "default", Message("cuBLAS, default mode"), Math::Default},
    {kCublasTf32, "tf32", Message("cuBLAS, TF32 tensor cores"), Math::Tf32},
    {"cublas_fast_tf32", "fast_tf32", Message("cuBLAS, fast TF32"), Math::FastTf32},
    {"cublas_fast_16f", "fast_16f", Message("cuBLAS, fast FP16"), Math::Fast16F},
    {"cublas_fast_16bf", "fast_16bf", Message("cuBLAS, fast BF16"), Math::Fast16BF},
    {"cublas_emulated_16bfx9", "emulated_16bfx9", Message("cuBLAS, emulated with BF16"),
     Math::Emulated16BFX9},
}};

}  // namespace

std::vector<Fastest> fastest_by_size(const DataSet& data, std::span<const std::string> rivals) {
  std::map<std::tuple<int, int, int>, Fastest> by_size;
  for (const Point& point : data.points) {
    if (point.samples_ms.empty() || !point.verified ||
        std::ranges::find(rivals, point.kernel) == rivals.end()) {
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

void sort_points(std::vector<Point>& points, const problem::Catalog& catalog) {
  std::ranges::stable_sort(points, Earlier(catalog));
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

std::string translated_note(const std::string& note) {
  // A requirement may contain a semicolon.
  for (const char* const next : {"; one launch takes ", "; result "}) {
    if (const std::size_t at = note.rfind(next); at != std::string::npos) {
      return translated_note(note.substr(0, at)) + "; " + translated_note(note.substr(at + 2));
    }
  }
  return translated_part(note);
}

std::span<const CublasSeries> cublas_series() {
  return kSeries;
}

const CublasSeries* find_cublas(std::string_view id) {
  const auto found = std::ranges::find_if(kSeries, [&](const auto& one) { return one.id == id; });
  return found == kSeries.end() ? nullptr : &*found;
}

std::vector<std::string> cublas_words() {
  std::vector<std::string> words;
  for (const CublasSeries& series : kSeries) {
    words.emplace_back(series.word);
  }
  words.emplace_back("all");
  return words;
}

Result<std::vector<std::string>> parse_cublas(const std::string& words) {
  std::vector<std::string> ids;
  const auto add = [&ids](const char* id) {
    if (std::ranges::find(ids, id) == ids.end()) {
      ids.emplace_back(id);
    }
  };
  for (const std::string& word : comma_separated(words)) {
    bool is_known = word.empty();
    for (const CublasSeries& series : kSeries) {
      if (word == series.word || word == "all") {
        add(series.id);
        is_known = true;
      }
    }
    if (!is_known) {
      return fail(tr("--cublas {}: '{}' is not a cuBLAS mode. Choose from: {}.", words, word,
                     fmt::join(cublas_words(), ", ")));
    }
  }
  return ids;
}

}  // namespace tilestep::timing
