// All of NVRTC's output is read: kernels of samples/, compiled here in both builds.
#include "compile/compiler.h"
#include "ptx/invariants.h"
#include "ptx/round_trip.h"
#include "ptx/text/parsed_text.h"
#include "ptx/text_files.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace tilestep::ptx::test {
namespace {

struct Sample {
  std::string name;
  bool needs_headers = false;  // of the CUDA Toolkit, which NVRTC's wheel lacks
  std::string name_expression;
};

class Sampled : public testing::TestWithParam<std::tuple<Sample, compile::Build>> {
 protected:
  // Compiles the sample; empty after a skip or a failure.
  static std::string ptx_of(const Sample& sample, compile::Build build) {
    compile::Compiler compiler{compile::CacheOptions{}};
    if (sample.needs_headers && compiler.nvrtc().include.empty()) {
      return {};
    }
    compile::Request request;
    request.source_name = sample.name + ".cu";
    request.source = read_file(golden_folder().parent_path() / "samples" / request.source_name);
    request.options = {"-arch=compute_80", "-std=c++20",
                       build == compile::Build::Step ? "-G" : "-lineinfo"};
    request.name_expression = sample.name_expression;
    const Result<compile::Output> output = compiler.compile(request);
    EXPECT_TRUE(output.has_value()) << (output ? "" : output.error().message);
    if (!output) {
      return {};
    }
    EXPECT_TRUE(output->ok()) << output->log;
    return output->ptx;
  }
};

TEST_P(Sampled, IsReadWithoutUnknownInstructions) {
  const auto& [sample, build] = GetParam();
  const std::string text = ptx_of(sample, build);
  if (text.empty()) {
    GTEST_SKIP() << "no toolkit headers here";
  }
  const Result<ParsedText> parsed = parse_text(text);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(broken_invariant(parsed->module), "");
  std::size_t instructions = 0;
  for (const Function& function : parsed->module.functions) {
    for (const Instruction& instruction : function.instructions) {
      ++instructions;
      EXPECT_NE(instruction.op, Opcode::Unknown) << instruction_text(parsed->module, instruction);
      EXPECT_EQ(round_trip_difference(parsed->module, function, instruction), "");
    }
  }
  EXPECT_GT(instructions, 20U);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Sampled,
    testing::Combine(testing::Values(Sample{"aggregates", false, ""}, Sample{"atomics", false, ""},
                                     Sample{"calls", false, ""},
                                     Sample{"lambdas", false, "k_of<32>"},
                                     Sample{"math", false, ""}, Sample{"textures", false, ""},
                                     Sample{"warps", false, ""}, Sample{"async_copy", true, ""},
                                     Sample{"cooperative_groups", true, ""},
                                     Sample{"half", true, ""}, Sample{"matrices", true, ""}),
                     testing::Values(compile::Build::Step, compile::Build::Fast)),
    [](const auto& tested) {
      return std::get<0>(tested.param).name +
             (std::get<1>(tested.param) == compile::Build::Step ? "_step" : "_fast");
    });

}  // namespace
}  // namespace tilestep::ptx::test
