// Loops that count to a constant, unrolled.
#include "ptx/parse.h"
#include "ptx/sass/ptxas.h"
#include "ptx/text/assemble.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tilestep::ptx {
namespace {

using testing::ElementsAre;

Module parsed_loop(const std::string& body) {
  Result<Module> module = parse(fmt::format(R"(.version 9.0
.target sm_80
.address_size 64
.entry k()
{{
.reg .pred %p<4>;
.reg .f32 %f<9>;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.shared .align 4 .b8 As[1024];
mov.u32 %r1, %tid.x;
mov.u64 %rd1, As;
mul.wide.u32 %rd2, %r1, 64;
add.s64 %rd3, %rd1, %rd2;
{}
ret;
}}
)",
                                            body));
  if (!module) {
    ADD_FAILURE() << module.error().message << "\n" << body;
    return {};
  }
  return std::move(*module);
}

// Six passes, each of which adds one word of a row.
std::string six_passes(const std::string& more = "") {
  return "mov.u32 %r2, 0;\nmov.u64 %rd4, %rd3;\nAGAIN:\nld.shared.f32 %f1, [%rd4+-4];\nadd.f32 "
         "%f2, %f2, %f1;\n" +
         more +
         "add.s64 %rd4, %rd4, 4;\nadd.s32 %r2, %r2, 1;\nsetp.ne.s32 %p1, %r2, 6;\n"
         "@%p1 bra AGAIN;\n";
}

Module unrolled(std::uint32_t times) {
  Module module = parsed_loop(six_passes());
  const std::vector<CountedLoop> loops = find_counted_loops(module.functions[0]);
  EXPECT_EQ(loops.size(), 1U);
  unroll(module, 0, loops.at(0), times);
  return module;
}

// Without the six instructions that every text begins with.
std::vector<std::string> instructions(const Module& module) {
  std::vector<std::string> texts;
  const Function& function = module.functions.at(0);
  for (std::size_t pc = 6; pc + 1 < function.instructions.size(); ++pc) {
    texts.push_back(assemble(module, function, function.instructions[pc]));
  }
  return texts;
}

std::size_t loops_in(const std::string& body) {
  return find_counted_loops(parsed_loop(body).functions.at(0)).size();
}

TEST(Unroll, ALoopKeepsItsBranchAndAddsOnceForAllItsBodies) {
  const Module module = unrolled(3);
  EXPECT_THAT(instructions(module),
              ElementsAre("ld.shared.f32 %f1, [%rd4-4]", "add.f32 %f2, %f2, %f1",
                          "ld.shared.f32 %f1_1, [%rd4]", "add.f32 %f2, %f2, %f1_1",
                          "ld.shared.f32 %f1_2, [%rd4+4]", "add.f32 %f2, %f2, %f1_2",
                          "add.s64 %rd4, %rd4, 12", "add.s32 %r2, %r2, 3",
                          "setp.ne.s32 %p1, %r2, 6", "@%p1 bra"));
  EXPECT_EQ(module.functions[0].instructions.at(15).target, 6U);
}

TEST(Unroll, ACounterMayStartAtARegistersConstant) {
  const std::string six = six_passes();
  const std::string start = "mov.u32 %r2, 0;";
  ASSERT_EQ(six.substr(0, start.size()), start);
  const std::string rest = six.substr(start.size());
  EXPECT_EQ(loops_in("mov.u32 %r3, 0;\nmov.u32 %r2, %r3;" + rest), 1U);
  EXPECT_EQ(loops_in("mov.u32 %r2, %r2;" + rest), 0U);
  EXPECT_EQ(loops_in("mov.u32 %r3, 0;\nmov.u32 %r3, 1;\nmov.u32 %r2, %r3;" + rest), 0U)
      << "written twice";
}

TEST(Unroll, AllPassesLeaveNoLoop) {
  for (const std::uint32_t times : {4U, 6U}) {
    const Module module = unrolled(times);
    const std::vector<std::string> texts = instructions(module);
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "@%p1 bra"), 0);
    EXPECT_EQ(texts.size(), 6U * 2 + 2) << times;
    EXPECT_EQ(texts.back(), "add.s32 %r2, %r2, 6") << times;
  }
}

TEST(Unroll, PassesThatAreLeftOverStandBeforeTheLoop) {
  Module module = parsed_loop(six_passes() + "mov.f32 %f3, %f2;\n");
  CountedLoop loop = find_counted_loops(module.functions[0]).at(0);
  loop.passes = 7;  // as if the counter had one more pass
  unroll(module, 0, loop, 3);
  const std::vector<std::string> texts = instructions(module);
  EXPECT_THAT(
      std::vector<std::string>(texts.begin(), texts.begin() + 5),
      ElementsAre("ld.shared.f32 %f1, [%rd4-4]", "add.f32 %f2, %f2, %f1", "add.s64 %rd4, %rd4, 4",
                  "add.s32 %r2, %r2, 1", "ld.shared.f32 %f1, [%rd4-4]"));
  EXPECT_EQ(module.functions[0].instructions.at(19).target, 10U);
}

TEST(Unroll, LoadsOfSeveralPassesMerge) {
  const Module module = merge_loads(unrolled(6), 0);
  const std::vector<std::string> texts = instructions(module);
  // Words -4 to 16 of a row that begins at a multiple of 16.
  EXPECT_EQ(std::count_if(texts.begin(), texts.end(),
                          [](const std::string& text) { return text.starts_with("ld.shared"); }),
            3);
}

TEST(Unroll, OnlyLoopsWhosePassesAreKnown) {
  EXPECT_EQ(loops_in(six_passes()), 1U);
  const std::string endless = six_passes();
  EXPECT_EQ(loops_in("mov.u32 %r2, %r1;" + endless.substr(endless.find('\n'))), 0U)
      << "a start that is not known";
  EXPECT_EQ(loops_in(six_passes("mov.u32 %r3, %r2;\n")), 0U) << "the counter is used";
  EXPECT_EQ(loops_in(six_passes("mov.u32 %r2, 1;\n")), 0U) << "the counter is set";
  EXPECT_EQ(loops_in(six_passes("@%p2 bra OUT;\n") + "OUT:\n"), 0U) << "a second way out";
  EXPECT_EQ(loops_in(six_passes("setp.ne.s32 %p2, %r2, 3;\n")), 0U) << "a second comparison";
  EXPECT_EQ(loops_in(six_passes() + "@%p2 bra AGAIN;\n"), 0U) << "a second way in";
  EXPECT_EQ(loops_in(six_passes() + "selp.f32 %f3, %f1, %f2, %p1;\n"), 0U)
      << "the comparison is used";
}

TEST(Unroll, APointerThatIsUsedKeepsItsAdditions) {
  Module module = parsed_loop(six_passes("mov.u64 %rd5, %rd4;\n"));
  const CountedLoop loop = find_counted_loops(module.functions[0]).at(0);
  unroll(module, 0, loop, 2);
  const std::vector<std::string> texts = instructions(module);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "add.s64 %rd4, %rd4, 4"), 2);
}

}  // namespace
}  // namespace tilestep::ptx
