#include "timing/sweep.h"

#include "ptx/loader.h"
#include "timing/operands.h"
#include "timing/sampling.h"
#include "timing/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace tilestep::timing {

namespace {

// cublasSgemm as a description, so that it shares the buffers and the checks of the kernels.
problem::LaunchSpec cublas_spec() {
  problem::LaunchSpec spec;
  spec.id = kCublas;
  spec.uses_block_size = false;
  spec.buffers = {{"A", problem::ElementType::F32, "M", "K", "", problem::BufferRole::Input, {}},
                  {"B", problem::ElementType::F32, "K", "N", "", problem::BufferRole::Input, {}},
                  {"C", problem::ElementType::F32, "M", "N", "", problem::BufferRole::Output, {}}};
  return spec;
}

struct Workload {
  const problem::LaunchSpec* spec = nullptr;
  problem::Parameters parameters;

  [[nodiscard]] bool is_cublas() const { return spec->id == kCublas; }
  [[nodiscard]] Point point() const {
    Point point;
    point.kernel = spec->id;
    point.problem = parameters.problem;
    point.block_size = spec->uses_block_size ? parameters.block_size : 0;
    return point;
  }
};

bool takes_structs(const problem::LaunchSpec& spec) {
  return std::any_of(spec.arguments.begin(), spec.arguments.end(), [](const auto& argument) {
    return argument.kind == problem::ArgumentSpec::Kind::Struct;
  });
}

std::string describe(const Workload& work) {
  const problem::Problem& p = work.parameters.problem;
  std::string text = p.M == p.N && p.N == p.K
                         ? fmt::format("{}, {}", work.spec->id, p.M)
                         : fmt::format("{}, {}×{}×{}", work.spec->id, p.M, p.N, p.K);
  if (work.spec->uses_block_size) {
    text += fmt::format(", BLOCK_SIZE {}", work.parameters.block_size);
  }
  return text;
}

class Sweep {
 public:
  Sweep(gpu::Device& device, compile::Compiler& compiler, const problem::Catalog& catalog,
        const SweepPlan& plan, const std::atomic<bool>* cancel)
      : device_(device),
        compiler_(compiler),
        catalog_(catalog),
        plan_(plan),
        cancel_(cancel),
        cublas_(cublas_spec()) {
    if (plan.measured_memory_clock_mhz > 0) {
      memory_clocks_.push_back(plan.measured_memory_clock_mhz);
    }
  }

  Result<DataSet> run(const std::function<void(const Progress&, const Point&)>& report);

 private:
  [[nodiscard]] Result<std::vector<Workload>> workloads();
  [[nodiscard]] bool is_measured(const Workload& work) const;
  // Nothing when it was cancelled half-way.
  [[nodiscard]] std::optional<Point> measure(const Workload& work);
  [[nodiscard]] std::optional<Point> measure_kernel(const Workload& work);
  [[nodiscard]] std::optional<Point> measure_cublas(const Workload& work);
  [[nodiscard]] Result<Operands*> operands_for(const Workload& work, const problem::Launch& shape);
  [[nodiscard]] Result<std::vector<std::byte>> pack(const Workload& work, const ptx::Kernel& kernel,
                                                    const problem::Launch& shape,
                                                    const Operands& operands);
  [[nodiscard]] Provenance provenance(const std::vector<Point>& points) const;
  void sort(std::vector<Point>& points) const;
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(); }

  gpu::Device& device_;
  compile::Compiler& compiler_;
  const problem::Catalog& catalog_;
  const SweepPlan& plan_;
  const std::atomic<bool>* cancel_;
  problem::LaunchSpec cublas_;
  std::optional<Operands> operands_;
  std::string compiler_name_;
  std::vector<int> memory_clocks_;
  bool context_lost_ = false;
};

Result<std::vector<Workload>> Sweep::workloads() {
  std::vector<Workload> all;
  for (const problem::Problem& problem : plan_.problems) {
    if (plan_.cublas && device_.has_cublas()) {
      all.push_back({&cublas_, {problem, 1}});
    }
    for (const std::string& id : plan_.kernels) {
      const problem::LaunchSpec* spec = catalog_.find(id);
      if (spec == nullptr) {
        return fail(fmt::format("'{}' is not in the catalog: choose one of its kernels.", id));
      }
      for (const int block_size : plan_.block_sizes) {
        all.push_back({spec, {problem, block_size}});
        if (!spec->uses_block_size) {
          break;
        }
      }
    }
  }
  return all;
}

bool Sweep::is_measured(const Workload& work) const {
  const Point wanted = work.point();
  return std::any_of(plan_.measured.begin(), plan_.measured.end(), [&](const Point& point) {
    return point.kernel == wanted.kernel && point.problem == wanted.problem &&
           point.block_size == wanted.block_size;
  });
}

Result<Operands*> Sweep::operands_for(const Workload& work, const problem::Launch& shape) {
  if (!operands_ || !operands_->fit(*work.spec, shape)) {
    operands_.reset();  // first the old ones go: both might not fit into device memory
    Result<Operands> made = Operands::make(device_, *work.spec, work.parameters);
    if (!made) {
      return tl::unexpected(made.error());
    }
    operands_.emplace(std::move(*made));
  }
  return &*operands_;
}

