// Where a NaN is born: a floating-point operation whose result is not a number although all its
// operands are.
//
// Watched: add, sub, mul, mad, fma, div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh of f16, bf16
// (pairs too), f32 and f64. Not watched: matrix operations and atomics.
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::insight {

class NanWatch final : public simt::Observer {
 public:
  // Tells each birth after its step, with its lanes and the source operands: a row of lanes each.
  using OnBirth = std::function<void(const simt::StepInfo& info, std::uint32_t lanes,
                                     std::span<const std::uint64_t> operands)>;
  // `machine` is the one that runs; it must outlive this.
  NanWatch(const simt::Machine& machine, OnBirth on_birth);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;

 private:
  [[nodiscard]] std::uint32_t lanes_with_nan(const simt::StepInfo& info, std::uint32_t first,
                                             std::uint32_t count) const;

  const simt::Machine& machine_;
  bool watched_ = false;                 // the step under way
  std::uint32_t clean_lanes_ = 0;        // whose operands are numbers
  std::vector<std::uint64_t> operands_;  // of the step: by source operand and lane
  OnBirth on_birth_;
};

// "0 / 0": what the instruction computes of these source operands.
[[nodiscard]] std::string operation_text(const ptx::Instruction& instruction,
                                         std::span<const std::uint64_t> operands);
// Bits of a floating-point type hold a NaN (either half of a pair).
[[nodiscard]] bool is_nan(std::uint64_t bits, ptx::Type type);

}  // namespace tilestep::insight
