#include "insight/check/undefined_values.h"

#include "insight/check/sentences.h"
#include "record/place_name.h"
#include "simt/exec/executors.h"
#include "simt/state/event.h"

#include <algorithm>
#include <numeric>

namespace tilestep::insight {
namespace {

using ptx::Opcode;
using ptx::OperandKind;
using simt::for_each_lane;

constexpr std::uint32_t kShared = ~0U;  // in place of a thread

using Registers = SparseRegisters<std::uint32_t>;

// The earlier of two origins; 0 is none.
std::uint32_t earlier(std::uint32_t a, std::uint32_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

// The variable's name in the source; empty if the register never holds a variable.
std::string variable_of(const ptx::Function& function, ptx::Register reg) {
  for (const ptx::AssignmentEvent& event : function.events) {
    if (event.reg == reg) {
      return function.source_variables[event.variable].name;
    }
  }
  for (const ptx::SourceVariable& variable : function.source_variables) {
    if (variable.kind == ptx::LocationKind::Register && variable.reg == reg) {
      return variable.name;
    }
  }
  return "";
}

std::uint32_t words_of(const ptx::Instruction& i) {
  return std::max(ptx::byte_size(i.type) / 4, 1U);
}

// Keys in findings_, in place of a variable.
constexpr std::uint32_t kQuotient = ~0U;
constexpr std::uint32_t kNan = ~1U;

ptx::Operand predicate(std::uint32_t index) {
  ptx::Operand operand;
  operand.kind = OperandKind::Register;
  operand.reg = {ptx::RegisterClass::Pred, index};
  return operand;
}

}  // namespace

UndefinedValues::UndefinedValues(const simt::Machine& machine, const ptx::UnsetRegisters& unset)
    : machine_(machine), lines_(machine.program()) {
  const std::vector<ptx::Function>& functions = machine.program().module().functions;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    name_unset(functions[f], unset.empty() ? std::vector<ptx::Register>{} : unset[f]);
  }
}

void UndefinedValues::name_unset(const ptx::Function& function,
                                 const std::vector<ptx::Register>& unset) {
  std::vector<Unset>& all = unset_.emplace_back();
  for (const ptx::Register reg : unset) {
    Source source;
    source.name = variable_of(function, reg);
    origins_.push_back(std::move(source));
    all.push_back({reg, static_cast<Origin>(origins_.size())});
  }
}

void UndefinedValues::forget(const Step& step, std::uint32_t function, std::uint32_t mask) const {
  for (const Unset& unset : unset_[function]) {
    ptx::Operand operand;
    operand.kind = OperandKind::Register;
    operand.reg = unset.reg;
    Lanes lanes{};
    lanes.fill(unset.origin);
    set(step, operand, 0, lanes, mask);
  }
}

UndefinedValues::Step UndefinedValues::step(const simt::StepInfo& info) {
  const ptx::Function& function = machine_.program().module().functions[info.function];
  const auto [warp, is_new] = warps_.of(info.id);
  const Step now{info, function, *info.instruction, warp};
  if (is_new) {
    forget(now, info.function, ~0U);
  }
  return now;
}

UndefinedValues::Lanes UndefinedValues::origins(const Step& step, const ptx::Operand& operand,
                                                std::uint32_t part) {
  const Lanes* const found =
      Registers::holds(operand) ? step.registers.find(step.info.frame, operand, part) : nullptr;
  return found == nullptr ? Lanes{} : *found;
}

void UndefinedValues::set(const Step& step, const ptx::Operand& operand, std::uint32_t part,
                          const Lanes& lanes, std::uint32_t mask) {
  if (Registers::holds(operand)) {
    step.registers.set(step.info.frame, operand, part, lanes, mask);
  }
}

UndefinedValues::Lanes UndefinedValues::shuffled(const Step& step) const {
  const Lanes from = origins(step, step.source(0));
  Lanes result{};
  for_each_lane(step.info.mask, [&](std::uint32_t lane) {
    const auto bits = [&](const ptx::Operand& operand) {
      return operand_bits(machine_, step.info, operand, lane);
    };
    const auto b = static_cast<std::uint32_t>(bits(step.source(1)));
    const auto c = static_cast<std::uint32_t>(bits(step.source(2)));
    result[lane] = from[simt::shuffle_source(step.instruction.mode, lane, b, c).lane];
  });
  return result;
}

// Whether this operand alone determines the result of `and`, `or` or `mul`.
bool UndefinedValues::settles(const Step& step, const ptx::Operand& operand,
                              std::uint32_t lane) const {
  const ptx::Instruction& i = step.instruction;
  if (i.op != Opcode::And && i.op != Opcode::Or && i.op != Opcode::Mul) {
    return false;
  }
  const bool is_predicate = i.type == ptx::Type::Pred;
  const std::uint64_t ones =
      is_predicate ? 1 : ~std::uint64_t{0} >> (64 - 8 * std::min(ptx::byte_size(i.type), 8U));
  const std::uint64_t bits = operand_bits(machine_, step.info, operand, lane) & ones;
  return is_float(i.type) ? false : bits == (i.op == Opcode::Or ? ones : 0);
}

// Origins of the instruction's result, in its executing lanes.
UndefinedValues::Lanes UndefinedValues::result(const Step& step) const {
  const ptx::Instruction& i = step.instruction;
  if (i.op == Opcode::Shfl) {
    return shuffled(step);
  }
  std::vector<Lanes> sources;
  for (std::uint32_t n = i.dest_count; n < i.operand_count; ++n) {
    sources.push_back(origins(step, step.operand(n)));
  }
  Lanes result{};
  for_each_lane(step.info.mask, [&](std::uint32_t lane) {
    if (i.op == Opcode::Selp && sources[2][lane] == 0) {
      result[lane] = sources[chosen_source(machine_, step, lane)][lane];
      return;
    }
    for (std::uint32_t n = 0; n < sources.size(); ++n) {
      if (sources[n][lane] == 0 && settles(step, step.source(n), lane)) {
        result[lane] = 0;
        break;
      }
      result[lane] = earlier(result[lane], sources[n][lane]);
    }
  });
  if (i.op == Opcode::Vote || i.op == Opcode::Match || i.op == Opcode::Redux) {
    result.fill(std::accumulate(result.begin(), result.end(), Origin{0}, earlier));
  }
  return result;
}

void UndefinedValues::load_parameter(const Step& step) const {
  const ptx::Instruction& i = step.instruction;
  for (std::uint32_t n = 0; n < i.dest_count; ++n) {
    set(step, step.operand(n), 0, origins(step, step.source(0), n * words_of(i)), step.info.mask);
  }
}

void UndefinedValues::store_parameter(const Step& step) const {
  const ptx::Instruction& i = step.instruction;
  for (std::uint32_t n = 1; n < i.operand_count; ++n) {
    set(step, step.operand(0), (n - 1) * words_of(i), origins(step, step.operand(n)),
        step.info.mask);
  }
}

// The callee's frame may reuse an earlier one.
void UndefinedValues::pass_arguments(const Step& step) {
  const std::uint32_t frame = machine_.warp(step.info.id).frame;
  const auto call = machine_.call(step.info.id, frame);
  if (!call || frame == step.info.frame || call->caller != step.info.frame ||
      call->call_pc != step.info.pc) {
    return;
  }
  step.registers.forget_frame(frame);
  const std::vector<ptx::Param>& params =
      machine_.program().module().functions[call->function].params;
  simt::StepInfo inside = step.info;
  inside.frame = frame;
  const Step within{inside, step.function, step.instruction, step.registers};
  forget(within, call->function, step.info.mask);
  for (std::uint32_t k = 0; k < params.size(); ++k) {
    ptx::Operand to;
    to.kind = OperandKind::Param;
    to.index = params[k].offset;
    for (std::uint32_t word = 0; word * 4 < params[k].bytes; ++word) {
      set(within, to, word, origins(step, step.source(1 + k), word), step.info.mask);
    }
  }
}

void UndefinedValues::pass_results(const Step& step) {
  const auto call = machine_.call(step.info.id, step.info.frame);
  if (!call || step.info.frame == 0) {
    return;
  }
  const auto caller = machine_.call(step.info.id, call->caller);
  if (!caller) {
    return;
  }
  const ptx::Function& function = machine_.program().module().functions[caller->function];
  const ptx::Instruction& site = function.instructions[call->call_pc];
  simt::StepInfo outside = step.info;
  outside.frame = call->caller;
  outside.instruction = &site;
  const Step back{outside, function, site, step.registers};
  for (std::uint32_t k = 0; k < site.dest_count && k < step.function.returns.size(); ++k) {
    const ptx::Param& given = step.function.returns[k];
    ptx::Operand from;
    from.kind = OperandKind::Param;
    from.index = given.offset;
    for (std::uint32_t word = 0; word * 4 < given.bytes; ++word) {
      set(back, back.operand(k), word, origins(step, from, word), step.info.mask);
    }
  }
}

void UndefinedValues::before_step(const simt::StepInfo& info) {
  lines_.enter(info);
  const Step now = step(info);
  if (now.registers.empty()) {
    return;
  }
  report_led_by_number(now);
  const ptx::Instruction& i = *info.instruction;
  if (i.op == Opcode::Ld && Registers::holds(now.source(0))) {
    load_parameter(now);
  } else if (i.op == Opcode::St && Registers::holds(now.operand(0))) {
    store_parameter(now);
  } else if (i.op == Opcode::Ret) {
    pass_results(now);
  } else if (i.op != Opcode::Call && i.dest_count > 0) {
    // Values in memory are handled with their memory event.
    const Lanes given = ptx::is_memory(i.op) ? Lanes{} : result(now);
    for (std::uint32_t n = 0; n < i.dest_count; ++n) {
      set(now, now.operand(n), 0, given, info.mask);
    }
  }
}

void UndefinedValues::after_step(const simt::StepInfo& info) {
  if (info.instruction->op == Opcode::Call) {
    pass_arguments(step(info));
  }
  ++step_;
}

void UndefinedValues::on_undefined_shuffle(const simt::StepInfo& info,
                                           const simt::UndefinedShuffle& shuffle) {
  const Step now = step(info);
  Lanes lanes{};
  for_each_lane(shuffle.mask, [&](std::uint32_t lane) {
    origins_.push_back(
        {Kind::Shuffle,
         party(info, lane),
         shuffle.from[lane],
         std::string(ptx::opcode_text(machine_.program().module(), *info.instruction)),
         nullptr,
         {}});
    lanes[lane] = static_cast<Origin>(origins_.size());
  });
  set(now, now.operand(0), 0, lanes, shuffle.mask);
}

// One word of what each lane loads or stores.
void UndefinedValues::access_word(const Step& step, const simt::MemoryEvent& event,
                                  std::uint32_t element, std::uint32_t bytes) {
  const bool loads = event.kind == simt::AccessKind::Load;
  const ptx::Operand& operand = loads ? step.operand(element) : step.source(element + 1);
  Lanes lanes = origins(step, operand);
  for_each_lane(event.mask, [&](std::uint32_t lane) {
    const bool is_local = event.space == ptx::Space::Local;
    const std::tuple key{step.info.id.block, is_local ? thread(step.info, lane) : kShared,
                         (event.addresses[lane] + std::uint64_t{element} * bytes) / 4};
    if (event.space == ptx::Space::Global || event.kind == simt::AccessKind::Atomic) {
      if (!loads && lanes[lane] != 0) {
        report(step.info, event, lane, lanes[lane]);
      }
      lanes[lane] = 0;
    } else if (!loads && lanes[lane] != 0) {
      words_[key] = lanes[lane];
    } else if (!loads) {
      words_.erase(key);
    } else {
      const auto word = words_.find(key);
      lanes[lane] = word == words_.end() ? 0 : word->second;
    }
  });
  if (loads) {
    set(step, operand, 0, lanes, event.mask);
  }
}

void UndefinedValues::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const ptx::Instruction& i = *info.instruction;
  const Step now = step(info);
  if (!ptx::is_memory(i.op) || (now.registers.empty() && words_.empty())) {
    return;
  }
  for (std::uint32_t element = 0; element < i.vector; ++element) {
    access_word(now, event, element, ptx::byte_size(i.type));
  }
}

