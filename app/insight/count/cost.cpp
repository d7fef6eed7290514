#include "insight/count/cost.h"

#include "insight/count/counters.h"
#include "problem/launch/expression.h"
#include "simt/exec/matrix.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilestep::insight {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// 0: not a floating-point type.
std::uint64_t elements_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::F16x2:
    case ptx::Type::BF16x2:
      return 2;
    case ptx::Type::F16:
    case ptx::Type::BF16:
    case ptx::Type::F32:
    case ptx::Type::F64:
      return 1;
    default:
      return 0;
  }
}

const ptx::Instruction& instruction_at(const simt::Program& program, const Spot& spot) {
  return program.module().functions[spot.function].instructions[spot.pc];
}

std::uint32_t line_of(const simt::Program& program, const Spot& spot) {
  return ptx::statement_line(program.module().functions[spot.function], spot.pc);
}

// Machine code is counted as the hardware does: an access to shared memory whose guard is false in
// all lanes is an executed one, too.
void add_shared_requests(const ptx::Instruction& instruction, std::uint64_t executed, Cost& cost) {
  if (instruction.space == ptx::Space::Shared && instruction.op == ptx::Opcode::Ld) {
    cost.shared_loads.requests += executed;
  } else if (instruction.space == ptx::Space::Shared && instruction.op == ptx::Opcode::St) {
    cost.shared_stores.requests += executed;
  }
}

Cost cost_of(const simt::Program& program, const Execution& execution) {
  Cost cost;
  const ptx::Function& function = program.module().functions[execution.spot.function];
  const bool is_part =
      !function.machine_code.empty() && function.machine_code[execution.spot.pc] == ptx::kNoPc;
  if (is_part) {
    return cost;  // of a machine instruction that another one represents
  }
  cost.instructions = execution.instructions;
  cost.active = execution.active;
  cost.threads = execution.threads;
  cost.flops = execution.threads * flops_of(function, instruction_at(program, execution.spot));
  if (!function.machine_code.empty()) {
    add_shared_requests(instruction_at(program, execution.spot), execution.instructions, cost);
  }
  const auto padding = function.padding.find(execution.spot.pc);
  if (padding != function.padding.end()) {
    const std::uint64_t loads = execution.instructions * padding->second;
    cost.shared_loads.requests += loads;
    cost.instructions += loads;
  }
  return cost;
}

Cost cost_of(const simt::Program& program, const Access& access) {
  Cost cost;
  const bool shared = access.target == kSharedTarget;
  const ptx::Function& function = program.module().functions[access.spot.function];
  const ptx::Opcode op = function.instructions[access.spot.pc].op;
  const bool is_counted_when_executed =
      shared && !function.machine_code.empty() && (op == ptx::Opcode::Ld || op == ptx::Opcode::St);
  switch (access.kind) {
    case simt::AccessKind::Load:
      (shared ? cost.shared_loads : cost.global_loads) = access.traffic;
      break;
    case simt::AccessKind::Store:
      (shared ? cost.shared_stores : cost.global_stores) = access.traffic;
      break;
    case simt::AccessKind::Atomic:
      (shared ? cost.shared_atomics : cost.global_atomics) = access.traffic;
      break;
  }
  if (is_counted_when_executed) {
    cost.shared_loads.requests = 0;
    cost.shared_stores.requests = 0;
  }
  return cost;
}

// Calls f(class index, spot, cost of one block, blocks) for every execution.
template <class F>
void for_each_cost(const simt::Program& program, const Profile& profile, F&& f) {
  for (std::size_t c = 0; c < profile.classes.size(); ++c) {
    const BlockClass& of = profile.classes[c];
    for (const Execution& execution : of.profile.executions) {
      f(c, execution.spot, cost_of(program, execution), of.blocks);
    }
    for (const Access& access : of.profile.accesses) {
      f(c, access.spot, cost_of(program, access), of.blocks);
    }
  }
}

