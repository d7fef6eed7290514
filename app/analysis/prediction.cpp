#include "analysis/prediction.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "ptx/sass/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace tilestep::analysis {
namespace {

// Measured on an H100 (docs/insight/model.md), like kClocksOfL2: clocks until a load from global
// memory is complete that hits in L1, and one from DRAM.
constexpr double kClocksOfL1 = 40.0;
constexpr double kClocksOfDram = 780.0;
// An SM passes one wavefront of shared or global memory per clock through its L1 cache (CUDA C++
// Programming Guide, "Compute Capabilities"; Nsight Compute, "Memory Tables").
constexpr double kWavefrontsInAClock = 1.0;
// Also measured on an H100: 32 warps that only execute barriers pass one in 1.1 clocks together.
constexpr double kPassesOfBarrier = 1.0;
// Per SM; warp w of a block starts its instructions at scheduler w modulo 4 (Jia, Maggioni, Staiger
// and Scarpazza 2018).
constexpr double kSchedulers = 4.0;
// DRAM returns two sectors at a time.
constexpr double kPieceBytes = 2.0 * kSectorBytes;
// L1 and shared memory are one memory, of which at least this much is L1; each block takes 1 KiB of
// it in addition to its own (CUDA C++ Programming Guide, "Compute Capabilities").
constexpr double kLeastL1Bytes = 28.0 * 1024;
// Fitted to one half of an H200's kernels, like kSlotsInAClock: of the sectors that a block
// touches, the share that no other block has left in L1 for it; the time of a launch without work;
// how bounds add up.
constexpr double kSectorsNotInL1 = 0.62;
constexpr double kLaunchMs = 0.007;
constexpr double kExponent = 3.5;
constexpr double kFloatBytes = 4.0;
// At least this many barriers of a block are in a loop.
constexpr std::uint64_t kBarriersOfLoop = 3;
constexpr double kNearly = 0.9;  // the accuracy of the model

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

double warps_of_block(const LaunchFacts& facts) {
  return std::ceil(facts.threads / 32.0);
}

// Blocks of the busiest SM, in average blocks. If blocks at the edges of C do less than the others,
// they fill the gaps.
double blocks_of_busiest(const LaunchFacts& facts, const GpuModel& gpu) {
  const double average = static_cast<double>(facts.blocks) / gpu.sms;
  const double heaviest = std::max(1.0, facts.heaviest_block);
  return std::min(std::ceil(average), std::ceil(average / heaviest) * heaviest);
}

// NVIDIA's A100 and H100 architecture papers: the L2 cache has two partitions, and each keeps what
// the SMs next to it read. Data that all SMs read are in both.
double l2_bytes_for_all(const GpuModel& gpu) {
  const bool has_two_parts =
      gpu.architecture == 80 || gpu.architecture / 10 == 9 || gpu.architecture / 10 == 10;
  return gpu.l2_mib * (1 << 20) / (has_two_parts ? 2.0 : 1.0);
}

double busiest_scheduler(double warps) {
  return std::ceil(warps / kSchedulers) * kSchedulers / warps;
}

// What the blocks of one wave read and store: all columns of B, their rows of A and C.
double bytes_of_wave(const problem::Problem& size, double waves) {
  const double m = size.M;
  const double n = size.N;
  const double k = size.K;
  return kFloatBytes * (k * n + (m * k + m * n) / waves);
}

// Share of the reads of a wave that L2 still holds from the previous wave. 0: it reads everything
// again.
double left_in_l2(const problem::Problem& size, double waves, const GpuModel& gpu) {
  return gpu.l2_mib > 0.0 ? std::min(1.0, l2_bytes_for_all(gpu) / bytes_of_wave(size, waves)) : 1.0;
}

// At a block's beginning, where a sample looks, more pieces are new than later: a warp that reads B
// column by column accesses the same pieces again. Limited by the total number of pieces.
double loads_of_new(const LaunchFacts& facts, double warps) {
  const auto blocks = static_cast<double>(facts.blocks);
  const double pieces = bytes_of_wave(facts.parameters.problem, blocks) / kPieceBytes;
  const double loads = per_block(facts.cost.global_loads.requests, facts) / warps;
  return std::min(facts.loads_of_new, pieces / std::max(loads, 1.0));
}

// The share of the waits that L1 ends. A warp that accesses each piece more than twice reads B
// column by column, and hits a sector again if L1 has a line for each row of B. The driver gives L1
// the memory that the resident blocks of an SM do not need.
double loads_from_l1(const LaunchFacts& facts, const GpuModel& gpu, double of_new) {
  const std::optional<insight::Architecture> sm = sm_of(gpu);
  if (!sm || !facts.needs) {
    return 0.0;
  }
  const double of_block = facts.needs->shared_bytes + sm->reserved_bytes;
  const double bytes = sm->shared_bytes + kLeastL1Bytes - blocks_at_once(facts, gpu) * of_block;
  const bool fits = facts.parameters.problem.K * kWavefrontBytes <= bytes;
  return fits ? std::max(0.0, 1.0 - of_new * kPieceBytes / kSectorBytes) : 0.0;
}

// Limited by the sectors of B and of the block's rows, as above.
double l2_sectors_of_block(const LaunchFacts& facts) {
  const auto blocks = static_cast<double>(facts.blocks);
  return std::min(facts.l2_sectors, bytes_of_wave(facts.parameters.problem, blocks) / kSectorBytes);
}

double passes(const Terms& t) {
  return t.shared_passes + t.global_passes + kPassesOfBarrier * t.barriers;
}

double root_of_powers(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += std::pow(value, kExponent);
  }
  return std::pow(sum, 1.0 / kExponent);
}

