// Registers that are read at an instruction, or later.
#include "ptx/model/control_flow.h"
#include "ptx/text/parsed_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tilestep::ptx::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> live_at(std::uint32_t pc) {
  const Result<ParsedText> parsed = parse_text(
      ".version 9.0\n.target sm_80\n.entry k()\n{\n.reg .pred %p;\n.reg .b32 %a, %b, %c;\n"
      ".reg .b64 %d;\n"
      "mov.u64 %d, 64;\n"          // 0
      "mov.u32 %a, 0;\n"           // 1
      "L: add.u32 %b, %a, 1;\n"    // 2: the head of a loop
      "@%p mov.u32 %c, %b;\n"      // 3
      "add.u32 %a, %b, 2;\n"       // 4
      "setp.lt.u32 %p, %a, 9;\n"   // 5
      "@%p bra L;\n"               // 6
      "st.global.u32 [%d], %c;\n"  // 7
      "ret;\n}\n");
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return {};
  }
  const Function& function = parsed->module.functions[0];
  std::vector<std::string> names;
  for (const Register reg : Liveness(function).at(pc)) {
    const auto at = std::ranges::find(function.registers, reg) - function.registers.begin();
    names.push_back(function.register_names[static_cast<std::size_t>(at)]);
  }
  std::ranges::sort(names);
  return names;
}

// %c: a guarded write may not happen; %b is written before it is read again.
TEST(Liveness, KnowsWhatALoopStillNeeds) {
  EXPECT_THAT(live_at(2), ElementsAre("%a", "%c", "%d", "%p"));
  EXPECT_THAT(live_at(4), ElementsAre("%b", "%c", "%d"));
  EXPECT_THAT(live_at(7), ElementsAre("%c", "%d"));
  EXPECT_THAT(live_at(8), ElementsAre());
}

}  // namespace
}  // namespace tilestep::ptx::test
