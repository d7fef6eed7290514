#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

bool is_followed_float(ptx::Type type) {
  return type == ptx::Type::F32 || type == ptx::Type::F64;
}

bool is_bits(ptx::Type type) {
  return type == ptx::Type::B32 || type == ptx::Type::B64;
}

bool is_word(ptx::Type type) {
  return type == ptx::Type::U32 || type == ptx::Type::S32 || type == ptx::Type::B32;
}

bool is_register(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::Register && operand.reg.cls != ptx::RegisterClass::Pred;
}

// Whether the instruction keeps at least the bits of a float that TF32 holds. The result counts as
// the float, and the cut-off bits as rounding. To round to the nearest TF32 number, half of its
// last place is added before.
bool is_cut(const ptx::Function& function, const ptx::Instruction& i) {
  constexpr std::int64_t kLastPlace = 0x2000;  // TF32 lacks the low 13 bits
  if (i.operand_count != 3) {
    return false;
  }
  const ptx::Operand& by = function.operands[i.first_operand + 2];
  if (by.kind != ptx::OperandKind::Immediate) {
    return false;
  }
  const std::int64_t word = static_cast<std::int32_t>(by.value);
  if (i.op == ptx::Opcode::Add) {
    return is_word(i.type) && word == kLastPlace / 2;
  }
  const std::int64_t cleared = -word;
  return i.op == ptx::Opcode::And && i.type == ptx::Type::B32 && cleared > 0 &&
         cleared <= kLastPlace && (cleared & (cleared - 1)) == 0;
}

bool multiplies_matrices(const ptx::Function& function, const ptx::Instruction& i) {
  if (i.op != ptx::Opcode::MmaSync && i.op != ptx::Opcode::WgmmaMma) {
    return false;
  }
  const ptx::MatrixForm& form = function.matrix_forms[i.target];
  const bool in_floats = form.types[0] == ptx::Type::F32 && form.types[1] == ptx::Type::TF32 &&
                         form.types[2] == ptx::Type::TF32;
  return in_floats &&
         (form.shape == ptx::MatrixShape::M16N8K8 || form.shape == ptx::MatrixShape::M64NxK8);
}

class Planner {
 public:
  Planner(const ptx::Function& function, FlowFunction& flow) : function_(function), flow_(flow) {}

  void plan() {
    flow_.row_of_word.assign(function_.register_words + 2, kUntracked);
    track_carriers();
    while (track_more()) {
    }
    flow_.param_row = flow_.register_rows;
    flow_.call_row = flow_.param_row + (function_.param_bytes + 3) / 4;
    flow_.rows = flow_.call_row + (function_.call_bytes + 3) / 4;
    for (const ptx::Instruction& instruction : function_.instructions) {
      flow_.kinds.push_back(kind(instruction));
    }
  }

 private:
  [[nodiscard]] const ptx::Operand& operand(const ptx::Instruction& i, std::uint32_t n) const {
    return function_.operands[i.first_operand + n];
  }

  [[nodiscard]] bool tracked(const ptx::Operand& operand) const {
    return flow_.row(operand) != kUntracked;
  }

  // A register that is ever used as a float is followed, and so are the sources and destinations of
  // its untyped moves (newer compilers keep floats in .b32 registers).
  bool track_more() {
    const std::uint32_t before = flow_.register_rows;
    for (const ptx::Instruction& instruction : function_.instructions) {
      bool follow = is_followed_float(instruction.type);
      if (is_bits(instruction.type) &&
          (instruction.op == ptx::Opcode::Mov || instruction.op == ptx::Opcode::Selp)) {
        for (std::uint32_t n = 0; n < instruction.operand_count; ++n) {
          follow = follow || tracked(operand(instruction, n));
        }
      }
      if (multiplies_matrices(function_, instruction)) {
        for (std::uint32_t n = 0; n < instruction.operand_count; ++n) {
          const ptx::Operand& o = operand(instruction, n);
          if (is_register(o) && o.reg.cls == ptx::RegisterClass::B32) {
            track(o);
          }
        }
        continue;
      }
      if (is_cut(function_, instruction)) {
        follow = tracked(operand(instruction, 0)) || tracked(operand(instruction, 1));
      }
      if (instruction.op == ptx::Opcode::Shfl) {
        track(operand(instruction, 0));
        track(operand(instruction, instruction.dest_count));
        continue;
      }
      const bool converts =
          instruction.op == ptx::Opcode::Cvt && !is_followed_float(instruction.source_type);
      const std::uint32_t count = converts ? instruction.dest_count : instruction.operand_count;
      for (std::uint32_t n = 0; follow && n < count; ++n) {
        track(operand(instruction, n));
      }
    }
    return flow_.register_rows != before;
  }

