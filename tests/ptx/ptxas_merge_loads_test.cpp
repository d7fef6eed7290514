// Adjacent loads that are merged, and those that must not be.
#include "ptx/parse.h"
#include "ptx/sass/ptxas.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilestep::ptx {
namespace {

using testing::ElementsAre;

constexpr const char* kBefore = R"(.version 9.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 rows[];
.entry k()
{
.reg .pred %p<4>;
.reg .f32 %f<9>;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.shared .align 4 .b8 As[160];
.shared .align 4 .b8 Bs[160];
mov.u32 %r1, %tid.x;
mov.u64 %rd1, As;
)";

Module parsed(const std::string& body) {
  Result<Module> module = parse(kBefore + body + "ret;\n}\n");
  if (!module) {
    ADD_FAILURE() << module.error().message << "\n" << body;
    return {};
  }
  return std::move(*module);
}

Module merged(const std::string& body) {
  return merge_loads(parsed(body), 0);
}

std::vector<std::string> loads(const Module& module) {
  std::vector<std::string> texts;
  for (const Instruction& instruction : module.functions.at(0).instructions) {
    if (instruction.op == Opcode::Ld) {
      texts.emplace_back(instruction_text(module, instruction));
    }
  }
  return texts;
}

std::vector<std::string> merged_loads(const std::string& body) {
  return loads(merged(body));
}

// %rd3: the address of a row of `bytes` bytes of As.
std::string row_of(int bytes) {
  return fmt::format("mul.wide.u32 %rd2, %r1, {};\nadd.s64 %rd3, %rd1, %rd2;\n", bytes);
}

std::string load(int number, int offset) {
  return fmt::format("ld.shared.f32 %f{}, [%rd3+{}];\n", number, offset);
}

const std::string kFourWords = load(1, 0) + load(2, 4) + load(3, 8) + load(4, 12);

TEST(MergeLoads, AreAsWideAsTheBaseIsAligned) {
  EXPECT_THAT(merged_loads(row_of(32) + kFourWords),
              ElementsAre("ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3]"));
  EXPECT_THAT(
      merged_loads(row_of(24) + kFourWords),
      ElementsAre("ld.shared.v2.f32 {%f1, %f2}, [%rd3]", "ld.shared.v2.f32 {%f3, %f4}, [%rd3+8]"));
  EXPECT_EQ(merged_loads(row_of(20) + kFourWords), loads(parsed(row_of(20) + kFourWords)));
}

TEST(MergeLoads, LieInOnePieceOfTheirWidth) {
  EXPECT_THAT(merged_loads(row_of(16) + load(1, 4) + load(2, 8)).size(), 2U);
  EXPECT_THAT(merged_loads(row_of(8) + load(1, 4) + load(2, 8) + load(3, 12)),
              ElementsAre("ld.shared.f32 %f1, [%rd3+4]", "ld.shared.v2.f32 {%f2, %f3}, [%rd3+8]"));
  EXPECT_THAT(merged_loads(row_of(16) + load(1, 0) + load(2, 8)).size(), 2U);
  EXPECT_THAT(merged_loads(row_of(16) + load(1, -8) + load(2, -4)),
              ElementsAre("ld.shared.v2.f32 {%f1, %f2}, [%rd3-8]"));
}

TEST(MergeLoads, OfThreeWordsReadAFourthAndLeaveRoomForIt) {
  const Module module = merged(row_of(16) + load(1, 0) + load(2, 4) + load(3, 8));
  EXPECT_THAT(loads(module), ElementsAre("ld.shared.v4.f32 {%f1, %f2, %f3, _}, [%rd3]"));
  EXPECT_GE(module.spare_shared_bytes, 4U);
  EXPECT_EQ(merged(row_of(16) + kFourWords).spare_shared_bytes, 0U);
}

TEST(MergeLoads, StandWhereTheFirstStoodWhateverItsOffset) {
  EXPECT_THAT(merged_loads(row_of(16) + load(2, 4) + "add.f32 %f5, %f2, %f2;\n" + load(1, 0)),
              ElementsAre("ld.shared.v2.f32 {%f1, %f2}, [%rd3]"));
}

TEST(MergeLoads, SeeThroughConstantOffsetsAndCopies) {
  EXPECT_THAT(merged_loads(row_of(8) + load(1, 0) +
                           "add.s64 %rd4, %rd3, 8;\nmov.u64 %rd5, %rd4;\n"
                           "ld.shared.f32 %f2, [%rd5+-4];\n"),
              ElementsAre("ld.shared.v2.f32 {%f1, %f2}, [%rd3]"));
}

TEST(MergeLoads, NeverPassAStoreOrABarrier) {
  for (const char* const between :
       {"st.shared.f32 [%rd1], %f5;\n", "bar.sync 0;\n", "membar.cta;\n",
        "atom.shared.add.u32 %r5, [%rd1], 1;\n", "st.f32 [%rd1], %f5;\n", "cp.async.wait_all;\n"}) {
    const std::string body = row_of(16) + load(1, 0) + between + load(2, 4);
    EXPECT_EQ(merged(body).functions.at(0).instructions.size(),
              parsed(body).functions.at(0).instructions.size())
        << between;
  }
  EXPECT_THAT(
      merged_loads(row_of(16) + load(1, 0) + "st.global.f32 [%rd1], %f5;\n" + load(2, 4)).size(),
      1U);
}

TEST(MergeLoads, NeverPassALabelOrANewBase) {
  EXPECT_THAT(
      merged_loads(row_of(16) + load(1, 0) + "HERE:\n" + load(2, 4) + "@%p1 bra HERE;\n").size(),
      2U);
  EXPECT_THAT(
      merged_loads(row_of(16) + load(1, 0) + "mul.lo.u64 %rd3, %rd3, 2;\n" + load(2, 4)).size(),
      2U);
}

TEST(MergeLoads, DoNotComeBeforeSomebodyReadsOrWritesTheirRegister) {
  EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + "add.f32 %f5, %f2, %f2;\n" + load(2, 4)).size(),
            2U);
  EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + "mov.f32 %f2, %f5;\n" + load(2, 4)).size(), 2U);
  EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + load(1, 4)).size(), 2U);
}

