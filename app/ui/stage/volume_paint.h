// Paints the volume of products: in the stage's free corner, or over the whole stage.
#pragma once

#include "ui/stage/paint.h"
#include "ui/stage/volume.h"

namespace tilestep::ui {

// What the volume shows at the place that is on stage.
struct VolumeScene {
  const Volume& volume;
  const VolumePicture& picture;
  VolumeCount count;
  std::uint32_t block = 0;  // focus
};

// In the free corner; false: `room` is too small.
bool paint_volume_corner(const StagePicture& picture, const VolumeScene& scene, const Box& room);

// Over the whole stage, with what the cubes are in words. Returns the step of a product in the face
// under the pointer.
std::optional<std::uint32_t> paint_volume(const StagePicture& picture, const VolumeScene& scene,
                                          const Box& room);
// Where the block has none that can be drawn.
void paint_no_volume(const StagePicture& picture, const Box& room);

}  // namespace tilestep::ui
