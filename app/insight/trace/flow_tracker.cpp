#include "insight/trace/flow_tracker.h"

#include "simt/state/event.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using simt::kLanes;

bool is_float_variable(const ptx::Module& module, const ptx::SourceVariable& variable) {
  return variable.type < module.types.size() &&
         module.types[variable.type].kind == ptx::TypeKind::Float;
}

// First row of a parameter or call-area operand.
std::uint32_t area_row(const FlowFunction& flow, const ptx::Operand& operand) {
  const std::uint32_t base =
      operand.kind == ptx::OperandKind::Param ? flow.param_row : flow.call_row;
  return base + static_cast<std::uint32_t>(operand.index + operand.value) / 4;
}

ValueNode::Kind node_kind(FlowKind kind) {
  switch (kind) {
    case FlowKind::Add:
      return ValueNode::Kind::Sum;
    case FlowKind::Subtract:
      return ValueNode::Kind::Difference;
    case FlowKind::Negate:
      return ValueNode::Kind::Negation;
    default:
      return ValueNode::Kind::Product;
  }
}

struct Rows {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t count = 0;
};

void copy_rows(const std::vector<NodeId>& from, std::vector<NodeId>& to, const Rows& rows,
               std::uint32_t lanes) {
  const std::size_t from_rows = from.size() / kLanes;
  const std::size_t to_rows = to.size() / kLanes;
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if (rows.from + i >= from_rows || rows.to + i >= to_rows) {
      return;
    }
    for_each_lane(lanes, [&](int lane) {
      const auto at = static_cast<std::size_t>(lane);
      to[std::size_t{rows.to + i} * kLanes + at] = from[std::size_t{rows.from + i} * kLanes + at];
    });
  }
}

}  // namespace

NodeId ValueGraph::constant(float value) {
  const auto [it, is_new] = constants_.try_emplace(std::bit_cast<std::uint32_t>(value), 0);
  if (is_new) {
    ValueNode node;
    node.kind = ValueNode::Kind::Constant;
    node.value = value;
    it->second = add(node);
  }
  return it->second;
}

FlowTracker::FlowTracker(const simt::Machine& machine, const record::Tables& tables,
                         std::uint32_t block, bool follows_matrices)
    : machine_(machine),
      tables_(tables),
      block_(block),
      flows_(plan_flow(tables.program->module())),
      warps_(tables.program->warps_per_block()),
      shared_((tables.program->shared_room() + 3) / 4),
      follows_matrices_(follows_matrices) {}

FlowTracker::Site FlowTracker::site(const simt::StepInfo& info, Warp& warp) const {
  return {{info, tables_.program->module().functions[info.function], *info.instruction,
           warp.frames[info.frame]},
          flows_[info.function]};
}

std::uint32_t FlowTracker::thread_of(const simt::StepInfo& info, int lane) const {
  return tables_.program->thread_of(info.id, static_cast<std::uint32_t>(lane));
}

float FlowTracker::register_value(const simt::StepInfo& info, const ptx::Register& reg,
                                  int lane) const {
  return float_of_bits(machine_.register_lane(info.id, reg, lane),
                       reg.cls == ptx::RegisterClass::B64);
}

NodeId* FlowTracker::row(const Site& site, const ptx::Operand& operand) const {
  const std::uint32_t row = site.flow.row(operand);
  return row == kUntracked ? nullptr : site.registers.rows.data() + std::size_t{row} * kLanes;
}

NodeId FlowTracker::register_node(std::uint32_t warp, std::uint32_t frame, const ptx::Register& reg,
                                  int lane) const {
  if (warp >= warps_.size() || frame >= warps_[warp].frames.size()) {
    return kUnknownNode;
  }
  const Frame& found = warps_[warp].frames[frame];
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::Register;
  operand.reg = reg;
  const std::uint32_t row = flows_[found.function].row(operand);
  return row == kUntracked ? kUnknownNode
                           : found.rows[std::size_t{row} * kLanes + static_cast<std::size_t>(lane)];
}

