// Places of the loads before asynchronous copies that are never executed.
#include "ptx/parse.h"
#include "ptx/sass/loops.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilestep::ptx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kCopy = "cp.async.ca.shared.global [%r2], [%rd1], 4;\n";

Function function_of(const std::string& body) {
  Result<Module> module = parse(fmt::format(
      ".version 9.0\n.target sm_80\n.address_size 64\n.entry k()\n{{\n.reg .pred %p<4>;\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmov.u32 %r1, %tid.x;\n{}ret;\n}}\n",
      body));
  if (!module) {
    ADD_FAILURE() << module.error().message << "\n" << body;
    return {};
  }
  return module->functions[0];
}

Sass machine_code(int padding, int copies) {
  Sass sass;
  for (int i = 0; i < padding; ++i) {
    sass.accesses.push_back({0, SassKind::SharedLoad, 32, true, true});
  }
  for (int i = 0; i < copies; ++i) {
    sass.accesses.push_back({0, SassKind::AsyncCopy, 32, false, false});
  }
  return sass;
}

std::string loop(const std::string& body) {
  return "LOOP:\n" + body + "setp.ne.s32 %p1, %r1, 4;\n@%p1 bra LOOP;\n";
}

TEST(CopyPadding, StandsOnceBeforeCopiesInARow) {
  Function function = function_of(std::string(kCopy) + "cp.async.commit_group;\n" + kCopy);
  EXPECT_TRUE(mark_copy_padding(function, machine_code(3, 2)));
  EXPECT_THAT(function.padding, ElementsAre(testing::Pair(1U, 3U)));
}

TEST(CopyPadding, StandsAgainAfterABarrierOrAnotherAccessToSharedMemory) {
  for (const char* const between :
       {"bar.sync 0;\n", "ld.shared.b32 %r3, [%r2];\n", "st.shared.b32 [%r2], %r3;\n"}) {
    Function function = function_of(std::string(kCopy) + between + kCopy);
    EXPECT_TRUE(mark_copy_padding(function, machine_code(6, 2))) << between;
    EXPECT_EQ(function.padding.size(), 2U) << between;
  }
}

TEST(CopyPadding, OfALoopThatWasCopiedIsThatOfTheLoop) {
  Function function = function_of(kCopy + loop(std::string(kCopy) + kCopy));
  EXPECT_TRUE(mark_copy_padding(function, machine_code(3 + 4 * 3, 1 + 4 * 2)));
  EXPECT_EQ(function.padding.size(), 2U);
}

// Four iterations with one padding: the rule does not determine how often it is executed.
TEST(CopyPadding, IsNotSetWhereTheMachineCodeHasAnother) {
  Function function = function_of(loop(std::string(kCopy) + kCopy));
  EXPECT_FALSE(mark_copy_padding(function, machine_code(6, 10)));
  EXPECT_THAT(function.padding, IsEmpty());
}

TEST(CopyPadding, MayBeOfATextWithFewerCopiesForTheArchitecture) {
  Function function = function_of(std::string(kCopy) + kCopy + kCopy);
  EXPECT_TRUE(mark_copy_padding(function, machine_code(3, 2)));
  EXPECT_EQ(function.padding.size(), 1U);
}

// `s[t] = inside ? … : …` and `if (t < n) copy`: ptxas converts the jumps to predicates.
TEST(CopyPadding, StandsBeforeShortJumpsThatBecomePredicates) {
  const std::string jump = "@%p1 bra NEXT;\nmov.u32 %r3, 1;\nNEXT:\n";
  Function function = function_of(std::string(kCopy) + jump + kCopy);
  EXPECT_TRUE(mark_copy_padding(function, machine_code(3, 2)));
  EXPECT_THAT(function.padding, ElementsAre(testing::Pair(1U, 3U)));
  function = function_of(std::string("@%p1 bra NEXT;\n") + kCopy + "NEXT:\n" + kCopy);
  EXPECT_TRUE(mark_copy_padding(function, machine_code(3, 2)));
  EXPECT_THAT(function.padding, ElementsAre(testing::Pair(1U, 3U))) << "every warp has the jump";
  function = function_of(std::string("@%p1 bra NEXT;\n") + kCopy + "NEXT:\n" + kCopy);
  EXPECT_TRUE(mark_copy_padding(function, machine_code(6, 2)));
  EXPECT_THAT(function.padding, ElementsAre(testing::Pair(2U, 3U), testing::Pair(3U, 3U)));
}

TEST(CopyPadding, IsNoneBefore90) {
  Function function = function_of(kCopy);
  EXPECT_TRUE(mark_copy_padding(function, machine_code(0, 1)));
  EXPECT_THAT(function.padding, IsEmpty());
}

}  // namespace
}  // namespace tilestep::ptx
