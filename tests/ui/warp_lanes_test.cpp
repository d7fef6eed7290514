#include "stage_scene.h"
#include "ui/inspector/cards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tilestep::ui {
namespace {

// The lanes of the focus thread's warp after the `nth` statement that executed `line`.
WarpLanes lanes_at(test::StageScene& scene, std::uint32_t line, int nth = 0) {
  scene.go_to_line(line, nth);
  const ContentInputs in = scene.inputs();
  const narration::SourceMap source(scene.recording().program().launch().source);
  return warp_lanes({.recording = scene.recording(),
                     .state = in.state,
                     .statement = *in.statement,
                     .source = source,
                     .sums = in.sums,
                     .accumulator = "acc",
                     .block = scene.block,
                     .thread = scene.thread});
}

std::uint32_t lane_line(const test::StageScene& scene, const std::string& code) {
  std::istringstream text(scene.recording().program().launch().source);
  std::string line;
  for (std::uint32_t number = 1; std::getline(text, line); ++number) {
    if (line.find(code) != std::string::npos) {
      return number;
    }
  }
  throw std::runtime_error("no such line: " + code);
}

TEST(WarpLanes, HoldWhatTheStatementAssigned) {
  test::StageScene scene("tiled", {8, 8, 8}, 4);
  scene.block = 1;
  scene.thread = 6;
  const WarpLanes warp = lanes_at(scene, lane_line(scene, "int col ="));
  EXPECT_EQ(warp.title, "thread (2,1) of block (1,0)");
  EXPECT_EQ(warp.place, "warp 0 of 1, lane 6");
  EXPECT_EQ(warp.variable, "col");
  ASSERT_EQ(warp.lanes.size(), 32U);
  for (std::size_t lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(warp.lanes[lane].state, LaneState::Executing);
    EXPECT_EQ(warp.lanes[lane].value, std::to_string(4 + lane % 4));
  }
  EXPECT_EQ(warp.lanes[16].state, LaneState::Absent);
  EXPECT_EQ(narration::plain_text(warp.note), "col in each lane. Lanes 16 to 31 have no thread.");
}

TEST(WarpLanes, HoldTheSumWhereNothingIsAssigned) {
  test::StageScene scene("tiled", {8, 8, 8}, 4);
  const WarpLanes warp = lanes_at(scene, lane_line(scene, "__syncthreads();  // no thread loads"));
  EXPECT_EQ(warp.variable, "acc");
  EXPECT_EQ(warp.role, insight::ValueRole::Sum);
}

TEST(WarpLanes, SayWhichAreOff) {
  test::StageScene scene("tiled", {7, 5, 6}, 4);
  scene.block = 3;  // has three elements of C
  const WarpLanes warp = lanes_at(scene, lane_line(scene, "C[row * N + col] ="));
  const auto off = std::ranges::count(warp.lanes, LaneState::Off, &WarpLanes::Lane::state) +
                   std::ranges::count(warp.lanes, LaneState::Ended, &WarpLanes::Lane::state);
  EXPECT_EQ(off, 13);
  EXPECT_EQ(std::ranges::count(warp.lanes, LaneState::Executing, &WarpLanes::Lane::state), 3);
}

TEST(WarpLanes, AreThoseOfASecondWarp) {
  test::StageScene scene("tiled", {8, 8, 8}, 8);
  scene.thread = 37;
  const WarpLanes warp = lanes_at(scene, lane_line(scene, "int tx ="));
  EXPECT_EQ(warp.place, "warp 1 of 2, lane 5");
  EXPECT_EQ(warp.first, 32U);
  EXPECT_EQ(narration::plain_text(warp.note), "tx in each of the 32 lanes.");
}

}  // namespace
}  // namespace tilestep::ui
