#include "insight/memory_order.h"

#include <algorithm>
#include <string_view>

namespace tilestep::insight {
namespace {

// "ld.acquire.gpu.global.u32" has ".acquire".
bool has(std::string_view opcode, std::string_view modifier) {
  const std::size_t at = opcode.find(modifier);
  const std::size_t end = at + modifier.size();
  return at != std::string_view::npos && (end == opcode.size() || opcode[end] == '.');
}

MemoryOrder order_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  const std::string_view text = ptx::instruction_text(module, instruction);
  // The guard, if there is one, ends with a blank.
  const std::size_t begin = text.starts_with('@') ? text.find_first_of(" \t") + 1 : 0;
  const std::string_view opcode = text.substr(begin, text.find_first_of(" \t;", begin) - begin);
  if (has(opcode, ".cta")) {
    return {};
  }
  const bool releases = has(opcode, ".release") || has(opcode, ".acq_rel");
  switch (instruction.op) {
    case ptx::Opcode::Membar:
    case ptx::Opcode::Fence:
      return {false, !has(opcode, ".acquire")};
    case ptx::Opcode::Atom:
    case ptx::Opcode::Red:
      return {true, releases};
    case ptx::Opcode::Ld:
    case ptx::Opcode::St:
      return {releases || has(opcode, ".volatile") || has(opcode, ".relaxed") ||
                  has(opcode, ".acquire") || has(opcode, ".mmio"),
              releases};
    default:
      return {};
  }
}

}  // namespace

MemoryOrders::MemoryOrders(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions) {
    std::vector<MemoryOrder>& orders = orders_.emplace_back();
    std::transform(function.instructions.begin(), function.instructions.end(),
                   std::back_inserter(orders),
                   [&](const ptx::Instruction& i) { return order_of(module, i); });
  }
}

}  // namespace tilestep::insight
