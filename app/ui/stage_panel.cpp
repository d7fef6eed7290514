#include "ui/stage_panel.h"

#include "insight/names.h"
#include "problem/text.h"
#include "ui/layout.h"
#include "ui/memory.h"
#include "ui/names.h"
#include "ui/stage/camera.h"
#include "ui/stage/crop.h"
#include "ui/stage/flow_paint.h"
#include "ui/stage/headline.h"
#include "ui/stage/legend.h"
#include "ui/stage/looks.h"
#include "ui/stage/memory_paint.h"
#include "ui/stage/narration_paint.h"
#include "ui/stage/overlay.h"
#include "ui/stage/phase_paint.h"
#include "ui/stage/phase_stage.h"
#include "ui/stage/registers_paint.h"
#include "ui/stage/sum_strip.h"
#include "ui/stage/thread_card.h"
#include "ui/stage/tooltip.h"
#include "ui/stage/travel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kPointerRests = 3.0F;  // pixels that a pointer left alone may move

// What is worth keeping from frame to frame; all of it can be computed again.
struct StageMemory {
  struct Key {
    std::uint64_t generation = ~std::uint64_t{0};
    std::uint64_t step = 0;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    int sum = 0;
    bool has_statement = false;
    bool has_findings = false;
    bool has_sums = false;
    bool shows_phase = false;
    const void* narrator = nullptr;  // by place: a sentence that comes later is shown
    const void* summary = nullptr;
    friend bool operator==(const Key&, const Key&) = default;
  };
  std::uint64_t generation = ~std::uint64_t{0};
  StageShape shape;
  Ownership owners;
  std::vector<Landing> landings;
  BlockLog log;
  std::optional<record::State> before;  // at the start of the current statement
  Key key;
  StageContent content;
  MemoryStrip strip;
  Shown all;                              // always empty: nothing is cropped
  Shown shown;                            // empty: all of every matrix
  std::optional<RegisterTile> registers;  // of the focus thread, where it has several sums
  Headline headline;
  SumStory sums;
  Travel travel;
  PhaseStage phase;
  std::vector<CellInstance> instances;
  // Where the pointer was when the stage last changed. Until it moves it hides nothing: whoever
  // steps with keys has left it lying there.
  ImVec2 resting_pointer{-1.0F, -1.0F};
  std::string pointed;  // the cell that is followed
};

ContentInputs inputs_of(const Context& context, StageMemory& memory) {
  const workspace::Scene& scene = *context.view.scene;
  return {.recording = *scene.recording,
          .shape = memory.shape,
          .owners = memory.owners,
          .log = memory.log,
          .state = *context.view.state,
          .before = memory.before ? &*memory.before : nullptr,
          .statement = context.view.statement,
          .accumulator = scene.accumulator,
          .sums = context.view.sums,
          .landings = memory.landings,
          .sum = context.state.focus.sum,
          .expected = scene.expected,
          .block = context.state.focus.block,
          .thread = context.state.focus.thread,
          .narrator = context.view.narrator,
          .findings = context.view.check != nullptr
                          ? std::span<const insight::Finding>(context.view.check->findings)
                          : std::span<const insight::Finding>(),
          .phase = context.view.shows_phase ? context.view.phase_over : std::nullopt,
          .summary = context.view.phase_summary};
}

void find_before(const Context& context, StageMemory& memory) {
  if (context.view.statement == nullptr) {
    memory.before.reset();
    return;
  }
  const record::Recording& recording = *context.view.scene->recording;
  const std::uint64_t step = context.view.statement->first_step;
  memory.before =
      memory.before ? recording.state_at(step, *memory.before) : recording.state_at(step);
}

// Whose accesses stand in the free corner: the statement's, or those of the whole phase.
const record::Activity* asked_of(const ContentInputs& in) {
  return in.phase ? &in.log.phase(*in.phase).requests : in.statement;
}