FlowTracker::Source FlowTracker::source(const Site& site, const ptx::Operand& operand) {
  Source source{&operand, row(site, operand)};
  if (operand.kind == ptx::OperandKind::Immediate) {
    source.immediate = graph_.constant(float_of_bits(static_cast<std::uint64_t>(operand.value),
                                                     site.instruction.type == ptx::Type::F64));
  }
  return source;
}

// The node of a source operand; a value that is not followed counts as a constant.
NodeId FlowTracker::read(const Site& site, const Source& source, int lane) {
  if (source.nodes == nullptr) {
    return source.immediate;
  }
  const NodeId node = source.nodes[lane];
  return node != kUnknownNode
             ? node
             : graph_.constant(register_value(site.info, source.operand->reg, lane));
}

void FlowTracker::before_step(const simt::StepInfo& info) {
  if (info.id.block != block_) {
    return;
  }
  Warp& warp = warps_[info.id.warp];
  if (warp.frames.empty()) {
    warp.frames.push_back({info.function, 0, 0,
                           std::vector<NodeId>(std::size_t{flows_[info.function].rows} * kLanes)});
    warp.next_step = step_;
  }
  const Site here = site(info, warp);
  if (tables_.functions[info.function].pcs[info.pc].action_count != 0) {
    note_assignments(here, warp, true);
  }
  const FlowKind kind = here.flow.kinds[info.pc];
  switch (kind) {
    case FlowKind::None:
    case FlowKind::Call:
    case FlowKind::Return:
    case FlowKind::StoreMemory:
    case FlowKind::CopyMemory:
      break;
    case FlowKind::Forget:
    case FlowKind::LoadMemory:
      forget(here);
      break;
    case FlowKind::Copy:
    case FlowKind::Select:
      move(here);
      break;
    case FlowKind::LoadParam:
      load_param(here);
      break;
    case FlowKind::StoreParam:
      store_param(here);
      break;
    case FlowKind::Shuffle:
      exchange(here);
      break;
    case FlowKind::MultiplyMatrices:
      if (follows_matrices_) {
        begin_matrices(here);
      } else {
        forget(here);
      }
      break;
    default:
      combine(here, kind);
      break;
  }
}

void FlowTracker::after_step(const simt::StepInfo& info) {
  if (info.id.block != block_) {
    return;
  }
  Warp& warp = warps_[info.id.warp];
  const FlowKind kind = flows_[info.function].kinds[info.pc];
  if (kind >= FlowKind::Multiply && kind <= FlowKind::Fma) {
    measure(site(info, warp));
  }
  if (kind == FlowKind::MultiplyMatrices && follows_matrices_ && info.mask != 0) {
    multiply_matrices(site(info, warp));
  }
  warp.next_step = step_ + 1;
  if (tables_.functions[info.function].pcs[info.pc].action_count != 0) {
    note_assignments(site(info, warp), warp, false);
  }
  if (kind == FlowKind::Call) {
    enter_call(info, warp);
  } else if (kind == FlowKind::Return && info.frame != 0) {
    const Frame& callee = warp.frames[info.frame];
    pass_results(warp.frames[callee.caller], callee, info.mask);
  }
}

// Snapshots are taken before an instruction. A variable in a single register is assigned after it.
void FlowTracker::note_assignments(const Site& site, const Warp& warp, bool before) {
  const record::FunctionTable& table = tables_.functions[site.info.function];
  for (const record::Action& action : table.actions_at(table.pcs[site.info.pc])) {
    if (!is_float_variable(tables_.program->module(),
                           site.function.source_variables[action.variable])) {
      continue;
    }
    if (action.kind == record::Action::Kind::Assign) {
      if (!before) {
        hold(site, action.variable, &action.reg, site.info.mask, warp.next_step);
      }
    } else if (before) {
      const bool snapshot = action.kind == record::Action::Kind::Snapshot;
      hold(site, action.variable, snapshot ? &action.reg : nullptr, site.info.active,
           warp.next_step);
    }
  }
}