std::uint32_t UndefinedValues::thread(const simt::StepInfo& info, std::uint32_t lane) const {
  return machine_.program().thread_of(info.id, lane);
}

Party UndefinedValues::party(const simt::StepInfo& info, std::uint32_t lane) const {
  return party_of(machine_.program(), info, lane, lines_.line_of(info, machine_), step_);
}

void UndefinedValues::report(const simt::StepInfo& info, const simt::MemoryEvent& event,
                             std::uint32_t lane, Origin origin) {
  const Source& source = origins_[origin - 1];
  if (is_number(origin)) {
    report_number(source);
    return;
  }
  const bool is_variable = source.kind == Kind::Variable;
  Party store = party(info, lane);
  store.access = event.kind;
  const auto [it, is_new] = findings_.try_emplace(
      {is_variable ? 0 : source.reader.line, store.line, is_variable ? origin : 0});
  Finding& finding = it->second;
  if (!is_new) {
    ++finding.occurrences;
    return;
  }
  const simt::Program& program = machine_.program();
  const simt::Place place = program.locate(event.addresses[lane], event.bytes);
  const bool known = place.allocation != simt::kNoAllocation;
  const std::string stored = known ? record::place_name(program, place) : "";
  if (is_variable) {
    finding.kind = FindingKind::UninitialisedRead;
    finding.variable = finding.element = source.name;
    finding.parties = {store};
    finding.sentence = unset_sentence(program, finding, stored);
    return;
  }
  finding.kind = FindingKind::UndefinedExchange;
  finding.variable = known ? record::variable_name(program, place.allocation) : "";
  finding.element = stored;
  finding.parties = {source.reader, store};
  finding.sentence = undefined_sentence(program, finding, source.name, source.from);
}

