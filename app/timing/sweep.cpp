#include "timing/sweep.h"

#include "loading/arguments.h"
#include "loading/loader.h"
#include "problem/launch/expected.h"
#include "problem/tr.h"
#include "timing/ceilings.h"
#include "timing/operands.h"
#include "timing/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>

namespace tilestep::timing {
namespace {

Result<void> check_plan(const SweepPlan& plan) {
  if (plan.samples < kFewestSamples) {
    return fail(tr("{} samples are too few for quartiles. Take at least {}.", plan.samples,
                   kFewestSamples));
  }
  for (const problem::Problem& p : plan.problems) {
    if (p.M < 1 || p.N < 1 || p.K < 1) {
      return fail(tr("Size {}×{}×{}: every size must be at least 1.", p.M, p.N, p.K));
    }
  }
  for (const int block_size : plan.block_sizes) {
    if (block_size < 1 || block_size > problem::kLargestBlockSize) {
      return fail(tr("BLOCK_SIZE {0}: choose 1 to {1} ({1}×{1} = 1024 threads, a block's limit).",
                     block_size, problem::kLargestBlockSize));
    }
  }
  const Shard& shard = plan.shard;
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    return fail(tr("Shard {}/{}: choose an index from 0 to {}; there are {} shards.", shard.index,
                   shard.count, shard.count - 1, shard.count));
  }
  return {};
}

bool contains(const std::vector<Point>& points, const Workload& work) {
  const Point wanted = work.point();
  return std::ranges::any_of(points, [&](const Point& point) {
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

class Sweep {
 public:
  Sweep(gpu::Device& device, compile::Compiler& compiler, const problem::Catalog& catalog,
        const SweepPlan& plan, const SweepHooks& hooks)
      : device_(device), compiler_(compiler), catalog_(catalog), plan_(plan), hooks_(hooks) {
    if (plan.measured_memory_clock_mhz > 0) {
      memory_clocks_.push_back(plan.measured_memory_clock_mhz);
    }
  }

  Result<SweepOutcome> run();

 private:
  // Empty if it was cancelled in between.
  [[nodiscard]] std::optional<Point> measure(const Workload& work);
  [[nodiscard]] std::optional<Point> measure_kernel(const Workload& work);
  [[nodiscard]] std::optional<Point> measure_cublas(const Workload& work);
  [[nodiscard]] Result<std::shared_ptr<const gpu::LoadedKernel>> load(
      const loading::Kernel& kernel);
  [[nodiscard]] Result<Operands*> operands_for(const Workload& work, const problem::Launch& shape);
  [[nodiscard]] Provenance provenance(const std::vector<Point>& points) const;
  void finish(DataSet& data) const;
  [[nodiscard]] bool cancelled() const { return hooks_.cancel != nullptr && hooks_.cancel->load(); }

  gpu::Device& device_;
  compile::Compiler& compiler_;
  const problem::Catalog& catalog_;
  const SweepPlan& plan_;
  const SweepHooks& hooks_;
  PlanSpecs specs_;
  std::optional<Operands> operands_;
  std::optional<DriftReference> reference_;
  // By PTX: the driver compiles a kernel once for all sizes.
  std::map<std::string, std::shared_ptr<const gpu::LoadedKernel>> loaded_;
  // Read once: the provenance is created after every point.
  const std::string host_ = host_description();
  // Start of the sweep: a live data set is named after it.
  const std::string date_ = utc_now();
  std::string compiler_name_;
  std::vector<int> memory_clocks_;
  std::string gpu_lost_;
};

Result<std::shared_ptr<const gpu::LoadedKernel>> Sweep::load(const loading::Kernel& kernel) {
  std::shared_ptr<const gpu::LoadedKernel>& known = loaded_[kernel.output.ptx];
  if (known == nullptr) {
    Result<gpu::LoadedKernel> code = device_.load(kernel.output.ptx, kernel.output.entry);
    if (!code) {
      return tl::unexpected(code.error());
    }
    known = std::make_shared<const gpu::LoadedKernel>(std::move(*code));
  }
  return known;
}

Result<Operands*> Sweep::operands_for(const Workload& work, const problem::Launch& shape) {
  if (!operands_ || !operands_->fit(*work.spec, shape)) {
    operands_.reset();  // frees the old ones first: both might not fit into device memory
    Result<Operands> made = Operands::make(device_, *work.spec, work.parameters);
    if (!made) {
      return tl::unexpected(made.error());
    }
    operands_.emplace(std::move(*made));
  }
  return &*operands_;
}

std::optional<Point> Sweep::measure_kernel(const Workload& work) {
  Point point = work.point();
  const auto give_up = [&point](const Error& error) {
    point.note = error.message;
    return point;
  };
  const Result<problem::Launch> shape = problem::evaluate_shape(*work.spec, work.parameters);
  if (!shape) {
    return give_up(shape.error());
  }
  if (!shape->not_on_gpu.empty()) {
    return give_up({shape->not_on_gpu.front()});
  }
  const auto kernel = loading::load_kernel(compiler_, *shape, compile::Build::Fast);
  if (!kernel) {
    return give_up(kernel.error().error);
  }
  compiler_name_ = kernel->output.compiler;
  const auto loaded = load(*kernel);
  if (!loaded) {
    return give_up(loaded.error());
  }
  const gpu::LoadedKernel& code = **loaded;
  const Result<Operands*> operands = operands_for(work, *shape);
  if (!operands) {
    return give_up(operands.error());
  }
  const Result<std::vector<std::byte>> arguments = loading::pack_arguments(
      *kernel, *shape, (*operands)->addresses(), device_.tensor_map_maker());
  if (!arguments) {
    return give_up(arguments.error());
  }
  const double flops = problem::needed_flops(*work.spec, *shape);
  const auto& [M, N, K] = point.problem;
  point.flops = flops == 2.0 * M * N * K ? 0.0 : flops;
  point.registers = code.resources().registers;
  point.shared_bytes =
      code.resources().static_shared_bytes + static_cast<int>(shape->dynamic_shared_bytes);
  const gpu::LaunchShape launch{shape->grid, shape->block, shape->dynamic_shared_bytes};
  return sample(
      plan_, **operands,
      [&](const gpu::TimeOptions& options) {
        return device_.time(code, launch, *arguments, options);
      },
      hooks_.cancel, std::move(point), memory_clocks_);
}

std::optional<Point> Sweep::measure_cublas(const Workload& work) {
  Point point = work.point();
  const Result<problem::Launch> shape = problem::evaluate_shape(*work.spec, work.parameters);
  if (!shape) {
    point.note = shape.error().message;
    return point;
  }
  const Result<Operands*> operands = operands_for(work, *shape);
  if (!operands) {
    point.note = operands.error().message;
    return point;
  }
  const gpu::Math math = find_cublas(work.spec->id)->math;
  const gpu::SgemmOperands matrices{work.parameters.problem, (*operands)->address("A"),
                                    (*operands)->address("B"), (*operands)->address("C"), math};
  return sample(
      plan_, **operands,
      [&](const gpu::TimeOptions& options) { return device_.time_sgemm(matrices, options); },
      hooks_.cancel, std::move(point), memory_clocks_);
}

std::optional<Point> Sweep::measure(const Workload& work) {
  try {
    const double reference_ms = reference_ ? round_sample(reference_->time()) : 0.0;
    std::optional<Point> point = work.is_cublas() ? measure_cublas(work) : measure_kernel(work);
    if (point && !point->samples_ms.empty()) {
      point->reference_ms = reference_ms;
    }
    return point;
  } catch (const gpu::GpuError& error) {
    Point point = work.point();
    point.note = error.what();
    if (error.context_lost()) {
      gpu_lost_ = fmt::format("{}: {}", work.name(), error.what());
    }
    return point;
  }
}

Provenance Sweep::provenance(const std::vector<Point>& points) const {
  std::vector<int> sm_clocks;
  for (const Point& point : points) {
    if (point.sm_clock_mhz > 0) {
      sm_clocks.push_back(point.sm_clock_mhz);
    }
  }
  const gpu::DeviceInfo& info = device_.info();
  Provenance p;
  p.gpu = info.name;
  p.driver = info.driver_version;
  p.cuda = compiler_name_;
  p.cublas = device_.cublas_version();
  p.date = date_;
  p.host = host_;
  p.sm_clock_mhz = median(std::move(sm_clocks));
  p.memory_clock_mhz = median(memory_clocks_);
  p.max_sm_clock_mhz = info.max_sm_clock_mhz;
  p.method = method(plan_);
  return p;
}

Result<SweepOutcome> Sweep::run() {
  const Result<std::vector<Workload>> all =
      workloads(plan_, catalog_, specs_,
                (plan_.cublas || !plan_.more_cublas.empty()) && device_.has_cublas());
  if (!all) {
    return tl::unexpected(all.error());
  }
  device_.set_time_limit(std::chrono::milliseconds(
      static_cast<std::chrono::milliseconds::rep>(plan_.time_limit_seconds * 1e3)));
  if (plan_.reference && !all->empty()) {
    reference_ = DriftReference::make(device_, compiler_, catalog_);
  }
  DataSet data;
  data.points = plan_.measured;  // all of them, first: cancelling loses none
  Progress progress{0, all->size(), {}};
  for (const Workload& work : *all) {
    if (cancelled() || !gpu_lost_.empty()) {
      break;
    }
    progress.current = work.name();
    std::optional<Point> point = measure(work);
    if (!point) {
      break;
    }
    data.points.push_back(std::move(*point));
    ++progress.done;
    if (hooks_.report) {
      hooks_.report(progress, data.points.back());
    }
    if (hooks_.so_far) {
      finish(data);
      hooks_.so_far(data);
    }
  }
  operands_.reset();
  finish(data);
  return SweepOutcome{std::move(data), gpu_lost_};
}

void Sweep::finish(DataSet& data) const {
  sort_points(data.points, catalog_);
  data.provenance = provenance(data.points);
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

Result<SweepOutcome> run_sweep(gpu::Device& device, compile::Compiler& compiler,
                               const problem::Catalog& catalog, const SweepPlan& plan,
                               const SweepHooks& hooks) {
  return Sweep(device, compiler, catalog, plan, hooks).run();
}

}  // namespace tilestep::timing