// Clocks that an SM's pipes are busy, each separately.
struct Pipes {
  double slots = 0.0;
  double tensor_cores = 0.0;
  double memory = 0.0;  // L1 and shared memory
};

// For the work of this many multiply-adds of warps.
Pipes pipes_for(const Terms& t, double share) {
  return {
      share * (t.warp_instructions + t.port_waits) / kSlotsInAClock,
      share * (t.matrix_products * ptx::kClocksOfMatrixProduct + t.warpgroup_clocks) / kSchedulers,
      share * passes(t) / kWavefrontsInAClock};
}

// Multiply-adds of the busiest SM's warps, including idle lanes.
double share_of_busiest(const Terms& t, const GpuModel& gpu) {
  return t.multiply_adds / (t.working_lanes * gpu.sms * t.balance);
}

// The part of one block of each round if warps meet at barriers; otherwise 0.
double share_in_step(const Terms& t, double share) {
  return share / t.filled_rounds * t.warps_in_step;
}

// Clocks of the busiest SM if its blocks never delayed each other: rounds of blocks, one after the
// other. If warps meet at barriers, the block waits for its tile and then has the SM's pipes for
// itself, and its warps wait for the scheduler with most of them; otherwise the warp with the most
// work decides.
double latency(const Terms& t, double share) {
  const double one_by_one = share / t.filled_rounds / t.resident_warps;
  const double clocks = kClocksOfL2 + (kClocksOfDram - kClocksOfL2) * t.dram_waits -
                        (kClocksOfL2 - kClocksOfL1) * t.l1_waits;
  const double waiting = one_by_one * t.memory_waits * clocks;
  const double alone = one_by_one * t.lone_clocks;
  if (t.warps_in_step == 0.0) {
    return (waiting + alone) * t.heaviest_warp;
  }
  const Pipes of_block = pipes_for(t, share_in_step(t, share));
  const std::array busy{alone, of_block.slots * t.busiest_scheduler,
                        of_block.tensor_cores * t.busiest_scheduler, of_block.memory};
  return waiting + root_of_powers(busy);
}

double clocks_to_ms(const GpuModel& gpu) {
  return 1e-3 / gpu.sm_clock_mhz;
}