void UndefinedValues::on_block_end(std::uint32_t block) {
  warps_.forget_block(block);
  std::erase_if(numbers_, [&](const auto& entry) {
    const bool has_ended = std::get<0>(entry.first) == block;
    if (has_ended) {
      free_.push_back(entry.second);
    }
    return has_ended;
  });
  std::erase_if(words_, [&](const auto& entry) { return std::get<0>(entry.first) == block; });
}

std::vector<Finding> UndefinedValues::findings() const {
  return findings_of(findings_);
}

// Quotients of a division by 0 and NaNs, which are reported when they are used.

UndefinedValues::Origin UndefinedValues::number(const simt::StepInfo& info, std::uint32_t lane,
                                                Kind kind) {
  Origin& origin = numbers_[{info.id.block, thread(info, lane), info.function, info.pc}];
  if (origin == 0 && !free_.empty()) {
    origin = free_.back();
    free_.pop_back();
  } else if (origin == 0) {
    origins_.emplace_back();
    origin = static_cast<Origin>(origins_.size());
  }
  Source& source = origins_[origin - 1];
  source.kind = kind;
  source.reader = party(info, lane);
  return origin;
}

bool UndefinedValues::is_number(Origin origin) const {
  return origin != 0 &&
         (origins_[origin - 1].kind == Kind::Quotient || origins_[origin - 1].kind == Kind::Nan);
}

