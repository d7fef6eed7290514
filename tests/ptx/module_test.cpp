#include "ptx/model/module.h"

#include "ptx/text/declarations.h"
#include "ptx/text/parsed_text.h"
#include "ptx/text_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilestep::ptx::test {
namespace {

Module golden_module(const std::string& name) {
  Result<ParsedText> parsed = parse_text(golden_input(name));
  if (!parsed) {
    throw std::runtime_error(parsed.error().message);
  }
  return std::move(parsed->module);
}

// The pc of the first instruction whose text starts with this.
std::uint32_t pc_of(const Module& module, const Function& function, const std::string& text) {
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    if (instruction_text(module, function.instructions[pc]).starts_with(text)) {
      return pc;
    }
  }
  throw std::runtime_error("no instruction starts with " + text);
}

const Function& function_of(const Module& module, std::string_view symbol) {
  const auto found = std::ranges::find(module.functions, symbol, &Function::symbol);
  if (found == module.functions.end()) {
    throw std::runtime_error("no function has this symbol");
  }
  return *found;
}

TEST(Function, HasItsNameAndItsMangledName) {
  const Module module = golden_module("submatrix_step");
  EXPECT_EQ(function_of(module, "_Z10GetElement6Matrixii").name, "GetElement");
}

TEST(InstructionText, IsOneStatementWithoutItsSemicolon) {
  const Module module = golden_module("header_asm");
  const Function& function = module.functions[0];
  EXPECT_EQ(instruction_text(module, function.instructions[0]), "add.f16 %rs1,%rs2,%rs3");
  // Two statements on one line.
  EXPECT_EQ(instruction_text(module, function.instructions[3]), "cvt.rn.f16.f32 low,%f1");
  EXPECT_EQ(instruction_text(module, function.instructions[4]), "mov.b32 %r1,{low,low}");
}

TEST(InstructionText, KeepsTheGuardAndSpansLinesOfACall) {
  const Module predicates = golden_module("predicates");
  EXPECT_EQ(instruction_text(predicates, predicates.functions[0].instructions[1]),
            "@!%p1 add.s32 %r1, %r2, %r3");
  const Module calls = golden_module("calls");
  const Function& fact = function_of(calls, "_Z4facti");
  EXPECT_EQ(instruction_text(calls, fact.instructions[5]),
            "call.uni (retval0),\n\t_Z4facti,\n\t(\n\tparam0\n\t)");
  EXPECT_EQ(fact.instructions[5].text, 35U);
}

TEST(StatementLine, FollowsTheSourceInAStepBuild) {
  const Module module = golden_module("tiled_step");
  const Function& function = module.functions[0];
  EXPECT_EQ(statement_line(function, pc_of(module, function, "mov.u32 \t%r16, %tid.x")), 17U);
  EXPECT_EQ(statement_line(function, pc_of(module, function, "bar.sync")), 27U);
  EXPECT_EQ(statement_line(function, pc_of(module, function, "ret")), 36U);
}

TEST(StatementLine, OfLineZeroIsTheLastRealLine) {
  const Module module = golden_module("tiled_step");
  const Function& function = module.functions[0];
  const std::uint32_t pc = pc_of(module, function, "mov.f32 \t%f10, 0f00000000");
  EXPECT_EQ(function.lines[function.instructions[pc].line].line, 0U);
  EXPECT_EQ(statement_line(function, pc), 25U);
}

TEST(StatementLine, OfHeaderCodeIsTheCallInTheUsersFile) {
  const Module module = golden_module("lines");
  const Function& function = module.functions[0];
  EXPECT_EQ(statement_line(function, 0), 0U);  // before the first .loc
  EXPECT_EQ(statement_line(function, 1), 2U);
  EXPECT_EQ(statement_line(function, 3), 43U);  // line 0
  EXPECT_EQ(statement_line(function, 4), 18U);  // inlined, in the user's own file
  EXPECT_EQ(statement_line(function, 5), 18U);  // header code inlined there
  EXPECT_EQ(statement_line(function, 6), 0U);   // header code without a call
  EXPECT_EQ(statement_line(function, 7), 77U);  // the call's place had no .loc
  EXPECT_EQ(statement_line(function, 99), 0U);
}

TEST(Builtin, IsAFunctionWithoutLines) {
  const Module module = golden_module("lines");
  EXPECT_FALSE(function_of(module, "k").is_builtin);
  EXPECT_TRUE(function_of(module, "helper").is_builtin);
}

