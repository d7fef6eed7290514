#include "insight/check/memory_order.h"

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

// "ld.acquire.gpu.global.u32", without guard and operands.
std::string_view opcode_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  const std::string_view text = ptx::instruction_text(module, instruction);
  // The guard, if there is one, ends with a blank.
  const std::size_t begin = text.starts_with('@') ? text.find_first_of(" \t") + 1 : 0;
  return text.substr(begin, text.find_first_of(" \t;", begin) - begin);
}

MemoryOrder order_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  const bool is_fence =
      instruction.op == ptx::Opcode::Membar || instruction.op == ptx::Opcode::Fence;
  const bool is_atomic = instruction.op == ptx::Opcode::Atom || instruction.op == ptx::Opcode::Red;
  const bool is_access = instruction.op == ptx::Opcode::Ld || instruction.op == ptx::Opcode::St;
  if (!is_fence && !is_atomic && !is_access) {
    return {};
  }
  const std::string_view opcode = opcode_of(module, instruction);
  if (has(opcode, ".cta")) {
    return {};
  }
  if (is_fence) {
    return {false, !has(opcode, ".acquire")};
  }
  const bool releases = has(opcode, ".release") || has(opcode, ".acq_rel");
  return {is_atomic || releases || has(opcode, ".volatile") || has(opcode, ".relaxed") ||
              has(opcode, ".acquire") || has(opcode, ".mmio"),
          releases};
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
