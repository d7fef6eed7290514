// tilestep bench: measure kernels on the GPU and write a data set.
#include "cli/bench_command.h"

#include "cli/command.h"
#include "cli/measuring.h"
#include "cli/number_list.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

namespace tilestep::cli {

namespace {

constexpr int kIncomplete = 1;

bool same_problem(const timing::Point& a, const timing::Point& b) {
  return a.problem == b.problem;
}

std::string cell(const timing::Point* point, const timing::Point* cublas) {
  if (point == nullptr || point->samples_ms.empty()) {
    return "–";
  }
  const double median = point->median_ms();
  const std::string speed =
      fmt::format("{:.0f}{}", timing::gflops(point->problem, median), point->verified ? "" : "?");
  if (cublas == nullptr || cublas->samples_ms.empty() || point == cublas) {
    return speed;
  }
  return fmt::format("{} {:5.1f} %", speed, 100.0 * cublas->median_ms() / median);
}

std::string problem_table(const timing::DataSet& data, const problem::Problem& problem) {
  const timing::Point* cublas = data.find(timing::kCublas, problem, 0);
  std::vector<std::string> kernels = data.kernels();
  std::erase(kernels, timing::kCublas);
  std::set<int> block_sizes;
  for (const timing::Point& point : data.points) {
    if (point.problem == problem && point.kernel != timing::kCublas) {
      block_sizes.insert(point.block_size);
    }
  }
  std::string text = fmt::format("\n{}×{}×{}", problem.M, problem.N, problem.K);
  if (cublas != nullptr) {
    text += tr("   cuBLAS {} GFLOP/s", cell(cublas, cublas));
  }
  text += fmt::format("\n{:>10}", "BLOCK_SIZE");
  for (const std::string& kernel : kernels) {
    text += fmt::format(" {:>22}", kernel);
  }
  for (const int block_size : block_sizes) {
    text += fmt::format("\n{:>10}", block_size);
    for (const std::string& kernel : kernels) {
      text += fmt::format(" {:>22}", cell(data.find(kernel, problem, block_size), cublas));
    }
  }
  for (const timing::Point& point : data.points) {
    if (point.problem == problem && !point.launched.empty()) {
      text += tr("\n{} is {} here", point.kernel, point.launched);
    }
  }
  return text + "\n";
}

int finish(const BenchOptions& options, const timing::DataSet& data, bool cancelled) {
  if (const Result<void> kept = keep(options, data); !kept) {
    return wrong_use(kept.error());
  }
  if (options.as_json) {
    fmt::print("{}", timing::to_json(data));
  } else {
    say("{}", summary(data));
  }
  if (cancelled) {
    tell_interrupted(options, data);
  }
  const bool all_right = std::all_of(
      data.points.begin(), data.points.end(),
      [](const timing::Point& point) { return point.samples_ms.empty() || point.verified; });
  return cancelled || !all_right ? kIncomplete : 0;
}

int bench(const BenchOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  auto plan = make_plan(options, *catalog);
  if (!plan) {
    return wrong_use(plan.error());
  }
  const auto measured = measure(options, *plan, *catalog, context);
  return measured ? finish(options, measured->data, !measured->is_whole)
                  : wrong_use(measured.error());
}

Result<timing::Shard> parse_shard(const std::string& text) {
  timing::Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, bad_index] = std::from_chars(text.data(), end, shard.index);
  if (bad_index == std::errc() && slash != end && *slash == '/') {
    const auto [rest, bad_count] = std::from_chars(slash + 1, end, shard.count);
    if (bad_count == std::errc() && rest == end) {
      return shard;
    }
  }
  return fail(
      tr("--shard {}: write INDEX/COUNT, for example 0/4 for the first of four parts.", text));
}

void add_options(CLI::App& command, BenchOptions& options) {
  add_measuring_options(command, options);
  command
      .add_option("--block-sizes", options.block_sizes,
                  "Values of BLOCK_SIZE, for example 1..8,16,32")
      ->capture_default_str();
  command.add_flag("--time-wrong", options.time_wrong,
                   "Also time kernels with a wrong result; the data set marks them");
  command.add_option("--cublas", options.cublas,
                     tr("Also time cuBLAS computing in other ways, comma-separated: {}",
                        fmt::join(timing::cublas_words(), ", ")));
  command.add_flag("--tf32", options.tf32, "The same as --cublas tf32");
  command.add_flag("--warm", options.warm, "Also take samples with a warm L2 cache");
  command.add_flag("--no-cublas", options.no_cublas, "Do not time cublasSgemm");
  command.add_flag("--json", options.as_json, "Print the data set as JSON");
}

}  // namespace