std::uint64_t counted(const std::string& quantity, const simt::Program& program,
                      const Profile& profile, const Cost& total) {
  if (quantity == "flops") {
    return total.flops;
  }
  if (quantity == "barriers") {
    return total_barriers(profile);
  }
  if (quantity == "shared loads") {
    return total.shared_loads.elements;
  }
  if (quantity == "shared stores") {
    return total.shared_stores.elements;
  }
  const std::vector<BufferCost> costs = cost_by_buffer(program, profile);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string& name = program.launch().buffers[i].name;
    if (quantity == "loads of " + name) {
      return costs[i].loads.elements;
    }
    if (quantity == "stores of " + name) {
      return costs[i].stores.elements;
    }
  }
  return 0;
}

}  // namespace

void Cost::add(const Cost& other, std::uint64_t times) {
  instructions += other.instructions * times;
  active += other.active * times;
  threads += other.threads * times;
  flops += other.flops * times;
  global_loads.add(other.global_loads, times);
  global_stores.add(other.global_stores, times);
  global_atomics.add(other.global_atomics, times);
  shared_loads.add(other.shared_loads, times);
  shared_stores.add(other.shared_stores, times);
  shared_atomics.add(other.shared_atomics, times);
}

Traffic Cost::global() const {
  Traffic all = global_loads;
  all.add(global_stores);
  all.add(global_atomics);
  return all;
}

Traffic Cost::shared() const {
  Traffic all = shared_loads;
  all.add(shared_stores);
  all.add(shared_atomics);
  return all;
}

double Cost::divergence_efficiency() const {
  return ratio(active, instructions * simt::kWarpSize);
}

double Cost::predicated_efficiency() const {
  return ratio(threads, instructions * simt::kWarpSize);
}

double Cost::intensity_of_bytes() const {
  return ratio(flops, global().bytes);
}

double Cost::intensity_of_sectors() const {
  return ratio(flops, global().sectors * kSectorBytes);
}

std::uint64_t flops_of(const ptx::Function& function, const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Opcode::Add:
    case ptx::Opcode::Sub:
    case ptx::Opcode::Mul:
      return elements_of(instruction.type);
    case ptx::Opcode::Mad:
    case ptx::Opcode::Fma:
      return 2 * elements_of(instruction.type);
    case ptx::Opcode::MmaSync:
    case ptx::Opcode::WmmaMma: {
      const simt::TileShape tile =
          simt::tile_shape(function.matrix_forms[instruction.target].shape);
      return std::uint64_t{2} * tile.m * tile.n * tile.k / simt::kWarpSize;
    }
    case ptx::Opcode::WgmmaMma: {
      const simt::TileShape tile =
          simt::warpgroup_shape(function.matrix_forms[instruction.target], 1);
      return std::uint64_t{2} * tile.m * tile.n * tile.k / simt::kWarpSize;
    }
    default:
      return 0;
  }
}

Cost total_cost(const simt::Program& program, const Profile& profile) {
  Cost total;
  for_each_cost(program, profile,
                [&](std::size_t, const Spot&, const Cost& cost, std::uint64_t blocks) {
                  total.add(cost, blocks);
                });
  return total;
}

std::uint64_t total_barriers(const Profile& profile) {
  std::uint64_t barriers = 0;
  for (const BlockClass& c : profile.classes) {
    barriers += c.profile.barriers * c.blocks;
  }
  return barriers;
}

std::uint32_t line_of_most_barriers(const simt::Program& program, const Profile& profile) {
  std::map<std::uint32_t, std::uint64_t> lines;
  for (const BlockClass& c : profile.classes) {
    for (const Execution& execution : c.profile.executions) {
      if (instruction_at(program, execution.spot).op == ptx::Opcode::Bar) {
        lines[line_of(program, execution.spot)] += execution.instructions * c.blocks;
      }
    }
  }
  const auto most =
      std::ranges::max_element(lines, {}, [](const auto& line) { return line.second; });
  return most == lines.end() ? 0 : most->first;
}

