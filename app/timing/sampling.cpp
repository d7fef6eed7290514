#include "timing/sampling.h"

#include "loading/arguments.h"
#include "loading/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilestep::timing {
namespace {

// Clocks need some milliseconds of work to rise; without it, a launch of 50 µs would be sampled
// earlier.
constexpr double kWarmUpMs = 50.0;
constexpr int kMostWarmUps = 1000;

bool is_cancelled(const std::atomic<bool>* cancel) {
  return cancel != nullptr && cancel->load();
}

bool is_slow(const SweepPlan& plan, double launch_ms) {
  return launch_ms > plan.slow_launch_seconds * 1e3;
}

void append(std::string& note, const std::string& sentence) {
  note += note.empty() ? "" : "; ";
  note += sentence;
}

// Returns the time of one warm launch.
double warm_up(const TimedLaunch& time, const std::atomic<bool>* cancel, double first_ms) {
  double last_ms = first_ms;
  double spent_ms = 0.0;
  for (int i = 0; i < kMostWarmUps && (i == 0 || spent_ms < kWarmUpMs); ++i) {
    if (is_cancelled(cancel)) {
      break;
    }
    last_ms = time({.care = gpu::Care::Rough});
    spent_ms += last_ms;
  }
  return last_ms;
}

}  // namespace

int sample_count(const SweepPlan& plan, double launch_ms) {
  const double affordable = plan.max_seconds_per_point * 1e3 / std::max(launch_ms, 1e-6);
  return affordable >= plan.samples ? plan.samples
                                    : std::max(plan.slow_samples, static_cast<int>(affordable));
}

double round_sample(double milliseconds) {
  if (!(milliseconds > 0.0)) {
    return 0.0;
  }
  constexpr int kDigits = 5;
  const int decimals = kDigits - 1 - static_cast<int>(std::floor(std::log10(milliseconds)));
  const double scale = std::pow(10.0, std::abs(decimals));
  return decimals >= 0 ? std::round(milliseconds * scale) / scale
                       : std::round(milliseconds / scale) * scale;
}