Result<std::vector<std::byte>> Sweep::pack(const Workload& work, const ptx::Kernel& kernel,
                                           const problem::Launch& shape, const Operands& operands) {
  if (!takes_structs(*work.spec)) {
    return ptx::pack_arguments(kernel, nullptr, shape, operands.addresses());
  }
  auto debug = ptx::load_kernel(compiler_, shape, compile::Build::Step);
  if (!debug) {
    return tl::unexpected(debug.error().error);
  }
  return ptx::pack_arguments(kernel, &*debug, shape, operands.addresses());
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
  const auto kernel = ptx::load_kernel(compiler_, *shape, compile::Build::Fast);
  if (!kernel) {
    return give_up(kernel.error().error);
  }
  compiler_name_ = kernel->output.compiler;
  const Result<gpu::LoadedKernel> code = device_.load(kernel->output.ptx, kernel->output.entry);
  if (!code) {
    return give_up(code.error());
  }
  const Result<Operands*> operands = operands_for(work, *shape);
  if (!operands) {
    return give_up(operands.error());
  }
  const Result<std::vector<std::byte>> arguments = pack(work, *kernel, *shape, **operands);
  if (!arguments) {
    return give_up(arguments.error());
  }
  point.registers = code->resources().registers;
  point.shared_bytes =
      code->resources().static_shared_bytes + static_cast<int>(shape->dynamic_shared_bytes);
  const gpu::LaunchShape launch{shape->grid, shape->block, shape->dynamic_shared_bytes};
  return sample(
      plan_, **operands,
      [&](gpu::Clocks* during) { return device_.time(*code, launch, *arguments, during); }, cancel_,
      std::move(point), memory_clocks_);
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
  const gpu::SgemmOperands matrices{work.parameters.problem, (*operands)->address("A"),
                                    (*operands)->address("B"), (*operands)->address("C")};
  return sample(
      plan_, **operands, [&](gpu::Clocks* during) { return device_.time_sgemm(matrices, during); },
      cancel_, std::move(point), memory_clocks_);
}

std::optional<Point> Sweep::measure(const Workload& work) {
  try {
    return work.is_cublas() ? measure_cublas(work) : measure_kernel(work);
  } catch (const gpu::GpuError& error) {
    context_lost_ = error.context_lost();
    Point point = work.point();
    point.note = error.what();
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
  p.date = utc_now();
  p.host = host_description();
  p.sm_clock_mhz = median(std::move(sm_clocks));
  p.memory_clock_mhz = median(memory_clocks_);
  p.max_sm_clock_mhz = info.max_sm_clock_mhz;
  p.method = method(plan_);
  return p;
}

// By size, kernel (cuBLAS, then as in the catalog) and BLOCK_SIZE: a sweep made in several goes
// reads like one.
void Sweep::sort(std::vector<Point>& points) const {
  const auto rank = [this](const Point& point) {
    const problem::LaunchSpec* spec = catalog_.find(point.kernel);
    const auto place = point.kernel == kCublas ? std::ptrdiff_t{-1}
                       : spec == nullptr ? static_cast<std::ptrdiff_t>(catalog_.kernels.size())
                                         : spec - catalog_.kernels.data();
    const problem::Problem& p = point.problem;
    return std::tuple(p.M, p.N, p.K, place, point.block_size);
  };
  std::stable_sort(points.begin(), points.end(),
                   [&](const Point& a, const Point& b) { return rank(a) < rank(b); });
}

Result<DataSet> Sweep::run(const std::function<void(const Progress&, const Point&)>& report) {
  Result<std::vector<Workload>> all = workloads();
  if (!all) {
    return tl::unexpected(all.error());
  }
  std::erase_if(*all, [this](const Workload& work) { return is_measured(work); });
  DataSet data;
  data.points = plan_.measured;  // all of them, first: cancelling loses none
  Progress progress{0, all->size(), {}};
  for (const Workload& work : *all) {
    if (cancelled() || context_lost_) {
      break;
    }
    progress.current = describe(work);
    std::optional<Point> point = measure(work);
    if (!point) {
      break;
    }
    data.points.push_back(std::move(*point));
    ++progress.done;
    if (report) {
      report(progress, data.points.back());
    }
  }
  operands_.reset();
  sort(data.points);
  data.provenance = provenance(data.points);
  return data;
}

Result<void> check_plan(const SweepPlan& plan) {
  if (plan.samples < kFewestSamples) {
    return fail(fmt::format("{} samples are too few for quartiles: take {} or more.", plan.samples,
                            kFewestSamples));
  }
  for (const problem::Problem& p : plan.problems) {
    if (p.M < 1 || p.N < 1 || p.K < 1) {
      return fail(fmt::format("Size {}×{}×{}: every size must be 1 or more.", p.M, p.N, p.K));
    }
  }
  for (const int block_size : plan.block_sizes) {
    if (block_size < 1 || block_size > 32) {
      return fail(fmt::format("BLOCK_SIZE {}: choose 1 to 32 (32×32 is a block's limit of 1024).",
                              block_size));
    }
  }
  return {};
}

}  // namespace

Result<DataSet> run_sweep(gpu::Device& device, compile::Compiler& compiler,
                          const problem::Catalog& catalog, const SweepPlan& plan,
                          const std::atomic<bool>* cancel,
                          const std::function<void(const Progress&, const Point&)>& report) {
  if (const Result<void> valid = check_plan(plan); !valid) {
    return tl::unexpected(valid.error());
  }
  return Sweep(device, compiler, catalog, plan, cancel).run(report);
}

}  // namespace tilestep::timing
