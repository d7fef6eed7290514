// Registers that a function may read before it has written them.
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
using testing::IsEmpty;

std::vector<std::string> unset(const std::string& body) {
  const Result<ParsedText> parsed = parse_text(
      ".version 9.0\n.target sm_80\n.entry k()\n{\n.reg .pred %p;\n.reg .b32 %a, %b, %c;\n"
      ".reg .b64 %d;\n" +
      body + "}\n");
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message << "\n" << body;
    return {};
  }
  const Function& function = parsed->module.functions[0];
  std::vector<std::string> names;
  for (const Register reg : unset_registers(function)) {
    const auto at = std::ranges::find(function.registers, reg) - function.registers.begin();
    names.push_back(function.register_names[static_cast<std::size_t>(at)]);
  }
  std::ranges::sort(names);
  return names;
}

TEST(UnsetRegisters, AreReadBeforeTheyAreWritten) {
  EXPECT_THAT(unset("mov.u32 %a, 1; add.u32 %b, %a, %a; ret;"), IsEmpty());
  EXPECT_THAT(unset("add.u32 %b, %a, 1; ret;"), ElementsAre("%a"));
  EXPECT_THAT(unset("add.u32 %a, %a, 1; ret;"), ElementsAre("%a"));
}

TEST(UnsetRegisters, AreUnsetOnOnePathAlone) {
  const std::string one_path =
      "setp.eq.u32 %p, 1, 2; @%p bra L; mov.u32 %a, 1; L: add.u32 %b, %a, 1; ret;";
  EXPECT_THAT(unset(one_path), ElementsAre("%a"));
  EXPECT_THAT(unset("mov.u32 %a, 0; " + one_path), IsEmpty());
  EXPECT_THAT(unset("setp.eq.u32 %p, 1, 2; @%p mov.u32 %a, 1; add.u32 %b, %a, 1; ret;"),
              ElementsAre("%a"))
      << "a guarded write may not happen";
}

TEST(UnsetRegisters, AreFoundAroundALoop) {
  EXPECT_THAT(unset("mov.u32 %b, 0; L: add.u32 %b, %b, %a; mov.u32 %a, 1;\n"
                    "setp.lt.u32 %p, %b, 9; @%p bra L; ret;"),
              ElementsAre("%a"));
  EXPECT_THAT(unset("mov.u32 %b, 0; L: mov.u32 %a, 1; add.u32 %b, %b, %a;\n"
                    "setp.lt.u32 %p, %b, 9; @%p bra L; ret;"),
              IsEmpty());
}

TEST(UnsetRegisters, MayBeGuardsAndAddresses) {
  EXPECT_THAT(unset("@%p mov.u32 %a, 1; ret;"), ElementsAre("%p"));
  EXPECT_THAT(unset("ld.global.u32 %a, [%d+4]; ret;"), ElementsAre("%d"));
  EXPECT_THAT(unset("st.global.u32 [%d], %a; ret;"), ElementsAre("%a", "%d"));
}

TEST(UnsetRegisters, AreNotThoseReadWhereNoPathLeads) {
  EXPECT_THAT(unset("ret; add.u32 %b, %a, 1; ret;"), IsEmpty());
}

}  // namespace
}  // namespace tilestep::ptx::test