Result<timing::SweepPlan> make_plan(const BenchOptions& options, const problem::Catalog& catalog) {
  timing::SweepPlan plan;
  for (const std::string& id : comma_separated(options.kernels)) {
    if (catalog.find(id) == nullptr && id != problem::kBestBySize) {
      return fail(tr("--kernels {}: '{}' is not in the catalog. Choose from: {}.", options.kernels,
                     id, [&] {
                       std::string all;
                       for (const auto& spec : catalog.kernels) {
                         all += (all.empty() ? "" : ", ") + spec.id;
                       }
                       return all;
                     }()));
    }
    plan.kernels.push_back(id);
  }
  if (plan.kernels.empty()) {
    plan.kernels = problem::timed_kernels(catalog);
  }
  const auto problems = parse_problem_list(options.sizes, "--sizes");
  const auto block_sizes = parse_number_list(options.block_sizes, "--block-sizes");
  if (!problems || !block_sizes) {
    return tl::unexpected(!problems ? problems.error() : block_sizes.error());
  }
  const auto shard = parse_shard(options.shard);
  if (!shard) {
    return tl::unexpected(shard.error());
  }
  if (options.resume && options.out.empty()) {
    return fail(tr("--resume: no file to continue. Name it with --out."));
  }
  plan.problems = *problems;
  plan.block_sizes = *block_sizes;
  plan.samples = options.samples;
  plan.max_seconds_per_point = options.seconds_per_point;
  plan.time_limit_seconds = options.time_limit;
  plan.cublas = !options.no_cublas;
  auto more = timing::parse_cublas(options.cublas + (options.tf32 ? ",tf32" : ""));
  if (!more) {
    return tl::unexpected(more.error());
  }
  std::erase(*more, timing::kCublas);  // measured anyway, unless --no-cublas says otherwise
  plan.more_cublas = std::move(*more);
  plan.warm = options.warm;
  plan.order_seed = options.order_seed;
  plan.shard = *shard;
  plan.time_wrong_results = options.time_wrong;
  return plan;
}

std::string summary(const timing::DataSet& data) {
  const timing::Provenance& p = data.provenance;
  std::string text = tr(
      "{}, driver {}, {}, cuBLAS {}, SM clock {} MHz\nMedian GFLOP/s, share of cuBLAS; ? marks a "
      "result that was not verified\n",
      p.gpu, p.driver, p.cuda, p.cublas.empty() ? "–" : p.cublas, p.sm_clock_mhz);
  std::vector<timing::Point> firsts;
  for (const timing::Point& point : data.points) {
    const bool seen = std::any_of(firsts.begin(), firsts.end(), [&](const timing::Point& first) {
      return same_problem(first, point);
    });
    if (!seen) {
      firsts.push_back(point);
      text += problem_table(data, point.problem);
    }
  }
  return text;
}

void add_bench(CLI::App& app, Context& context) {
  auto options = std::make_shared<BenchOptions>();
  auto* command = app.add_subcommand("bench", "Time kernels and cuBLAS on the GPU");
  add_options(*command, *options);
  command->footer(
      "Example:\n"
      "  tilestep bench --kernels naive,tiled --sizes 1024 --block-sizes 4,8,16,32\n"
      "  tilestep bench --out my_gpu.json       the whole sweep; Ctrl-C keeps the finished points\n"
      "Exit status: 0 success; 1 a wrong result, or interrupted; 2 wrong use, or no GPU.");
  command->callback([options, &context] { context.status = bench(*options, context); });
}

}  // namespace tilestep::cli
