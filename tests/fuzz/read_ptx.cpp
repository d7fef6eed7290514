#include "ptx/invariants.h"
#include "ptx/model/module.h"
#include "ptx/parse.h"
#include "require.h"
#include "targets.h"

#include <string>

namespace tilestep::fuzz {

void read_ptx(Bytes bytes) {
  const auto module = ptx::parse(std::string(bytes.begin(), bytes.end()));
  if (!module) {
    require(!module.error().message.empty(), "an error has a sentence");
    return;
  }
  const std::string broken = ptx::test::broken_invariant(*module);
  require(broken.empty(), broken);
  for (const ptx::Function& function : module->functions) {
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      (void)ptx::statement_line(function, pc);
      (void)ptx::visible_variables(function, pc);
      (void)ptx::instruction_text(*module, function.instructions[pc]);
    }
  }
}

}  // namespace tilestep::fuzz
