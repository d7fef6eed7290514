// PTX text: a module that parses has the invariants that the emulator requires.
#include "ptx/invariants.h"
#include "ptx/model/module.h"
#include "ptx/parse.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {
namespace {

void require_invariants(const ptx::Module& module) {
  const std::string broken = ptx::test::broken_invariant(module);
  require(broken.empty(), broken);
}

}  // namespace

void read_ptx(Bytes bytes) {
  auto module = ptx::parse(text_of(bytes));
  if (!module) {
    require(!module.error().message.empty(), "an error has a sentence");
    return;
  }
  require_invariants(*module);
  for (const ptx::Function& function : module->functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      (void)ptx::statement_line(function, pc);
      (void)ptx::visible_variables(function, pc);
      (void)ptx::instruction_text(*module, function.instructions[pc]);
    }
  }
}

}  // namespace tilestep::fuzz
