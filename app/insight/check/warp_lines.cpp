#include "insight/check/warp_lines.h"

#include <optional>

namespace tilestep::insight {

WarpLines::WarpLines(const simt::Program& program)
    : current_(std::size_t{program.block_count()} * program.warps_per_block()),
      warps_per_block_(program.warps_per_block()) {
  for (const ptx::Function& function : program.module().functions) {
    std::vector<std::uint32_t> lines(function.instructions.size());
    for (std::uint32_t pc = 0; pc < lines.size(); ++pc) {
      lines[pc] = ptx::statement_line(function, pc);
    }
    of_pc_.push_back(std::move(lines));
  }
}

std::uint32_t WarpLines::line_of(const simt::StepInfo& info, const simt::Machine& machine) const {
  std::uint32_t found = of_pc_[info.function][info.pc];
  std::uint32_t frame = info.frame;
  while (found == 0 && frame != 0) {
    const auto call = machine.call(info.id, frame);
    const auto caller = call ? machine.call(info.id, call->caller) : std::nullopt;
    if (!caller) {
      break;
    }
    found = of_pc_[caller->function][call->call_pc];
    frame = call->caller;
  }
  return found != 0 ? found : line(info.id);
}

Party party_of(const simt::Program& program, const simt::StepInfo& info, std::uint32_t lane,
               std::uint32_t line, std::uint64_t step) {
  const std::uint32_t thread =
      info.id.warp * static_cast<std::uint32_t>(program.warp_size()) + lane;
  return {program.block_index(info.id.block), program.thread_index(thread), line, step,
          std::nullopt};
}

}  // namespace tilestep::insight
