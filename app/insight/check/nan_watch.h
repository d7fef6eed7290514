// Where a NaN is born: a floating-point operation whose result is not a number although all its
// operands are.
//
// Watched: add, sub, mul, mad, fma, div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh of f16, bf16
// (pairs too), f32 and f64. Not watched: matrix operations and atomics.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/warp_lines.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace tilestep::insight {

class NanWatch final : public simt::Observer {
 public:
  // `machine` is the one that runs; it must outlive this.
  explicit NanWatch(const simt::Machine& machine);
  // Tells each birth, with its lanes, and keeps no findings.
  using OnBirth = std::function<void(const simt::StepInfo& info, std::uint32_t lanes)>;
  NanWatch(const simt::Machine& machine, OnBirth on_birth);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;

  [[nodiscard]] std::vector<Finding> findings() const;  // one a source line

 private:
  [[nodiscard]] std::uint32_t lanes_with_nan(const simt::StepInfo& info, std::uint32_t first,
                                             std::uint32_t count) const;
  void report(const simt::StepInfo& info, std::uint32_t lane);

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  bool watched_ = false;                 // the step under way
  std::uint32_t clean_lanes_ = 0;        // whose operands are numbers
  std::vector<std::uint64_t> operands_;  // of the step: by source operand and lane
  std::map<std::uint32_t, Finding> findings_;
  OnBirth on_birth_;
};

// Bits of a floating-point type hold a NaN (either half of a pair).
[[nodiscard]] bool is_nan(std::uint64_t bits, ptx::Type type);

}  // namespace tilestep::insight