std::vector<LineCost> cost_by_line(const simt::Program& program, const Profile& profile) {
  std::map<std::uint32_t, Cost> lines;
  for_each_cost(program, profile,
                [&](std::size_t, const Spot& spot, const Cost& cost, std::uint64_t blocks) {
                  lines[line_of(program, spot)].add(cost, blocks);
                });
  std::vector<LineCost> result;
  for (const auto& [line, cost] : lines) {
    result.push_back({line, cost});
  }
  return result;
}

std::vector<WarpCost> cost_by_warp(const simt::Program& program, const Profile& profile) {
  std::map<std::pair<std::size_t, std::uint32_t>, WarpCost> warps;
  for_each_cost(program, profile,
                [&](std::size_t c, const Spot& spot, const Cost& cost, std::uint64_t blocks) {
                  WarpCost& warp = warps[{c, spot.warp}];
                  warp.of_class = c;
                  warp.warp = spot.warp;
                  warp.blocks = blocks;
                  warp.cost.add(cost);
                });
  std::vector<WarpCost> result;
  for (const auto& [key, warp] : warps) {
    result.push_back(warp);
  }
  return result;
}

std::vector<AccessCost> cost_by_access(const simt::Program& program, const Profile& profile) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, simt::AccessKind>;
  std::map<Key, AccessCost> accesses;
  for (const BlockClass& c : profile.classes) {
    for (const Access& access : c.profile.accesses) {
      const Spot& spot = access.spot;
      AccessCost& cost = accesses[{spot.function, spot.pc, access.target, access.kind}];
      cost.line = line_of(program, spot);
      cost.function = spot.function;
      cost.pc = spot.pc;
      cost.target = access.target;
      cost.kind = access.kind;
      cost.traffic.add(access.traffic, c.blocks);
    }
  }
  std::vector<AccessCost> result;
  for (auto& [key, cost] : accesses) {
    cost.instruction = std::string(ptx::instruction_text(
        program.module(), program.module().functions[cost.function].instructions[cost.pc]));
    std::ranges::replace(cost.instruction, '\t', ' ');
    result.push_back(std::move(cost));
  }
  return result;
}

std::vector<BufferCost> cost_by_buffer(const simt::Program& program, const Profile& profile) {
  std::vector<BufferCost> buffers(program.launch().buffers.size());
  for (const BlockClass& c : profile.classes) {
    for (const Access& access : c.profile.accesses) {
      if (access.target >= buffers.size()) {
        continue;
      }
      BufferCost& buffer = buffers[access.target];
      Traffic& traffic = access.kind == simt::AccessKind::Load    ? buffer.loads
                         : access.kind == simt::AccessKind::Store ? buffer.stores
                                                                  : buffer.atomics;
      traffic.add(access.traffic, c.blocks);
    }
  }
  return buffers;
}

std::string target_name(const simt::Program& program, std::uint32_t target) {
  if (target == kSharedTarget) {
    return "shared memory";
  }
  return target == kOtherTarget ? "other global memory" : program.launch().buffers[target].name;
}

Result<std::vector<ComparedForm>> compare_closed_forms(const problem::LaunchSpec& spec,
                                                       const simt::Program& program,
                                                       const Profile& profile) {
  std::vector<ComparedForm> forms;
  if (!program.launch().not_on_gpu.empty()) {
    return forms;
  }
  const Cost total = total_cost(program, profile);
  for (const problem::ClosedForm& form : spec.closed_forms) {
    const Result<std::int64_t> expected =
        problem::evaluate_expression(form.formula, program.launch().parameters);
    if (!expected) {
      return tl::unexpected(expected.error());
    }
    forms.push_back(
        {form.quantity, form.formula, *expected, counted(form.quantity, program, profile, total)});
  }
  return forms;
}

}  // namespace tilestep::insight
