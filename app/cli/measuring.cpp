#include "cli/measuring.h"

#include "cli/prepare.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <future>
#include <numeric>

namespace tilestep::cli {
namespace {

// Takes over the points of an earlier run of the same file, if it was made on this GPU.
Result<void> resume(const BenchOptions& options, const gpu::Device& device,
                    timing::SweepPlan& plan) {
  if (!options.resume || !std::filesystem::exists(options.out)) {
    return {};
  }
  Result<timing::DataSet> earlier = timing::load_dataset(options.out);
  TILESTEP_RETURN_IF_ERROR(earlier);
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

void print_progress(const timing::Progress& progress, const timing::Point& point) {
  const timing::Statistics& s = point.samples_ms.statistics();
  std::string text;
  if (s.samples > 0) {
    text = tr("{:.4g} ms, {:.0f} GFLOP/s", s.median_ms, timing::gflops(point, s.median_ms));
  }
  if (!point.note.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", timing::translated_note(point.note));
  }
  fmt::print(stderr, "[{}/{}] {}: {}\n", progress.done, progress.total, progress.current, text);
}

// "0,1", or "all".
Result<Devices> open_devices(const std::string& list) {
  std::vector<int> ordinals;
  if (list == "all") {
    const Result<int> count = gpu::Device::count();
    TILESTEP_RETURN_IF_ERROR(count);
    ordinals.resize(static_cast<std::size_t>(*count));
    std::iota(ordinals.begin(), ordinals.end(), 0);
  } else {
    for (const std::string& word : comma_separated(list)) {
      const char* const end = word.data() + word.size();
      const auto [rest, bad] = std::from_chars(word.data(), end, ordinals.emplace_back());
      if (bad != std::errc() || rest != end) {
        return fail(
            tr("--devices {}: '{}' is not a number; write numbers, for example 0,1, or all.", list,
               word));
      }
    }
  }
  Devices devices;
  for (const int ordinal : ordinals) {
    auto device = gpu::Device::open(gpu::default_libraries(), ordinal);
    TILESTEP_RETURN_IF_ERROR(device);
    devices.push_back(std::move(*device));
  }
  return devices;
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
      .add_option("--order", options.order_seed,
                  "Seed for the order of the points of one size; 0: as listed")
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
    TILESTEP_RETURN_IF_ERROR(devices);
    TILESTEP_RETURN_IF_ERROR(resume(options, *devices->front(), plan));
    const std::string why_not = devices->front()->why_no_cublas();
    if ((plan.cublas || !plan.more_cublas.empty()) && !why_not.empty()) {
      fmt::print(stderr, "{}\n", tr("Without cuBLAS: {}", why_not));
    }
    Sweeps sweeps(plan, catalog, context.compiler, options.out, interrupt.cancelled());
    // A launch that takes too long is given up, but earlier measurements are kept.
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

timing::SweepPlan Sweeps::part_of_plan(std::size_t part, std::size_t parts) const {
  timing::SweepPlan plan = plan_;
  const int count = static_cast<int>(parts);
  plan.shard = {plan_.shard.index + plan_.shard.count * static_cast<int>(part),
                plan_.shard.count * count};
  if (part != 0) {  // the first part takes over earlier measurements
    plan.measured.clear();
    plan.skipped = plan_.measured;
  }
  return plan;
}

timing::DataSet Sweeps::run(const Devices& devices, std::string& problem) {
  parts_.resize(devices.size());
  std::vector<std::future<void>> running;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    running.push_back(std::async(std::launch::async, [this, i, &devices] {
      try {
        sweep(i, *devices[i], part_of_plan(i, devices.size()));
      } catch (const std::exception& error) {
        note(error.what());
      }
    }));
  }
  for (std::future<void>& part : running) {
    part.wait();
  }
  const std::lock_guard lock(mutex_);
  timing::DataSet data = together();
  problem = problem_;
  return data;
}

timing::DataSet Sweeps::so_far() {
  const std::lock_guard lock(mutex_);
  return parts_.empty() ? timing::DataSet{} : together();
}

void Sweeps::sweep(std::size_t part, gpu::Device& device, const timing::SweepPlan& plan) {
  timing::SweepHooks hooks;
  hooks.cancel = &cancel_;
  hooks.report = [this](const timing::Progress& progress, const timing::Point& point) {
    const std::lock_guard lock(mutex_);
    print_progress(progress, point);
    if (!out_.empty()) {
      if (const auto kept = file_.append(point); !kept) {
        problem_ = kept.error().message;
      }
    }
  };
  hooks.so_far = [this, part](const timing::DataSet& data) { keep(part, data); };
  auto outcome = timing::run_sweep(device, compiler_, catalog_, plan, hooks);
  if (!outcome) {
    note(outcome.error().message);
    return;
  }
  if (!outcome->gpu_lost.empty()) {
    note(outcome->gpu_lost);
  }
  const std::lock_guard lock(mutex_);
  parts_[part] = std::move(outcome->data);
}

void Sweeps::keep(std::size_t part, const timing::DataSet& data) {
  const std::lock_guard lock(mutex_);
  parts_[part] = data;
  if (out_.empty() || !file_.is_due()) {
    return;
  }
  if (const auto saved = file_.save(together()); !saved) {
    problem_ = saved.error().message;
  }
}

void Sweeps::note(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  problem_ = problem;
}

timing::DataSet Sweeps::together() {
  std::vector<timing::DataSet> parts;
  for (const timing::DataSet& part : parts_) {
    if (!part.points.empty()) {
      parts.push_back(part);
    }
  }
  if (parts.empty()) {
    return parts_.front();
  }
  auto all = timing::merge(parts, catalog_);
  if (!all) {
    problem_ = all.error().message;
    return parts.front();
  }
  return std::move(*all);
}

}  // namespace tilestep::cli
