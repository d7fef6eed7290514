// The source line each warp of a run is at.
#pragma once

#include "insight/check/finding.h"
#include "ptx/model/instruction.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

class WarpLines {
 public:
  explicit WarpLines(const simt::Program& program);

  // Tell it every step before it executes; instructions without a line belong to the last one.
  void enter(const simt::StepInfo& info) {
    if (const std::uint32_t line = of_pc_[info.function][info.pc]; line != 0) {
      current_[index(info.id)] = line;
    }
  }
  [[nodiscard]] std::uint32_t line(simt::WarpId id) const { return current_[index(id)]; }
  // The instruction's own line, or that of the call it is in where its function has none. Lanes
  // that have parted may be at another one than the warp's last.
  [[nodiscard]] std::uint32_t line_of(const simt::StepInfo& info,
                                      const simt::Machine& machine) const;

 private:
  [[nodiscard]] std::size_t index(simt::WarpId id) const {
    return std::size_t{id.block} * warps_per_block_ + id.warp;
  }

  std::vector<std::vector<std::uint32_t>> of_pc_;  // by function and pc
  std::vector<std::uint32_t> current_;             // by block and warp
  std::uint32_t warps_per_block_;
};

// A lane of the step as a side of a finding; its `access` is left empty.
[[nodiscard]] Party party_of(const simt::Program& program, const simt::StepInfo& info,
                             std::uint32_t lane, std::uint32_t line, std::uint64_t step);

// ld, st, atom, red.
[[nodiscard]] inline bool is_memory(ptx::Opcode op) {
  return op == ptx::Opcode::Ld || op == ptx::Opcode::St || ptx::is_atomic(op);
}

}  // namespace tilestep::insight
