#include "compile/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Diagnostics, ErrorWithCaret_HasLineAndColumn) {
  EXPECT_THAT(parse_diagnostics("tiled.cu(12): error: identifier \"foo\" is undefined\n"
                                "    x = foo;\n"
                                "        ^\n\n"
                                "1 error detected in the compilation of \"tiled.cu\".\n"),
              ElementsAre(Diagnostic{Severity::Error, "tiled.cu", 12, 7,
                                     "identifier \"foo\" is undefined"}));
}

TEST(Diagnostics, CaretInTheFirstColumn_IsColumnOne) {
  EXPECT_EQ(parse_diagnostics("a.cu(1): error: x\n  }\n  ^\n")[0].column, 1);
}

TEST(Diagnostics, WarningNumberAndRemark_AreLeftOut) {
  EXPECT_THAT(parse_diagnostics(
                  "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
                  "  int x;\n      ^\n\n"
                  "Remark: The warnings can be suppressed with \"-diag-suppress "
                  "<warning-number>\"\n\n"),
              ElementsAre(Diagnostic{Severity::Warning, "a.cu", 3, 5,
                                     "variable \"x\" was declared but never referenced"}));
}

TEST(Diagnostics, FileNamesWithBracketsAndBlanks_AreKept) {
  EXPECT_THAT(parse_diagnostics("my kernel (1).cu(100): error: x\n"),
              ElementsAre(Diagnostic{Severity::Error, "my kernel (1).cu", 100, 0, "x"}));
}

TEST(Diagnostics, OfTheAssembler_HaveNoPlaceInTheText) {
  EXPECT_THAT(
      parse_diagnostics("ptxas application ptx input, line 188; error   : Feature 'cp.async' "
                        "requires .target sm_80 or higher\n"
                        "ptxas fatal   : Ptx assembly aborted due to errors\n"),
      ElementsAre(
          Diagnostic{Severity::Error, "", 0, 0,
                     "ptxas: Feature 'cp.async' requires .target sm_80 or higher"},
          Diagnostic{Severity::Error, "", 0, 0, "ptxas: Ptx assembly aborted due to errors"}));
}

TEST(Diagnostics, WithoutAPlace_HaveNone) {
  EXPECT_THAT(parse_diagnostics("nvrtc: error: unrecognized option -bogus found\n"),
              ElementsAre(Diagnostic{Severity::Error, "", 0, 0,
                                     "nvrtc: unrecognized option -bogus found"}));
  EXPECT_THAT(parse_diagnostics("Command-line error: invalid macro definition: 9=4\n\n"
                                "1 catastrophic error detected in the compilation of \"ok.cu\".\n"
                                "Compilation terminated.\n"),
              ElementsAre(Diagnostic{Severity::Error, "", 0, 0,
                                     "Command-line: invalid macro definition: 9=4"}));
}

TEST(Diagnostics, EmptyOrStrangeLog_GivesNone) {
  EXPECT_THAT(parse_diagnostics(""), IsEmpty());
  EXPECT_THAT(parse_diagnostics("\n  ^\nhello\n(3): error: x\n"), IsEmpty());
  EXPECT_THAT(parse_diagnostics("a.cu(99999999999999999999): error: x\n"), IsEmpty());
}

TEST(Diagnostics, SourceLineThatLooksLikeAMessage_IsNotOne) {
  EXPECT_THAT(parse_diagnostics("a.cu(1): error: x\n  f(3): error: y\n  ^\n"),
              ElementsAre(Diagnostic{Severity::Error, "a.cu", 1, 1, "x"}));
}

TEST(EntryDiagnostics, NameTheEntryAndTheSource) {
  Request request;
  request.source_name = "a.cu";
  request.name_expression = "nosuch<4>";
  const std::vector<Diagnostic> explained = explain_entry(
      {{Severity::Warning, "a.cu", 1, 1, "w"},
       {Severity::Error, "__nv_name_map", 2, 25, "identifier \"nosuch\" is undefined"},
       {Severity::Error, "__nv_name_map", 2, 25, "Error in parsing name expression"}},
      request);
  ASSERT_EQ(explained.size(), 2U);
  EXPECT_EQ(explained[1].file, "a.cu");
  EXPECT_EQ(explained[1].line, 0);
  EXPECT_EQ(
      explained[1].message,
      "the entry \"nosuch<4>\" does not name exactly one kernel of a.cu: identifier \"nosuch\" is "
      "undefined. Check `entry` in the launch description, or the kernel's name and template "
      "parameters.");
}

// In a template the compiler reports its beginning, and its own reading of the rest.
TEST(SyntaxDiagnostics, OfATemplateTellTheBraceFirst) {
  const Request request{"t.cu",
                        "template <int N>\n__global__ void k(float* A) {\n  if (N > 1) {\n"
                        "    A[0] = 1.0f;\n}\n",
                        {},
                        {},
                        "k<4>"};
  const auto explained = explain_syntax(
      {{Severity::Error, "t.cu", 2, 1, "a __global__ function must have a void return type"},
       {Severity::Error, "t.cu", 2, 17, "closing brace of template definition not found"},
       {Severity::Warning, "t.cu", 1, 1, "unused"}},
      request);
  ASSERT_EQ(explained.size(), 4U);
  EXPECT_EQ(explained[0], (Diagnostic{Severity::Error, "t.cu", 4, 16,
                                      "A '}' is missing before line 5: the '{' of line 3 is not "
                                      "closed."}));
  EXPECT_TRUE(explained[1].follows);
  EXPECT_TRUE(explained[2].follows);
  EXPECT_FALSE(explained[3].follows);
}

TEST(DroppedArguments, AreThoseOfAKernelThatIsNoTemplate) {
  Request request;
  request.source_name = "a.cu";
  request.name_expression = "my::k <4, float>";
  const std::optional<Diagnostic> mistake = dropped_arguments("_ZN2my1kEPf", request);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->message,
            "the entry \"my::k <4, float>\" has template arguments, but k is not a template. Write "
            "entry = \"my::k\".");
  EXPECT_FALSE(dropped_arguments("_ZN2my1kILi4EfEEvPf", request));
  request.name_expression = "k<4>";
  EXPECT_TRUE(dropped_arguments("k", request));  // extern "C"
  EXPECT_TRUE(dropped_arguments("_Z1k6MatrixIfE", request));
  request.name_expression = "k";
  EXPECT_FALSE(dropped_arguments("_Z1kPf", request));
  request.name_expression = "Tile<4>::run";
  EXPECT_FALSE(dropped_arguments("_ZN4TileILi4EE3runEPf", request));
}

}  // namespace
}  // namespace tilestep::compile