TEST(MergeLoads, WithAGuardOrForOtherThreadsToMeetStayAlone) {
  EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + "@%p1 " + load(2, 4)).size(), 2U);
  EXPECT_EQ(
      merged_loads(row_of(16) + load(1, 0) + "ld.volatile.shared.f32 %f2, [%rd3+4];\n").size(), 2U);
  for (const char* const order : {"relaxed.cta", "acquire.cta", "relaxed.gpu"}) {
    const std::string strong = std::string("ld.") + order + ".shared.f32 %f2, [%rd3+4];\n";
    EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + strong).size(), 2U) << order;
  }
  EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + load(2, 0)).size(), 2U) << "the same word twice";
}

TEST(MergeLoads, ComeBeforeABranchThatNobodyTakesTheirValueAlong) {
  const std::string used = "add.f32 %f5, %f2, %f1;\n";
  EXPECT_THAT(
      merged_loads(row_of(16) + load(1, 0) + "@%p1 bra END;\n" + load(2, 4) + used + "END:\n"),
      ElementsAre("ld.shared.v2.f32 {%f1, %f2}, [%rd3]"));
  // At END, %f2 is the loaded number or the one from before.
  EXPECT_EQ(merged_loads(row_of(16) + load(1, 0) + "@%p1 bra END;\n" + load(2, 4) + "END:\n" + used)
                .size(),
            2U);
}

TEST(MergeLoads, KeepBranchesAtTheirTargets) {
  const Module module = merged(row_of(16) + "AGAIN:\n" + kFourWords + "@%p1 bra END;\n" +
                               load(5, 16) + load(6, 20) + "@%p2 bra AGAIN;\nEND:\n");
  const Function& function = module.functions.at(0);
  std::vector<std::string> targets;
  for (const Instruction& instruction : function.instructions) {
    if (instruction.op == Opcode::Bra) {
      targets.emplace_back(instruction_text(module, function.instructions.at(instruction.target)));
    }
  }
  EXPECT_THAT(targets, ElementsAre("ret", "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3]"));
}

// A pointer that starts at a multiple of 16 and grows by 8 is a multiple of 8.
TEST(MergeLoads, TrustOfALoopsPointerOnlyWhatHoldsInEveryPass) {
  EXPECT_THAT(merged_loads(row_of(16) + "AGAIN:\n" + kFourWords +
                           "add.s64 %rd3, %rd3, 8;\n@%p1 bra AGAIN;\n")
                  .size(),
              2U);
  EXPECT_THAT(merged_loads(row_of(16) + "AGAIN:\n" + kFourWords +
                           "add.s64 %rd3, %rd3, 32;\n@%p1 bra AGAIN;\n")
                  .size(),
              1U);
}

TEST(MergeLoads, KnowWhereArraysBegin) {
  const std::string named = "ld.shared.f32 %f1, [{0}];\nld.shared.f32 %f2, [{0}+4];\n";
  EXPECT_EQ(merged_loads(fmt::format(fmt::runtime(named), "Bs")).size(), 1U);
  EXPECT_EQ(merged_loads(fmt::format(fmt::runtime(named), "rows")).size(), 1U);
  const Module module = merged(fmt::format(fmt::runtime(named), "Bs"));
  for (const MemoryVariable& variable : module.variables) {
    EXPECT_EQ(variable.align, 16U) << variable.name << ": 0 and 160 are multiples of 16";
  }
}

TEST(MergeLoads, TakeInstructionsWithoutOperands) {
  const Result<Module> module =
      parse(".version 9.0\n.target sm_80\n.address_size 64\n.entry k()\n{\nret;\n}\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(merge_loads(*module, 0).functions.at(0).instructions.size(), 1U);
}

}  // namespace
}  // namespace tilestep::ptx
