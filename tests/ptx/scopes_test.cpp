#include "ptx/debug_fixture.h"
#include "ptx/model/module.h"

#include <algorithm>

namespace tilestep::ptx::test {
namespace {

std::span<const AssignmentEvent> events_at(const Function& function, std::uint32_t pc) {
  auto begin = std::lower_bound(
      function.events.begin(), function.events.end(), pc,
      [](const AssignmentEvent& event, std::uint32_t place) { return event.pc < place; });
  auto end = begin;
  while (end != function.events.end() && end->pc == pc) {
    ++end;
  }
  return {begin, end};
}

std::vector<std::uint32_t> scopes_entered_at(const Function& function, std::uint32_t pc) {
  std::vector<std::uint32_t> entered;
  for (std::uint32_t i = 1; i < function.scopes.size(); ++i) {
    if (function.scopes[i].low_pc == pc) {
      entered.push_back(i);
    }
  }
  return entered;
}

std::vector<std::string> names(const Function& function, std::uint32_t pc) {
  std::vector<std::string> result;
  for (const std::uint32_t variable : visible_variables(function, pc)) {
    result.push_back(function.source_variables[variable].name);
  }
  return result;
}

TEST(VisibleVariables, AreThoseOfTheScopesAroundThePlaceOutermostFirst) {
  const Module module = probed_module("tiled");
  const Function& function = function_named(module, "matmul_tiled<4>");
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(function, 0), (Names{"A", "B", "C", "M", "N", "K"}));
  EXPECT_EQ(names(function, 115), (Names{"A", "B", "C", "M", "N", "K", "As", "Bs", "tx", "ty",
                                         "row", "col", "acc", "t", "a_col", "b_row", "e"}));
}

TEST(VisibleVariables, TheInnerOfTwoOfOneNameHidesTheOuter) {
  const Module module = debug_module("scopes");
  const Function& function = function_named(module, "scopes");
  auto line_of_x = [&](std::uint32_t pc) {
    for (const std::uint32_t variable : visible_variables(function, pc)) {
      if (function.source_variables[variable].name == "x") {
        return function.source_variables[variable].decl_line;
      }
    }
    return 0U;
  };
  EXPECT_EQ(line_of_x(8), 3U);    // int x = n;
  EXPECT_EQ(line_of_x(25), 6U);   // float x = a[i];
  EXPECT_EQ(line_of_x(40), 15U);  // int x = i * 2;
  EXPECT_EQ(line_of_x(46), 6U);
  EXPECT_EQ(line_of_x(100), 30U);  // case 11: { int x = 5; }
  EXPECT_EQ(line_of_x(110), 3U);
  const auto visible = names(function, 40);
  EXPECT_EQ(std::count(visible.begin(), visible.end(), "x"), 1);
}

TEST(VisibleVariables, AnInlinedFunctionSeesItsOwnAndItsCallers) {
  const Module module = debug_module("inlined");
  const auto visible = names(function_named(module, "inlined"), 28);
  EXPECT_EQ(visible,
            (std::vector<std::string>{"out", "n", "first", "second", "v", "unused", "t", "q"}));
}

TEST(VisibleVariables, AreNoneWithoutDebugInformation) {
  EXPECT_TRUE(visible_variables(Function{}, 3).empty());
}

TEST(Events, OfOnePlaceAreFoundTogether) {
  const Module module = debug_module("tiled");
  const Function& function = function_named(module, "matmul_tiled<4>");
  // $L__tmp9: the joins of t and acc at the loop's head.
  const auto events = events_at(function, 25);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(function.source_variables[events[0].variable].name, "acc");
  EXPECT_EQ(function.source_variables[events[1].variable].name, "t");
  EXPECT_TRUE(events_at(function, 24).empty());
  EXPECT_TRUE(std::is_sorted(function.events.begin(), function.events.end(),
                             [](const auto& a, const auto& b) { return a.pc < b.pc; }));
}

TEST(Scopes, AreEnteredAtTheirFirstInstruction) {
  const Module module = debug_module("tiled");
  const Function& function = function_named(module, "matmul_tiled<4>");
  EXPECT_EQ(scopes_entered_at(function, 32), std::vector<std::uint32_t>{3});
  EXPECT_TRUE(scopes_entered_at(function, 33).empty());
  EXPECT_TRUE(scopes_entered_at(function, 0).empty());  // the function's own is not entered
  EXPECT_EQ(innermost_scope(function, 33), 3U);
  EXPECT_EQ(innermost_scope(function, 2), 0U);
}

}  // namespace
}  // namespace tilestep::ptx::test
