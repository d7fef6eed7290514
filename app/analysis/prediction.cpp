#include "analysis/prediction.h"

#include <algorithm>
#include <cmath>

namespace tilestep::analysis {
namespace {

// An SM starts four warp instructions a clock, one from each of its schedulers, and passes one
// wavefront or looks up one line in its L1 cache (CUDA C++ Programming Guide, "Compute
// Capabilities"; Nsight Compute, "Memory Tables").
constexpr double kIssuedInAClock = 4.0;
constexpr double kWavefrontsInAClock = 1.0;
// Fitted to an H200 (docs/insight.md, "Prediction"): clocks that a warp waits before an instruction
// may use what the one before it made; clocks of a phase until the tile's loads are there; what a
// launch takes beside its work (starting, first loads on a cold L2).
constexpr double kClocksOfDependence = 4.0;
constexpr double kClocksOfPhase = 350.0;
constexpr double kLaunchMs = 0.010;

double per_block(std::uint64_t count, const LaunchFacts& facts) {
  return static_cast<double>(count) / static_cast<double>(facts.blocks);
}

int blocks_at_once(const LaunchFacts& facts, const GpuModel& gpu) {
  const insight::Architecture* sm = insight::find_architecture(gpu.architecture);
  if (sm == nullptr) {
    return 1;
  }
  insight::BlockNeeds needs = facts.needs.value_or(insight::BlockNeeds{});
  if (!facts.needs) {
    needs.threads = facts.threads;
    needs.registers = 32;
  }
  return std::max(1, insight::occupancy(needs, *sm).blocks);
}

// A warp of the block from its start to its end, if it never waits for others.
double clocks_of_block(const LaunchFacts& facts) {
  const double warps = std::ceil(facts.threads / 32.0);
  const double instructions = per_block(facts.cost.instructions, facts) / warps;
  const double phases = std::max(1.0, static_cast<double>(facts.barriers) / 2.0);
  return instructions * kClocksOfDependence + phases * kClocksOfPhase;
}

}  // namespace

Prediction predict(const LaunchFacts& facts, const GpuModel& gpu) {
  Prediction p;
  const double blocks = static_cast<double>(facts.blocks);
  p.blocks_of_sm = blocks_at_once(facts, gpu);
  p.waves = blocks / (static_cast<double>(gpu.sms) * p.blocks_of_sm);
  const double busiest = std::ceil(blocks / gpu.sms);
  p.blocks_of_busiest_sm = static_cast<std::uint64_t>(busiest);
  p.balance = blocks / (busiest * gpu.sms);
  const double to_ms = 1e-3 / gpu.sm_clock_mhz;
  const auto add = [&p](Resource resource, double ms) { p.bounds.push_back({resource, ms}); };

  add(Resource::Issue,
      to_ms * busiest * per_block(facts.cost.instructions, facts) / kIssuedInAClock);
  add(Resource::SharedMemory, to_ms * busiest *
                                  (per_block(facts.cost.shared().wavefronts, facts) + facts.lines) /
                                  kWavefrontsInAClock);
  // Blocks that an SM has at once hide each other's waiting; the rest is one after the other.
  add(Resource::Latency, to_ms * std::ceil(busiest / p.blocks_of_sm) * clocks_of_block(facts));
  if (gpu.l2_gb_s > 0.0) {
    add(Resource::L2, blocks * facts.l2_sectors * kSectorBytes / gpu.l2_gb_s * 1e-6);
  }
  const problem::Problem& size = facts.parameters.problem;
  const double least_bytes =
      4.0 * (static_cast<double>(size.M) * size.K + static_cast<double>(size.K) * size.N +
             static_cast<double>(size.M) * size.N);
  add(Resource::Dram, least_bytes / gpu.dram_gb_s * 1e-6);
  std::sort(p.bounds.begin(), p.bounds.end(),
            [](const Bound& a, const Bound& b) { return a.ms > b.ms; });
  // Resources that are busy nearly as long get into each other's way: the third root of the sum of
  // cubes is the largest bound where it stands alone, and a quarter more where there are two.
  double cubes = 0.0;
  for (const Bound& bound : p.bounds) {
    cubes += bound.ms * bound.ms * bound.ms;
  }
  p.ms = std::cbrt(cubes) + kLaunchMs;
  return p;
}

}  // namespace tilestep::analysis
