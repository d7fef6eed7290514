#include "ui/timing/sm_rows.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/sm_pixels.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

using clock::StateSpan;
using clock::WarpLife;
using clock::WarpState;
using workspace::ShownSm;

constexpr float kTallestRow = 3.6F;  // height of a warp, at most; in font sizes, as all below
constexpr float kAboveLanes = 0.4F;  // space around the schedulers
constexpr float kBelowLanes = 0.5F;
constexpr float kLeastOfRows = 3.0F;  // height of rows that have lanes below them, at least
constexpr float kFilledRow = 12.0F;   // pixels: a lower row is filled
constexpr float kIssueShare = 0.2F;   // of a row
constexpr float kLeastStrip = 3.0F;   // pixels

struct DrawnRows {
  std::weak_ptr<const ShownSm> sm;
  state::SmView view;
  std::int64_t all = 0;
  float width = 0.0F;
  SmPixels pixels;
};
struct SmRowsMemory {
  std::array<DrawnRows, 2> rows;
  std::uint64_t step = 0;  // of the stage, in the last frame
};

// Height of the axis and the lanes above it, in font sizes.
float high_of_lanes(const RowSizes& sizes) {
  return static_cast<float>(kSchedulers) * sizes.lane + kAboveLanes + kBelowLanes + sizes.stage +
         sizes.axis;
}

struct Layout {
  ImVec2 from;  // of the rows, right of the labels
  ImVec2 to;
  float row = 1.0F;  // height
  float schedulers = 0.0F;
  float stage = 0.0F;
  float axis = 0.0F;
  RowSizes sizes;
  bool has_lanes = true;
};
Layout layout_of(const Context& context, const SmRows& rows, ImVec2 from, ImVec2 to) {
  const float em = ImGui::GetFontSize();
  Layout l;
  l.sizes = row_sizes(context);
  l.has_lanes = rows.has_lanes;
  l.axis = to.y - l.sizes.axis * em;
  l.stage = l.has_lanes ? l.axis - l.sizes.stage * em : l.axis;
  l.schedulers = l.has_lanes
                     ? l.stage - (static_cast<float>(kSchedulers) * l.sizes.lane + kBelowLanes) * em
                     : l.axis;
  l.from = {from.x + l.sizes.labels * em, from.y};
  l.to = {to.x, l.schedulers - kAboveLanes * em};
  const auto count = std::max<std::size_t>(rows.sm->run.lives.size(), 1);
  l.row = std::min((l.to.y - l.from.y) / static_cast<float>(count), kTallestRow * em);
  return l;
}

// Adds `count` rectangles at once: one call each would take most of the time of a frame.
class Rectangles {
 public:
  Rectangles(ImDrawList& list, std::size_t count) : list_(list) {
    constexpr int kIndices = 6;
    constexpr int kCorners = 4;
    list.PrimReserve(kIndices * static_cast<int>(count), kCorners * static_cast<int>(count));
  }
  void add(ImVec2 from, ImVec2 to, ImU32 colour) { list_.PrimRect(from, to, colour); }

 private:
  ImDrawList& list_;
};

void draw_barrier_hatch(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour) {
  const float step = std::max(4.0F, std::round(0.35F * ImGui::GetFontSize()));
  const float first = std::ceil(from.x / step) * step;
  if (first >= to.x) {
    return;
  }
  const auto lines = static_cast<std::size_t>(std::ceil((to.x - first) / step));
  Rectangles all(list, lines);
  for (std::size_t k = 0; k < lines; ++k) {
    const float x = first + static_cast<float>(k) * step;
    all.add({x, from.y}, {x + 1.0F, to.y}, colour);
  }
}

using StateColours = std::array<ImU32, clock::kWarpStates>;

