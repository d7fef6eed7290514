#include "ui/stage/mbarrier_cells.h"

#include "simt/exec/mbarrier_object.h"

#include <cstring>

namespace tilestep::ui {

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

double still_to_come(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  const simt::MbarrierObject object(word);
  return object.pending > 0 ? static_cast<double>(object.pending)
                            : static_cast<double>(object.bytes);
}

}  // namespace tilestep::ui
