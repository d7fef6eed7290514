#include "cli/measuring.h"

#include "cli/interrupt.h"
#include "cli/prepare.h"
#include "cli/sweeps.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace tilestep::cli {
namespace {

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

}  // namespace

void add_measuring_options(CLI::App& command, BenchOptions& options) {
  command.add_option("--kernels", options.kernels,
                     "Catalog ids, comma-separated (default: those the catalog marks for timing)");
  command
      .add_option("--sizes", options.sizes,
                  "Problem sizes, comma-separated: N for M = N = K, or MxNxK")
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
}

Result<Measured> measure(const BenchOptions& options, timing::SweepPlan& plan,
                         const problem::Catalog& catalog, Context& context) {
  Interrupt interrupt;
  try {
    const auto devices = open_devices(options.devices);
    if (!devices) {
      return tl::unexpected(devices.error());
    }
    if (const Result<void> resumed = resume(options, *devices->front(), plan); !resumed) {
      return tl::unexpected(resumed.error());
    }
    const std::string why_not = devices->front()->why_no_cublas();
    if ((plan.cublas || !plan.more_cublas.empty()) && !why_not.empty()) {
      fmt::print(stderr, "{}\n", tr("Without cuBLAS: {}", why_not));
    }
    Sweeps sweeps(plan, catalog, context.compiler, options.out, interrupt.cancelled());
    // A launch that takes longer than the program may is given up, not what was measured before it.
    const auto save = [&] {
      const timing::DataSet data = sweeps.so_far();
      if (const auto kept = data.points.empty() ? Result<void>{} : keep(options, data); !kept) {
        static_cast<void>(wrong_use(kept.error()));
      }
      tell_interrupted(options, data);
    };
    std::string problem;
    timing::DataSet data;
    {
      const Interrupt::AtEnd saves(interrupt, save);
      data = sweeps.run(*devices, problem);
    }
    if (problem.empty()) {
      return Measured{std::move(data), !interrupt.cancelled()};
    }
    if (data.points.empty()) {
      return fail(problem);
    }
    static_cast<void>(wrong_use({problem}));
    return Measured{std::move(data), false};
  } catch (const gpu::GpuError& error) {
    return fail(error.what());
  }
}

Result<void> keep(const BenchOptions& options, const timing::DataSet& data) {
  if (options.out.empty()) {
    return {};
  }
  if (const Result<void> saved = timing::save_dataset(data, options.out); !saved) {
    return saved;
  }
  fmt::print(stderr, "{}", tr("Written: {}, {} points\n", options.out, data.points.size()));
  return {};
}

void tell_interrupted(const BenchOptions& options, const timing::DataSet& data) {
  fmt::print(stderr, "{}\n",
             options.out.empty()
                 ? tr("Interrupted after {} points.", data.points.size())
                 : tr("Interrupted after {} points; the same command with --resume continues.",
                      data.points.size()));
}

}  // namespace tilestep::cli
