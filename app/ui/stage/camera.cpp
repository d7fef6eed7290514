#include "ui/stage/camera.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kNotch = 1.2F;
constexpr float kLargestNumberZoomed = 8.0F;  // heights of a line of text

}  // namespace

StageView view_of(const state::Camera& camera, const Arrangement& arrangement,
                  const StageArea& area) {
  const ImVec2 middle(area.from.x + 0.5F * area.size.x, area.from.y + 0.5F * area.size.y);
  if (camera.zoom <= 0.0F) {
    const float scale = arrangement.unit;
    return {scale, std::round(middle.x - 0.5F * arrangement.width * scale),
            std::round(middle.y - 0.5F * arrangement.height * scale)};
  }
  const float scale = camera.zoom * area.font;
  return {scale, middle.x - camera.x * scale, middle.y - camera.y * scale};
}

state::Camera camera_of(const StageView& view, const StageArea& area) {
  const ImVec2 world =
      view.to_world({area.from.x + 0.5F * area.size.x, area.from.y + 0.5F * area.size.y});
  return {view.scale / area.font, world.x, world.y};
}

state::Camera zoomed(const StageView& view, const Arrangement& arrangement, const StageArea& area,
                     ImVec2 pixel, float steps) {
  const float wanted = view.scale * std::pow(kNotch, steps);
  if (wanted <= arrangement.unit * 1.02F) {
    return {};
  }
  // The largest cells (of the second group) stop growing where a number fills the view.
  float largest = 1.0F;
  for (const Placed& placed : arrangement.sheets) {
    largest = std::max(largest, placed.number);
  }
  StageView next = view;
  next.scale = std::min(wanted, std::max(kLargestNumberZoomed * area.font / largest, view.scale));
  const ImVec2 world = view.to_world(pixel);
  next.x = pixel.x - world.x * next.scale;
  next.y = pixel.y - world.y * next.scale;
  return camera_of(next, area);
}

state::Camera panned(const StageView& view, const StageArea& area, ImVec2 by) {
  StageView next = view;
  next.x += by.x;
  next.y += by.y;
  return camera_of(next, area);
}

}  // namespace tilestep::ui
