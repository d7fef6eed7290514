// Which instructions move or combine floating-point values, worked out once for a program: all that
// provenance has to follow. Integers, addresses and predicates are left out.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

inline constexpr std::uint32_t kUntracked = 0xffffffffU;

enum class FlowKind : std::uint8_t {
  None,
  Forget,      // writes tracked registers with something that is not followed
  Copy,        // mov, cvt, and what cuts off the bits that TF32 lacks
  Select,      // selp
  LoadMemory,  // ld from global, shared, local (the machine tells where)
  LoadParam,   // ld.param: this function's parameters, or what a call returned
  StoreMemory,
  CopyMemory,  // cp.async, cp.async.bulk
  StoreParam,
  Shuffle,  // shfl
  Multiply,
  Add,
  Subtract,
  Negate,
  Fma,
  MultiplyMatrices,  // mma.sync, wgmma: TF32 into float
  Call,
  Return,
};

// Where a function's values stand in a frame's rows of 32 lanes.
struct FlowFunction {
  std::vector<FlowKind> kinds;             // by pc
  std::vector<std::uint32_t> row_of_word;  // by register word: its row, or kUntracked
  std::uint32_t register_rows = 0;
  std::uint32_t param_row = 0;  // first of the incoming parameters and returned values, by word
  std::uint32_t call_row = 0;   // first of the call area, by word
  std::uint32_t rows = 0;

  // kUntracked for anything that is not followed.
  [[nodiscard]] std::uint32_t row(const ptx::Operand& operand) const;
};

[[nodiscard]] std::vector<FlowFunction> plan_flow(const ptx::Module& module);

}  // namespace tilestep::insight
