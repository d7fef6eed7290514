#include "ui/warp_card.h"

#include "narration/templates.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "ui/copying.h"
#include "ui/memory.h"
#include "ui/names.h"
#include "ui/piece_row.h"
#include "ui/theme.h"
#include "ui/warp_lanes.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tilestep::ui {
namespace {

constexpr std::size_t kInRow = 16;  // lanes
// In lines of text.
constexpr float kBox = 1.65F;
constexpr float kBoxGap = 0.15F;
constexpr float kTitle = 1.7F;
constexpr float kNumber = 0.9F;

// Found anew when what is shown changes.
struct LanesMemory {
  std::string text;
  std::unique_ptr<narration::SourceMap> source;
  WarpLanes lanes;
  workspace::Generation generation;
  std::uint64_t step = 0;
  state::Focus focus;
  const insight::BlockSums* sums = nullptr;
  std::string language;
};

void refresh(const Context& context, LanesMemory& memory) {
  const auto& view = context.view;
  if (memory.generation == view.scene->generation && memory.step == view.state->step() &&
      memory.focus == context.state.focus && memory.sums == view.sums &&
      memory.language == spoken_language()) {
    return;
  }
  const record::Recording& recording = *view.scene->recording;
  const std::string& text = recording.program().launch().source;
  if (memory.source == nullptr || memory.text != text) {
    memory.text = text;
    memory.source = std::make_unique<narration::SourceMap>(text);
  }
  memory.generation = view.scene->generation;
  memory.step = view.state->step();
  memory.focus = context.state.focus;
  memory.sums = view.sums;
  memory.language = spoken_language();
  memory.lanes = warp_lanes({.recording = recording,
                             .state = *view.state,
                             .statement = *view.statement,
                             .source = *memory.source,
                             .sums = view.sums,
                             .sum = view.sum,
                             .accumulator = view.scene->accumulator,
                             .block = context.state.focus.block,
                             .thread = context.state.focus.thread});
}

// Lanes that are off or not there are dashed, as on the stage.
CellInstance lane_looks(const Theme& t, const WarpLanes& warp, std::size_t lane) {
  const LaneState state = warp.lanes[lane].state;
  const bool executes = state == LaneState::Executing;
  const ImU32 tint =
      warp.role == insight::ValueRole::None ? t.cell.fill : role_colours(t, warp.role).tint.fill;
  CellInstance looks{
      .fill = executes                   ? tint
              : state == LaneState::Idle ? t.cell.fill
                                         : t.cell_empty.fill,
      .border = state == LaneState::Off ? t.text_dim : t.cell_border,
      .border_width = 1.0F,
      .marks = state == LaneState::Off || state == LaneState::Absent ? mark::kDashed : mark::kNone};
  if (lane == warp.focus) {
    looks.border = t.focus;
    looks.border_width = 2.0F;
    looks.marks = mark::kNone;
  }
  return looks;
}

ImU32 lane_ink(const Theme& t, const WarpLanes& warp, std::size_t lane) {
  switch (warp.lanes[lane].state) {
    case LaneState::Executing:
      return warp.role == insight::ValueRole::None ? t.cell.text
                                                   : role_colours(t, warp.role).tint.text;
    case LaneState::Idle:
      return t.cell.text;
    default:
      return t.text_dim;
  }
}

struct LaneGrid {
  ImVec2 from;
  ImVec2 box;
  float gap = 0.0F;
  std::size_t in_row = kInRow;

