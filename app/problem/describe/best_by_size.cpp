#include "problem/describe/best_by_size.h"

#include "problem/describe/catalog.h"
#include "problem/describe/toml_reader.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <tuple>

namespace tilestep::problem {
namespace {

constexpr const char* kFormat = "tilestep-best";
constexpr std::int64_t kVersion = 1;

class BestReader {
 public:
  explicit BestReader(const std::string& file) : reader_(file) {}

  BestTable read(const toml::table& root);
  [[nodiscard]] const std::optional<Error>& error() const { return reader_.error(); }

 private:
  Winner read_winner(const toml::table& table);
  int whole(const toml::table& table, std::string_view key, int least);
  double milliseconds(const toml::table& table, std::string_view key);

  TomlReader reader_;
};

int BestReader::whole(const toml::table& table, std::string_view key, int least) {
  const std::int64_t value = reader_.integer(table, key, least - 1);
  if (value < least || value > std::numeric_limits<int>::max()) {
    reader_.note(table.contains(key) ? *table.get(key) : table,
                 tr("{} must be an integer of at least {}.", key, least));
    return least;
  }
  return static_cast<int>(value);
}

// A time that is present must be positive and finite.
double BestReader::milliseconds(const toml::table& table, std::string_view key) {
  const double value = reader_.real(table, key, 0.0);
  if (table.contains(key) && !(value > 0.0 && std::isfinite(value))) {
    reader_.note(*table.get(key), tr("{} must be a number of milliseconds above 0.", key));
  }
  return value;
}

Winner BestReader::read_winner(const toml::table& table) {
  reader_.expect_keys(table, {"problem", "kernel", "values", "median_ms", "q1_ms", "q3_ms",
                              "cublas_ms", "runner_up", "runner_up_ms"});
  Winner winner;
  const toml::node* const sizes = table.get("problem");
  if (sizes == nullptr) {
    reader_.note(table,
                 tr("`problem` is missing. Add {}.", "problem = { M = 512, N = 512, K = 512 }"));
  } else if (const toml::table* const found = reader_.table_of(*sizes, "problem")) {
    reader_.expect_keys(*found, {"M", "N", "K"});
    winner.problem = {whole(*found, "M", 1), whole(*found, "N", 1), whole(*found, "K", 1)};
  }
  winner.kernel = reader_.required_string(table, "kernel");
  if (const toml::node* const node = table.get("values")) {
    if (const toml::table* const values = reader_.table_of(*node, "values")) {
      for (const auto& [name, value] : in_file_order(*values)) {
        const bool is_name = std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '_';
        });
        if (!is_name || name.empty()) {
          reader_.note(
              *value,
              tr("'{}' is not a valid name for a value. Use only letters, digits and _.", name));
        }
        winner.values.emplace_back(name, whole(*values, name, 1));
      }
    }
  }
  winner.median_ms = milliseconds(table, "median_ms");
  winner.q1_ms = milliseconds(table, "q1_ms");
  winner.q3_ms = milliseconds(table, "q3_ms");
  winner.cublas_ms = milliseconds(table, "cublas_ms");
  winner.runner_up = reader_.string(table, "runner_up");
  winner.runner_up_ms = milliseconds(table, "runner_up_ms");
  const bool is_in_order =
      winner.q1_ms <= winner.median_ms && winner.median_ms <= winner.q3_ms && winner.q1_ms > 0.0;
  if (!is_in_order) {
    reader_.note(table, tr("q1_ms, median_ms and q3_ms must be given, in non-decreasing order."));
  }
  return winner;
}

BestTable BestReader::read(const toml::table& root) {
  reader_.expect_keys(
      root, {"format", "version", "gpu", "driver", "cuda", "cublas", "date", "sm_clock_mhz",
             "memory_clock_mhz", "max_sm_clock_mhz", "method", "winner"});
  if (reader_.required_string(root, "format") != kFormat) {
    reader_.note(root, tr("`format` must be \"{}\".", kFormat));
  }
  if (const std::int64_t version = reader_.integer(root, "version", 0);
      version < 1 || version > kVersion) {
    reader_.note(root,
                 tr("`version` is {}, but this Tilestep reads versions up to {}. Update Tilestep.",
                    version, kVersion));
  }
  BestTable table;
  table.gpu = reader_.required_string(root, "gpu");
  table.driver = reader_.required_string(root, "driver");
  table.cuda = reader_.required_string(root, "cuda");
  table.cublas = reader_.string(root, "cublas");
  table.date = reader_.required_string(root, "date");
  table.sm_clock_mhz = whole(root, "sm_clock_mhz", 0);
  table.memory_clock_mhz = whole(root, "memory_clock_mhz", 0);
  table.max_sm_clock_mhz = whole(root, "max_sm_clock_mhz", 0);
  table.method = reader_.required_string(root, "method");
  for (const toml::table* const one : reader_.tables(root, "winner")) {
    const Winner winner = read_winner(*one);
    const auto is_same = [&](const Winner& other) { return other.problem == winner.problem; };
    if (std::any_of(table.winners.begin(), table.winners.end(), is_same)) {
      reader_.note(*one, tr("duplicate size {}×{}×{}. Keep one of the two.", winner.problem.M,
                            winner.problem.N, winner.problem.K));
    }
    table.winners.push_back(winner);
  }
  std::stable_sort(table.winners.begin(), table.winners.end(),
                   [](const Winner& a, const Winner& b) {
                     return std::tie(a.problem.M, a.problem.N, a.problem.K) <
                            std::tie(b.problem.M, b.problem.N, b.problem.K);
                   });
  return table;
}