void draw_row(const Context& context, ImDrawList& list, const SmPixels& drawn, std::size_t row,
              const Layout& l, const StateColours& colours) {
  const float top = l.from.y + static_cast<float>(row) * l.row;
  const float gap = l.row > 6.0F ? 1.0F : 0.0F;
  const float bottom = top + l.row - gap;
  Rectangles pieces(list, drawn.states[row].size());
  for (const Piece& piece : drawn.states[row]) {
    const float high = (bottom - top) * share_of_row(piece.state, l.row);
    pieces.add({l.from.x + piece.left, bottom - high}, {l.from.x + piece.right, bottom},
               colours.at(static_cast<std::size_t>(piece.state)));
  }
  const float barrier = (bottom - top) * share_of_row(WarpState::Barrier, l.row);
  if (barrier > 5.0F) {
    const ImU32 hatch = with_alpha(context.theme.panel, 0.6F);
    for (const Piece& piece : drawn.states[row]) {
      if (piece.state == WarpState::Barrier) {
        draw_barrier_hatch(list, {l.from.x + piece.left, bottom - barrier},
                           {l.from.x + piece.right, bottom}, hatch);
      }
    }
  }
  const float strip = issue_strip(l.row);
  if (strip <= 0.0F) {
    return;
  }
  Rectangles issues(list, drawn.issues[row].size());
  for (const Level& issue : drawn.issues[row]) {
    issues.add({l.from.x + issue.left, top}, {l.from.x + issue.right, top + strip},
               with_alpha(context.theme.text, 0.25F + 0.75F * issue.level));
  }
}

void draw_levels(ImDrawList& list, const std::vector<Level>& levels, float left, float bottom,
                 float height, ImU32 colour) {
  Rectangles all(list, levels.size());
  for (const Level& level : levels) {
    all.add({left + level.left, bottom - height * level.level}, {left + level.right, bottom},
            colour);
  }
}

// The issue slots of the four schedulers, and the data stage.
void draw_lanes(const Context& context, ImDrawList& list, const SmPixels& pixels, const Layout& l) {
  const float em = ImGui::GetFontSize();
  for (std::size_t s = 0; s < kSchedulers; ++s) {
    const float bottom = l.schedulers + (static_cast<float>(s) + 1.0F) * l.sizes.lane * em;
    draw_levels(list, pixels.schedulers[s], l.from.x, bottom, (l.sizes.lane - 0.1F) * em,
                context.theme.text);
  }
  list.AddRect({l.from.x, l.stage}, {l.to.x, l.axis - 0.1F * em}, context.theme.border);
  draw_levels(list, pixels.stage, l.from.x, l.axis - 0.1F * em, (l.sizes.stage - 0.1F) * em,
              context.theme.accent.fill);
}

void label(const Context& context, ImDrawList& list, float x, float y, const std::string& text) {
  list.AddText(context.fonts.text, ImGui::GetFontSize() * row_sizes(context).letters, {x, y},
               context.theme.text_dim, text.c_str());
}

// A name for each group of rows: its block, or its scheduler.
void draw_labels(const Context& context, ImDrawList& list, const ShownSm& sm, const SmPixels& drawn,
                 const Layout& l, float left) {
  const bool by_scheduler = context.state.timing.sm.by_scheduler;
  const float em = ImGui::GetFontSize();
  float free = l.from.y - em;
  std::uint32_t shown = ~0U;
  for (std::size_t row = 0; row < drawn.warps.size(); ++row) {
    const WarpLife& life = sm.run.lives[drawn.warps[row]];
    const std::uint32_t group = by_scheduler ? life.slot % 4 : life.block;
    if (group == shown) {
      continue;
    }
    shown = group;
    const float y = l.from.y + static_cast<float>(row) * l.row;
    // Through no label of an earlier group.
    list.AddLine({y >= free ? left : l.from.x, y}, {l.to.x, y}, context.theme.border);
    if (y >= free) {
      label(context, list, left + 0.2F * em, y,
            by_scheduler ? tr("scheduler {}", group) : tr("block {}", group));
      free = y + std::max(1.0F, l.sizes.letters) * em;
    }
  }
  if (!l.has_lanes) {
    return;
  }
  label(context, list, left + 0.2F * em, l.schedulers, tr("issue slots"));
  label(context, list, left + 0.2F * em, l.stage + 0.2F * em, tr("data stage"));
}

