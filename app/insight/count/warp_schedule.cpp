#include "insight/count/warp_schedule.h"

#include "insight/count/cost.h"

#include <algorithm>
#include <cmath>

namespace tilestep::insight {
namespace {

// A product that PTX subtracts by itself becomes a multiply-add of ptxas's.
bool is_multiply_add(const simt::Program& program, const Spot& spot) {
  const ptx::Instruction& instruction =
      program.module().functions[spot.function].instructions[spot.pc];
  return instruction.type == ptx::Type::F32 &&
         (instruction.op == ptx::Opcode::Fma || instruction.op == ptx::Opcode::Mul);
}

const ptx::SassLoop* most_of(std::span<const ptx::SassLoop> loops,
                             std::uint32_t ptx::SassLoop::*what,
                             bool (*is_wanted)(const ptx::SassLoop&)) {
  const ptx::SassLoop* most = nullptr;
  for (const ptx::SassLoop& loop : loops) {
    if (is_wanted(loop) && loop.*what > (most == nullptr ? 0 : most->*what)) {
      most = &loop;
    }
  }
  return most;
}

}  // namespace

WarpCounts warp_counts(const simt::Program& program, const Profile& profile) {
  WarpCounts all;
  double warps = 0.0;
  for (const BlockClass& c : profile.classes) {
    const auto blocks = static_cast<double>(c.blocks);
    const double warps_of_block = std::ceil(static_cast<double>(program.launch().block.count()) /
                                            static_cast<double>(simt::kWarpSize));
    warps += blocks * warps_of_block;
    all.barriers += blocks * warps_of_block * static_cast<double>(c.profile.barriers);
    for (const Execution& execution : c.profile.executions) {
      if (is_multiply_add(program, execution.spot)) {
        all.multiply_adds += blocks * static_cast<double>(execution.instructions);
      }
    }
    for (const Access& access : c.profile.accesses) {
      const auto requests = blocks * static_cast<double>(access.traffic.requests);
      const bool shared = access.target == kSharedTarget;
      if (shared && access.kind == simt::AccessKind::Store) {
        all.shared_stores += requests;
      } else if (!shared && access.kind == simt::AccessKind::Load) {
        all.global_loads += requests;
      }
    }
  }
  const double share = warps > 0.0 ? 1.0 / warps : 0.0;
  return {all.multiply_adds * share, all.barriers * share, all.global_loads * share,
          all.shared_stores * share};
}

std::optional<WarpSchedule> schedule_of(std::span<const ptx::SassLoop> loops,
                                        const WarpCounts& counts) {
  const ptx::SassLoop* const inner = most_of(
      loops, &ptx::SassLoop::ffma, [](const ptx::SassLoop& loop) { return loop.is_innermost; });
  if (inner == nullptr || counts.multiply_adds <= 0.0) {
    return std::nullopt;
  }
  WarpSchedule all;
  const auto add = [&all](const ptx::SassLoop& loop, double passes) {
    all.instructions += passes * loop.instructions;
    all.clocks += passes * loop.clocks;
    all.waits += passes * loop.waits;
  };
  const ptx::SassLoop* const outer =
      most_of(loops, &ptx::SassLoop::instructions,
              [](const ptx::SassLoop& loop) { return !loop.is_innermost && loop.barriers > 0; });
  double left = counts.multiply_adds;
  if (outer != nullptr) {
    const double passes = counts.barriers / outer->barriers;
    add(*outer, passes);
    left = std::max(0.0, left - passes * outer->ffma);
  }
  add(*inner, left / inner->ffma);
  const ptx::SassLoop* const filling =
      most_of(loops, &ptx::SassLoop::instructions, [](const ptx::SassLoop& loop) {
        return loop.is_innermost && loop.ffma == 0 && loop.global_loads > 0 &&
               loop.shared_stores > 0;
      });
  if (filling != nullptr && outer == nullptr && inner->barriers == 0) {
    add(*filling, counts.shared_stores / filling->shared_stores);
  }
  return all;
}

double heaviest_warp(const simt::Program& program, const Profile& profile) {
  const auto most = std::ranges::max_element(profile.classes, {}, &BlockClass::blocks);
  if (most == profile.classes.end()) {
    return 1.0;
  }
  const auto index = static_cast<std::size_t>(most - profile.classes.begin());
  double all = 0.0;
  double heaviest = 0.0;
  double warps = 0.0;
  for (const WarpCost& warp : cost_by_warp(program, profile)) {
    if (warp.of_class == index) {
      const auto instructions = static_cast<double>(warp.cost.instructions);
      all += instructions;
      heaviest = std::max(heaviest, instructions);
      warps += 1.0;
    }
  }
  return all > 0.0 ? heaviest * warps / all : 1.0;
}

}  // namespace tilestep::insight
