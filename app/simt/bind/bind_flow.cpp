#include "simt/bind/bind_flow.h"

#include <algorithm>

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;

}  // namespace

bool goes_straight_on(const ptx::Instruction& i) {
  return (i.op > O::Unknown && i.op <= O::Shr) || i.op == O::Mov || i.op == O::Prmt ||
         i.op == O::Ld || i.op == O::St || i.op == O::Cvta || i.op == O::Cvt;
}

std::vector<bool> entrances(const ptx::Function& source) {
  std::vector<bool> found(source.instructions.size() + 1);
  const auto mark = [&](std::uint32_t pc) {
    if (pc < found.size()) {
      found[pc] = true;
    }
  };
  for (const ptx::Instruction& i : source.instructions) {
    mark(i.reconverge);
    if (i.op == O::Bra) {
      mark(i.target);
    }
  }
  for (const std::vector<std::uint32_t>& table : source.branch_tables) {
    std::for_each(table.begin(), table.end(), mark);
  }
  return found;
}

}  // namespace tilestep::simt
