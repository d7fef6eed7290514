#include "ui/stage/camera.h"

#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kNotch = 1.2F;
constexpr float kLargestNumberZoomed = 8.0F;  // heights of a line of text

// Sizes in lines of text.
constexpr float kOverviewWidth = 13.0F;
constexpr float kOverviewHeight = 8.0F;
constexpr float kOverviewMargin = 0.5F;
constexpr float kMostOfStage = 0.4F;  // of each side
constexpr float kSeen = 1.02F;        // rounding shows a little less than everything

// A stage position in the overview.
ImVec2 small(const Arrangement& arrangement, const Box& overview, ImVec2 world) {
  return {overview.x + overview.w * world.x / arrangement.width,
          overview.y + overview.h * world.y / arrangement.height};
}

// The camera that shows the same part as `view`.
state::Camera camera_of(const StageView& view, const StageArea& area) {
  const ImVec2 world =
      view.to_world({area.from.x + 0.5F * area.size.x, area.from.y + 0.5F * area.size.y});
  return {view.scale / area.font, world.x, world.y};
}

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

state::Camera zoomed(const StageView& view, const Arrangement& arrangement, const StageArea& area,
                     ImVec2 pixel, float steps) {
  const float wanted = view.scale * std::pow(kNotch, steps);
  if (wanted <= arrangement.unit * 1.02F) {
    return {};
  }
  // The largest cells (of the second group) stop growing when a number fills the view.
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

std::optional<Box> overview_box(const Arrangement& arrangement, const StageView& view,
                                const StageArea& area) {
  if (view.scale <= kSeen * arrangement.unit || arrangement.width <= 0.0F ||
      arrangement.height <= 0.0F) {
    return std::nullopt;
  }
  const float scale = std::min(kOverviewWidth * area.font / arrangement.width,
                               kOverviewHeight * area.font / arrangement.height);
  const float width = std::round(scale * arrangement.width);
  const float height = std::round(scale * arrangement.height);
  if (width > kMostOfStage * area.size.x || height > kMostOfStage * area.size.y) {
    return std::nullopt;
  }
  const float margin = kOverviewMargin * area.font;
  return Box{std::round(area.from.x + area.size.x - width - margin),
             std::round(area.from.y + area.size.y - height - margin), width, height};
}

state::Camera look_at(const Arrangement& arrangement, const StageView& view, const StageArea& area,
                      const Box& overview, ImVec2 pixel) {
  state::Camera camera = camera_of(view, area);
  camera.x = arrangement.width * std::clamp((pixel.x - overview.x) / overview.w, 0.0F, 1.0F);
  camera.y = arrangement.height * std::clamp((pixel.y - overview.y) / overview.h, 0.0F, 1.0F);
  return camera;
}

void paint_overview(const StagePicture& p, const Box& overview,
                    std::vector<CellInstance>& instances) {
  const Theme& t = p.context.theme;
  const float pad = std::round(0.25F * p.font);
  instances.clear();
  instances.push_back(instance(
      {overview.x - pad, overview.y - pad, overview.w + 2.0F * pad, overview.h + 2.0F * pad},
      {{t.raised}, t.border, 1.0F}, pad));
  const auto add = [&](ImVec2 from, ImVec2 to, ImU32 fill, ImU32 border, float width) {
    const ImVec2 a = small(p.arrangement, overview, from);
    const ImVec2 b = small(p.arrangement, overview, to);
    instances.push_back(
        instance({std::round(a.x), std::round(a.y), std::max(1.0F, std::round(b.x - a.x)),
                  std::max(1.0F, std::round(b.y - a.y))},
                 {{fill}, border, width}));
  };
  if (const auto& block = p.arrangement.block_group) {
    add({block->x, block->y}, {block->right(), block->bottom()}, 0,
        block_colour(t, p.program.block_index(p.context.state.focus.block)), 1.0F);
  }
  for (std::size_t i = 0; i < p.shape.sheets.size(); ++i) {
    const Box box = sheet_box(p.shape, p.arrangement, static_cast<int>(i));
    const RoleColours& colours = role_colours(t, p.shape.sheets[i].role);
    add({box.x, box.y}, {box.right(), box.bottom()}, colours.tint.fill, colours.line, 1.0F);
  }
  const ImVec2 from = p.view.to_world({p.clip.x, p.clip.y});
  const ImVec2 to = p.view.to_world({p.clip.z, p.clip.w});
  add({std::max(from.x, 0.0F), std::max(from.y, 0.0F)},
      {std::min(to.x, p.arrangement.width), std::min(to.y, p.arrangement.height)}, 0, t.focus,
      2.0F);
  p.draw(instances);
}

}  // namespace tilestep::ui
