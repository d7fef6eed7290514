// Shared memory that units beside the threads fill and read.
#include "ui/stage_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::ui {
namespace {

using test::StageScene;
using ::testing::IsEmpty;

// warpgroup_tf32x3: one thread issues copies, two warps split, four multiply.
class WarpgroupContent : public ::testing::Test {
 protected:
  void go_to(const char* part) {
    scene.go_to_line(
        test::line_of(test::repository_catalog().find("warpgroup_tf32x3_teaching")->source, part));
  }
  StageScene scene{"warpgroup_tf32x3_teaching", {8, 8, 8}, 4};
};

TEST_F(WarpgroupContent, MbarriersShowWhatTheyWaitFor) {
  scene.go_to(scene.recording().step_count());
  EXPECT_EQ(scene.cell("full", 0, 0).value, 1.0) << "arrivals of the next phase";
  EXPECT_EQ(scene.cell("ready", 0, 0).value, 64.0);
  EXPECT_EQ(scene.cell("empty", 0, 0).value, 128.0);
  EXPECT_FALSE(scene.cell("empty", 0, 0).is_padding);
  go_to("\"r\"(bytes)");
  EXPECT_EQ(scene.cell("full", 0, 0).value, 9216.0) << "bytes, once all threads have arrived";
}

TEST_F(WarpgroupContent, BulkCopiesArriveWhereTheirBytesAreWaitedFor) {
  go_to("\"l\"(&map)");
  EXPECT_EQ(scene.cell("As", 0, 0).state, CellState::Empty);
  scene.go_to(scene.recording().step_count());
  EXPECT_EQ(scene.cell("As", 0, 0).state, CellState::Value);
  EXPECT_FALSE(scene.cell("Rs", 0, 0).is_padding) << "a difference that is zero is no padding";
}

TEST_F(WarpgroupContent, TensorCoresReadForNoThread) {
  scene.thread = 128;
  go_to("\"r\"(b[3]), \"l\"(a), \"r\"(adds));");
  EXPECT_TRUE(scene.cell("As", 0, 0).is_read);
  EXPECT_FALSE(scene.cell("As", 0, 0).by_focus_thread);
  EXPECT_THAT(scene.frame(FrameKind::FocusReads, "As"), IsEmpty());
}

}  // namespace
}  // namespace tilestep::ui
