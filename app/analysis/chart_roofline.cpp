// The roofline (Williams, Waterman, Patterson 2009): speed over operations for each byte moved, and
// the ceilings of the GPU. Traffic is counted, time is measured.
#include "analysis/chart_parts.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::analysis {
namespace {

constexpr Message kL1AndShared = "L1 and shared memory";

constexpr double kLowestIntensity = 0.05;
constexpr double kHighestIntensity = 200.0;

double flops(problem::Problem p) {
  return 2.0 * p.M * p.N * p.K;
}

Mark corner(double intensity, double gflops) {
  Mark mark;
  mark.x = intensity;
  mark.y = gflops;
  mark.gflops = gflops;
  return mark;
}

// Rises with the intensity to the peak: what this much bandwidth allows.
void add_ceiling(const Message& what, double gb_s, const GpuModel& gpu, Chart& chart) {
  if (gb_s <= 0.0 || gpu.peak_gflops <= 0.0) {
    return;
  }
  Curve curve;
  curve.role = Role::Ceiling;
  curve.name = fmt::format("{} {:.1f} TB/s", what, gb_s / 1e3);
  curve.english = fmt::format("{} {:.1f} TB/s", what.english, gb_s / 1e3);
  const double ridge = gpu.peak_gflops / gb_s;
  curve.marks = {corner(kLowestIntensity, kLowestIntensity * gb_s), corner(ridge, gpu.peak_gflops)};
  chart.curves.push_back(std::move(curve));
}

void add_peak(const GpuModel& gpu, Chart& chart) {
  if (gpu.peak_gflops <= 0.0) {
    return;
  }
  Curve curve;
  curve.role = Role::Ceiling;
  curve.name = tr("FFMA peak {:.1f} TFLOP/s", gpu.peak_gflops / 1e3);
  curve.english = fmt::format("FFMA peak {:.1f} TFLOP/s", gpu.peak_gflops / 1e3);
  const double fastest = std::max({gpu.shared_gb_s, gpu.l2_gb_s, gpu.dram_gb_s, 1.0});
  curve.marks = {corner(gpu.peak_gflops / fastest, gpu.peak_gflops),
                 corner(kHighestIntensity, gpu.peak_gflops)};
  chart.curves.push_back(std::move(curve));
}

double bytes_of_global(const insight::Cost& cost) {
  return kSectorBytes * static_cast<double>(cost.global().sectors);
}

double bytes_of_l1(const insight::Cost& cost) {
  return bytes_of_global(cost) + kWavefrontBytes * static_cast<double>(cost.shared().wavefronts);
}

// First the traffic through L1 and shared memory, then the global part of it.
void add_point(const ChartRequest& request, const LaunchFacts& facts, const timing::Point& point,
               Chart& chart) {
  Curve curve = new_curve(request, 0, facts.kernel);
  const double work = flops(facts.parameters.problem);
  curve.marks.push_back(measured_mark(point, work / bytes_of_l1(facts.cost), 1.0));
  const double global = bytes_of_global(facts.cost);
  if (global > 0.0) {
    curve.marks.push_back(measured_mark(point, work / global, 1.0));
  }
  chart.curves.push_back(std::move(curve));
}

// Of the kernels that are shown, in the catalog's order: launches are counted in any.
std::vector<const LaunchFacts*> counted_in_order(const ChartRequest& request,
                                                 const problem::Parameters& parameters) {
  std::vector<const LaunchFacts*> all;
  for (const KernelName& name : request.names) {
    for (const int block_size : {parameters.block_size, 0}) {  // 0: a kernel without one
      const LaunchFacts* const facts = find_facts(
          request.facts, name.id, {parameters.problem, block_size}, request.gpu.architecture);
      if (facts != nullptr && facts->why_not.empty() && is_shown(request, name.id) &&
          !request.view.guess.hides(name.id)) {
        all.push_back(facts);
      }
    }
  }
  return all;
}

}  // namespace

Chart roofline(const ChartRequest& request) {
  Chart chart;
  const problem::Parameters parameters{request.view.problem, request.block_size};
  chart.is_roofline = true;
  chart.title = tr("Roofline at BLOCK_SIZE {}", request.block_size);
  chart.note = tr(
      "filled: bytes through L1 and shared memory · hollow: of global sectors · counted traffic, "
      "measured time · ceilings {}",
      request.gpu.source);
  chart.x = {tr("floating-point operations per byte"),
             true,
             kLowestIntensity,
             kHighestIntensity,
             {0.1, 0.25, 1, 4, 16, 64}};
  add_ceiling(kL1AndShared, request.gpu.shared_gb_s, request.gpu, chart);
  add_ceiling("L2", request.gpu.l2_gb_s, request.gpu, chart);
  add_ceiling("DRAM", request.gpu.dram_gb_s, request.gpu, chart);
  add_peak(request.gpu, chart);
  double slowest = request.gpu.peak_gflops > 0.0 ? request.gpu.peak_gflops : 1.0;
  for (const LaunchFacts* const facts : counted_in_order(request, parameters)) {
    const timing::Point* point =
        request.datasets.empty() ? nullptr
                                 : request.datasets.front()->find(facts->kernel, parameters.problem,
                                                                  facts->parameters.block_size);
    if (point != nullptr && !point->samples_ms.empty()) {
      add_point(request, *facts, *point, chart);
      slowest = std::min(slowest, chart.curves.back().marks.front().y);
    }
  }
  chart.y = {"GFLOP/s",
             true,
             std::min(0.5 * slowest, 1e-2 * request.gpu.peak_gflops),
             1.8 * std::max(request.gpu.peak_gflops, slowest),
             {}};
  name_ends(request, chart);
  return chart;
}

}  // namespace tilestep::analysis