// Names of instructions where a clock is wide enough.
void draw_instructions(const Context& context, ImDrawList& list, const ShownSm& sm,
                       const SmPixels& drawn, const ClockAxis& axis, const Layout& l, int chosen) {
  const float em = ImGui::GetFontSize();
  const float size = std::min(0.8F * em, 0.75F * l.row);
  const ClockRange& range = axis.range;
  const float per_clock = axis.width() / static_cast<float>(range.clocks);
  if ((per_clock < 1.5F || size < 0.5F * em) && chosen < 0) {
    return;
  }
  for (std::size_t row = 0; row < drawn.warps.size(); ++row) {
    const WarpLife& life = sm.run.lives[drawn.warps[row]];
    const float y = l.from.y + static_cast<float>(row) * l.row;
    auto span = std::ranges::lower_bound(life.spans, range.first, {}, &StateSpan::start);
    float free = l.from.x;
    for (; span != life.spans.end() && span->start < range.first + range.clocks; ++span) {
      if (span->state != WarpState::Selected) {
        continue;
      }
      const float x = axis.x_of(span->start);
      if (static_cast<int>(span->instruction) == chosen) {
        list.AddRectFilled({x, y}, {x + std::max(2.0F, per_clock), y + l.row}, context.theme.focus);
      }
      const std::string_view text = sm.code[span->instruction].text;
      const std::string name(text.substr(0, text.find(' ', text.starts_with('@') ? 4 : 0)));
      const float wide = text_width(context.fonts.mono, size, name.c_str());
      const bool has_room = per_clock >= 1.5F && size >= 0.5F * em && x >= free;
      const auto next = std::find_if(span + 1, life.spans.end(), [](const StateSpan& s) {
        return s.state == WarpState::Selected;
      });
      const float until = next == life.spans.end() ? l.to.x : axis.x_of(next->start);
      if (has_room && x + wide < until) {
        list.AddText(context.fonts.mono, size, {x + 1.0F, y + 0.2F * l.row}, context.theme.text,
                     name.c_str());
        free = x + wide;
      }
    }
  }
}

// "waited 348 clocks for LDG.E R4, … (line 24), which came from L2".
std::string waited_for(const ShownSm& sm, const WarpLife& life, const StateSpan& span,
                       std::int64_t end) {
  for (auto load = life.loads.rbegin(); load != life.loads.rend(); ++load) {
    const auto& code = sm.code[load->instruction];
    const bool is_awaited =
        (sm.code[span.instruction].awaited_boards >> code.result_board & 1U) != 0;
    if (load->returned == end && is_awaited) {
      return tr("for {} at line {}, served from {}", code.text, code.line,
                word_of(load->level).label.text());
    }
  }
  return "";
}

void describe(const ShownSm& sm, const WarpLife& life, std::int64_t clock) {
  auto span = std::ranges::upper_bound(life.spans, clock, {}, &StateSpan::start);
  if (span == life.spans.begin() || clock >= life.end) {
    return;
  }
  --span;
  const std::int64_t end = span + 1 == life.spans.end() ? life.end : (span + 1)->start;
  const auto& code = sm.code[span->instruction];
  std::string text = tr("warp {} of block {}, scheduler {}", life.warp, life.block, life.slot % 4);
  text += "\n" + tr("cycles {} to {}: {}", grouped(span->start), grouped(end),
                    word_of(span->state).label.text());
  const std::string what = waited_for(sm, life, *span, end);
  if (!what.empty()) {
    text += "\n" + what;
  }
  text += "\n" + (code.line > 0 ? tr("next: {} at line {}", code.text, code.line)
                                : tr("next: {}", code.text));
  tooltip(text, TooltipDelay::None);
}

// The stage at the end of the latest statement that the warp has issued until the clock.
Commands seek(const Context& context, simt::WarpId warp, std::int64_t clock) {
  const record::Recording& run = *context.view.run.scene->recording;
  const std::uint64_t step = context.view.timing.sm_places->step_at(warp, clock);
  const auto starts = run.statement_starts();
  const auto after = std::ranges::upper_bound(starts, step);
  const simt::WarpId focus = focus_warp(context);
  Commands commands{state::Play{false},
                    state::SeekStep{after == starts.begin() ? 0 : *std::prev(after)}};
  if (focus.block != warp.block || focus.warp != warp.warp) {
    commands.emplace_back(
        state::FocusThread{warp.block, warp.warp * static_cast<std::uint32_t>(simt::kWarpSize)});
  }
  return commands;
}

