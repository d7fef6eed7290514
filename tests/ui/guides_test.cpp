// Rows and columns are drawn when an index gets its meaning.
#include "stage_scene.h"
#include "ui/stage/content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

using test::StageScene;

std::vector<CellFrame> frames_of(const StageContent& content, FrameKind kind, int sheet) {
  std::vector<CellFrame> found;
  std::ranges::copy_if(content.frames, std::back_inserter(found), [&](const CellFrame& frame) {
    return frame.kind == kind && frame.sheet == sheet;
  });
  return found;
}

// The line of `int row = …` in the source.
std::uint32_t line_of(const StageScene& scene, const std::string& text) {
  const std::string& source = scene.recording().program().launch().source;
  return 1 + static_cast<std::uint32_t>(
                 std::count(source.begin(),
                            source.begin() + static_cast<std::ptrdiff_t>(source.find(text)), '\n'));
}

TEST(Guides, OfARow_AreTheBlocksRowsAndTheThreads) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 3;
  scene.thread = 6;
  scene.go_to_line(line_of(scene, "int row ="));
  const Headline headline = make_headline(scene.inputs(), scene.content());
  ASSERT_FALSE(headline.narrated.guides.empty());
  StageContent content = scene.content();
  add_guides(scene.inputs(), headline.narrated.guides, content);
  for (const int sheet : {scene.shape().a, scene.shape().c}) {
    const auto block = frames_of(content, FrameKind::BlockGuide, sheet);
    const auto thread = frames_of(content, FrameKind::Guide, sheet);
    ASSERT_EQ(block.size(), 1U);
    EXPECT_EQ(block[0].row, 4);
    EXPECT_EQ(block[0].rows, 4);
    EXPECT_EQ(block[0].cols, 8) << "whole rows";
    ASSERT_EQ(thread.size(), 1U);
    EXPECT_EQ(thread[0].row, 5);
    EXPECT_EQ(thread[0].rows, 1);
  }
  EXPECT_TRUE(frames_of(content, FrameKind::BlockGuide, scene.shape().b).empty());
}

TEST(Guides, OfAColumnThatIsNotThere_AreTheBlocksAlone) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  scene.go_to_line(line_of(scene, "int tx ="));
  StageContent content;
  content.sheets = scene.content().sheets;
  const std::vector<narration::Guide> guides{
      {"tx", narration::Guide::Axis::Column, scene.shape().sheets[2].index, 99}};
  add_guides(scene.inputs(), guides, content);
  EXPECT_TRUE(frames_of(content, FrameKind::Guide, scene.shape().c).empty()) << "no such column";
  const auto block = frames_of(content, FrameKind::BlockGuide, scene.shape().c);
  ASSERT_EQ(block.size(), 1U);
  EXPECT_EQ(block[0].cols, 4);
  EXPECT_EQ(block[0].rows, 8);
}

}  // namespace
}  // namespace tilestep::ui