int median(std::vector<int> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<Point> sample(const SweepPlan& plan, Operands& operands, const TimedLaunch& time,
                            const std::atomic<bool>* cancel, Point point,
                            std::vector<int>& memory_clocks) {
  operands.poison_outputs();
  gpu::Clocks clocks;
  const gpu::TimeOptions look_at_clocks{.care = gpu::Care::Rough, .during = &clocks};
  double launch_ms = time(look_at_clocks);
  const std::string wrong = operands.check_result();
  if (!wrong.empty()) {
    point.note = "result wrong: " + wrong;
    if (!plan.time_wrong_results) {
      return point;
    }
  } else if (!operands.verifier().possible()) {
    point.note = operands.verifier().why_not();
  }
  std::vector<double> cold;
  if (is_slow(plan, launch_ms)) {
    // For such a long launch, reading the clocks disturbs as little as warming up would help.
    cold.push_back(round_sample(launch_ms));
  } else {
    launch_ms = warm_up(time, cancel, launch_ms);
    // Not a sample: reading the clocks from NVML would disturb one.
    (void)time(look_at_clocks);
  }
  point.sm_clock_mhz = clocks.sm_mhz;
  point.temperature_c = clocks.temperature_c;
  point.held_back_by = clocks.held_back_by;
  if (clocks.memory_mhz > 0) {
    memory_clocks.push_back(clocks.memory_mhz);
  }
  const int count = sample_count(plan, launch_ms);
  const auto take = [&](gpu::L2 l2, std::vector<double>& samples) {
    while (samples.size() < static_cast<std::size_t>(count) && !is_cancelled(cancel)) {
      samples.push_back(round_sample(time({.l2 = l2})));
    }
  };
  take(gpu::L2::Cold, cold);
  point.samples_ms = std::move(cold);
  if (plan.warm) {
    take(gpu::L2::Warm, point.warm_samples_ms);
  }
  if (is_cancelled(cancel)) {
    return std::nullopt;
  }
  if (count < kFewestSamples) {
    append(point.note, fmt::format("one launch takes {:.3g} {}: {} samples",
                                   launch_ms < 1e3 ? launch_ms : launch_ms / 1e3,
                                   launch_ms < 1e3 ? "ms" : "s", count));
  }
  point.verified = wrong.empty() && operands.verifier().possible();
  if (point.verified && !operands.changes_its_inputs()) {
    if (const std::string later = operands.check_result(); !later.empty()) {
      point.verified = false;
      append(point.note, "result right at first, wrong in the last timed launch: " + later);
    }
  }
  return point;
}

std::string method(const SweepPlan& plan) {
  return fmt::format(
      "Inputs are distinct small integers, row-major float32. Before timing, outputs are filled "
      "with NaN, the kernel runs once and its C is compared with == to the reference: the host's "
      "float64 product up to 512x512x512, beyond that the first C (cuBLAS's where there is one) "
      "that passes Freivalds' check C*x = A*(B*x) in 64-bit integers; a result that is no product "
      "is compared with its description's reference in float64, within its tolerance; C is "
      "compared again after the last sample. Kernels are NVRTC's optimised PTX (-lineinfo, "
      "compute_80 or what the "
      "kernel asks for), compiled by the "
      "driver for the GPU. Warm-up launches for 50 ms (one at least; none where a launch takes "
      "more than {:g} s: there the verified launch is the first sample), then {} samples, fewer "
      "where they would take more than {:g} s ({} at least, as the point's note says), each "
      "one launch between two CUDA events on one stream, after a memset of the L2 cache's size has "
      "ended and all three are queued (cold){}. {}{}{}cuBLAS is cublasSgemm with "
      "CUBLAS_PEDANTIC_MATH (TF32 off); cublas_default is the same with CUBLAS_DEFAULT_MATH and "
      "cublas_tf32 with CUBLAS_TF32_TENSOR_OP_MATH; cublas_fast_tf32, cublas_fast_16f, "
      "cublas_fast_16bf and cublas_emulated_16bfx9 are cublasGemmEx with the CUBLAS_COMPUTE_32F_ "
      "of that name. Clocks are what NVML "
      "says "
      "while a launch runs that is not a sample; the GPU's clocks were not locked. Samples have "
      "five significant digits.",
      plan.slow_launch_seconds, plan.samples, plan.max_seconds_per_point, plan.slow_samples,
      plan.warm ? "; as many again right after a launch of the same (warm)" : "",
      plan.order_seed != 0 ? "The points of a size are measured in random order. " : "",
      plan.reference ? fmt::format("Before each point, {} is timed (median of 3), so that drift "
                                   "can be seen. ",
                                   kReferenceLaunch)
                     : "",
      plan.time_wrong_results
          ? "Kernels whose C is wrong are timed, too: their points are not verified, and say why. "
          : "");
}

std::optional<DriftReference> DriftReference::make(gpu::Device& device, compile::Compiler& compiler,
                                                   const problem::Catalog& catalog) {
  const problem::LaunchSpec* const spec = catalog.find("tiled");
  if (spec == nullptr) {
    return std::nullopt;
  }
  const auto shape = problem::evaluate_shape(*spec, {{1024, 1024, 1024}, 16});
  if (!shape) {
    return std::nullopt;
  }
  const auto kernel = loading::load_kernel(compiler, *shape, compile::Build::Fast);
  if (!kernel) {
    return std::nullopt;
  }
  auto code = device.load(kernel->output.ptx, kernel->output.entry);
  if (!code) {
    return std::nullopt;
  }
  DriftReference reference(device);
  std::vector<std::uint64_t> addresses;
  for (const problem::Buffer& buffer : shape->buffers) {
    reference.buffers_.push_back(device.make_buffer(problem::byte_count(buffer)));
    reference.buffers_.back().fill(std::byte{0});
    addresses.push_back(reference.buffers_.back().address());
  }
  auto arguments = loading::pack_arguments(*kernel, *shape, addresses, device.tensor_map_maker());
  if (!arguments) {
    return std::nullopt;
  }
  reference.arguments_ = std::move(*arguments);
  reference.kernel_.emplace(std::move(*code));
  reference.shape_ = {shape->grid, shape->block, shape->dynamic_shared_bytes};
  device.launch(*reference.kernel_, reference.shape_, reference.arguments_);  // loads its code
  return reference;
}

double DriftReference::time() {
  std::array<double, 3> times{};
  for (double& milliseconds : times) {
    milliseconds = device_->time(*kernel_, shape_, arguments_);
  }
  std::ranges::sort(times);
  return times[1];
}

}  // namespace tilestep::timing
