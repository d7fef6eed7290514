#include "insight/occupancy/occupancy.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

namespace tilestep::insight {
namespace {

constexpr int kKiB = 1024;
constexpr int kLanesOfWarp = 32;
constexpr int kThreadsOfBlock = 1024;

// The same for every architecture of the table (CUDA C++ Programming Guide, as above; the unit and
// the partitions: cuda_occupancy.h).
constexpr int kRegisters = 64 * kKiB;  // per SM, and at most per block
constexpr int kRegistersOfThread = 255;
constexpr int kRegisterUnit = 256;  // a warp gets a multiple of it
constexpr int kPartitions = 4;      // of an SM: each has a quarter of the registers

constexpr int kReserved = static_cast<int>(ptx::kReservedSharedBytes);

constexpr std::array kArchitectures = {
    Architecture{75, "Turing", 32, 16, 64 * kKiB, 256, 0, {}},
    Architecture{80, "Ampere", 64, 32, 164 * kKiB, 128, kReserved, {}},
    Architecture{86, "Ampere", 48, 16, 100 * kKiB, 128, kReserved, {}},
    Architecture{87, "Ampere, Jetson", 48, 16, 164 * kKiB, 128, kReserved, {}},
    Architecture{89, "Ada Lovelace", 48, 24, 100 * kKiB, 128, kReserved, {}},
    Architecture{90, "Hopper", 64, 32, 228 * kKiB, 128, kReserved, 64},
    Architecture{100, "Blackwell", 64, 32, 228 * kKiB, 128, kReserved, 64},
    Architecture{103, "Blackwell Ultra", 64, 32, 228 * kKiB, 128, kReserved, 64},
    Architecture{110, "Blackwell, Jetson", 48, 24, 228 * kKiB, 128, kReserved, 24},
    Architecture{120, "Blackwell, GeForce", 48, 24, 100 * kKiB, 128, kReserved, 24},
    Architecture{121, "Blackwell, DGX Spark", 48, 24, 100 * kKiB, 128, kReserved, 24},
};

constexpr int divided_up(int number, int by) {
  return (number + by - 1) / by;
}

constexpr int rounded_up(int number, int to) {
  return divided_up(number, to) * to;
}

int most_threads(const BlockNeeds& needs) {
  return needs.max_threads > 0 ? std::min(needs.max_threads, kThreadsOfBlock) : kThreadsOfBlock;
}

int registers_of_warp(const BlockNeeds& needs) {
  return rounded_up(needs.registers * kLanesOfWarp, kRegisterUnit);
}

// All of a warp's registers are in one partition. Precondition: the kernel uses registers.
int warps_with_registers(const BlockNeeds& needs) {
  return kRegisters / kPartitions / registers_of_warp(needs) * kPartitions;
}

int allowed_by_warps(const Occupancy& o, const Architecture& sm) {
  return o.needs.threads > most_threads(o.needs) ? 0 : sm.warps / o.warps_of_block;
}

int allowed_by_registers(const Occupancy& o) {
  const int of_warp = registers_of_warp(o.needs);
  // A launch is checked as if every partition got as many warps of the block as the fullest one.
  const int checked = of_warp * rounded_up(o.warps_of_block, kPartitions);
  if (checked > kRegisters || o.needs.registers > kRegistersOfThread) {
    return 0;
  }
  return of_warp == 0 ? kNoLimit : warps_with_registers(o.needs) / o.warps_of_block;
}

int allowed_by_shared(const Occupancy& o, const Architecture& sm) {
  if (o.shared_of_block > sm.shared_bytes) {
    return 0;
  }
  return o.shared_of_block == 0 ? kNoLimit : sm.shared_bytes / o.shared_of_block;
}

int allowed_by_barriers(const Occupancy& o, const Architecture& sm) {
  return sm.barriers && o.needs.barriers > 0 ? *sm.barriers / o.needs.barriers : kNoLimit;
}

// Why the limit allows no more blocks, in numbers.
std::string reason(Limit limit, const Occupancy& o, const Architecture& sm) {
  switch (limit) {
    case Limit::Warps:
      return tr("a block has {} and an SM holds {}", plural(o.warps_of_block, "warp"), sm.warps);
    case Limit::Registers:
      return tr("{} registers per thread allow {} warps, and a block has {}", o.needs.registers,
                warps_with_registers(o.needs), o.warps_of_block);
    case Limit::SharedMemory:
      return sm.reserved_bytes > 0 ? tr("a block takes {} bytes ({} of them reserved by the "
                                        "system), and an SM has {}",
                                        o.shared_of_block, sm.reserved_bytes, sm.shared_bytes)
                                   : tr("a block takes {} bytes, and an SM has {}",
                                        o.shared_of_block, sm.shared_bytes);
    case Limit::Blocks:
      return tr("an SM holds at most {} blocks, whatever their size; a block has {}", sm.blocks,
                plural(o.warps_of_block, "warp"));
    case Limit::Barriers:
      return tr("a block uses {} barriers, and an SM has {}", o.needs.barriers,
                sm.barriers.value_or(0));
  }
  return "";
}

std::string why_not(Limit limit, const Occupancy& o, const Architecture& sm) {
  switch (limit) {
    case Limit::Warps:
      return o.needs.max_threads > 0 ? tr("a block has {} threads, but its __launch_bounds__ "
                                          "allows at most {}: choose a smaller BLOCK_SIZE",
                                          o.needs.threads, most_threads(o.needs))
                                     : tr("a block has {} threads, but at most {} are allowed: "
                                          "choose a smaller BLOCK_SIZE",
                                          o.needs.threads, most_threads(o.needs));
    case Limit::Registers:
      return tr(
          "a block needs {} registers, but at most {} are available: choose a smaller BLOCK_SIZE, "
          "or limit the registers with __launch_bounds__",
          registers_of_warp(o.needs) * rounded_up(o.warps_of_block, kPartitions), kRegisters);
    case Limit::SharedMemory:
      return tr(
          "a block needs {} bytes of shared memory, but at most {} are available: choose a smaller "
          "BLOCK_SIZE",
          o.needs.shared_bytes, sm.shared_bytes_of_block());
    case Limit::Blocks:
    case Limit::Barriers:
      break;
  }
  return tr("a block needs more {} than an SM has", word_of(limit).label);
}

}  // namespace

std::string Architecture::version() const {
  return fmt::format("{}.{}", number / 10, number % 10);
}

std::span<const Architecture> architectures() {
  return kArchitectures;
}

const Architecture* find_architecture(int number) {
  const auto* const found = std::ranges::find_if(
      kArchitectures, [number](const Architecture& known) { return known.number == number; });
  return found == kArchitectures.end() ? nullptr : &*found;
}

BlockNeeds needs_of(const ptx::CubinKernel& kernel, const problem::Launch& launch) {
  BlockNeeds needs;
  needs.threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
  needs.registers = static_cast<int>(kernel.registers);
  needs.shared_bytes = static_cast<int>(kernel.static_shared_bytes + launch.dynamic_shared_bytes);
  needs.barriers = static_cast<int>(kernel.barriers);
  needs.max_threads = static_cast<int>(kernel.max_threads.value_or(0));
  return needs;
}

std::vector<Limit> Occupancy::limiters() const {
  std::vector<Limit> all;
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (blocks_by[i] == blocks) {
      all.push_back(static_cast<Limit>(i));
    }
  }
  return all;
}