  // Structs are copied through integer registers (`ld.v4.u32`, `st.v4.u32` for a float4): a
  // register that is only ever loaded and stored may hold a float.
  void track_carriers() {
    constexpr unsigned kLoaded = 1;
    constexpr unsigned kStored = 2;
    constexpr unsigned kElse = 4;
    std::vector<unsigned> uses(flow_.row_of_word.size());
    for (const ptx::Instruction& i : function_.instructions) {
      const bool loads = i.op == ptx::Opcode::Ld && is_word(i.type);
      const bool stores = i.op == ptx::Opcode::St && is_word(i.type);
      const bool cuts = is_cut(function_, i);
      for (std::uint32_t n = 0; n < i.operand_count; ++n) {
        const ptx::Operand& o = operand(i, n);
        const bool addresses = o.kind == ptx::OperandKind::Memory;
        if (addresses || is_register(o)) {
          const bool loaded = (loads || cuts) && n < i.dest_count && !addresses;
          const bool stored = (stores || cuts) && n >= 1 && !addresses;
          uses[o.reg.index] |= loaded ? kLoaded : stored ? kStored : kElse;
        }
      }
    }
    for (std::uint32_t word = 0; word < uses.size(); ++word) {
      if (uses[word] == (kLoaded | kStored)) {
        flow_.row_of_word[word] = flow_.register_rows++;
      }
    }
  }

  void track(const ptx::Operand& operand) {
    if (is_register(operand) && flow_.row_of_word[operand.reg.index] == kUntracked) {
      flow_.row_of_word[operand.reg.index] = flow_.register_rows++;
    }
  }

  [[nodiscard]] FlowKind kind(const ptx::Instruction& i) const {
    if (i.op == ptx::Opcode::Call) {
      return FlowKind::Call;
    }
    if (i.op == ptx::Opcode::Ret || i.op == ptx::Opcode::Exit) {
      return FlowKind::Return;
    }
    if (i.op == ptx::Opcode::St) {
      return store_kind(i);
    }
    if (i.op == ptx::Opcode::CpAsync || i.op == ptx::Opcode::BulkCopy ||
        i.op == ptx::Opcode::BulkTensorCopy) {
      return FlowKind::CopyMemory;
    }
    if (multiplies_matrices(function_, i)) {
      return FlowKind::MultiplyMatrices;
    }
    bool writes = false;
    for (std::uint32_t n = 0; n < i.dest_count; ++n) {
      writes = writes || tracked(operand(i, n));
    }
    return writes ? writing_kind(i) : FlowKind::None;
  }

  [[nodiscard]] FlowKind store_kind(const ptx::Instruction& i) const {
    const ptx::Operand& to = operand(i, 0);
    return to.kind == ptx::OperandKind::Param || to.kind == ptx::OperandKind::CallParam
               ? FlowKind::StoreParam
               : FlowKind::StoreMemory;
  }

  [[nodiscard]] FlowKind writing_kind(const ptx::Instruction& i) const {
    const bool typed = is_followed_float(i.type);
    switch (i.op) {
      case ptx::Opcode::Mov:
        return i.dest_count == 1 && i.operand_count == 2 ? FlowKind::Copy : FlowKind::Forget;
      case ptx::Opcode::Cvt:
        return is_followed_float(i.source_type) && typed ? FlowKind::Copy : FlowKind::Forget;
      case ptx::Opcode::And:
        return is_cut(function_, i) ? FlowKind::Copy : FlowKind::Forget;
      case ptx::Opcode::Selp:
        return FlowKind::Select;
      case ptx::Opcode::Shfl:
        return FlowKind::Shuffle;
      case ptx::Opcode::Ld:
      case ptx::Opcode::Ldu: {
        const ptx::Operand& from = operand(i, i.dest_count);
        return from.kind == ptx::OperandKind::Param || from.kind == ptx::OperandKind::CallParam
                   ? FlowKind::LoadParam
                   : FlowKind::LoadMemory;
      }
      case ptx::Opcode::Mul:
        return typed ? FlowKind::Multiply : FlowKind::Forget;
      case ptx::Opcode::Add:
        return typed ? FlowKind::Add : is_cut(function_, i) ? FlowKind::Copy : FlowKind::Forget;
      case ptx::Opcode::Sub:
        return typed ? FlowKind::Subtract : FlowKind::Forget;
      case ptx::Opcode::Neg:
        return typed ? FlowKind::Negate : FlowKind::Forget;
      case ptx::Opcode::Fma:
      case ptx::Opcode::Mad:
        return typed ? FlowKind::Fma : FlowKind::Forget;
      default:
        return FlowKind::Forget;
    }
  }

