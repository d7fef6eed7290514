// Shared parts of observers that track values alongside the machine's registers: the executed
// instruction with what is known of its warp's registers, and a sparse register file.
#pragma once

#include "ptx/model/module.h"
#include "simt/machine/machine.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tilestep::insight {

// One executed instruction. Registers: the observer's knowledge of the registers of the warp, or of
// one of its frames.
template <class Registers>
struct ShadowStep {
  const simt::StepInfo& info;
  const ptx::Function& function;
  const ptx::Instruction& instruction;
  Registers& registers;

  [[nodiscard]] const ptx::Operand& operand(std::uint32_t n) const {
    return function.operands[instruction.first_operand + n];
  }
  [[nodiscard]] const ptx::Operand& source(std::uint32_t n) const {
    return operand(instruction.dest_count + n);
  }
  [[nodiscard]] std::uint32_t sources() const {
    return std::uint32_t{instruction.operand_count} - instruction.dest_count;
  }
};

// The bits of a register or an immediate in a lane.
[[nodiscard]] inline std::uint64_t operand_bits(const simt::Machine& machine,
                                                const simt::StepInfo& info,
                                                const ptx::Operand& operand, std::uint32_t lane) {
  return operand.kind == ptx::OperandKind::Register
             ? machine.register_lane(info.id, operand.reg, static_cast<int>(lane), info.frame)
             : static_cast<std::uint64_t>(operand.value);
}

// The source operand, of the first two, that a selp chooses in a lane.
template <class Registers>
[[nodiscard]] std::uint32_t chosen_source(const simt::Machine& machine,
                                          const ShadowStep<Registers>& step, std::uint32_t lane) {
  const ptx::Operand& choice = step.source(2);
  const bool holds = (operand_bits(machine, step.info, choice, lane) & 1U) != 0;
  return holds != choice.negated ? 0 : 1;
}

// The known values of a warp's registers and of the words of its parameters, by call. Holds only
// those that differ from T{} in some lane.
template <class T>
class SparseRegisters {
 public:
  using Lanes = std::array<T, simt::kWarpSize>;

  [[nodiscard]] static bool holds(const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::Register || operand.kind == ptx::OperandKind::Param ||
           operand.kind == ptx::OperandKind::CallParam;
  }
  [[nodiscard]] bool empty() const { return lanes_.empty(); }
  // nullptr: nothing is known. `part`: number of words after a parameter's first.
  [[nodiscard]] const Lanes* find(std::uint32_t frame, const ptx::Operand& operand,
                                  std::uint32_t part = 0) const {
    const auto found = lanes_.find(key(frame, operand, part));
    return found == lanes_.end() ? nullptr : &found->second;
  }
  // Like find(), but creates a missing entry.
  [[nodiscard]] Lanes& at(std::uint32_t frame, const ptx::Operand& operand,
                          std::uint32_t part = 0) {
    return lanes_[key(frame, operand, part)];
  }
  void set(std::uint32_t frame, const ptx::Operand& operand, std::uint32_t part, const Lanes& lanes,
           std::uint32_t mask) {
    const std::uint64_t place = key(frame, operand, part);
    const auto found = lanes_.find(place);
    Lanes now = found == lanes_.end() ? Lanes{} : found->second;
    simt::for_each_lane(mask, [&](std::uint32_t lane) { now[lane] = lanes[lane]; });
    if (now != Lanes{}) {
      lanes_[place] = now;
    } else if (found != lanes_.end()) {
      lanes_.erase(found);
    }
  }
  void forget_frame(std::uint32_t frame) {
    std::erase_if(lanes_, [&](const auto& entry) { return entry.first >> 40 == frame; });
  }

 private:
  [[nodiscard]] static std::uint64_t key(std::uint32_t frame, const ptx::Operand& operand,
                                         std::uint32_t part) {
    const bool is_param =
        operand.kind == ptx::OperandKind::Param || operand.kind == ptx::OperandKind::CallParam;
    const auto kind = is_param ? static_cast<std::uint64_t>(operand.kind) : std::uint64_t{0};
    const std::uint64_t is_predicate =
        !is_param && operand.reg.cls == ptx::RegisterClass::Pred ? 1U : 0U;
    const std::uint64_t place =
        is_param ? operand.index / 4 + std::uint64_t{part} : operand.reg.index;
    return std::uint64_t{frame} << 40 | kind << 34 | is_predicate << 33 | place;
  }

  std::unordered_map<std::uint64_t, Lanes> lanes_;
};

// The registers of all known warps, by block and warp.
template <class T>
class SparseWarps {
 public:
  // The warp's registers, and whether the warp is new.
  [[nodiscard]] auto of(const simt::WarpId& id) {
    const auto [warp, is_new] = warps_.try_emplace(std::uint64_t{id.block} << 32 | id.warp);
    return std::pair<SparseRegisters<T>&, bool>(warp->second, is_new);
  }
  void forget_block(std::uint32_t block) {
    std::erase_if(warps_, [&](const auto& entry) { return entry.first >> 32 == block; });
  }

 private:
  std::unordered_map<std::uint64_t, SparseRegisters<T>> warps_;
};

}  // namespace tilestep::insight