TEST(StackPointer, IsFoundByItsName) {
  const Module module = golden_module("addresses");
  EXPECT_EQ(module.functions[0].stack_pointer, (Register{RegisterClass::B64, 0}));
  EXPECT_EQ(module.functions[0].stack_pointer_local, (Register{RegisterClass::B64, 2}));
  EXPECT_EQ(golden_module("tiled_step").functions[0].stack_pointer.index, 0xffffffffU);
}

TEST(Labels, LeadToTheirInstructions) {
  const Result<ParsedText> parsed = parse_text(golden_input("tiled_step"));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->labels.at("$L__func_begin0").pc, 0U);
  EXPECT_EQ(parsed->labels.at("$L__func_end0").pc, parsed->module.functions[0].instructions.size());
  EXPECT_EQ(parsed->labels.at("$L__tmp0").pc, 6U);
  EXPECT_EQ(parsed->labels.at("$L__BB0_2").pc, parsed->labels.at("$L__tmp10").pc);
}

TEST(Sections, KeepBytesAndTheSymbolsToBePutIn) {
  const Result<ParsedText> parsed = parse_text(
      ".version 9.0\n.target sm_80\n.section .debug_info\n{\n.b32 258\n.b8 7,8\nstart:\n"
      ".b64 $L__tmp7\n.b32 .debug_loc+204\n.b8 -1\nend:\n.b32 end-start\n}\n");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  const Section& section = parsed->sections.at(0);
  EXPECT_EQ(section.name, ".debug_info");
  ASSERT_EQ(section.bytes.size(), 23U);
  EXPECT_EQ(section.bytes[0], std::byte{2});
  EXPECT_EQ(section.bytes[1], std::byte{1});
  EXPECT_EQ(section.bytes[5], std::byte{8});
  EXPECT_EQ(section.bytes[18], std::byte{255});
  EXPECT_EQ(section.bytes[19], std::byte{13});
  ASSERT_EQ(section.references.size(), 2U);
  EXPECT_EQ(section.references[0].symbol, "$L__tmp7");
  EXPECT_EQ(section.references[0].offset, 6U);
  EXPECT_EQ(section.references[1].symbol, ".debug_loc");
  EXPECT_EQ(section.references[1].addend, 204);
  EXPECT_EQ(section.references[1].bytes, 4U);
}

struct Name {
  std::string symbol;
  std::string shown;
};

TEST(ShortFunctionName, LeavesOutResultAndParameters) {
  const Name names[] = {
      {"_Z12matmul_tiledILi4EEvPKfS1_Pfiii", "matmul_tiled<4>"},
      {"_Z12GetSubMatrixILi4EE6MatrixS0_ii", "GetSubMatrix<4>"},
      {"_Z10GetElement6Matrixii", "GetElement"},
      {"_ZNK2ns1PclEf", "ns::P::operator()"},
      {"_ZNK2ns1PltERKS0_", "ns::P::operator<"},
      {"_ZN2ns3ArrIfLi32EEixEi", "ns::Arr<float, 32>::operator[]"},
      {"_ZN1AcvbEv", "A::operator bool"},
      {"_ZlsR1AIiE", "operator<<"},
      {"_ZN12_GLOBAL__N_13addEff", "add"},
      {"_Z5applyIPFfffEEvT_", "apply<float (*)(float, float)>"},
      {"vprintf", "vprintf"},
      {"__assertfail", "__assertfail"},
      {"k", "k"},
      {"_Znot_mangled", "_Znot_mangled"},
  };
  for (const Name& name : names) {
    EXPECT_EQ(short_function_name(name.symbol), name.shown) << name.symbol;
  }
}

TEST(ShortVariableName, IsWhatTheSourceCallsIt) {
  EXPECT_EQ(short_variable_name("_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As"), "As");
  EXPECT_EQ(short_variable_name("_ZN2ns4coefE"), "ns::coef");
  EXPECT_EQ(short_variable_name("_ZN39_INTERNAL_00000000_9_lambda_cu_fd82701141_GLOBAL__N__"
                                "00000000_9_lambda_cu_fd8270113tabE"),
            "tab");
  EXPECT_EQ(short_variable_name("smem"), "smem");
}

}  // namespace
}  // namespace tilestep::ptx::test
