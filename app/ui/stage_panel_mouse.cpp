#include "insight/names.h"
#include "narration/templates.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/stage/content.h"
#include "ui/stage/race_effects.h"
#include "ui/stage/thread_tile.h"
#include "ui/stage_panel.h"
#include "ui/text.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr float kPointerRests = 3.0F;  // pixels that a resting pointer may move

ImVec2 card_size(const Context& context, const CellStory& story) {
  const ImGuiStyle& style = ImGui::GetStyle();
  ImVec2 size =
      context.fonts.bold->CalcTextSizeA(ImGui::GetFontSize(), 1e6F, 0.0F, story.title.c_str());
  for (const std::string& line : story.lines) {
    const ImVec2 text = ImGui::CalcTextSize(line.c_str());
    size = {std::max(size.x, text.x), size.y + text.y + style.ItemSpacing.y};
  }
  return {size.x + 2.0F * style.WindowPadding.x, size.y + 2.0F * style.WindowPadding.y};
}

// A place beside the cell, without covering the block's own arrays.
ImVec2 card_place(const Context& context, const StageMemory& memory, const Arrangement& arrangement,
                  const StageView& view, CellHit hit, const CellStory& story) {
  std::vector<Box> kept;
  for (int i = 0; i < static_cast<int>(memory.shape.sheets.size()); ++i) {
    if (memory.shape.sheets[size(i)].kind != SheetKind::Buffer) {
      kept.push_back(view.to_window(sheet_box(memory.shape, arrangement, i)));
    }
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  return place_beside_cell(card_size(context, story),
                           view.to_window(cell_box(arrangement, hit.sheet, hit.row, hit.col)), kept,
                           {viewport.Pos.x, viewport.Pos.y, viewport.Size.x, viewport.Size.y});
}

void show_story(const Context& context, const CellStory& story,
                std::optional<ImVec2> at = std::nullopt) {
  if (at) {
    ImGui::SetNextWindowPos(*at);
  }
  if (!ImGui::BeginTooltip()) {
    return;
  }
  text_in(context.fonts.bold, story.title);
  for (const std::string& line : story.lines) {
    ImGui::TextUnformatted(line.c_str());
  }
  ImGui::EndTooltip();
}

bool is_inside(const Box& box, ImVec2 at) {
  return at.x >= box.x && at.x < box.right() && at.y >= box.y && at.y < box.bottom();
}

// The tooltip that explains sectors, banks and passes.
CellStory strips_story(const MemoryStrip& strip) {
  CellStory story;
  story.title = narration::plain_text(narration::part("strips_title", {}));
  const auto add = [&story](narration::Say row) {
    story.lines.push_back(narration::plain_text(narration::part(row, {})));
  };
  if (!std::ranges::all_of(strip.accesses, &StripAccess::is_shared)) {
    add("strips_sector");
    add("strips_sectors");
  }
  if (std::ranges::any_of(strip.accesses, &StripAccess::is_shared)) {
    add("strips_bank");
    add("strips_pass");
  }
  add("strips_lane");
  return story;
}

// Adds to a wrong cell of an output the race that its thread met before storing it.
void add_spoilt(const Context& context, const StageMemory& memory, const ContentInputs& in,
                CellHit hit, CellStory& story) {
  const std::size_t cell =
      cell_index(memory.shape.sheets[static_cast<std::size_t>(hit.sheet)], {hit.row, hit.col});
  const auto& owners = memory.owners.cells[static_cast<std::size_t>(hit.sheet)];
  if (owners.empty() || !owners[cell].known() ||
      !memory.content.sheets[static_cast<std::size_t>(hit.sheet)].cells[cell].is_wrong) {
    return;
  }
  const Owner owner = owners[cell];
  if (const auto effect =
          spoiling_race_effect(context, owner.block, owner.thread, in.state.step())) {
    story.lines.push_back(
        narration::plain_text(spoilt_sentence(context, *effect, cell_name(in, hit)).long_form));
  }
}

// While a question is open: only the cell's name.
void mask_story(const Context& context, const StageMemory& memory, const ContentInputs& in,
                CellHit hit, CellStory& story) {
  if (context.mask == nullptr) {
    return;
  }
  const Cell& cell = cell_at(memory.content, memory.shape, {hit.sheet, hit.row, hit.col});
  if (hides(context, course::Topic::Places)) {  // the missing one would be the answer
    story.title = cell_name(in, hit);
  } else if (cell.state == CellState::Masked || context.mask->hides_text(story.title)) {
    story.title = course::kMasked;
  }
  std::erase_if(story.lines, [&](const std::string& line) {
    return hides_run(context) || hides(context, course::Topic::Places) ||
           context.mask->hides_text(line);
  });
}

// While a question asks for a cell or thread, a click chooses.
Commands answer_at(const Context& context, const StageMemory& memory, const ContentInputs& in,
                   CellHit hit) {
  const Sheet& sheet = memory.shape.sheets[size(hit.sheet)];
  if (sheet.kind == SheetKind::Threads) {
    const auto& program = in.recording.program();
    const std::uint32_t thread = cell_thread(memory.shape, {hit.row, hit.col});
    return clicked_answer(context, lesson::QuestionKind::Thread,
                          insight::coordinates(program.thread_index(thread), program.launch()));
  }
  return clicked_answer(context, lesson::QuestionKind::Cell, cell_name(in, hit));
}

// Shows the flow of this cell while the pointer is there.
void point_at(StageMemory& memory, std::string cell, Commands& commands) {
  if (memory.pointed != cell) {
    memory.pointed = std::move(cell);
    commands.emplace_back(state::PointAt{memory.pointed});
  }
}

// `chosen`: the name of the chosen cell.
Commands focus_on(const StageMemory& memory, const ContentInputs& in, CellHit hit,
                  const std::string& chosen) {
  Commands commands;
  const Sheet& sheet = memory.shape.sheets[static_cast<std::size_t>(hit.sheet)];
  if (sheet.kind == SheetKind::Threads) {
    const CellPlace place{hit.row, hit.col};
    commands.emplace_back(state::FocusThread{in.block, cell_thread(memory.shape, place)});
    if (const auto at = output_cell(memory.shape, in.block, place)) {
      const Sheet& output = memory.shape.sheets[size(at->sheet)];
      commands.emplace_back(state::FocusSum{
          sum_number(memory.owners, at->sheet, cell_index(output, {at->row, at->col}))});
    }
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

// The pointer's effect over the overview; none elsewhere.
struct Seen {
  const Arrangement& arrangement;
  const StageView& view;
  const StageArea& area;
};
std::optional<Commands> handle_overview(StageMemory& memory, const Seen& seen, bool hovered) {
  const auto overview = overview_box(seen.arrangement, seen.view, seen.area);
  if (!overview) {
    return std::nullopt;
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActive() && is_inside(*overview, io.MouseClickedPos[ImGuiMouseButton_Left])) {
    return Commands{
        state::SetCamera{look_at(seen.arrangement, seen.view, seen.area, *overview, io.MousePos)}};
  }
  if (!hovered || !is_inside(*overview, io.MousePos) || io.MouseWheel != 0.0F) {
    return std::nullopt;
  }
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  Commands commands;
  point_at(memory, "", commands);
  return commands;
}

}  // namespace

ImVec2 place_beside_cell(ImVec2 size, const Box& cell, const std::vector<Box>& kept,
                         const Box& window) {
  const float gap = std::round(0.5F * std::min(cell.w, cell.h));
  std::vector<Box> around{cell};
  around.insert(around.end(), kept.begin(), kept.end());
  const auto overlap = [size](ImVec2 at, const Box& box) {
    const float w = std::min(at.x + size.x, box.right()) - std::max(at.x, box.x);
    const float h = std::min(at.y + size.y, box.bottom()) - std::max(at.y, box.y);
    return std::max(w, 0.0F) * std::max(h, 0.0F);
  };
  const auto cost = [&](ImVec2 at) {
    float covered = 0.0F;
    for (const Box& box : around) {
      covered += overlap(at, box);
    }
    const float dx = at.x + 0.5F * size.x - (cell.x + 0.5F * cell.w);
    const float dy = at.y + 0.5F * size.y - (cell.y + 0.5F * cell.h);
    return std::pair(covered, std::hypot(dx, dy));
  };
  const auto inside = [&](float x, float y) {
    return ImVec2(std::clamp(x, window.x, std::max(window.x, window.right() - size.x)),
                  std::clamp(y, window.y, std::max(window.y, window.bottom() - size.y)));
  };
  ImVec2 best = inside(cell.right() + gap, cell.y);
  for (const Box& of : around) {
    for (const ImVec2 at : {inside(of.right() + gap, cell.y), inside(of.x - gap - size.x, cell.y),
                            inside(cell.x, of.bottom() + gap), inside(cell.x, of.y - gap - size.y),
                            inside(of.right() + gap, of.bottom() + gap)}) {
      best = cost(at) < cost(best) ? at : best;
    }
  }
  return best;
}

bool was_clicked() {
  const ImGuiIO& io = ImGui::GetIO();
  const float threshold = io.MouseDragThreshold * io.MouseDragThreshold;
  return ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
         io.MouseDragMaxDistanceSqr[0] < threshold && ImGui::IsItemDeactivated();
}

Commands handle_mouse(const Context& context, StageMemory& memory, const ContentInputs& in,
                      const Arrangement& arrangement, const StageArea& area,
                      const StageView& view) {
  Commands commands;
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered();
  if (const auto at_overview = handle_overview(memory, {arrangement, view, area}, hovered)) {
    return *at_overview;
  }
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
  const ImVec2 rest = memory.resting_pointer;
  const bool has_moved = std::hypot(io.MousePos.x - rest.x, io.MousePos.y - rest.y) > kPointerRests;
  if (!hit) {
    point_at(memory, "", commands);
    if (has_moved && is_inside(memory.strips, io.MousePos)) {
      show_story(context, strips_story(memory.strip));
    }
    return commands;
  }
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (has_moved) {
    CellStory story = cell_story(in, memory.content, *hit);
    add_spoilt(context, memory, in, *hit, story);
    mask_story(context, memory, in, *hit, story);
    show_story(context, story, card_place(context, memory, arrangement, view, *hit, story));
    const bool is_cell = memory.shape.sheets[size(hit->sheet)].kind != SheetKind::Threads;
    point_at(memory, is_cell ? cell_name(in, *hit) : "", commands);
  }
  if (was_clicked() && is_asked(context)) {
    append(commands, answer_at(context, memory, in, *hit));
  } else if (was_clicked()) {
    for (state::Command& command : focus_on(memory, in, *hit, context.state.focus.cell_name)) {
      commands.push_back(std::move(command));
    }
  }
  return commands;
}

}  // namespace tilestep::ui