// Where the stage is: a line for the focus thread's warp, and a mark in each row, because the
// stage's schedule executes the warps in another order than the SM.
void draw_playhead(const Context& context, ImDrawList& list, const ShownSm& sm,
                   const SmPixels& drawn, const ClockAxis& axis, const Layout& l) {
  const clock::Places& places = *context.view.timing.sm_places;
  const std::uint64_t step = context.state.step;
  const float em = ImGui::GetFontSize();
  list.PushClipRect({l.from.x, l.from.y}, {l.to.x, l.axis + 0.5F * em}, true);
  for (std::size_t row = 0; row < drawn.warps.size(); ++row) {
    const WarpLife& life = sm.run.lives[drawn.warps[row]];
    const float x = axis.x_of(places.clock_at({life.block, life.warp}, step));
    const float y = l.from.y + static_cast<float>(row) * l.row;
    list.AddRectFilled({x - 3.0F, y}, {x + 3.0F, y + l.row}, context.theme.panel);
    list.AddRectFilled({x - 1.5F, y}, {x + 1.5F, y + l.row}, context.theme.focus);
  }
  const float x = axis.x_of(places.clock_at(focus_warp(context), step));
  list.AddLine({x, l.from.y}, {x, l.axis}, context.theme.panel, 6.0F);
  list.AddLine({x, l.from.y}, {x, l.axis}, context.theme.focus, 3.0F);
  list.AddTriangleFilled({x - 0.35F * em, l.axis + 0.45F * em},
                         {x + 0.35F * em, l.axis + 0.45F * em}, {x, l.axis}, context.theme.focus);
  list.PopClipRect();
}

// After a step the clocks on screen contain the place of the stage.
Commands follow_playhead(const Context& context, const ClockAxis& axis) {
  const ClockRange& range = axis.range;
  const std::int64_t clock =
      context.view.timing.sm_places->clock_at(focus_warp(context), context.state.step);
  if (clock >= range.first && clock < range.first + range.clocks) {
    return {};
  }
  const auto shown = static_cast<double>(range.clocks);
  return {timing_with(context, &state::TimingView::sm,
                      with_clocks(context.state.timing.sm, axis.all,
                                  static_cast<double>(clock) - 0.1 * shown, shown))};
}

// The button that is released now has moved the rows.
bool was_dragged() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] >
         io.MouseDragThreshold * io.MouseDragThreshold;
}

Commands use_mouse(const Context& context, const SmRows& rows, const SmPixels& drawn,
                   const ClockAxis& axis, const Layout& l) {
  if (const auto view = zoomed_or_moved(context, axis)) {
    return {timing_with(context, &state::TimingView::sm, *view)};
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto row = static_cast<std::size_t>(std::max(0.0F, (mouse.y - l.from.y) / l.row));
  if (!ImGui::IsItemHovered() || row >= drawn.warps.size() || mouse.y < l.from.y) {
    return {};
  }
  const WarpLife& life = rows.sm->run.lives[drawn.warps[row]];
  const std::int64_t clock = axis.clock_at(mouse.x);
  if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    describe(*rows.sm, life, clock);
  }
  if (rows.number != 0 || !ImGui::IsMouseReleased(ImGuiMouseButton_Left) || was_dragged()) {
    return {};
  }
  Commands commands;
  const auto span = std::ranges::upper_bound(life.spans, clock, {}, &StateSpan::start);
  if (span != life.spans.begin()) {
    state::SmView view = context.state.timing.sm;
    view.instruction = static_cast<int>((span - 1)->instruction);
    commands.push_back(timing_with(context, &state::TimingView::sm, view));
  }
  if (context.view.timing.sm_places != nullptr) {
    append(commands, seek(context, {life.block, life.warp}, clock));
  }
  return commands;
}