  const ptx::Function& function_;
  FlowFunction& flow_;
};

// The last value held before or at a step; kUnknownNode: none.
HeldValue held_at(const std::vector<HeldValue>& values, std::uint64_t step) {
  const auto after =
      std::upper_bound(values.begin(), values.end(), step,
                       [](std::uint64_t k, const HeldValue& value) { return k < value.step; });
  return after == values.begin() ? HeldValue{} : *std::prev(after);
}

}  // namespace

std::uint32_t FlowFunction::row(const ptx::Operand& operand) const {
  return is_register(operand) && operand.reg.index < row_of_word.size()
             ? row_of_word[operand.reg.index]
             : kUntracked;
}

std::vector<FlowFunction> plan_flow(const ptx::Module& module) {
  std::vector<FlowFunction> flows(module.functions.size());
  for (std::size_t f = 0; f < flows.size(); ++f) {
    Planner(module.functions[f], flows[f]).plan();
  }
  return flows;
}

BlockFlow::BlockFlow(const record::Recording& recording, std::uint32_t block,
                     std::uint64_t last_step, Settle settle, std::size_t most_values,
                     const std::atomic<bool>* cancel)
    : block_(block),
      settle_(settle),
      most_values_(most_values),
      cancel_(cancel),
      tables_(recording.shared_program()),
      machine_(recording.shared_program(), recording.part()) {
  tracker_.emplace(machine_, tables_, block, true);
  last_step = std::min(last_step, recording.step_count());
  run(recording, last_step);
  // One instruction of a tensor core produces thousands of values. If that is too many, everything
  // else is followed without them. The same applies if the elements are not TF32 numbers.
  if ((is_too_large() && tracker_->has_matrices()) || tracker_->has_rests()) {
    machine_ = simt::Machine(recording.shared_program(), recording.part());
    tracker_.emplace(machine_, tables_, block, false);
    run(recording, last_step);
  }
}

void BlockFlow::run(const record::Recording& recording, std::uint64_t last_step) {
  constexpr std::uint64_t kMostOfStep = 2 * simt::kLanes;  // a product and a sum per lane
  tracker_->reserve(std::min({std::uint64_t{most_values_}, std::uint64_t{BlockSums::kMostValues},
                              kMostOfStep * recording.steps_to_follow(block_)}));
  if (recording.keeps_steps_of(block_)) {
    run_block(recording, last_step);
  } else {
    run_all(recording, last_step);
  }
}

void BlockFlow::run_block(const record::Recording& recording, std::uint64_t last_step) {
  std::vector<bool> finished(program().warps_per_block(), settle_ == Settle::Exactly);
  recording.visit_steps_of(block_, [&](const record::Recording::BlockStep& step) {
    const simt::WarpId id{block_, step.warp};
    if (step.step >= last_step) {
      const bool ready = machine_.block_status(block_) == simt::BlockStatus::Running &&
                         machine_.warp(id).status == simt::WarpStatus::Ready;
      if (finished[step.warp] || !ready) {
        return true;
      }
      finished[step.warp] = true;
    }
    if (gives_up()) {
      return false;
    }
    tracker_->set_step(step.step);
    machine_.step(id, &*tracker_);
    return true;
  });
}

void BlockFlow::run_all(const record::Recording& recording, std::uint64_t last_step) {
  simt::Scheduler scheduler(recording.program(), recording.schedule(), recording.part());
  std::vector<bool> finished(program().warps_per_block(), false);
  std::size_t unfinished = settle_ == Settle::Exactly ? 0 : finished.size();
  for (std::uint64_t step = 0; step < last_step || unfinished > 0; ++step) {
    tracker_->set_step(step);
    if (gives_up() || !scheduler.step(machine_, &*tracker_)) {
      return;
    }
    if (step >= last_step && scheduler.last().block == block_ && !finished[scheduler.last().warp]) {
      finished[scheduler.last().warp] = true;
      --unfinished;
    }
  }
}

const ptx::SourceVariable& BlockFlow::source(const FlowTracker::History& history) const {
  return program().module().functions[history.function].source_variables[history.variable];
}

NodeId BlockFlow::held(std::uint64_t step, std::uint32_t thread,
                       const std::string& variable) const {
  HeldValue latest;
  for (const FlowTracker::History& history : tracker_->histories()) {
    if (source(history).name == variable) {
      const HeldValue held = held_at(history.lanes[thread], step);
      if (held.step >= latest.step) {
        latest = held;
      }
    }
  }
  return latest.node;
}

}  // namespace tilestep::insight
