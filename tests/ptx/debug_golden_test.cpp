// The decoded debug information of whole files, against expected text.
//
// TILESTEP_WRITE_GOLDEN=1 writes the expected text anew, and fails: look at the difference.
#include "ptx/debug_dump.h"
#include "ptx/debug_fixture.h"

#include <cstdlib>

namespace tilestep::ptx::test {
namespace {

class GoldenDebugInfo : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenDebugInfo, IsReadAsExpected) {
  const Module module = probed_module(GetParam());
  const std::string dump = dump_types(module) + dump_debug_info(module);
  const std::filesystem::path expected = debug_data(GetParam() + ".expected");
  if (std::getenv("TILESTEP_WRITE_GOLDEN") != nullptr) {
    std::ofstream(expected, std::ios::binary) << dump;
    FAIL() << "wrote " << expected;
  }
  EXPECT_EQ(dump, read_text(expected));
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenDebugInfo,
                         ::testing::Values("naive", "tiled", "tiled_missing_barrier", "submatrix",
                                           "scalars", "aggregates", "scopes", "inlined", "memory",
                                           "parameters"),
                         [](const auto& test) { return test.param; });

// The golden text is long; these tests state its essentials independently.

TEST(DebugInfo, AnArrayOfTwoDimensionsIsAnArrayOfArrays) {
  const Module module = probed_module("tiled");
  const SourceVariable& tile = variable_named(function_named(module, "matmul_tiled<4>"), "As");
  const SourceType& rows = module.types[tile.type];
  ASSERT_EQ(rows.kind, TypeKind::Array);
  EXPECT_EQ(rows.name, "float[4][4]");
  EXPECT_EQ(rows.count, 4U);
  EXPECT_EQ(rows.bytes, 64U);
  const SourceType& row = module.types[rows.element];
  ASSERT_EQ(row.kind, TypeKind::Array);
  EXPECT_EQ(row.name, "float[4]");
  EXPECT_EQ(row.bytes, 16U);
  EXPECT_EQ(module.types[row.element].kind, TypeKind::Float);
}

TEST(DebugInfo, EveryEventLiesInItsVariablesScope) {
  for (const char* name : {"tiled", "scopes", "inlined", "memory"}) {
    const Module module = debug_module(name);
    for (const Function& function : module.functions) {
      for (const AssignmentEvent& event : function.events) {
        for (const Scope& scope : function.scopes) {
          for (const std::uint32_t variable : scope.variables) {
            if (variable == event.variable) {
              EXPECT_GE(event.pc, scope.low_pc) << function.name;
              EXPECT_LT(event.pc, scope.high_pc) << function.name;
            }
          }
        }
      }
    }
  }
}

TEST(DebugInfo, AParameterIsAssignedWhenItsRegisterWasLoaded) {
  const Module module = debug_module("tiled");
  const Function& function = function_named(module, "matmul_tiled<4>");
  const SourceVariable& parameter = variable_named(function, "K");
  ASSERT_EQ(parameter.kind, LocationKind::Events);
  const Instruction& load = function.instructions[5];
  EXPECT_EQ(load.op, Opcode::Ld);
  EXPECT_EQ(load.space, Space::Param);
  EXPECT_EQ(function.operands[load.first_operand].reg, parameter.reg);
  const auto event =
      std::find_if(function.events.begin(), function.events.end(), [&](const AssignmentEvent& e) {
        return &function.source_variables[e.variable] == &parameter;
      });
  ASSERT_NE(event, function.events.end());
  EXPECT_EQ(event->pc, 6U);
}

TEST(DebugInfo, ConstantsAreCutToTheSizeOfTheirType) {
  const Module module = debug_module("scalars");
  const SourceVariable& large = variable_named(function_named(module, "scalars"), "large");
  ASSERT_EQ(large.kind, LocationKind::Constant);
  const std::vector<std::byte> expected{std::byte{0x00}, std::byte{0x28}, std::byte{0x6b},
                                        std::byte{0xee}};  // 4000000000
  EXPECT_EQ(large.constant, expected);
}

TEST(DebugInfo, AStructureThatPointsToItselfHasItsMembers) {
  const Module module = debug_module("aggregates");
  const SourceVariable& node = variable_named(function_named(module, "aggregates"), "node");
  const SourceType& type = module.types[node.type];
  ASSERT_EQ(type.members.size(), 2U);
  const SourceType& next = module.types[type.members[0].type];
  EXPECT_EQ(next.name, "const Node*");
  EXPECT_EQ(module.types[next.element].members.size(), 2U);  // of `const Node`
}

TEST(DebugInfo, TheKernelsTextIsFileOneWhereverTheCompilerNumberedIt) {
  std::string text = read_text(debug_data("naive.ptx"));
  // As if a header had been numbered first.
  const std::string file = ".file\t1 \"/naive.cu\"";
  const std::size_t place = text.find(file);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, file.size(), ".file 1 \"/header.h\"\n.file 2 \"/naive.cu\"");
  for (std::size_t loc = text.find(".loc\t1 "); loc != std::string::npos;
       loc = text.find(".loc\t1 ")) {
    text.replace(loc, 7, ".loc 2 ");
  }
  const Module module = parse_or_throw(text);
  EXPECT_EQ(module.files[1], "/naive.cu");
  EXPECT_EQ(module.files[2], "/header.h");
  const Function& function = function_named(module, "matmul_naive");
  EXPECT_EQ(function.lines[1].file, 1U);
  EXPECT_NE(statement_line(function, 8), 0U);
}

}  // namespace
}  // namespace tilestep::ptx::test