bool is_pipe(Resource resource) {
  return resource == Resource::Issue || resource == Resource::TensorCores ||
         resource == Resource::SharedMemory;
}

std::vector<Bound> bounds_of(const Terms& t, const GpuModel& gpu) {
  std::vector<Bound> bounds;
  const auto add = [&bounds](Resource resource, double ms) { bounds.push_back({resource, ms}); };
  const double to_ms = clocks_to_ms(gpu);
  const double share = share_of_busiest(t, gpu);
  const Pipes busy = pipes_for(t, share);
  add(Resource::Issue, to_ms * busy.slots);
  if (busy.tensor_cores > 0.0) {
    add(Resource::TensorCores, to_ms * busy.tensor_cores);
  }
  add(Resource::SharedMemory, to_ms * busy.memory);
  add(Resource::Latency, to_ms * latency(t, share));
  if (gpu.l2_gb_s > 0.0) {
    add(Resource::L2,
        kSectorsNotInL1 * t.multiply_adds * t.l2_sectors * kSectorBytes / gpu.l2_gb_s * 1e-6);
  }
  add(Resource::Dram, (t.least_bytes + t.multiply_adds * t.bytes_again) / gpu.dram_gb_s * 1e-6);
  std::ranges::sort(bounds, [](const Bound& a, const Bound& b) { return a.ms > b.ms; });
  // The latency of a block that is alone on its SM is almost only its time on a pipe.
  const bool is_alone = t.warps_in_step == 1.0;
  if (is_alone && bounds[0].resource == Resource::Latency && is_pipe(bounds[1].resource) &&
      bounds[1].ms >= kNearly * bounds[0].ms) {
    std::swap(bounds[0], bounds[1]);
  }
  return bounds;
}

// Resources that are busy for similar times delay each other: this root of the sum of powers is the
// largest bound if that is alone, and a fifth more if there are two. But latency is the time of a
// block that has the pipes for itself, so it already includes the time of one block of each round
// on them: that is subtracted. A block that is alone on its SM takes its latency and nothing else.
double together(const std::vector<Bound>& bounds, const Terms& t, const GpuModel& gpu) {
  double sum = 0.0;
  for (const Bound& bound : bounds) {
    sum += std::pow(bound.ms, kExponent);
  }
  const double to_ms = clocks_to_ms(gpu);
  const Pipes counted_twice = pipes_for(t, share_in_step(t, share_of_busiest(t, gpu)));
  for (const double clocks :
       {counted_twice.slots, counted_twice.tensor_cores, counted_twice.memory}) {
    sum -= std::pow(to_ms * clocks, kExponent);
  }
  return std::pow(sum, 1.0 / kExponent) + kLaunchMs;
}

// A ratio of at least 1 as "4.21×" or "12%".
std::string off_by(double ratio) {
  constexpr double kInPercent = 1.995;
  return ratio < kInPercent ? fmt::format("{:.0f}%", 100.0 * (ratio - 1.0))
                            : fmt::format("{:.1f}×", ratio);
}

std::string in_words(const GuessVerdict& v) {
  if (v.compared == 0) {
    return tr("No measurements at the points you drew.");
  }
  const double ratio = v.drawn / v.measured;
  const std::string miss = off_by(std::max(ratio, 1.0 / ratio));
  return tr(
      "Largest error: {:.0f} GFLOP/s drawn at BLOCK_SIZE {}, {:.0f} measured, {}. Median error of "
      "{}: {}.",
      v.drawn, v.block_size, v.measured,
      ratio > 1.0 ? tr("{} too high", miss) : tr("{} too low", miss),
      plural(static_cast<std::uint64_t>(v.compared), "point"), off_by(v.median));
}

}  // namespace

