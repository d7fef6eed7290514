#include "cli/sweeps.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <future>
#include <numeric>

namespace tilestep::cli {

namespace {

void print_progress(const timing::Progress& progress, const timing::Point& point) {
  const timing::Statistics& s = point.samples_ms.statistics();
  std::string text;
  if (s.samples > 0) {
    text = tr("{:.4g} ms, {:.0f} GFLOP/s", s.median_ms, timing::gflops(point.problem, s.median_ms));
  }
  if (!point.note.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", timing::told_note(point.note));
  }
  fmt::print(stderr, "[{}/{}] {}: {}\n", progress.done, progress.total, progress.current, text);
}

}  // namespace

Result<Devices> open_devices(const std::string& list) {
  std::vector<int> ordinals;
  if (list == "all") {
    const Result<int> count = gpu::Device::count();
    if (!count) {
      return tl::unexpected(count.error());
    }
    ordinals.resize(static_cast<std::size_t>(*count));
    std::iota(ordinals.begin(), ordinals.end(), 0);
  } else {
    for (const std::string& word : comma_separated(list)) {
      const char* const end = word.data() + word.size();
      const auto [rest, bad] = std::from_chars(word.data(), end, ordinals.emplace_back());
      if (bad != std::errc() || rest != end) {
        return fail(tr("--devices {}: '{}' is no number; write 0,1 or all.", list, word));
      }
    }
  }
  Devices devices;
  for (const int ordinal : ordinals) {
    auto device = gpu::Device::open(gpu::default_libraries(), ordinal);
    if (!device) {
      return tl::unexpected(device.error());
    }
    devices.push_back(std::move(*device));
  }
  return devices;
}

timing::SweepPlan Sweeps::part_of_plan(std::size_t part, std::size_t parts) const {
  timing::SweepPlan plan = plan_;
  const int count = static_cast<int>(parts);
  plan.shard = {plan_.shard.index + plan_.shard.count * static_cast<int>(part),
                plan_.shard.count * count};
  if (part != 0) {  // the first part takes over what was measured before
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
