// Quotients of a division by 0 and NaNs, which are told where they are used.
#include "insight/check/sentences.h"
#include "insight/check/undefined_values.h"
#include "simt/state/event.h"

namespace tilestep::insight {
namespace {

using ptx::OperandKind;
using simt::for_each_lane;

// In findings_, in place of a variable.
constexpr std::uint32_t kQuotient = ~0U;
constexpr std::uint32_t kNan = ~1U;

ptx::Operand predicate(std::uint32_t index) {
  ptx::Operand operand;
  operand.kind = OperandKind::Register;
  operand.reg = {ptx::RegisterClass::Pred, index};
  return operand;
}

}  // namespace

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

// A quotient or NaN decides whether the instruction is executed, or where in memory.
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

// Once for each step of a warp; the place is that of the division, or where the NaN is born.
void UndefinedValues::report_number(const Source& source) {
  const bool is_nan = source.kind == Kind::Nan;
  const std::uint32_t line = source.reader.line;
  const auto [it, is_new] = findings_.try_emplace({line, 0, is_nan ? kNan : kQuotient});
  Finding& finding = it->second;
  std::uint64_t& told = told_[{source.kind, line}];
  finding.occurrences += is_new || told == source.reader.step ? 0U : 1U;
  told = source.reader.step;
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