void refresh(const Context& context, StageMemory& memory) {
  const workspace::Scene& scene = *context.view.scene;
  const record::Recording& recording = *scene.recording;
  if (memory.generation != scene.generation) {
    memory.generation = scene.generation;
    memory.before.reset();
    memory.shape = make_shape(recording.program(), scene.accumulator);
    const record::State end = recording.state_at(recording.step_count());
    find_digits(end, memory.shape);
    find_roles(scene.first_sums.get(), memory.shape);
    memory.owners = find_owners(recording, end, memory.shape);
    memory.landings = scene.first_sums
                          ? find_landings(memory.shape, memory.owners, *scene.first_sums)
                          : decltype(memory.landings){};
    memory.key = {};
  }
  const state::Focus& focus = context.state.focus;
  const StageMemory::Key key{scene.generation,
                             context.view.state->step(),
                             focus.block,
                             focus.thread,
                             focus.sum,
                             context.view.statement != nullptr,
                             context.view.check != nullptr,
                             context.view.sums != nullptr,
                             context.view.shows_phase,
                             context.view.narrator,
                             context.view.phase_summary};
  if (key == memory.key) {
    return;
  }
  memory.key = key;
  memory.phase.forget();
  memory.resting_pointer = ImGui::GetIO().MousePos;
  memory.log.use(recording, memory.shape, scene.generation, focus.block, focus.thread);
  find_before(context, memory);
  const ContentInputs inputs = inputs_of(context, memory);
  memory.content = make_content(inputs);
  memory.registers = find_register_tile(inputs, memory.content);
  memory.shown = find_crop(inputs, memory.content);
  memory.headline = make_headline(inputs, memory.content);
  memory.strip = make_memory_strip({.program = recording.program(),
                                    .shape = memory.shape,
                                    .statement = asked_of(inputs),
                                    .block = focus.block,
                                    .thread = focus.thread});
  memory.sums = sum_story({.recording = recording,
                           .sums = context.view.sums,
                           .chosen = context.view.sum,
                           .thread = focus.thread,
                           .step = context.view.state->step()});
}

// Where only a part of the grid is recorded: which one, and how to come by the rest.
std::string part_note(const Context& context, const record::Recording& recording) {
  if (recording.is_whole()) {
    return {};
  }
  const simt::BlockPart part = recording.part();
  return fmt::format("blocks {} to {} of {} · {} · ", part.first, part.last - 1,
                     recording.program().block_count(),
                     context.view.completing ? "recording the others" : ", and . go to others");
}

// "2×2 blocks of 4×4 threads · 1 warp a block (16 of 32 lanes)".
std::string launch_note(const simt::Program& program) {
  const auto extent = [](problem::Dim3 d) {
    return d.z > 1 ? fmt::format("{}×{}×{}", d.x, d.y, d.z) : fmt::format("{}×{}", d.x, d.y);
  };
  const problem::Launch& launch = program.launch();
  const std::uint32_t warps = program.warps_per_block();
  const std::uint32_t lanes = warps * static_cast<std::uint32_t>(program.warp_size());
  std::string note =
      fmt::format("{} block{} of {} threads · {} per block", extent(launch.grid),
                  launch.grid.count() == 1 ? "" : "s", extent(launch.block), plural(warps, "warp"));
  if (program.threads_per_block() != lanes) {
    note += fmt::format(" ({} of {} lanes)", program.threads_per_block(), lanes);
  }
  if (program.warp_size() != simt::kWarpSize) {
    note += fmt::format(" · teaching warp of {} lanes", program.warp_size());
  }
  return note;
}

void show_story(const Context& context, const CellStory& story) {
  if (!ImGui::BeginTooltip()) {
    return;
  }
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(story.title.c_str());
  ImGui::PopFont();
  for (const std::string& line : story.lines) {
    ImGui::TextUnformatted(line.c_str());
  }
  ImGui::EndTooltip();
}

// Whose flow is shown while the pointer is there.
void point_at(StageMemory& memory, std::string cell, Commands& commands) {
  if (memory.pointed != cell) {
    memory.pointed = std::move(cell);
    commands.emplace_back(state::PointAt{memory.pointed});
  }
}

// `chosen`: the name of the cell that is.
Commands focus_on(const StageMemory& memory, const ContentInputs& in, CellHit hit,
                  const std::string& chosen) {
  Commands commands;
  const Sheet& sheet = memory.shape.sheets[static_cast<std::size_t>(hit.sheet)];
  if (sheet.kind == SheetKind::Threads) {
    commands.emplace_back(state::FocusThread{in.block, cell_thread(sheet, {hit.row, hit.col})});
    return commands;
  }
  const auto& owners = memory.owners.cells[static_cast<std::size_t>(hit.sheet)];
  const Owner owner = owners.empty() ? Owner{} : owners[cell_index(sheet, {hit.row, hit.col})];
  if (owner.known()) {
    commands.emplace_back(state::FocusThread{owner.block, owner.thread});
    commands.emplace_back(state::FocusSum{
        sum_number(memory.owners, hit.sheet, cell_index(sheet, {hit.row, hit.col}))});
  }
  const std::string name = cell_name(in, hit);
  if (name == chosen) {  // again: on to its next access
    return {state::RunToEvent{record::EventKind::Access, +1}};
  }
  commands.emplace_back(state::FocusCell{sheet.name, hit.row, hit.col, name});
  return commands;
}