void FlowTracker::hold(const Site& site, std::uint32_t variable, const ptx::Register* reg,
                       std::uint32_t lanes, std::uint64_t step) {
  History& history = this->history(site.info.function, variable);
  ptx::Operand operand;
  operand.kind = ptx::OperandKind::Register;
  std::uint32_t row = kUntracked;
  if (reg != nullptr) {
    operand.reg = *reg;
    row = site.flow.row(operand);
  }
  for_each_lane(lanes, [&](int lane) {
    const NodeId node =
        row == kUntracked
            ? kUnknownNode
            : site.registers.rows[std::size_t{row} * kLanes + static_cast<std::size_t>(lane)];
    std::vector<HeldValue>& values = history.lanes[thread_of(site.info, lane)];
    if (values.empty() || values.back().node != node) {
      values.push_back({step, node});
    }
  });
}

FlowTracker::History& FlowTracker::history(std::uint32_t function, std::uint32_t variable) {
  const auto [it, is_new] = history_of_.try_emplace({function, variable}, histories_.size());
  if (is_new) {
    histories_.push_back(
        {function, variable,
         std::vector<std::vector<HeldValue>>(std::size_t{tables_.program->warps_per_block()} *
                                             tables_.program->warp_size())});
  }
  return histories_[it->second];
}

void FlowTracker::forget(const Site& site) {
  for (std::uint32_t n = 0; n < site.instruction.dest_count; ++n) {
    if (NodeId* nodes = row(site, site.operand(n)); nodes != nullptr) {
      for_each_lane(site.info.mask, [&](int lane) { nodes[lane] = kUnknownNode; });
    }
  }
}

void FlowTracker::move(const Site& site) {
  NodeId* to = row(site, site.operand(0));
  const bool select = site.flow.kinds[site.info.pc] == FlowKind::Select;
  const std::array sources{source(site, site.source(0)),
                           select ? source(site, site.source(1)) : Source{}};
  for_each_lane(site.info.mask, [&](int lane) {
    const auto at = static_cast<std::uint32_t>(lane);
    to[lane] = read(site, sources[select ? chosen_source(machine_, site, at) : 0], lane);
  });
}

void FlowTracker::combine(const Site& site, FlowKind kind) {
  NodeId* to = row(site, site.operand(0));
  const Source a = source(site, site.source(0));
  const Source b = kind == FlowKind::Negate ? Source{} : source(site, site.source(1));
  const Source c = kind == FlowKind::Fma ? source(site, site.source(2)) : Source{};
  const std::uint32_t first_thread = thread_of(site.info, 0);
  ValueNode node;
  node.step = static_cast<std::uint32_t>(step_);
  for_each_lane(site.info.mask, [&](int lane) {
    node.kind = node_kind(kind);
    node.thread = first_thread + static_cast<std::uint32_t>(lane);
    node.a = read(site, a, lane);
    node.b = read(site, b, lane);
    if (kind == FlowKind::Fma) {
      const NodeId product = graph_.add(node);
      node.kind = ValueNode::Kind::Sum;
      node.a = read(site, c, lane);
      node.b = product;
    }
    to[lane] = graph_.add(node);
  });
}

// Notes the machine's result: the executed sum, with rounding.
void FlowTracker::measure(const Site& site) {
  const ptx::Register& reg = site.operand(0).reg;
  const NodeId* nodes = row(site, site.operand(0));
  const auto bits = machine_.register_row(site.info.id, reg);
  for_each_lane(site.info.mask, [&](int lane) {
    graph_[nodes[lane]].value =
        float_of_bits(bits[static_cast<std::size_t>(lane)], reg.cls == ptx::RegisterClass::B64);
  });
}

