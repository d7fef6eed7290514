// tilestep bench: measure kernels on the GPU and write a data set.
#include "cli/bench_command.h"

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/number_list.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "cli/sweeps.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

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
  const double median = point->samples_ms.statistics().median_ms;
  const std::string speed =
      fmt::format("{:.0f}{}", timing::gflops(point->problem, median), point->verified ? "" : "?");
  if (cublas == nullptr || cublas->samples_ms.empty() || point == cublas) {
    return speed;
  }
  return fmt::format("{} {:5.1f} %", speed,
                     100.0 * cublas->samples_ms.statistics().median_ms / median);
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
  return text + "\n";
}

// Takes over the points of an earlier run of the same file, when it was made on this GPU.
Result<void> resume(const BenchOptions& options, const gpu::Device& device,
                    timing::SweepPlan& plan) {
  if (!options.resume || !std::filesystem::exists(options.out)) {
    return {};
  }
  Result<timing::DataSet> earlier = timing::load_dataset(options.out);
  if (!earlier) {
    return tl::unexpected(earlier.error());
  }
  const gpu::DeviceInfo& info = device.info();
  if (earlier->provenance.gpu != info.name || earlier->provenance.driver != info.driver_version) {
    return fail(
        tr("{} was measured on {} with driver {}; this GPU is {} with driver {}. Choose "
           "another file with --out.",
           options.out, earlier->provenance.gpu, earlier->provenance.driver, info.name,
           info.driver_version));
  }
  plan.measured = std::move(earlier->points);
  plan.measured_memory_clock_mhz = earlier->provenance.memory_clock_mhz;
  return {};
}

int finish(const BenchOptions& options, const timing::DataSet& data, bool cancelled) {
  if (!options.out.empty()) {
    if (const Result<void> saved = timing::save_dataset(data, options.out); !saved) {
      return wrong_use(saved.error());
    }
    fmt::print(stderr, "{}", tr("Written: {}, {} points\n", options.out, data.points.size()));
  }
  if (options.as_json) {
    fmt::print("{}", timing::to_json(data));
  } else {
    say("{}", summary(data));
  }
  if (cancelled) {
    fmt::print(stderr, "{}\n",
               options.out.empty()
                   ? tr("Interrupted after {} points.", data.points.size())
                   : tr("Interrupted after {} points; the same command with --resume continues.",
                        data.points.size()));
  }
  const bool all_right = std::all_of(
      data.points.begin(), data.points.end(),
      [](const timing::Point& point) { return point.samples_ms.empty() || point.verified; });
  return cancelled || !all_right ? kIncomplete : 0;
}

int bench(const BenchOptions& options, Context& context) {
  const Interrupt interrupt;
  const auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  auto plan = make_plan(options, *catalog);
  if (!plan) {
    return wrong_use(plan.error());
  }
  try {
    const auto devices = open_devices(options.devices);
    if (!devices) {
      return wrong_use(devices.error());
    }
    if (const Result<void> resumed = resume(options, *devices->front(), *plan); !resumed) {
      return wrong_use(resumed.error());
    }
    const std::string why_not = devices->front()->why_no_cublas();
    if ((plan->cublas || plan->cublas_tf32) && !why_not.empty()) {
      fmt::print(stderr, "{}\n", tr("Without cuBLAS: {}", why_not));
    }
    Sweeps sweeps(*plan, *catalog, context.compiler, options.out, interrupt.cancelled());
    std::string problem;
    const timing::DataSet data = sweeps.run(*devices, problem);
    if (!problem.empty()) {
      static_cast<void>(wrong_use({problem}));
      return data.points.empty() ? kNoGpu : finish(options, data, true);
    }
    return finish(options, data, interrupt.cancelled());
  } catch (const gpu::GpuError& error) {
    return wrong_use({error.what()});
  }
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
  command.add_option("--kernels", options.kernels,
                     "Catalog ids, comma-separated (default: those the catalog marks for timing)");
  command
      .add_option("--sizes", options.sizes,
                  "Problem sizes, comma-separated: N for M = N = K, or MxNxK")
      ->capture_default_str();
  command
      .add_option("--block-sizes", options.block_sizes,
                  "Values of BLOCK_SIZE, for example 1..8,16,32")
      ->capture_default_str();
  command.add_option("--samples", options.samples, "Timed launches per point, at least 20")
      ->capture_default_str();
  command
      .add_option("--seconds", options.seconds_per_point,
                  "Sampling time per point in seconds; slow launches get fewer samples (at least "
                  "3) and a note")
      ->capture_default_str();
  command
      .add_option("--time-limit", options.time_limit,
                  "Limit for one launch in seconds; a longer launch ends the sweep")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--out", options.out, "Write the data set to this file");
  command.add_flag("--resume", options.resume,
                   "Keep the points in --out; measure only the missing ones");
  command.add_flag("--time-wrong", options.time_wrong,
                   "Also time kernels with a wrong result; the data set marks them");
  command.add_flag("--tf32", options.tf32, "Also time cublasSgemm on tensor cores (TF32)");
  command.add_flag("--warm", options.warm, "Also take samples with a warm L2 cache");
  command
      .add_option("--order", options.order_seed, "Seed of the order within a size; 0: as listed")
      ->capture_default_str();
  command
      .add_option("--shard", options.shard,
                  "I/N: measure part I (from 0) of N, for several machines; `tilestep merge` joins "
                  "the files")
      ->capture_default_str();
  command
      .add_option("--devices", options.devices,
                  "GPUs of this host that share the work, for example 0,1 or all")
      ->capture_default_str();
  command.add_flag("--no-cublas", options.no_cublas, "Do not time cublasSgemm");
  command.add_flag("--json", options.as_json, "Print the data set as JSON");
}

}  // namespace

Result<timing::SweepPlan> make_plan(const BenchOptions& options, const problem::Catalog& catalog) {
  timing::SweepPlan plan;
  std::stringstream ids(options.kernels);
  for (std::string id; std::getline(ids, id, ',');) {
    if (catalog.find(id) == nullptr) {
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
  plan.cublas_tf32 = options.tf32;
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
