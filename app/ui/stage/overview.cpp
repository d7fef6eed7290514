#include "ui/stage/overview.h"

#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// Lines of text.
constexpr float kOverviewWidth = 13.0F;
constexpr float kOverviewHeight = 8.0F;
constexpr float kOverviewMargin = 0.5F;
constexpr float kMostOfStage = 0.4F;  // of each side
constexpr float kSeen = 1.02F;        // rounding shows a little less than all

// A place of the stage in the overview.
ImVec2 small(const Arrangement& arrangement, const Box& overview, ImVec2 world) {
  return {overview.x + overview.w * world.x / arrangement.width,
          overview.y + overview.h * world.y / arrangement.height};
}

}  // namespace

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
  instances.push_back({.x = overview.x - pad,
                       .y = overview.y - pad,
                       .w = overview.w + 2.0F * pad,
                       .h = overview.h + 2.0F * pad,
                       .fill = t.raised,
                       .border = t.border,
                       .border_width = 1.0F,
                       .radius = pad});
  const auto add = [&](ImVec2 from, ImVec2 to, ImU32 fill, ImU32 border, float width) {
    const ImVec2 a = small(p.arrangement, overview, from);
    const ImVec2 b = small(p.arrangement, overview, to);
    instances.push_back({.x = std::round(a.x),
                         .y = std::round(a.y),
                         .w = std::max(1.0F, std::round(b.x - a.x)),
                         .h = std::max(1.0F, std::round(b.y - a.y)),
                         .fill = fill,
                         .border = border,
                         .border_width = width});
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
  if (p.context.cells != nullptr) {
    p.context.cells->draw(p.list, instances, p.clip);
  }
}

}  // namespace tilestep::ui
