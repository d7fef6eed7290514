#include "record/activity.h"

namespace tilestep::record {

std::set<std::uint32_t> mbarrier_lines(const ptx::Module& module) {
  std::set<std::uint32_t> lines;
  for (const ptx::Function& function : module.functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      if (function.instructions[pc].op == ptx::Opcode::Mbarrier) {
        lines.insert(ptx::statement_line(function, pc));
      }
    }
  }
  return lines;
}

bool is_of_mbarrier(const Access& access, const std::set<std::uint32_t>& lines) {
  const simt::MemoryEvent& event = access.event;
  return event.space == ptx::Space::Shared && event.bytes == sizeof(std::uint64_t) &&
         event.kind != simt::AccessKind::Load && event.agent == simt::AccessAgent::Thread &&
         lines.contains(access.line);
}

}  // namespace tilestep::record
