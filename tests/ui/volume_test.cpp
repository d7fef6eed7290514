// The volume shows every product that the block executes, with its place and step.
#include "ui/stage/volume.h"

#include "stage_scene.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilestep::ui {
namespace {
using test::StageScene;

constexpr state::VolumeView kView{};
constexpr std::uint64_t kEver = Volume::kNever;

std::optional<Volume> volume_of(StageScene& scene) {
  scene.go_to(0);
  return make_volume(scene.shape(), *scene.inputs().sums);
}

std::size_t visible_faces(const VolumePicture& picture, VolumeSide side) {
  return static_cast<std::size_t>(std::ranges::count(picture.faces, side, &VolumeFace::side));
}

struct VolumeCase {
  const char* kernel;
  problem::Problem size;
  int block_size;
  int rows, cols;  // of the first block
};

TEST(Volume, HasEveryProductOfTheBlockOnce) {
  for (const VolumeCase& c :
       {VolumeCase{"tiled", {8, 8, 8}, 4, 4, 4}, VolumeCase{"tiled", {7, 5, 6}, 4, 4, 4},
        VolumeCase{"naive", {4, 6, 5}, 4, 4, 4}, VolumeCase{"tiled_transposed", {8, 8, 8}, 4, 4, 4},
        VolumeCase{"register_tile_2d", {16, 16, 8}, 4, 16, 16},
        VolumeCase{"double_buffered", {8, 8, 8}, 4, 4, 4},
        VolumeCase{"float4_loads", {8, 8, 8}, 4, 4, 4},
        // Three products of parts for each, computed as B by A, that is, the transpose of C.
        VolumeCase{"warpgroup_tf32x3_teaching", {8, 64, 32}, 4, 8, 64}}) {
    StageScene scene(c.kernel, c.size, c.block_size);
    const std::optional<Volume> volume = volume_of(scene);
    ASSERT_TRUE(volume) << c.kernel;
    EXPECT_EQ(volume->rows, c.rows) << c.kernel;
    EXPECT_EQ(volume->cols, c.cols) << c.kernel;
    EXPECT_EQ(volume->k, c.size.K);
    const std::uint64_t end = scene.recording().step_count();
    const VolumeCount all = count_products(*volume, {end, end});
    EXPECT_EQ(all.all, static_cast<std::size_t>(c.rows) * static_cast<std::size_t>(c.cols) *
                           static_cast<std::size_t>(c.size.K))
        << c.kernel;
    EXPECT_EQ(all.done, all.all) << c.kernel;
    EXPECT_EQ(count_products(*volume, {0, 0}).done, 0U) << c.kernel;
  }
}

TEST(Volume, OfAPhaseIsASlab) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const std::optional<Volume> volume = volume_of(scene);
  ASSERT_TRUE(volume);
  const auto phases = scene.recording().phases_of(0);
  const VolumeCount first = count_products(*volume, {phases[1].first_step, phases[1].last_step});
  EXPECT_EQ(first.running, 64U);
  EXPECT_EQ(first.first_k, 0);
  EXPECT_EQ(first.last_k, 3);
  const VolumeCount second = count_products(*volume, {phases[3].first_step, phases[3].last_step});
  EXPECT_EQ(second.done, 128U);
  EXPECT_EQ(second.first_k, 4);
  EXPECT_EQ(second.last_k, 7);
  EXPECT_EQ(count_products(*volume, {phases[2].first_step, phases[2].last_step}).running, 0U);
}

// Three sides are visible from anywhere, and no face that touches a nearer cube.
TEST(Volume, FacesAreThoseThatCanBeSeen) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const std::optional<Volume> volume = volume_of(scene);
  ASSERT_TRUE(volume);
  EXPECT_TRUE(project(*volume, {0, 0}, kView, 0).faces.empty());
  for (const float yaw : {0.4F, 1.9F, 3.5F, 5.0F}) {
    for (const float pitch : {-0.6F, 0.6F}) {
      const VolumePicture picture = project(*volume, {kEver, kEver}, {true, yaw, pitch}, 5);
      EXPECT_EQ(visible_faces(picture, VolumeSide::A), 4U * 8U);
      EXPECT_EQ(visible_faces(picture, VolumeSide::B), 4U * 8U);
      EXPECT_EQ(visible_faces(picture, VolumeSide::C), 4U * 4U);
      EXPECT_EQ(picture.frame.size(), 12U);
      // The face at a column's end, and thirteen faces if it is at an edge; the fifth thread's
      // column is not.
      EXPECT_EQ(std::ranges::count(picture.faces, true, &VolumeFace::by_focus_thread), 1);
    }
  }
}

TEST(Volume, RunningCubesAreTheSlab) {
  StageScene scene("tiled", {8, 8, 8}, 4);
  const std::optional<Volume> volume = volume_of(scene);
  ASSERT_TRUE(volume);
  const auto phases = scene.recording().phases_of(0);
  const VolumePicture picture =
      project(*volume, {phases[3].first_step, phases[3].last_step}, kView, 0);
  for (const VolumeFace& face : picture.faces) {
    const bool in_phase = face.step >= phases[3].first_step && face.step < phases[3].last_step;
    EXPECT_EQ(face.is_running, in_phase);
  }
  EXPECT_EQ(std::ranges::count(picture.faces, true, &VolumeFace::is_running), 16 + 16 + 16);
}

// Long sides have several products per cube.
TEST(Volume, OfALargeProductHasFewCubes) {
  StageScene scene("tiled", {8, 8, 400}, 4);
  const std::optional<Volume> volume = volume_of(scene);
  ASSERT_TRUE(volume);
  const VolumePicture picture = project(*volume, {kEver, kEver}, kView, 0);
  EXPECT_EQ(visible_faces(picture, VolumeSide::B), 40U);
  EXPECT_EQ(visible_faces(picture, VolumeSide::C), 1U);
}

TEST(Volume, IsNothingWhereNoProductsAreAddedUp) {
  StageScene scene("tiled", {64, 64, 64}, 32);
  const Volume volume = *volume_of(scene);
  EXPECT_EQ(count_products(volume, {0, 0}).all, 32U * 32 * 64);
  StageShape shape = scene.shape();
  shape.a = shape.b = shape.c = kNoSheet;
  EXPECT_FALSE(make_volume(shape, *scene.inputs().sums));
}

}  // namespace
}  // namespace tilestep::ui