void UndefinedValues::on_undefined_quotient(const simt::StepInfo& info, std::uint32_t mask) {
  const Step now = step(info);
  Lanes lanes{};
  for_each_lane(mask,
                [&](std::uint32_t lane) { lanes[lane] = number(info, lane, Kind::Quotient); });
  set(now, now.operand(0), 0, lanes, mask);
}

void UndefinedValues::on_nan(const simt::StepInfo& info, std::uint32_t mask,
                             std::span<const std::uint64_t> operands) {
  const Step now = step(info);
  Lanes lanes{};
  for_each_lane(mask, [&](std::uint32_t lane) {
    lanes[lane] = number(info, lane, Kind::Nan);
    Source& source = origins_[lanes[lane] - 1];
    source.instruction = info.instruction;
    for (std::size_t n = 0; n * simt::kLanes < operands.size(); ++n) {
      source.operands.at(n) = operands[n * simt::kLanes + lane];
    }
  });
  set(now, now.operand(0), 0, lanes, mask);
}

// A quotient or NaN decides whether the instruction is executed, or its address.
void UndefinedValues::report_led_by_number(const Step& step) {
  const ptx::Instruction& i = step.instruction;
  const auto report = [&](const ptx::Operand& operand, std::uint32_t mask) {
    const Lanes lanes = origins(step, operand);
    for_each_lane(mask, [&](std::uint32_t lane) {
      if (is_number(lanes[lane])) {
        report_number(origins_[lanes[lane] - 1]);
      }
    });
  };
  if (i.guard != ptx::kNoGuard) {
    report(predicate(i.guard), step.info.active);
  }
  for (std::uint32_t n = 0; n < i.operand_count; ++n) {
    ptx::Operand address = step.operand(n);
    if (address.kind == OperandKind::Memory) {
      address.kind = OperandKind::Register;
      report(address, step.info.mask);
    }
  }
}

// Once for each step of a warp. The place is that of the division, or of the operation that
// produced the NaN.
void UndefinedValues::report_number(const Source& source) {
  const bool is_nan = source.kind == Kind::Nan;
  const std::uint32_t line = source.reader.line;
  const auto [it, is_new] = findings_.try_emplace({line, 0, is_nan ? kNan : kQuotient});
  Finding& finding = it->second;
  std::uint64_t& last_reported = last_reported_[{source.kind, line}];
  finding.occurrences += is_new || last_reported == source.reader.step ? 0U : 1U;
  last_reported = source.reader.step;
  if (!is_new) {
    return;
  }
  finding.parties = {source.reader};
  const simt::Program& program = machine_.program();
  if (is_nan) {
    const ptx::Instruction& i = *source.instruction;
    const std::size_t sources = i.operand_count - i.dest_count;
    finding.kind = FindingKind::NanProduced;
    finding.sentence = nan_sentence(program, finding,
                                    operation_text(i, std::span(source.operands).first(sources)));
  } else {
    finding.kind = FindingKind::DivisionByZero;
    finding.sentence = division_sentence(program, finding);
  }
}

}  // namespace tilestep::insight
