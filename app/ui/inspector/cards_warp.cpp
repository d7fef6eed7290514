#include "narration/templates.h"
#include "problem/tr.h"
#include "ui/inspector/cards.h"
#include "ui/masked_context.h"
#include "ui/number_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace tilestep::ui {
namespace {

using narration::part;
using narration::plain;

constexpr int kLaneNumber = 4;  // characters of a value

// A number short enough for a lane; other values (structures, pointers) are not shown.
std::string lane_text(const simt::Program& program, const record::Value& value) {
  if (value.status != record::Value::Status::Ok &&
      value.status != record::Value::Status::ThreadExited) {
    return "";
  }
  const std::string text = record::format_value(program, value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') {
    return text.size() <= kLaneNumber ? text : "";
  }
  return with_minus(short_number(number, kLaneNumber));
}

class Lanes {
 public:
  explicit Lanes(const WarpQuestion& question)
      : q_(question),
        program_(question.recording.program()),
        size_(program_.warp_size()),
        id_{question.block, question.thread / size_} {}

  WarpLanes find() {
    WarpLanes found;
    found.title = thread_name(program_, q_.block, q_.thread);
    found.first = id_.warp * size_;
    found.focus = q_.thread % size_;
    found.place = place(found.focus);
    const bool is_sum = adds_to_sum();
    found.variable = is_sum ? q_.sums->name(*q_.sum, q_.state.step()) : variable();
    found.role = is_sum                                          ? insight::ValueRole::Sum
                 : q_.sums != nullptr && !found.variable.empty() ? q_.sums->role_of(found.variable)
                                                                 : insight::ValueRole::None;
    found.lanes.resize(size_);
    record::VariableOfThreads values(q_.state, found.variable);
    for (std::uint32_t lane = 0; lane < size_; ++lane) {
      const std::uint32_t thread = found.first + lane;
      if (thread >= program_.threads_per_block()) {
        continue;
      }
      found.lanes[lane].state = state_of(lane);
      if (is_sum) {
        found.lanes[lane].value = sum_of(thread);
      } else if (!found.variable.empty()) {
        const auto& value = values.read(q_.block, thread);
        found.lanes[lane].value = value ? lane_text(program_, *value) : "";
      }
    }
    found.note = note(found);
    return found;
  }

 private:
  [[nodiscard]] std::string place(std::uint32_t lane) const {
    return narration::plain_text(
        part("lanes_place", {{"warp", plain(fmt::format("{}", id_.warp))},
                             {"warps", plain(fmt::format("{}", program_.warps_per_block()))},
                             {"lane", plain(fmt::format("{}", lane))}}));
  }

  // Null if another warp executed the statement.
  [[nodiscard]] const record::Activity::Executed* executed() const {
    const auto& all = q_.statement.executed;
    const auto own = std::find_if(all.rbegin(), all.rend(),
                                  [&](const auto& executed) { return executed.warp == id_; });
    return own == all.rend() ? nullptr : &*own;
  }

  [[nodiscard]] LaneState state_of(std::uint32_t lane) const {
    const bool runs = q_.state.machine().block_status(q_.block) == simt::BlockStatus::Running;
    const record::Activity::Executed* const own = executed();
    if (own != nullptr && (own->mask >> lane & 1U) != 0) {
      return LaneState::Executing;
    }
    if (!runs || (q_.state.machine().warp(id_).live >> lane & 1U) == 0) {
      return LaneState::Ended;
    }
    return own != nullptr ? LaneState::Off : LaneState::Idle;
  }

  [[nodiscard]] bool is_readable(const std::string& name) const {
    const auto value = q_.state.variable(q_.block, q_.thread, name);
    return value && !lane_text(program_, *value).empty();
  }

  // True if the statement gave the shown sum its newest value.
  [[nodiscard]] bool adds_to_sum() const {
    if (q_.sums == nullptr || !q_.sum) {
      return false;
    }
    const insight::SumNow now = q_.sums->now(*q_.sum, q_.state.step());
    return now.assigned && now.values > 0 && now.step >= q_.statement.first_step;
  }
  // The sum of another thread with the same index.
  [[nodiscard]] std::string sum_of(std::uint32_t thread) const {
    const std::size_t number = *q_.sum - q_.sums->of_thread(q_.thread).first;
    const insight::BlockSums::Range own = q_.sums->of_thread(thread);
    if (number >= own.size()) {
      return "";
    }
    const insight::SumNow now = q_.sums->now(own.first + number, q_.state.step());
    return now.assigned ? with_minus(short_number(static_cast<double>(now.value), kLaneNumber))
                        : "";
  }

  // The variable that the statement assigned; at a loop's head its counter; else the sum.
  [[nodiscard]] std::string variable() const {
    const record::Activity::Executed* const own = executed();
    if (own != nullptr) {
      for (const int i : q_.source.at(own->line)) {
        const narration::SourceStatement& statement = q_.source[i];
        for (const auto* list : {&statement.assignments, &statement.steps}) {
          for (const narration::Assignment& assignment : *list) {
            const narration::Expression& target = assignment.target;
            if (target.is(narration::Form::Name) && is_readable(target.text)) {
              return target.text;
            }
          }
        }
      }
    }
    return !q_.accumulator.empty() && is_readable(q_.accumulator) ? q_.accumulator : "";
  }