// A drag on the axis drags the stage along; without a stage it moves the clocks, as in the rows.
Commands use_axis(const Context& context, const SmRows& rows, const ClockAxis& axis) {
  if (rows.number != 0 || context.view.timing.sm_places == nullptr) {
    const auto view = zoomed_or_moved(context, axis);
    return view ? Commands{timing_with(context, &state::TimingView::sm, *view)} : Commands{};
  }
  tooltip(tr("Drag to move the stage to this clock cycle of the warp."));
  if (!ImGui::IsItemActive()) {
    return {};
  }
  const std::int64_t clock = axis.clock_at(ImGui::GetIO().MousePos.x);
  return seek(context, focus_warp(context),
              std::clamp(clock, axis.range.first, axis.range.first + axis.range.clocks));
}

}  // namespace

ImU32 state_colour(const Theme& theme, WarpState state) {
  return theme.states.at(static_cast<std::size_t>(state));
}

simt::WarpId focus_warp(const Context& context) {
  const state::Focus& focus = context.state.focus;
  return {focus.block, focus.thread / static_cast<std::uint32_t>(simt::kWarpSize)};
}

bool has_room_for_lanes(const Context& context, float height) {
  return height >= (high_of_lanes(row_sizes(context)) + kLeastOfRows) * ImGui::GetFontSize();
}

float share_of_row(WarpState state, float row) {
  if (row < kFilledRow) {
    return 1.0F;
  }
  switch (state) {
    case WarpState::Selected:
      return 1.0F;
    case WarpState::NotSelected:
      return 0.8F;
    case WarpState::Wait:
    case WarpState::Branch:
    case WarpState::Dispatch:
    case WarpState::MathPipe:
      return 0.3F;
    default:
      return 0.6F;
  }
}

float issue_strip(float row) {
  const float strip = kIssueShare * row;
  return strip >= kLeastStrip ? strip : 0.0F;
}

Commands draw_sm_rows(const Context& context, const SmRows& rows, ImVec2 from, ImVec2 to) {
  const state::SmView& view = context.state.timing.sm;
  const ShownSm& sm = *rows.sm;
  const Layout l = layout_of(context, rows, from, to);
  const ClockAxis axis{rows.all, shown_clocks(view, rows.all), l.from.x, l.to.x};
  const float width = std::floor(l.to.x - l.from.x);
  if (width < 10.0F || l.to.y - l.from.y < 10.0F) {
    return {};
  }
  auto& memory = context.memory.of<SmRowsMemory>();
  DrawnRows& drawn = memory.rows.at(static_cast<std::size_t>(rows.number));
  if (drawn.sm.lock() != rows.sm || drawn.view != view || drawn.width != width ||
      drawn.all != rows.all) {
    drawn = {rows.sm, view, rows.all, width, make_pixels(sm, view, axis.range, width)};
  }
  const SmPixels& pixels = drawn.pixels;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::PushID(rows.number);
  ImGui::SetCursorScreenPos(l.from);
  static_cast<void>(hit_area("##rows", {l.to.x - l.from.x, l.axis - l.from.y}));
  Commands commands = use_mouse(context, rows, pixels, axis, l);
  ImGui::SetCursorScreenPos({l.from.x, l.axis});
  static_cast<void>(hit_area("##clocks", {l.to.x - l.from.x, to.y - l.axis}));
  append(commands, use_axis(context, rows, axis));
  ImGui::PopID();
  draw_marks(context, axis, l.from.y, l.axis);
  draw_labels(context, list, sm, pixels, l, from.x);
  StateColours colours{};
  for (std::size_t state = 0; state < colours.size(); ++state) {
    colours.at(state) = state_colour(context.theme, static_cast<WarpState>(state));
  }
  for (std::size_t row = 0; row < pixels.warps.size(); ++row) {
    draw_row(context, list, pixels, row, l, colours);
  }
  if (l.has_lanes) {
    draw_lanes(context, list, pixels, l);
  }
  draw_instructions(context, list, sm, pixels, axis, l, rows.number == 0 ? view.instruction : -1);
  if (rows.number == 0 && context.view.timing.sm_places != nullptr) {
    draw_playhead(context, list, sm, pixels, axis, l);
    if (std::exchange(memory.step, context.state.step) != context.state.step && commands.empty()) {
      commands = follow_playhead(context, axis);
    }
  }
  return commands;
}

}  // namespace tilestep::ui