Occupancy occupancy(const BlockNeeds& needs, const Architecture& sm) {
  assert(needs.threads > 0 && "a block has threads");
  Occupancy o;
  o.needs = needs;
  o.warps_of_sm = sm.warps;
  o.warps_of_block = divided_up(needs.threads, kLanesOfWarp);
  o.registers_of_block = registers_of_warp(needs) * o.warps_of_block;
  o.shared_of_block = rounded_up(needs.shared_bytes + sm.reserved_bytes, sm.shared_granularity);
  o.blocks_by = {allowed_by_warps(o, sm), allowed_by_registers(o), allowed_by_shared(o, sm),
                 sm.blocks, allowed_by_barriers(o, sm)};
  o.blocks = *std::ranges::min_element(o.blocks_by);
  return o;
}

std::string explain(const Occupancy& o, const Architecture& sm) {
  const std::vector<Limit> limiters = o.limiters();
  if (o.blocks == 0) {
    return tr("The kernel cannot run: {}.", why_not(limiters.front(), o, sm));
  }
  if (o.warps() == sm.warps) {
    return tr("All {} warps that an SM can hold are resident.", sm.warps);
  }
  std::string all;
  for (const Limit limit : limiters) {
    std::string one = fmt::format("{} ({})", word_of(limit).label, reason(limit, o, sm));
    all = all.empty() ? std::move(one) : tr("{} and by {}", all, one);
  }
  return tr("Limited by {}.", all);
}

}  // namespace tilestep::insight