// Dragging pans with any button; a left click that did not drag chooses; the wheel zooms.
Commands handle_mouse(const Context& context, StageMemory& memory, const ContentInputs& in,
                      const Arrangement& arrangement, const StageArea& area,
                      const StageView& view) {
  Commands commands;
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered();
  const auto is_dragging = [](ImGuiMouseButton button) { return ImGui::IsMouseDragging(button); };
  if (ImGui::IsItemActive() && (is_dragging(0) || is_dragging(1) || is_dragging(2))) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    commands.emplace_back(state::SetCamera{panned(view, area, io.MouseDelta)});
    return commands;
  }
  if (!hovered) {
    point_at(memory, "", commands);
    return commands;
  }
  if (io.MouseWheel != 0.0F) {
    commands.emplace_back(
        state::SetCamera{zoomed(view, arrangement, area, io.MousePos, io.MouseWheel)});
  }
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    commands.emplace_back(state::SetCamera{});
    return commands;
  }
  const ImVec2 world = view.to_world(io.MousePos);
  const auto hit = hit_cell(memory.shape, arrangement, world.x, world.y);
  if (!hit) {
    point_at(memory, "", commands);
    return commands;
  }
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const float threshold = io.MouseDragThreshold * io.MouseDragThreshold;
  const ImVec2 rest = memory.resting_pointer;
  if (std::hypot(io.MousePos.x - rest.x, io.MousePos.y - rest.y) > kPointerRests) {
    show_story(context, cell_story(in, memory.content, *hit));
    const bool is_cell = memory.shape.sheets[size(hit->sheet)].kind != SheetKind::Threads;
    point_at(memory, is_cell ? cell_name(in, *hit) : "", commands);
  }
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && io.MouseDragMaxDistanceSqr[0] < threshold &&
      ImGui::IsItemDeactivated()) {
    for (state::Command& command : focus_on(memory, in, *hit, context.state.focus.cell_name)) {
      commands.push_back(std::move(command));
    }
  }
  return commands;
}

Labels labels_of(const WindowPlan& plan) {
  return plan.is_lecture || plan.has(Yield::FewLabels) ? Labels::Few : Labels::All;
}

const Shown& shown_of(const Context& context, const StageMemory& memory) {
  return context.state.whole_map ? memory.all : memory.shown;
}

// The stage without the focus thread's registers, which stand at its right edge where they have
// room.
struct Division {
  Box cells;
  std::optional<Box> registers;
};
Division divide(const StageMemory& memory, const Box& cells) {
  const float font = ImGui::GetFontSize();
  const float width =
      memory.registers ? register_width(*memory.registers, {cells.w, cells.h}, font) : 0.0F;
  if (width <= 0.0F) {
    return {cells, std::nullopt};
  }
  const float gap = 0.5F * font;
  const Box rest{cells.x, cells.y, cells.w - width - gap, cells.h};
  return {rest, Box{rest.right() + gap, cells.y, width, cells.h - 0.3F * font}};
}

// What stands in the free corner: memory, and below it the legend.
void draw_corner(const StagePicture& picture, StageMemory& memory) {
  if (picture.context.state.camera.zoom <= 0.0F && picture.arrangement.corner) {
    const Box corner = picture.view.to_window(*picture.arrangement.corner);
    const float legend =
        paint_legend(picture, {corner.x, corner.y}, {corner.w, corner.h}, memory.instances);
    static_cast<void>(paint_memory_corner(picture, memory.strip,
                                          {corner.x, corner.y, corner.w, corner.h - legend},
                                          memory.instances));
  }
}