void FlowTracker::load_param(const Site& site) {
  const ptx::Instruction& instruction = site.instruction;
  const std::uint32_t first = area_row(site.flow, site.operand(instruction.dest_count));
  const std::uint32_t words = ptx::byte_size(instruction.type) == 8 ? 2 : 1;
  for (std::uint32_t n = 0; n < instruction.dest_count; ++n) {
    NodeId* to = row(site, site.operand(n));
    const std::size_t from = std::size_t{first} + std::size_t{n} * words;
    if (to == nullptr || from >= site.flow.rows) {
      continue;
    }
    for_each_lane(site.info.mask, [&](int lane) {
      to[lane] = site.registers.rows[from * kLanes + static_cast<std::size_t>(lane)];
    });
  }
}

void FlowTracker::store_param(const Site& site) {
  const ptx::Instruction& instruction = site.instruction;
  const std::uint32_t first = area_row(site.flow, site.operand(0));
  const std::uint32_t words = ptx::byte_size(instruction.type) == 8 ? 2 : 1;
  for (std::uint32_t n = 1; n < instruction.operand_count; ++n) {
    const std::size_t to = std::size_t{first} + std::size_t{n - 1} * words;
    const NodeId* nodes = row(site, site.operand(n));
    if (to >= site.flow.rows) {
      continue;
    }
    for_each_lane(site.info.mask, [&](int lane) {
      site.registers.rows[to * kLanes + static_cast<std::size_t>(lane)] =
          nodes == nullptr ? kUnknownNode : nodes[lane];
    });
  }
}

// A call of a function with its own frame makes that frame the current one.
void FlowTracker::enter_call(const simt::StepInfo& info, Warp& warp) {
  const simt::WarpView view = machine_.warp(info.id);
  const std::optional<simt::CallView> call = machine_.call(info.id, view.frame);
  if (!call || view.frame == info.frame || call->caller != info.frame || call->call_pc != info.pc ||
      view.pc != 0) {
    return;
  }
  Frame callee{view.function, info.frame, info.pc,
               std::vector<NodeId>(std::size_t{flows_[view.function].rows} * kLanes)};
  pass_arguments(warp.frames[info.frame], info, callee);
  warp.frames.resize(std::max<std::size_t>(warp.frames.size(), view.frame + std::size_t{1}));
  warp.frames[view.frame] = std::move(callee);
}

void FlowTracker::pass_arguments(const Frame& caller, const simt::StepInfo& info,
                                 Frame& callee) const {
  const ptx::Module& module = tables_.program->module();
  const ptx::Function& from = module.functions[info.function];
  const ptx::Function& to = module.functions[callee.function];
  const std::uint32_t first = info.instruction->dest_count + 1U;
  for (std::uint32_t i = 0; i < to.params.size(); ++i) {
    if (first + i >= info.instruction->operand_count) {
      break;
    }
    const ptx::Operand& argument = from.operands[info.instruction->first_operand + first + i];
    copy_rows(
        caller.rows, callee.rows,
        {area_row(flows_[info.function], argument),
         flows_[callee.function].param_row + to.params[i].offset / 4, (to.params[i].bytes + 3) / 4},
        info.mask);
  }
}

void FlowTracker::pass_results(Frame& caller, const Frame& callee, std::uint32_t lanes) const {
  const ptx::Module& module = tables_.program->module();
  const ptx::Function& from = module.functions[callee.function];
  const ptx::Function& to = module.functions[caller.function];
  const ptx::Instruction& call = to.instructions[callee.call_pc];
  for (std::uint32_t i = 0; i < from.returns.size() && i < call.dest_count; ++i) {
    const ptx::Operand& result = to.operands[call.first_operand + i];
    copy_rows(callee.rows, caller.rows,
              {flows_[callee.function].param_row + from.returns[i].offset / 4,
               area_row(flows_[caller.function], result), (from.returns[i].bytes + 3) / 4},
              lanes);
  }
}

}  // namespace tilestep::insight
