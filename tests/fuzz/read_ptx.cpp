// PTX text: a module that parses has the invariants that the emulator requires, also after merging
// its loads as ptxas does.
#include "ptx/invariants.h"
#include "ptx/model/module.h"
#include "ptx/parse.h"
#include "ptx/sass/ptxas.h"
#include "require.h"
#include "targets.h"

#include <utility>

namespace tilestep::fuzz {
namespace {

void require_invariants(const ptx::Module& module) {
  const std::string broken = ptx::test::broken_invariant(module);
  require(broken.empty(), broken);
}

bool is_of_a_fast_build(const ptx::Function& function) {
  return function.events.empty() && function.scopes.empty();
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
  for (std::uint32_t f = 0; f < module->functions.size(); ++f) {
    if (is_of_a_fast_build(module->functions[f])) {
      *module = ptx::merge_loads(std::move(*module), f);
    }
  }
  require_invariants(*module);
}

}  // namespace tilestep::fuzz
