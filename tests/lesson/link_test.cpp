#include "lesson/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::lesson {
namespace {

using testing::HasSubstr;

Result<Position> followed(const std::string& link, Position from = {}) {
  const auto changes = changes_of(link);
  EXPECT_TRUE(changes);
  return changed(std::move(from), *changes, [](const std::string& name) {
    Position naive;
    naive.state.kernel = "naive";
    naive.place = {Place::Kind::End, 0};
    return name == "lucky" ? std::optional(naive) : std::nullopt;
  });
}

std::string link_message(const std::string& link) {
  const Result<Position> position = followed(link);
  return position ? "no error" : position.error().message;
}

TEST(Link, ChangesWhatItNames) {
  const Result<Position> position =
      followed("#kernel=naive&M=3&block_size=2&block=1&thread=6&place=phase:3&inspector=memory");
  ASSERT_TRUE(position) << position.error().message;
  EXPECT_EQ(position->state.kernel, "naive");
  EXPECT_EQ(position->state.parameters.problem.M, 3);
  EXPECT_EQ(position->state.parameters.problem.N, 8);
  EXPECT_EQ(position->state.parameters.block_size, 2);
  EXPECT_EQ(position->state.focus.block, 1U);
  EXPECT_EQ(position->state.focus.thread, 6U);
  EXPECT_EQ(position->state.inspector, state::InspectorPage::Memory);
  EXPECT_EQ(position->place.kind, Place::Kind::PhaseMiddle);
  EXPECT_EQ(position->place.number, 3U);
}

TEST(Link, ToAKernel_LeavesTheEditedTextOfTheOther) {
  Position from;
  from.state.edited_source = "__global__ void mine() {}";
  EXPECT_EQ(followed("#kernel=naive", from)->state.edited_source, "");
  EXPECT_EQ(followed("#M=3", from)->state.edited_source, from.state.edited_source);
}

TEST(Link, ToACell_PutsItInFocus) {
  const Result<Position> position = followed("#cell=As[1][2]");
  ASSERT_TRUE(position) << position.error().message;
  EXPECT_EQ(position->state.focus.cell_of, "As");
  EXPECT_EQ(position->state.focus.cell_row, 1);
  EXPECT_EQ(position->state.focus.cell_col, 2);
  EXPECT_EQ(position->state.focus.cell_name, "As[1][2]");
  EXPECT_EQ(followed("#cell=x[3]")->state.focus.cell_col, 3);
}

TEST(Link, ToAScene_IsThatScene) {
  const Result<Position> position = followed("#scene=lucky&thread=2");
  ASSERT_TRUE(position) << position.error().message;
  EXPECT_EQ(position->state.kernel, "naive");
  EXPECT_EQ(position->place.kind, Place::Kind::End);
  EXPECT_EQ(position->state.focus.thread, 2U);
}

TEST(Link, ToSomewhereElse_IsNone) {
  EXPECT_FALSE(changes_of("https://example.org/#kernel=naive"));
  EXPECT_FALSE(changes_of("other.md"));
}

TEST(Link, Mistakes_AreSentences) {
  EXPECT_EQ(link_message("#kernl=naive"), "unknown key 'kernl'. Did you mean 'kernel'?");
  EXPECT_EQ(link_message("#M=0"), "M must be between 1 and 2147483647.");
  EXPECT_EQ(link_message("#scene=other"), "there is no scene 'other' in this lesson.");
  EXPECT_THAT(link_message("#place=phase"), HasSubstr("is not a place in a run"));
  EXPECT_EQ(link_message("#cell=As"), "'As' is not a cell. Write it like As[1][2].");
  EXPECT_EQ(link_message("#cell=As[1][x]"), "'As[1][x]' is not a cell. Write it like As[1][2].");
  EXPECT_THAT(link_message("#kernel"), HasSubstr("'kernel=' has no"));
  EXPECT_THAT(link_message("#step=3"), HasSubstr("write a place instead of step"));
}

TEST(Link, AreFoundInMarkdown) {
  const auto links =
      links_in("See [As[1][2]](#cell=As[1][2]), then *[naive](#kernel=naive&M=3)*.\n");
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].target, "#cell=As[1][2]");
  EXPECT_EQ(links[0].words, "As[1][2]");
  EXPECT_EQ(links[1].target, "#kernel=naive&M=3");
}

TEST(Link, AreWordsOnPaper) {
  EXPECT_EQ(without_stage_links("[As[1][2]](#cell=As[1][2]), *[naive](#kernel=naive)* [a](#b=c)."),
            "As[1][2], *naive* a.");
  for (const char* const text :
       {"[a page](https://example.org/#b)", "](#", "a](#b)", "[a](#b", ""}) {
    EXPECT_EQ(without_stage_links(text), text);
  }
}

}  // namespace
}  // namespace tilestep::lesson
