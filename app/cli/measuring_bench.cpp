// tilestep bench, ceilings, merge and convert: measures, joins and converts data sets.
#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/ceilings.h"
#include "timing/dataset.h"
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

bool same_problem(const timing::Point& a, const timing::Point& b) {
  return a.problem == b.problem;
}

std::string cell(const timing::Point* point, const timing::Point* cublas) {
  if (point == nullptr || point->samples_ms.empty()) {
    return "–";
  }
  const double median = point->median_ms();
  const std::string speed =
      fmt::format("{:.0f}{}", timing::gflops(*point, median), point->verified ? "" : "?");
  if (cublas == nullptr || cublas->samples_ms.empty() || point == cublas) {
    return speed;
  }
  return fmt::format("{} {:5.1f}%", speed, 100.0 * cublas->median_ms() / median);
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
      text += tr("\nAt this size, {} launches {}", point.kernel, point.launched);
    }
  }
  return text + "\n";
}

Result<int> finish(const BenchOptions& options, const timing::DataSet& data, bool cancelled) {
  TILESTEP_RETURN_IF_ERROR(keep(options, data));
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

Result<int> bench(const BenchOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  auto plan = make_plan(options, *catalog);
  TILESTEP_RETURN_IF_ERROR(plan);
  const auto measured = measure(options, *plan, *catalog, context);
  TILESTEP_RETURN_IF_ERROR(measured);
  return finish(options, measured->data, !measured->is_whole);
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
                     tr("Also time cuBLAS in other modes, comma-separated: {}",
                        fmt::join(timing::cublas_words(), ", ")));
  command.add_flag("--tf32", options.tf32, "The same as --cublas tf32");
  command.add_flag("--warm", options.warm, "Also take samples with a warm L2 cache");
  command.add_flag("--no-cublas", options.no_cublas, "Do not time cublasSgemm");
  command.add_flag("--json", options.as_json, "Print the data set as JSON");
}

struct MergeOptions {
  std::vector<std::string> files;
  std::string out;
};

Result<int> merge_files(const MergeOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  std::vector<timing::DataSet> parts;
  for (const std::string& file : options.files) {
    auto part = timing::load_dataset(file);
    TILESTEP_RETURN_IF_ERROR(part);
    parts.push_back(std::move(*part));
  }
  const auto all = timing::merge(parts, *catalog);
  TILESTEP_RETURN_IF_ERROR(all);
  TILESTEP_RETURN_IF_ERROR(timing::save_dataset(*all, options.out));
  fmt::print(stderr, "{}", tr("Written: {}, {} points\n", options.out, all->points.size()));
  return 0;
}

struct ConvertOptions {
  std::string from;
  std::string to;
  timing::Provenance provenance;
};

bool is_csv(const std::string& file) {
  return std::filesystem::path(file).extension() == ".csv";
}

Result<timing::DataSet> read(const ConvertOptions& options) {
  if (!is_csv(options.from)) {
    return timing::load_dataset(options.from);
  }
  return problem::read_file(options.from).and_then([&](const std::string& text) {
    return timing::parse_csv(text, options.provenance, options.from);
  });
}

Result<int> convert(const ConvertOptions& options) {
  if (is_csv(options.from) && options.provenance.gpu.empty()) {
    return fail(tr("A CSV file does not name its GPU. Add --gpu NAME."));
  }
  const auto data = read(options);
  TILESTEP_RETURN_IF_ERROR(data);
  const Result<void> saved = is_csv(options.to)
                                 ? problem::write_file(options.to, timing::to_csv(*data))
                                 : timing::save_dataset(*data, options.to);
  TILESTEP_RETURN_IF_ERROR(saved);
  fmt::print(stderr, "{}", tr("Written: {}, {} points\n", options.to, data->points.size()));
  return 0;
}

struct CeilingsOptions {
  std::string add_to;
  int device = 0;
};

void print_copies(const timing::Ceilings& ceilings) {
  if (const auto& c = ceilings.copies) {
    say("copies of 64 MiB\n  pageable to device {:8.1f} GB/s\n  pageable to host   {:8.1f} GB/s\n  "
        "pinned to device   {:8.1f} GB/s\n  pinned to host     {:8.1f} GB/s\n",
        c->pageable_to_device_gb_s, c->pageable_to_host_gb_s, c->locked_to_device_gb_s,
        c->locked_to_host_gb_s);
  }
  fmt::print("cuMemAllocPitch\n");
  for (const timing::Pitch& pitch : ceilings.pitches) {
    say("  rows of {:6} bytes  {:6} apart\n", pitch.row_bytes, pitch.pitch_bytes);
  }
}

