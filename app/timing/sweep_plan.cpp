#include "timing/sweep_plan.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace tilestep::timing {
namespace {

Result<void> check_plan(const SweepPlan& plan) {
  if (plan.samples < kFewestSamples) {
    return fail(
        tr("{} samples are too few for quartiles. Take {} or more.", plan.samples, kFewestSamples));
  }
  for (const problem::Problem& p : plan.problems) {
    if (p.M < 1 || p.N < 1 || p.K < 1) {
      return fail(tr("Size {}×{}×{}: every size must be 1 or more.", p.M, p.N, p.K));
    }
  }
  for (const int block_size : plan.block_sizes) {
    if (block_size < 1 || block_size > problem::kLargestBlockSize) {
      return fail(tr("BLOCK_SIZE {0}: choose 1 to {1} ({1}×{1} is a block's limit of 1024).",
                     block_size, problem::kLargestBlockSize));
    }
  }
  const Shard& shard = plan.shard;
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    return fail(tr("Shard {}/{}: choose 0 to {} of {}.", shard.index, shard.count, shard.count - 1,
                   shard.count));
  }
  return {};
}

bool contains(const std::vector<Point>& points, const Workload& work) {
  const Point wanted = work.point();
  return std::any_of(points.begin(), points.end(), [&](const Point& point) {
    return point.kernel == wanted.kernel && point.problem == wanted.problem &&
           point.block_size == wanted.block_size;
  });
}

// Fisher and Yates' shuffle; std::shuffle draws differently from one library to another.
void shuffle(std::vector<Workload>& works, std::mt19937& random) {
  for (std::size_t left = works.size(); left > 1; --left) {
    std::swap(works[left - 1], works[random() % left]);
  }
}

Result<std::vector<Workload>> workloads_of(const SweepPlan& plan, problem::Problem problem,
                                           const problem::Catalog& catalog, PlanSpecs& specs,
                                           bool has_cublas) {
  std::vector<Workload> here;
  if (plan.cublas && has_cublas) {
    here.push_back({&specs.cublas(kCublas), {problem, 1}});
  }
  for (const std::string& id : plan.more_cublas) {
    if (has_cublas) {
      here.push_back({&specs.cublas(id), {problem, 1}});
    }
  }
  for (const std::string& id : plan.kernels) {
    if (id == problem::kBestBySize) {
      std::string launched;
      const auto spec = specs.best(catalog, problem, launched);
      if (!spec) {
        return tl::unexpected(spec.error());
      }
      here.push_back({*spec, {problem, 1}, launched});
      continue;
    }
    const problem::LaunchSpec* spec = catalog.find(id);
    if (spec == nullptr) {
      return fail(tr("'{}' is not in the catalog. Choose one of its kernels.", id));
    }
    for (const int block_size : plan.block_sizes) {
      here.push_back({spec, {problem, block_size}});
      if (!spec->uses_block_size) {
        break;
      }
    }
  }
  return here;
}

}  // namespace

const problem::LaunchSpec& PlanSpecs::cublas(const std::string& id) {
  problem::LaunchSpec& spec = specs_[id];
  spec.id = id;
  spec.uses_block_size = false;
  spec.buffers = {
      {"A", problem::ElementType::F32, "M", "K", "", problem::BufferRole::Input, {}, {}},
      {"B", problem::ElementType::F32, "K", "N", "", problem::BufferRole::Input, {}, {}},
      {"C", problem::ElementType::F32, "M", "N", "", problem::BufferRole::Output, {}, {}}};
  return spec;
}

Result<const problem::LaunchSpec*> PlanSpecs::best(const problem::Catalog& catalog,
                                                   problem::Problem problem,
                                                   std::string& launched) {
  const Result<problem::Best> best = problem::best_for(catalog, problem);
  if (!best) {
    return tl::unexpected(best.error());
  }
  launched = best->spec->id;
  problem::LaunchSpec& spec = specs_[launched];
  spec = *best->spec;
  spec.id = problem::kBestBySize;
  return &spec;
}

Point Workload::point() const {
  Point point;
  point.kernel = spec->id;
  point.problem = parameters.problem;
  point.block_size = spec->uses_block_size ? parameters.block_size : 0;
  point.launched = launched;
  return point;
}

std::string Workload::name() const {
  const problem::Problem& p = parameters.problem;
  std::string text = p.M == p.N && p.N == p.K
                         ? fmt::format("{}, {}", spec->id, p.M)
                         : fmt::format("{}, {}×{}×{}", spec->id, p.M, p.N, p.K);
  if (!launched.empty()) {
    text += fmt::format(" ({})", launched);
  }
  if (spec->uses_block_size) {
    text += fmt::format(", BLOCK_SIZE {}", parameters.block_size);
  }
  return text;
}

Result<std::vector<Workload>> workloads(const SweepPlan& plan, const problem::Catalog& catalog,
                                        PlanSpecs& specs, bool has_cublas) {
  if (const Result<void> valid = check_plan(plan); !valid) {
    return tl::unexpected(valid.error());
  }
  std::vector<Workload> all;
  std::mt19937 random(plan.order_seed);
  int number = 0;
  for (const problem::Problem& problem : plan.problems) {
    const auto here = workloads_of(plan, problem, catalog, specs, has_cublas);
    if (!here) {
      return here;
    }
    std::vector<Workload> mine;
    for (const Workload& work : *here) {
      if (number++ % plan.shard.count == plan.shard.index && !contains(plan.measured, work) &&
          !contains(plan.skipped, work)) {
        mine.push_back(work);
      }
    }
    if (plan.order_seed != 0) {
      shuffle(mine, random);
    }
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

}  // namespace tilestep::timing
