#include "analysis/prediction.h"

#include <algorithm>
#include <cmath>

namespace tilestep::analysis {
namespace {

// An SM starts four warp instructions a clock, one from each of its schedulers, and passes one
// wavefront of shared or global memory through its L1 cache (CUDA C++ Programming Guide, "Compute
// Capabilities"; Nsight Compute, "Memory Tables").
constexpr double kIssuedInAClock = 4.0;
constexpr double kWavefrontsInAClock = 1.0;
// Fitted to an H200 (docs/insight.md, "Prediction"): clocks that a warp waits before an instruction
// may use what the one before it made; clocks of a phase until the tile's loads are there; what a
// launch takes beside its work (starting, first loads on a cold L2); how bounds add up.
constexpr double kClocksOfDependence = 4.0;
constexpr double kClocksOfPhase = 350.0;
constexpr double kLaunchMs = 0.010;
constexpr double kExponent = 2.5;
// Of the sectors that a block touches, the share that no other block has left in L1 for it.
constexpr double kSectorsNotInL1 = 0.7;

double per_block(std::uint64_t count, const LaunchFacts& facts) {
  return static_cast<double>(count) / static_cast<double>(facts.blocks);
}

int blocks_at_once(const LaunchFacts& facts, const GpuModel& gpu) {
  const std::optional<insight::Architecture> sm = sm_of(gpu);
  if (!sm) {
    return 1;
  }
  insight::BlockNeeds needs = facts.needs.value_or(insight::BlockNeeds{});
  if (!facts.needs) {
    needs.threads = facts.threads;
    needs.registers = 32;
  }
  return std::max(1, insight::occupancy(needs, *sm).blocks);
}

// The tile's loads of one phase wait behind its first barrier.
double phases_of_block(const LaunchFacts& facts) {
  return std::max(1.0, static_cast<double>(facts.barriers) / 2.0);
}

double warps_of_block(const LaunchFacts& facts) {
  return std::ceil(facts.threads / 32.0);
}

// Blocks of the SM that has the most to do, in average blocks. Where blocks at the edges of C do
// less than the others, they fill up what the others leave.
double blocks_of_busiest(const LaunchFacts& facts, const GpuModel& gpu) {
  const double average = static_cast<double>(facts.blocks) / gpu.sms;
  const double heaviest = std::max(1.0, facts.heaviest_block);
  return std::min(std::ceil(average), std::ceil(average / heaviest) * heaviest);
}

// Longest first.
std::vector<Bound> bounds_of(const Terms& t, const GpuModel& gpu) {
  std::vector<Bound> bounds;
  const auto add = [&bounds](Resource resource, double ms) { bounds.push_back({resource, ms}); };
  const double to_ms = 1e-3 / gpu.sm_clock_mhz;
  // Of the busiest SM, in warps as they are, idle lanes and all.
  const double share = t.multiply_adds / (t.working_lanes * gpu.sms * t.balance);
  const double instructions = share * t.warp_instructions;
  add(Resource::Issue, to_ms * instructions / kIssuedInAClock);
  add(Resource::SharedMemory,
      to_ms * share * (t.shared_passes + t.global_passes) / kWavefrontsInAClock);
  // Warps that an SM has at once hide each other's waiting; the rest is one after the other.
  add(Resource::Latency,
      to_ms * (instructions * kClocksOfDependence + share * t.warp_phases * kClocksOfPhase) /
          (t.resident_warps * t.filled_rounds));
  if (gpu.l2_gb_s > 0.0) {
    add(Resource::L2,
        kSectorsNotInL1 * t.multiply_adds * t.l2_sectors * kSectorBytes / gpu.l2_gb_s * 1e-6);
  }
  add(Resource::Dram, t.least_bytes / gpu.dram_gb_s * 1e-6);
  std::sort(bounds.begin(), bounds.end(),
            [](const Bound& a, const Bound& b) { return a.ms > b.ms; });
  return bounds;
}

// Resources that are busy nearly as long get into each other's way: this root of the sum of powers
// is the largest bound where it stands alone, and a third more where there are two.
double together(const std::vector<Bound>& bounds) {
  double sum = 0.0;
  for (const Bound& bound : bounds) {
    sum += std::pow(bound.ms, kExponent);
  }
  return std::pow(sum, 1.0 / kExponent) + kLaunchMs;
}

}  // namespace

Terms terms_of(const LaunchFacts& facts, const GpuModel& gpu) {
  Terms t;
  const problem::Problem& size = facts.parameters.problem;
  t.multiply_adds = static_cast<double>(size.M) * size.N * size.K;
  t.least_bytes =
      4.0 * (static_cast<double>(size.M) * size.K + static_cast<double>(size.K) * size.N +
             static_cast<double>(size.M) * size.N);
  const double blocks = static_cast<double>(facts.blocks);
  const double warps = warps_of_block(facts);
  const double efficiency = facts.cost.divergence_efficiency();
  t.working_lanes = efficiency > 0.0 ? efficiency : facts.threads / (32.0 * warps);
  // Of a block, as a number of the whole launch for each multiply-add.
  const auto spread = [&](double of_block) {
    return of_block * blocks * t.working_lanes / t.multiply_adds;
  };
  t.warp_instructions = spread(per_block(facts.cost.instructions, facts));
  t.shared_passes = spread(per_block(facts.cost.shared().wavefronts, facts));
  t.global_passes = spread(facts.global_passes);
  t.warp_phases = spread(phases_of_block(facts) * warps);
  t.l2_sectors = facts.l2_sectors * blocks / t.multiply_adds;
  const double busiest = blocks_of_busiest(facts, gpu);
  const double at_once = std::min<double>(blocks_at_once(facts, gpu), busiest);
  t.resident_warps = at_once * warps;
  t.balance = blocks / (busiest * gpu.sms);
  t.filled_rounds = busiest / at_once / std::ceil(busiest / at_once);
  return t;
}

double predicted_ms(const Terms& terms, const GpuModel& gpu) {
  return together(bounds_of(terms, gpu));
}

Prediction predict(const LaunchFacts& facts, const GpuModel& gpu) {
  Prediction p;
  const double blocks = static_cast<double>(facts.blocks);
  p.blocks_of_sm = blocks_at_once(facts, gpu);
  p.waves = blocks / (static_cast<double>(gpu.sms) * p.blocks_of_sm);
  p.blocks_of_busiest_sm = static_cast<std::uint64_t>(std::llround(blocks_of_busiest(facts, gpu)));
  const Terms terms = terms_of(facts, gpu);
  p.balance = terms.balance;
  p.bounds = bounds_of(terms, gpu);
  p.ms = together(p.bounds);
  return p;
}

}  // namespace tilestep::analysis