Result<int> measure(const CeilingsOptions& options, Context& context) {
  const auto source = problem::read_file(context.paths.kernels / "ceilings.cu");
  TILESTEP_RETURN_IF_ERROR(source);
  auto device = gpu::Device::open(gpu::default_libraries(), options.device);
  TILESTEP_RETURN_IF_ERROR(device);
  std::optional<timing::DataSet> data;
  if (!options.add_to.empty()) {
    auto loaded = timing::load_dataset(options.add_to);
    TILESTEP_RETURN_IF_ERROR(loaded);
    if (loaded->provenance.gpu != (*device)->info().name) {
      return fail(
          tr("--add {}: the data set was measured on {}; this GPU is {}. Choose a data set of this "
             "GPU.",
             options.add_to, loaded->provenance.gpu, (*device)->info().name));
    }
    data = std::move(*loaded);
  }
  const auto ceilings = timing::measure_ceilings(**device, context.compiler, *source);
  TILESTEP_RETURN_IF_ERROR(ceilings);
  say("{}, {} SMs\n  DRAM               {:8.0f} GB/s\n  L2                 {:8.0f} GB/s\n"
      "  shared memory      {:8.0f} GB/s\n  FFMA               {:8.0f} GFLOP/s\n",
      (*device)->info().name, ceilings->sms, ceilings->dram_gb_s, ceilings->l2_gb_s,
      ceilings->shared_gb_s, ceilings->ffma_gflops);
  print_copies(*ceilings);
  if (data) {
    data->provenance.ceilings = *ceilings;
    TILESTEP_RETURN_IF_ERROR(timing::save_dataset(*data, options.add_to));
  }
  return 0;
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
  TILESTEP_RETURN_IF_ERROR(problems);
  TILESTEP_RETURN_IF_ERROR(block_sizes);
  const auto shard = parse_shard(options.shard);
  TILESTEP_RETURN_IF_ERROR(shard);
  if (options.resume && options.out.empty()) {
    return fail(tr("--resume: no file to continue. Give one with --out."));
  }
  plan.problems = *problems;
  plan.block_sizes = *block_sizes;
  plan.samples = options.samples;
  plan.max_seconds_per_point = options.seconds_per_point;
  plan.time_limit_seconds = options.time_limit;
  plan.cublas = !options.no_cublas;
  auto more = timing::parse_cublas(options.cublas + (options.tf32 ? ",tf32" : ""));
  TILESTEP_RETURN_IF_ERROR(more);
  std::erase(*more, timing::kCublas);  // always measured, unless --no-cublas is given
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
  command->callback([options, &context] { context.status = status_of(bench(*options, context)); });
}

void add_merge(CLI::App& app, Context& context) {
  auto options = std::make_shared<MergeOptions>();
  auto* command = app.add_subcommand("merge", "Merge several timing data sets into one");
  command->add_option("files", options->files, "Data sets with the parts of one sweep")->required();
  command->add_option("--out", options->out, "The file to write")->required();
  command->footer(
      "Example:\n"
      "  tilestep merge part0.json part1.json --out h200.json\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback(
      [options, &context] { context.status = status_of(merge_files(*options, context)); });
}

void add_convert(CLI::App& app, Context& context) {
  auto options = std::make_shared<ConvertOptions>();
  auto* command = app.add_subcommand("convert", "Convert timings from CSV to a data set, or back");
  command->add_option("from", options->from, "Input: a .csv or .json file")->required();
  command->add_option("to", options->to, "Output: a .json or .csv file")->required();
  command->add_option("--gpu", options->provenance.gpu,
                      "GPU on which the CSV's timings were measured");
  command->add_option("--driver", options->provenance.driver,
                      "Driver version used for the timings");
  command->add_option("--cuda", options->provenance.cuda, "Compiler that built the timed kernels");
  command->add_option("--cublas", options->provenance.cublas,
                      "cuBLAS version used for the timings");
  command->add_option("--date", options->provenance.date, "Date, for example 2026-11-22T10:00:00Z");
  command->add_option("--method", options->provenance.method,
                      "How the timings were measured, in one sentence");
  command->footer(
      "A CSV file has the columns kernel, M, N, K (or size), block_size and ms, one sample per "
      "row.\nExample:\n  tilestep convert mine.csv mine.json --gpu \"NVIDIA L4\"\nExit status: 0 "
      "success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(convert(*options)); });
}

void add_ceilings(CLI::App& app, Context& context) {
  auto options = std::make_shared<CeilingsOptions>();
  auto* command = app.add_subcommand(
      "ceilings", "Measure this GPU's bandwidths and peak multiply-add rate, for the roofline");
  command->add_option("--add", options->add_to, "Add the results to this data set of the same GPU");
  command->add_option("--device", options->device, "Index of the GPU")
      ->check(CLI::NonNegativeNumber);
  command->footer(
      "Example:\n"
      "  tilestep ceilings --add mine.json\n"
      "Exit status: 0 success; 2 wrong use, or no GPU.");
  command->callback(
      [options, &context] { context.status = status_of(measure(*options, context)); });
}

}  // namespace tilestep::cli