std::string values_text(const std::vector<std::pair<std::string, std::int64_t>>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::string winner_text(const Winner& winner) {
  const Problem& p = winner.problem;
  std::string text =
      fmt::format("\n[[winner]]\nproblem = {{ M = {}, N = {}, K = {} }}\nkernel = {}\n", p.M, p.N,
                  p.K, toml_quoted(winner.kernel));
  if (!winner.values.empty()) {
    text += fmt::format("values = {{ {} }}\n", values_text(winner.values));
  }
  text += fmt::format("median_ms = {:.6g}\nq1_ms = {:.6g}\nq3_ms = {:.6g}\n", winner.median_ms,
                      winner.q1_ms, winner.q3_ms);
  if (winner.cublas_ms > 0.0) {
    text += fmt::format("cublas_ms = {:.6g}\n", winner.cublas_ms);
  }
  if (!winner.runner_up.empty()) {
    text += fmt::format("runner_up = {}\nrunner_up_ms = {:.6g}\n", toml_quoted(winner.runner_up),
                        winner.runner_up_ms);
  }
  return text;
}

std::string size_text(const Problem& p) {
  return fmt::format("{}×{}×{}", p.M, p.N, p.K);
}

// "sliced_k with BM = 64, BN = 128"
std::string kernel_words(const LaunchSpec& spec) {
  const std::string id = spec.id.substr(0, spec.id.find(':'));
  return spec.values.empty() ? id : tr("{} with {}", id, values_text(spec.values));
}

}  // namespace

Result<BestTable> parse_best(const std::string& toml_text, const std::string& name) {
  const Result<toml::table> root = parse_toml(toml_text, name);
  TILESTEP_RETURN_IF_ERROR(root);
  BestReader reader(name);
  BestTable table = reader.read(*root);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return table;
}

std::string to_toml(const BestTable& table) {
  std::string text = fmt::format(
      "# Written by `tilestep tune`: what is fastest at each size (docs/formats/winners.md).\n"
      "format = \"{}\"\nversion = {}\ngpu = {}\ndriver = {}\ncuda = {}\ncublas = {}\ndate = {}\n"
      "sm_clock_mhz = {}\nmemory_clock_mhz = {}\nmax_sm_clock_mhz = {}\nmethod = {}\n",
      kFormat, kVersion, toml_quoted(table.gpu), toml_quoted(table.driver), toml_quoted(table.cuda),
      toml_quoted(table.cublas), toml_quoted(table.date), table.sm_clock_mhz,
      table.memory_clock_mhz, table.max_sm_clock_mhz, toml_quoted(table.method));
  for (const Winner& winner : table.winners) {
    text += winner_text(winner);
  }
  return text;
}

const Winner* nearest_winner(const BestTable& table, Problem wanted) {
  const auto apart = [](int a, int b) { return std::fabs(std::log2(1.0 * a / b)); };
  const Winner* nearest = nullptr;
  double least = 0.0;
  for (const Winner& winner : table.winners) {
    const Problem& p = winner.problem;
    const double distance = apart(wanted.M, p.M) + apart(wanted.N, p.N) + apart(wanted.K, p.K);
    if (nearest == nullptr || distance < least) {
      nearest = &winner;
      least = distance;
    }
  }
  return nearest;
}

Result<void> check_winners(const Catalog& catalog, const std::string& name) {
  for (const Winner& winner : catalog.best.winners) {
    const LaunchSpec* const spec = catalog.find(winner.kernel);
    if (spec == nullptr) {
      return fail(
          tr("{}: the winner at {} is '{}', which is not in the catalog. Measure again with "
             "`tilestep tune`.",
             name, size_text(winner.problem), winner.kernel));
    }
    if (spec->values != winner.values) {
      return fail(
          tr("{}: the winner at {} was measured with {}, but {} has {} in the catalog. "
             "Measure again with `tilestep tune`.",
             name, size_text(winner.problem), values_text(winner.values), winner.kernel,
             values_text(spec->values)));
    }
  }
  return {};
}

Result<Best> best_for(const Catalog& catalog, Problem wanted) {
  const Winner* const winner = nearest_winner(catalog.best, wanted);
  if (winner == nullptr) {
    return fail(
        tr("best_by_size has no table of winners. Record one on a GPU with `tilestep tune "
           "--table`."));
  }
  return Best{catalog.find(winner->kernel), winner};
}

std::string explanation(const Best& best, const BestTable& table, Problem wanted) {
  const Winner& winner = *best.winner;
  const Problem& p = winner.problem;
  const double tera = 2.0 * p.M * p.N * p.K / (winner.median_ms * 1e9);
  const std::string speed = winner.cublas_ms > 0.0 ? tr("{:.1f} TFLOP/s, {:.1f}% of cuBLAS", tera,
                                                        100.0 * winner.cublas_ms / winner.median_ms)
                                                   : tr("{:.1f} TFLOP/s", tera);
  const std::string date = table.date.substr(0, 10);
  return p == wanted ? tr("best_by_size at {} uses {}: {} ({}, {}).", size_text(wanted),
                          kernel_words(*best.spec), speed, table.gpu, date)
                     : tr("best_by_size at {} uses {}, which won at {}, the nearest recorded size, "
                          "with {} ({}, {}).",
                          size_text(wanted), kernel_words(*best.spec), size_text(p), speed,
                          table.gpu, date);
}

}  // namespace tilestep::problem
