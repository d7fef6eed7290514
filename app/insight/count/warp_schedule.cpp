#include "insight/count/warp_schedule.h"

#include "insight/count/cost.h"

#include <algorithm>
#include <cmath>

namespace tilestep::insight {
namespace {

// A separate product and subtraction in PTX becomes one multiply-add in ptxas's code.
bool is_multiply_add(const simt::Program& program, const Spot& spot) {
  const ptx::Instruction& instruction =
      program.module().functions[spot.function].instructions[spot.pc];
  return instruction.type == ptx::Type::F32 &&
         (instruction.op == ptx::Opcode::Fma || instruction.op == ptx::Opcode::Mul);
}

bool is_matrix_product(const simt::Program& program, const Spot& spot) {
  const ptx::Instruction& instruction =
      program.module().functions[spot.function].instructions[spot.pc];
  return instruction.op == ptx::Opcode::MmaSync || instruction.op == ptx::Opcode::WmmaMma;
}

// 0 if it is not a wgmma.
double warpgroup_clocks(const simt::Program& program, const Spot& spot) {
  const ptx::Function& function = program.module().functions[spot.function];
  const ptx::Instruction& instruction = function.instructions[spot.pc];
  return instruction.op == ptx::Opcode::WgmmaMma
             ? function.matrix_forms[instruction.target].columns / 2.0
             : 0.0;
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
      all.warpgroup_clocks += blocks * static_cast<double>(execution.instructions) *
                              warpgroup_clocks(program, execution.spot);
      if (is_multiply_add(program, execution.spot)) {
        all.multiply_adds += blocks * static_cast<double>(execution.instructions);
      } else if (is_matrix_product(program, execution.spot)) {
        all.matrix_products += blocks * static_cast<double>(execution.instructions);
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
  return {all.multiply_adds * share, all.barriers * share,        all.global_loads * share,
          all.shared_stores * share, all.matrix_products * share, all.warpgroup_clocks * share};
}

std::optional<WarpSchedule> schedule_of(std::span<const ptx::SassLoop> loops,
                                        const WarpCounts& counts) {
  // If matrices are multiplied, their products determine the number of passes.
  const bool of_matrices = counts.matrix_products > 0.0;
  const auto products = of_matrices ? &ptx::SassLoop::matrix_products : &ptx::SassLoop::ffma;
  double left = of_matrices ? counts.matrix_products : counts.multiply_adds;
  const ptx::SassLoop* const inner =
      most_of(loops, products, [](const ptx::SassLoop& loop) { return loop.is_innermost; });
  if (inner == nullptr || left <= 0.0) {
    return std::nullopt;
  }
  WarpSchedule all;
  const auto add = [&all](const ptx::SassLoop& loop, double passes) {
    all.instructions += passes * loop.instructions;
    all.clocks += passes * loop.clocks;
    all.waits += passes * loop.waits;
    all.products += passes * loop.ffma;
    all.matrix_products += passes * loop.matrix_products;
    all.register_reads +=
        passes * (loop.registers.even + loop.registers.odd + loop.registers.of_matrices);
    all.even_reads += passes * loop.registers.even;
    all.port_waits += passes * loop.registers.waits();
  };
  const ptx::SassLoop* const outer =
      most_of(loops, &ptx::SassLoop::instructions,
              [](const ptx::SassLoop& loop) { return !loop.is_innermost && loop.barriers > 0; });
  if (outer != nullptr) {
    // Barriers that the inner loop's passes account for.
    const double of_inner = left / inner->*products * inner->barriers;
    const double passes = std::max(0.0, counts.barriers - of_inner) / outer->barriers;
    add(*outer, passes);
    left = std::max(0.0, left - passes * outer->*products);
  }
  add(*inner, left / inner->*products);
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