Terms terms_of(const LaunchFacts& facts, const GpuModel& gpu) {
  Terms t;
  const problem::Problem& size = facts.parameters.problem;
  t.multiply_adds = facts.flops / 2.0;
  t.least_bytes = bytes_of_wave(size, 1.0);
  const double blocks = static_cast<double>(facts.blocks);
  const double warps = warps_of_block(facts);
  const double efficiency = facts.cost.divergence_efficiency();
  t.working_lanes = efficiency > 0.0 ? efficiency : facts.threads / (32.0 * warps);
  // A number per block as a number of the whole launch for each multiply-add.
  const auto spread = [&](double of_block) {
    return of_block * blocks * t.working_lanes / t.multiply_adds;
  };
  t.warp_instructions = spread(facts.schedule.instructions * warps);
  t.port_waits = spread(facts.schedule.port_waits * warps);
  t.matrix_products = spread(facts.schedule.matrix_products * warps);
  t.warpgroup_clocks = spread(facts.schedule.warpgroup_clocks * warps);
  t.lone_clocks = spread(facts.schedule.clocks * warps);
  t.memory_waits = spread(facts.schedule.waits * warps);
  t.shared_passes = spread(per_block(facts.cost.shared().wavefronts, facts));
  t.global_passes = spread(facts.global_passes);
  t.barriers = spread(static_cast<double>(facts.barriers) * warps);
  t.l2_sectors = l2_sectors_of_block(facts) * blocks / t.multiply_adds;
  const double busiest = blocks_of_busiest(facts, gpu);
  const double at_once = std::min<double>(blocks_at_once(facts, gpu), busiest);
  t.resident_warps = at_once * warps;
  t.warps_in_step = facts.barriers >= kBarriersOfLoop ? 1.0 / at_once : 0.0;
  t.heaviest_warp = facts.barriers >= kBarriersOfLoop ? 1.0 : facts.heaviest_warp;
  t.busiest_scheduler = busiest_scheduler(warps);
  t.balance = blocks / (busiest * gpu.sms);
  t.filled_rounds = busiest / at_once / std::ceil(busiest / at_once);
  // The blocks of the first wave go through A and B side by side, and hit nothing in L2.
  const double waves = std::max(1.0, blocks / (gpu.sms * blocks_at_once(facts, gpu)));
  const double lost = 1.0 - left_in_l2(size, waves, gpu);
  const double of_new = loads_of_new(facts, warps);
  t.l1_waits = loads_from_l1(facts, gpu, of_new);
  t.dram_waits = of_new * (1.0 / waves + (1.0 - 1.0 / waves) * lost);
  t.bytes_again =
      (waves - 1.0) * lost * kFloatBytes * static_cast<double>(size.K) * size.N / t.multiply_adds;
  return t;
}

double predicted_ms(const Terms& terms, const GpuModel& gpu) {
  return together(bounds_of(terms, gpu), terms, gpu);
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
  p.ms = together(p.bounds, terms, gpu);
  return p;
}

GuessVerdict judge(const state::GuessView& guess, const timing::DataSet& data,
                   problem::Problem problem) {
  GuessVerdict verdict;
  std::vector<double> misses;
  double largest = 0.0;
  for (const auto& [block_size, drawn] : guess.gflops) {
    const timing::Point* const point = data.find(guess.kernel, problem, block_size);
    if (point == nullptr || point->samples_ms.empty()) {
      continue;
    }
    const double measured = timing::gflops(*point, point->median_ms());
    const double miss = std::fabs(std::log(drawn / measured));
    if (misses.empty() || miss > largest) {
      largest = miss;
      verdict.block_size = block_size;
      verdict.drawn = drawn;
      verdict.measured = measured;
    }
    misses.push_back(miss);
  }
  verdict.compared = static_cast<int>(misses.size());
  if (!misses.empty()) {
    const auto middle = misses.begin() + static_cast<std::ptrdiff_t>((misses.size() - 1) / 2);
    std::ranges::nth_element(misses, middle);
    verdict.median = std::exp(*middle);
  }
  verdict.sentence = in_words(verdict);
  return verdict;
}

}  // namespace tilestep::analysis