  [[nodiscard]] narration::Pieces note(const WarpLanes& found) const {
    const auto count = [&found](LaneState state) {
      return static_cast<std::size_t>(
          std::ranges::count(found.lanes, state, &WarpLanes::Lane::state));
    };
    const std::size_t threads = found.lanes.size() - count(LaneState::Absent);
    const narration::Hue hue = found.role == insight::ValueRole::A     ? narration::Hue::FromA
                               : found.role == insight::ValueRole::B   ? narration::Hue::FromB
                               : found.role == insight::ValueRole::Sum ? narration::Hue::Sum
                                                                       : narration::Hue::None;
    const narration::Pieces name = narration::strong(found.variable, hue);
    const narration::Pieces all = plain(fmt::format("{}", found.lanes.size()));
    const bool named = !found.variable.empty();
    if (const std::size_t off = count(LaneState::Off); off > 0) {
      const narration::Places places{{"variable", name},
                                     {"off", plain(fmt::format("{}", off))},
                                     {"all", plain(fmt::format("{}", threads))}};
      return named ? part("lanes_off_variable", places) : part("lanes_off", places);
    }
    if (threads < found.lanes.size()) {
      const narration::Places places{{"variable", name},
                                     {"first", plain(fmt::format("{}", threads))},
                                     {"last", plain(fmt::format("{}", found.lanes.size() - 1))}};
      return named ? part("lanes_absent_variable", places) : part("lanes_absent", places);
    }
    return named ? part("lanes_all_variable", {{"variable", name}, {"all", all}})
                 : part("lanes_all", {{"all", all}});
  }

  const WarpQuestion& q_;
  const simt::Program& program_;
  std::uint32_t size_;
  simt::WarpId id_;
};

constexpr std::size_t kInRow = 16;  // lanes
// Sizes in lines of text.
constexpr float kBox = 1.65F;
constexpr float kBoxGap = 0.15F;
constexpr float kTitle = 1.7F;
constexpr float kLaneText = 0.9F;

// Recomputed when the shown data changes.
struct LanesMemory {
  std::string text;
  std::unique_ptr<narration::SourceMap> source;
  WarpLanes lanes;
  std::optional<FrameKey> key;
};

void refresh(const Context& context, LanesMemory& memory) {
  const auto& view = context.view;
  FrameKey key = frame_key(context);
  if (memory.key == key) {
    return;
  }
  memory.key = std::move(key);
  const record::Recording& recording = *view.run.scene->recording;
  const std::string& text = recording.program().launch().source;
  if (memory.source == nullptr || memory.text != text) {
    memory.text = text;
    memory.source = std::make_unique<narration::SourceMap>(text);
  }
  memory.lanes = warp_lanes({.recording = recording,
                             .state = *view.run.state,
                             .statement = *view.run.statement,
                             .source = *memory.source,
                             .sums = view.run.sums.get(),
                             .sum = view.run.sum,
                             .accumulator = view.run.scene->accumulator,
                             .block = context.state.focus.block,
                             .thread = context.state.focus.thread});
}

// Lanes that are off or absent are dashed, as on the stage.
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
  draw_cells(context, boxes);
  const float size = kLaneText * ImGui::GetFontSize();
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
  const simt::Program& program = context.view.run.scene->recording->program();
  Commands commands;
  for (std::size_t lane = 0; lane < warp.lanes.size(); ++lane) {
    const WarpLanes::Lane& shown = warp.lanes[lane];
    if (shown.state == LaneState::Absent) {
      continue;
    }
    const std::uint32_t thread = warp.first + static_cast<std::uint32_t>(lane);
    ImGui::SetCursorScreenPos(grid.at(lane));
    ImGui::PushID(static_cast<int>(lane));
    if (hit_button("lane", grid.box)) {
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

// One row per lane; empty if the statement assigned no variable.
std::string lanes_table(const WarpLanes& warp) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t lane = 0; lane < warp.lanes.size() && !warp.variable.empty(); ++lane) {
    rows.push_back({std::to_string(lane), warp.lanes[lane].value});
  }
  return tabbed(rows);
}

}  // namespace

WarpLanes warp_lanes(const WarpQuestion& question) {
  return Lanes(question).find();
}

Commands draw_warp_card(const Context& context) {
  auto& memory = context.memory.of<LanesMemory>();
  refresh(context, memory);
  const WarpLanes& warp = memory.lanes;
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  TextPen title(context, at, font);
  title.pieces(all_bold(narration::plain(warp.title)), t.text);
  const narration::Pieces place = narration::plain(warp.place);
  title.move_to(at.x + room.x - pieces_width(context, place, font));
  title.pieces(place, t.text_dim);

  LaneGrid grid;
  grid.from = {at.x, at.y + kTitle * font};
  grid.gap = kBoxGap * font;
  grid.in_row = std::min(kInRow, warp.lanes.size());
  const auto columns = static_cast<float>(kInRow);  // a small warp's lanes are not wider
  grid.box = {(room.x - (columns - 1.0F) * grid.gap) / columns, kBox * font};
  paint_lanes(context, warp, grid);
  const Commands commands = listen(context, warp, grid);
  offer_copy(context, at, {at.x + room.x, at.y + room.y},
             {.what = fmt::format(fmt::runtime(kCopiedLanes.text()), warp.variable),
              .text = [&warp] { return lanes_table(warp); }});
  const float below = grid.at(warp.lanes.size() - 1).y + grid.box.y + 0.5F * font;
  TextPen(context, {at.x, std::round(below)}, 0.95F * font).pieces(warp.note, t.text_dim);
  return commands;
}

}  // namespace tilestep::ui
