#include "compile/diagnostics.h"

#include "compile/compiler.h"

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
                                      "A '}' is missing before line 5: the '{' at line 3 is not "
                                      "closed."}));
  EXPECT_TRUE(explained[1].follows);
  EXPECT_TRUE(explained[2].follows);
  EXPECT_FALSE(explained[3].follows);
}

TEST(UnknownNames, OfAHeaderAreToldWithTheHeader) {
  Request request{"k.cu",
                  "__global__ void k(float* A) {\n  cg::thread_block b = cg::this_thread_block();\n"
                  "  cuda :: pipeline<int> p;\n}\n",
                  {},
                  {},
                  "k"};
  const auto told = [&](int line, int column, const std::string& message) {
    return explain_names({{Severity::Error, "k.cu", line, column, message}}, request)[0].message;
  };
  const std::string of_space = "name followed by \"::\" must be a class or namespace name";
  EXPECT_EQ(told(2, 3, of_space), of_space +
                                      ". The header cooperative_groups.h declares "
                                      "cg::thread_block: write #include <cooperative_groups.h> at "
                                      "the top.");
  EXPECT_NE(told(3, 3, of_space).find("#include <cuda/pipeline>"), std::string::npos);
  EXPECT_EQ(told(2, 2, of_space), of_space);  // no name is there
  EXPECT_EQ(told(99, 1, of_space), of_space);
  const std::string note = "\ndetected during instantiation of \"void k<4>(float *)\"";
  EXPECT_EQ(told(1, 1, "identifier \"__float2half\" is undefined" + note),
            "identifier \"__float2half\" is undefined. The header cuda_fp16.h declares "
            "__float2half: write #include <cuda_fp16.h> at the top." +
                note);
  for (const auto& [name, header] : {std::pair("half", "cuda_fp16.h"),
                                     {"__half2float", "cuda_fp16.h"},
                                     {"__hfma2", "cuda_fp16.h"},
                                     {"__nv_bfloat16", "cuda_bf16.h"},
                                     {"curandState", "curand_kernel.h"},
                                     {"CUDART_PI_F", "math_constants.h"},
                                     {"cuFloatComplex", "cuComplex.h"},
                                     {"__pipeline_commit", "cuda_pipeline.h"},
                                     {"tiled_partition", "cooperative_groups.h"}}) {
    EXPECT_NE(told(1, 1, std::string("identifier \"") + name + "\" is undefined")
                  .find(std::string("#include <") + header + ">"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(told(1, 1, "identifier \"halves\" is undefined"), "identifier \"halves\" is undefined");
  request.source.insert(0, "#include <cuda_fp16.h>\n");
  EXPECT_EQ(told(1, 1, "identifier \"half\" is undefined"), "identifier \"half\" is undefined");
}

TEST(UnknownNames, OfTheCompilerItselfAreThoseOfTheTable) {
  Compiler compiler({});
  if (!compiler.nvrtc().found) {
    GTEST_SKIP() << compiler.nvrtc().why_not;
  }
  for (const char* const statement : {"half x = 1;", "cg::sync(cg::this_thread_block());",
                                      "using namespace nvcuda;", "curandState s;"}) {
    const Request request{"k.cu",
                          std::string("__global__ void k(float* A) { ") + statement + " }\n",
                          {},
                          {"-arch=compute_80", "-std=c++20"},
                          "k"};
    const auto output = compiler.compile(request);
    ASSERT_TRUE(output);
    ASSERT_FALSE(output->diagnostics.empty()) << statement;
    EXPECT_NE(output->diagnostics[0].message.find(": write #include <"), std::string::npos)
        << output->diagnostics[0].message;
  }
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