  [[nodiscard]] ImVec2 at(std::size_t lane) const {
    const auto col = static_cast<float>(lane % in_row);
    const std::size_t rows_before = lane / in_row;
    const auto row = static_cast<float>(rows_before);
    return {std::round(from.x + col * (box.x + gap)), std::round(from.y + row * (box.y + gap))};
  }
};

void paint_lanes(const Context& context, const WarpLanes& warp, const LaneGrid& grid) {
  std::vector<CellInstance> boxes;
  for (std::size_t lane = 0; lane < warp.lanes.size(); ++lane) {
    CellInstance looks = lane_looks(context.theme, warp, lane);
    const ImVec2 at = grid.at(lane);
    looks.x = at.x;
    looks.y = at.y;
    looks.w = std::round(grid.box.x);
    looks.h = std::round(grid.box.y);
    looks.radius = 0.12F * looks.h;
    boxes.push_back(looks);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = list.GetClipRectMin();
  const ImVec2 to = list.GetClipRectMax();
  if (context.cells != nullptr) {
    context.cells->draw(list, boxes, {from.x, from.y, to.x, to.y});
  }
  const float size = kNumber * ImGui::GetFontSize();
  for (std::size_t lane = 0; lane < warp.lanes.size(); ++lane) {
    const std::string& value = warp.lanes[lane].value;
    const ImVec2 natural = context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, value.c_str());
    const float fitted = fitted_size(size, natural.x, grid.box.x - 0.2F * size);
    const float width = natural.x * fitted / size;
    const ImVec2 at = grid.at(lane);
    list.AddText(context.fonts.mono, fitted,
                 {std::round(at.x + 0.5F * (grid.box.x - width)),
                  std::round(at.y + 0.5F * (grid.box.y - fitted))},
                 lane_ink(context.theme, warp, lane), value.c_str());
  }
}

Commands listen(const Context& context, const WarpLanes& warp, const LaneGrid& grid) {
  const simt::Program& program = context.view.scene->recording->program();
  Commands commands;
  for (std::size_t lane = 0; lane < warp.lanes.size(); ++lane) {
    const WarpLanes::Lane& shown = warp.lanes[lane];
    if (shown.state == LaneState::Absent) {
      continue;
    }
    const std::uint32_t thread = warp.first + static_cast<std::uint32_t>(lane);
    ImGui::SetCursorScreenPos(grid.at(lane));
    ImGui::PushID(static_cast<int>(lane));
    if (hit_area("lane", grid.box)) {
      commands.push_back(state::FocusThread{context.state.focus.block, thread});
    }
    if (ImGui::IsItemHovered()) {
      const std::string value =
          shown.value.empty() ? "" : fmt::format("\n{} = {}", warp.variable, shown.value);
      ImGui::SetTooltip(
          "%s",
          tr("{}, lane {}{}", thread_name(program, context.state.focus.block, thread), lane, value)
              .c_str());
    }
    ImGui::PopID();
  }
  return commands;
}

// A row a lane; nothing where the statement gave no variable a value.
std::string lanes_table(const WarpLanes& warp) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t lane = 0; lane < warp.lanes.size() && !warp.variable.empty(); ++lane) {
    rows.push_back({std::to_string(lane), warp.lanes[lane].value});
  }
  return tabbed(rows);
}

}  // namespace

Commands draw_warp_card(const Context& context) {
  auto& memory = context.memory.of<LanesMemory>();
  refresh(context, memory);
  const WarpLanes& warp = memory.lanes;
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const PieceRow title(context, at.y, font);
  title.write(all_bold(narration::plain(warp.title)), at.x, t.text);
  const narration::Pieces place = narration::plain(warp.place);
  title.write(place, at.x + room.x - title.width(place), t.text_dim);

  LaneGrid grid;
  grid.from = {at.x, at.y + kTitle * font};
  grid.gap = kBoxGap * font;
  grid.in_row = std::min(kInRow, warp.lanes.size());
  const auto columns = static_cast<float>(kInRow);  // a small warp's lanes are no wider
  grid.box = {(room.x - (columns - 1.0F) * grid.gap) / columns, kBox * font};
  paint_lanes(context, warp, grid);
  const Commands commands = listen(context, warp, grid);
  offer_copy(context, at, {at.x + room.x, at.y + room.y},
             {.what = fmt::format(fmt::runtime(kCopiedLanes.text()), warp.variable),
              .text = [&warp] { return lanes_table(warp); }});
  const float below = grid.at(warp.lanes.size() - 1).y + grid.box.y + 0.5F * font;
  PieceRow(context, std::round(below), 0.95F * font).write(warp.note, at.x, t.text_dim);
  return commands;
}

}  // namespace tilestep::ui