// Nothing recorded yet: what is going on, or what went wrong.
void draw_waiting(const Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const std::string text = !context.view.message.empty() ? context.view.message
                           : context.view.busy           ? "Compiling and recording …"
                                                         : "No kernel is open.";
  const float wrap = 0.7F * room.x;
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
  ImGui::SetCursorPos({ImGui::GetCursorPosX() + 0.5F * (room.x - size.x),
                       ImGui::GetCursorPosY() + 0.5F * (room.y - size.y)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + wrap);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

}  // namespace

NumberSizes stage_numbers(const Context& context, const WindowPlan& plan) {
  if (context.view.scene == nullptr || context.view.state == nullptr) {
    return {};
  }
  auto& memory = context.memory.of<StageMemory>();
  refresh(context, memory);
  const float font = ImGui::GetFontSize();
  const Box cells = divide(memory, plan.cells).cells;
  const Arrangement arrangement =
      arrange(memory.shape, {cells.w, cells.h}, font, labels_of(plan), shown_of(context, memory));
  const auto number = [&](int sheet) {
    // Too small for any room is not the same as not there.
    return sheet == kNoSheet
               ? 0.0F
               : std::max(0.01F, arrangement.sheets[size(sheet)].number * arrangement.unit);
  };
  return {number(memory.shape.c), number(memory.shape.threads)};
}

Commands draw_stage(const Context& context, const WindowPlan& plan) {
  if (context.view.scene == nullptr || context.view.state == nullptr) {
    draw_waiting(context);
    return {};
  }
  auto& memory = context.memory.of<StageMemory>();
  refresh(context, memory);
  const ContentInputs in = inputs_of(context, memory);
  const simt::Program& program = in.recording.program();
  const float font = ImGui::GetFontSize();
  const Division division = divide(memory, plan.cells);
  const Box& cells = division.cells;
  const StageArea area{{cells.x, cells.y}, {cells.w, cells.h}, font};
  const Arrangement arrangement =
      arrange(memory.shape, area.size, font, labels_of(plan), shown_of(context, memory));
  const StageView view = view_of(context.state.camera, arrangement, area);
  memory.travel.notice(memory.generation, in.state.step(), context.now, context.state.animate);
  const float progress =
      memory.content.moving.empty() || in.phase ? 1.0F : memory.travel.progress(context.now);
  if (progress < 1.0F) {
    context.memory.animate_until(memory.travel.ends_at());
  }

  const StageContent& content = memory.phase.now(context, in, memory.content, memory.generation);
  const bool plays = &content != &memory.content;
  paint_narration(context, plays ? while_playing(in) : memory.headline,
                  plan.is_lecture ? "" : part_note(context, in.recording) + launch_note(program),
                  plan.narration, plan.has(Yield::ShortWords));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = area.from;
  const ImVec2 to(from.x + area.size.x, from.y + area.size.y);
  const StagePicture picture{context, memory.shape, arrangement, content,
                             program, view,         list,        {from.x, from.y, to.x, to.y},
                             font};
  list.PushClipRect(from, to, true);
  paint_block_card(picture);
  if (in.phase) {
    paint_ribbons(picture);
  }
  paint_block_name(picture);
  if (in.phase && !plays) {
    paint_brought(picture);
  }
  if (!in.phase) {
    paint_thread_card(picture,
                      insight::thread_name(program.thread_index(in.thread), program.launch()),
                      memory.sums);
  }
  paint_cells(picture, memory.instances);
  paint_sums_before(picture);
  paint_frames(picture, memory.instances);
  if (context.view.flow != nullptr) {
    paint_flow(picture, *context.view.flow, memory.instances);
  }
  paint_labels(picture);
  paint_travel(picture, progress, memory.instances);
  paint_flights(picture, memory.phase.flights(), memory.instances);
  paint_fault_line(picture);
  draw_corner(picture, memory);
  if (context.state.show_memory) {
    paint_memory(picture, memory.strip, {from.x, from.y, area.size.x, area.size.y},
                 memory.instances);
  }
  list.PopClipRect();

  if (division.registers && !context.state.show_memory) {
    paint_registers(context, *memory.registers,
                    insight::thread_name(program.thread_index(in.thread), program.launch()),
                    *division.registers, memory.instances);
  }
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton("stage", area.size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle |
                             ImGuiButtonFlags_MouseButtonRight);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  Commands commands;
  if (!context.state.show_memory) {  // which hides the cells
    commands = handle_mouse(context, memory, in, arrangement, area, view);
  }
  if (plan.is_lecture) {
    draw_large_sum(context, memory.sums, plan.sum);
    return commands;
  }
  draw_sum_strip(context, thread_name(program, in.block, in.thread), memory.sums,
                 {plan.sum.x, plan.sum.y}, {plan.sum.w, plan.sum.h}, plan.has(Yield::ShortWords));
  return commands;
}

}  // namespace tilestep::ui
