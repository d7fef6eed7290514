// The whole window: style, layout and overlays.
#include "ui/draw.h"

#include "ui/actions.h"
#include "ui/compare/compare.h"
#include "ui/control_keys.h"
#include "ui/controls.h"
#include "ui/film.h"
#include "ui/inspector/cards.h"
#include "ui/inspector/pages.h"
#include "ui/instrument.h"
#include "ui/lesson/lesson.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/overlays.h"
#include "ui/source/source.h"
#include "ui/stage/stage_memory.h"
#include "ui/stage_panel.h"
#include "ui/theme.h"
#include "ui/timeline/timeline.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <iterator>
#include <numbers>

namespace tilestep::ui {
namespace {

Commands draw_top_bar(const Context& context, ImVec2 pos, ImVec2 size) {
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const float pad = std::floor((size.y - ImGui::GetFrameHeight()) * 0.5F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(std::floor(em * 0.8F), pad));
  Commands commands;
  if (ImGui::Begin("###top", nullptr, kFixedWindow | ImGuiWindowFlags_NoScrollWithMouse)) {
    commands = draw_controls(context);
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
  return commands;
}

Commands draw_timing_tab(const Context& context, ImVec2 pos, ImVec2 size) {
  ImGui::SetNextWindowPos(pos);
  ImGui::SetNextWindowSize(size);
  Commands commands;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const ImGuiWindowFlags flags = (kFixedWindow & ~ImGuiWindowFlags_NoScrollbar) |
                                 ImGuiWindowFlags_HorizontalScrollbar |
                                 ImGuiWindowFlags_NoBackground;
  const bool is_open = ImGui::Begin("###timing", nullptr, flags);
  ImGui::PopStyleVar();
  if (is_open) {
    commands = draw_timing(context);
  }
  ImGui::End();
  return commands;
}

// The box of messages and of a film's progress: at the foot of the source, which is neither
// sentence nor numbers; if there is a card below it, over the card.
Box said_room(const WindowPlan& plan, float font) {
  const bool is_column = !plan.has_strip() && plan.lesson.h <= 0.0F;
  const float bottom = is_column ? plan.timeline.y - 0.3F * font : plan.source.bottom();
  return {plan.source.x, plan.stage.y, plan.source.w, bottom - plan.stage.y};
}

Commands draw_said_or_film(const Context& context, const Box& room) {
  return plays_film(context) ? draw_film_strip(context, room) : draw_said(context, room);
}

// The card below the source: the lines of a phase that is shown as a whole, else the warp at the
// statement.
Commands draw_card(const Context& context) {
  const workspace::RunView& run = context.view.run;
  const bool is_statement = run.scene != nullptr && run.statement != nullptr &&
                            !context.view.narration.shows_phase && run.state->step() > 0;
  if (is_statement) {
    return draw_warp_card(context);
  }
  draw_phase_card(context);
  return {};
}

float lesson_padding() {
  return std::floor(0.7F * ImGui::GetFontSize());
}

// Draws nothing without a lesson; the lesson does not dim while a recording is outdated.
void draw_lesson_in(const Context& context, const Box& box, Commands& commands,
                    bool is_source_hidden = false) {
  if (!reads_lesson(context) || box.h <= 0.0F) {
    return;
  }
  const float pad = lesson_padding();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  draw_panel(context, {"Lesson###lesson", box, false},
             [&] { append(commands, draw_lesson(context, is_source_hidden)); });
  ImGui::PopStyleVar();
}

// Sizes of the lesson: left of a page of the Timing tab; below two runs, which need the width.
constexpr float kLessonColumn = 26.0F;
constexpr float kLessonBand = 12.0F;
constexpr float kQuestionBand = 7.0F;
constexpr float kFilmBand = 4.6F;
constexpr float kMostOfBand = 0.36F;
constexpr float kLeastForBand = 24.0F;  // below, two runs need the height more than the width
constexpr float kMostOfColumn = 0.3F;

Box take_lesson_column(const Context& context, Box& room) {
  if (!reads_lesson(context)) {
    return {};
  }
  const float font = ImGui::GetFontSize();
  const float gap = std::round(0.4F * font);
  const float width = std::round(std::min(kLessonColumn * font, kMostOfColumn * room.w));
  const Box lesson{room.x + gap, room.y + gap, width, room.h - 2.0F * gap};
  room = {lesson.right(), room.y, room.right() - lesson.right(), room.h};
  return lesson;
}

Box take_lesson_band(const Context& context, Box& room) {
  if (!reads_lesson(context)) {
    return {};
  }
  const float font = ImGui::GetFontSize();
  const float gap = std::round(0.4F * font);
  const float width = room.w - 2.0F * gap;
  const float wanted = lesson_height(context, width - 2.0F * lesson_padding());
  const float height = std::round(
      std::min({kLessonBand * font, kMostOfBand * room.h, wanted + 2.0F * lesson_padding()}));
  room.h -= height + gap;
  return {room.x + gap, room.bottom(), width, height};
}

// For a beat without a stage, the words of a film or a question are above its page; cells cannot be
// chosen.
void take_words_band(const Context& context, Box& room, Commands& commands) {
  if (!has_question(context) && !plays_film(context)) {
    return;
  }
  const float font = ImGui::GetFontSize();
  const float gap = std::round(0.4F * font);
  const float pad = std::round(0.6F * font);
  const Box band{room.x + gap, room.y + gap, room.w - 2.0F * gap,
                 std::round((has_question(context) ? kQuestionBand : kFilmBand) * font)};
  room = {room.x, band.bottom(), room.w, room.bottom() - band.bottom()};
  const Box words{band.x + pad, band.y + pad, band.w - 2.0F * pad, band.h - 2.0F * pad};
  draw_panel(context, {"Question###question", band, false}, [&] {
    if (has_question(context)) {
      append(commands, draw_question(context, words, {}));
    } else {
      draw_lecture_words(context, words);
    }
  });
}

// Sizes of a page of one SM with the stage above it, in lines of text.
constexpr float kLeastWithStage = 30.0F;
constexpr float kLeastOfClocks = 19.0F;
constexpr float kStageShare = 0.45F;
constexpr float kLeastOfHall = 22.0F;

// The stage above the page that shows its launch in time, if both have room.
void take_stage_band(const Context& context, Box& room, Commands& commands) {
  const state::TimingView& timing = context.state.timing;
  const float font = ImGui::GetFontSize();
  const float least = context.state.lecture ? kLeastOfHall : kLeastWithStage;
  if (timing.page != state::TimingPage::Sm || !timing.sm.stage || room.h < least * font) {
    return;
  }
  const float gap = std::round(0.4F * font);
  const float height = std::round(
      context.state.lecture ? kStageShare * room.h
                            : std::min(kStageShare * room.h, room.h - kLeastOfClocks * font));
  const Box stage{room.x + gap, room.y + gap, room.w - 2.0F * gap, height - gap};
  room = {room.x, stage.bottom(), room.w, room.bottom() - stage.bottom()};
  const WindowPlan plan = context.state.lecture
                              ? plan_band(stage, font)
                              : plan_side(stage, font, [&context](const WindowPlan& tried) {
                                  return stage_numbers(context, tried);
                                });
  draw_panel(context, {"Stage###stage", stage, true, true, plan.narration.bottom()},
             [&] { append(commands, draw_stage(context, plan)); });
}

// The lower right part of a page of the Timing tab.
Box lower_right(const Box& room) {
  const float gap = std::round(0.4F * ImGui::GetFontSize());
  return {room.x + 0.5F * room.w, room.y, 0.5F * room.w - gap, room.h - gap};
}

// The question expects a line.
bool asks_for_line(const Context& context) {
  return has_question(context) && context.view.lesson->question->kind == lesson::QuestionKind::Line;
}

// Share of a lecture's text size.
constexpr float kTimingOfLecture = 1.1F;

// While the slider under the stage is dragged, panels do not move.
struct HeldPlan {
  Box room;
  WindowPlan plan;
};

Commands draw_step_tab(const Context& context, const Box& room) {
  const bool is_wide = context.state.source_page != state::SourcePage::Source;
  auto& held = context.memory.of<HeldPlan>();
  WindowPlan plan =
      is_instrument_held(context) && held.room == room
          ? held.plan
          : plan_window(
                {.room = room,
                 .font = ImGui::GetFontSize(),
                 .keeps_source = context.state.editing || context.state.header_open || is_wide ||
                                 context.view.source.file.on_disk.has_value() ||
                                 asks_for_line(context),
                 .is_wide = is_wide,
                 .edits = context.state.editing,
                 .has_lesson = reads_lesson(context),
                 .has_lab = has_lab(context),
                 .asks = has_question(context),
                 .instrument = context.is_embedded
                                   ? 0.0F
                                   : instrument_height(context, room.h, ImGui::GetFontSize()),
                 .shows_drawer = context.state.inspector_open && reads_lesson(context),
                 .is_embedded = context.is_embedded,
                 .numbers = [&context](const WindowPlan& tried) {
                   return stage_numbers(context, tried);
                 }});
  held = {room, plan};
  const Box card = take_card(plan, ImGui::GetFontSize());
  plan.leaves_words = plays_film(context);
  Commands commands;
  draw_panel(context, {"Stage###stage", plan.stage, true, true, plan.narration.bottom()}, [&] {
    append(commands, draw_stage(context, plan));
    if (plan.leaves_words) {
      draw_lecture_words(context, plan.narration);
    }
  });
  const bool strip = plan.has_strip();
  const float pad = std::floor(ImGui::GetFontSize() * (strip ? 0.25F : 0.5F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  if (strip) {  // a bar would take one of the few lines
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, 1.0F);
  }
  if (plan.source.h > 0.0F) {
    draw_panel(context, {"Source###source", plan.source, false},
               [&] { append(commands, draw_source(context, strip)); });
  }
  if (card.h > 0.0F) {
    draw_panel(context, {"Card###card", card}, [&] { append(commands, draw_card(context)); });
  }
  ImGui::PopStyleVar(strip ? 2 : 1);
  draw_lesson_in(context, plan.lesson, commands, strip);
  draw_panel(context, {"Timeline###timeline", plan.timeline},
             [&] { append(commands, draw_timeline(context, plan.has(Yield::ShortTimeline))); });
  append(commands, draw_instrument(context, plan.instrument));
  append(commands, draw_said_or_film(context, said_room(plan, ImGui::GetFontSize())));
  if (context.state.inspector_open) {
    draw_panel(context, {"Inspector###inspector", plan.drawer},
               [&] { append(commands, draw_inspector(context)); });
  }
  return commands;
}

// Sizes in lines of text.
constexpr float kRing = 1.6F;
constexpr float kRingWidth = 0.16F;
constexpr float kSpotlight = 8.0F;
constexpr float kSpotlightDims = 0.75F;
constexpr int kSpotlightCorners = 96;

// While one of these is open, anything below ignores the mouse: no tooltip over a list.
bool is_asking(const state::AppState& state) {
  return state.show_palette || state.show_keys || state.show_go_to || state.show_export ||
         state.show_save_as || state.course.list || state.asked != state::Asked::Nothing;
}

// Height of the top bar for a font size, in pixels.
float top_bar_height(float font_size) {
  return std::floor(font_size * 2.6F);
}

Commands draw_layout(const Context& context) {
  if (!context.state.comparison.on || context.view.beside == nullptr) {
    context.memory.of<StageMemory>().differing.clear();  // of a comparison that has ended
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  if (context.state.lecture && context.state.tab == state::Tab::Step) {
    return draw_lecture(context, {viewport->WorkPos.x, viewport->WorkPos.y, viewport->WorkSize.x,
                                  viewport->WorkSize.y});
  }
  if (context.state.lecture) {
    Commands commands;
    const Box window{viewport->WorkPos.x, viewport->WorkPos.y, viewport->WorkSize.x,
                     viewport->WorkSize.y};
    Box rest =
        context.view.lesson != nullptr ? draw_lecture_frame(context, window, commands) : window;
    const float font = kTimingOfLecture * plan_lecture({window}).font;
    ImGui::PushFont(context.fonts.text, font / ImGui::GetStyle().FontScaleMain);
    take_stage_band(context, rest, commands);
    append(commands, draw_timing_tab(context, {rest.x, rest.y}, {rest.w, rest.h}));
    append(commands, draw_said(context, lower_right(rest)));
    ImGui::PopFont();
    return commands;
  }
  if (context.is_embedded) {
    return draw_step_tab(context, {viewport->WorkPos.x, viewport->WorkPos.y, viewport->WorkSize.x,
                                   viewport->WorkSize.y});
  }
  const float bar = top_bar_height(ImGui::GetFontSize());
  const ImVec2 below(viewport->WorkPos.x, viewport->WorkPos.y + bar);
  const ImVec2 room(viewport->WorkSize.x, viewport->WorkSize.y - bar);
  Commands commands = draw_top_bar(context, viewport->WorkPos, {viewport->WorkSize.x, bar});
  Box rest{below.x, below.y, room.x, room.y};
  if (context.state.tab == state::Tab::Timing) {
    const Box lesson = take_lesson_column(context, rest);
    take_words_band(context, rest, commands);
    take_stage_band(context, rest, commands);
    append(commands, draw_timing_tab(context, {rest.x, rest.y}, {rest.w, rest.h}));
    draw_lesson_in(context, lesson, commands);
    append(commands, draw_said_or_film(context, lower_right(rest)));
  } else if (context.state.comparison.on && context.view.beside != nullptr) {
    const bool is_low = rest.h < kLeastForBand * ImGui::GetFontSize();
    const Box lesson = is_low ? take_lesson_column(context, rest) : take_lesson_band(context, rest);
    append(commands, draw_compared(context, rest));
    draw_lesson_in(context, lesson, commands);
  } else {
    append(commands, draw_step_tab(context, rest));
  }
  return commands;
}

Commands draw_below(const Context& context) {
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  if (is_asking(context.state)) {
    io.MousePos = {-FLT_MAX, -FLT_MAX};
  }
  Commands commands = draw_layout(context);
  io.MousePos = mouse;
  return commands;
}

// A ring around the mouse pointer, visible from the last row.
void draw_ring(const Context& context) {
  const ImVec2 at = ImGui::GetMousePos();
  if (!context.state.course.ring || !ImGui::IsMousePosValid(&at)) {
    return;
  }
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddCircle(at, kRing * font, context.theme.window, 0, kRingWidth * 2.0F * font);
  list.AddCircle(at, kRing * font, context.theme.warning, 0, kRingWidth * font);
}

// Dims everything except the surroundings of the mouse pointer.
void draw_spotlight(const Context& context) {
  const ImVec2 at = ImGui::GetMousePos();
  if (!context.state.course.spotlight || !ImGui::IsMousePosValid(&at)) {
    return;
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float inner = kSpotlight * ImGui::GetFontSize();
  const float outer = inner + viewport.Size.x + viewport.Size.y;
  const ImU32 dim = with_alpha(context.theme.window, kSpotlightDims);
  const auto on_circle = [at](float radius, int corner) {
    const float angle = 2.0F * std::numbers::pi_v<float> * static_cast<float>(corner) /
                        static_cast<float>(kSpotlightCorners);
    return ImVec2(at.x + radius * std::cos(angle), at.y + radius * std::sin(angle));
  };
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImDrawListFlags flags = list.Flags;
  // Antialiased edges would show between the pieces.
  list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  for (int i = 0; i < kSpotlightCorners; ++i) {
    list.AddQuadFilled(on_circle(inner, i), on_circle(inner, i + 1), on_circle(outer, i + 1),
                       on_circle(outer, i), dim);
  }
  list.Flags = flags;
}

// A black screen until a key or button is pressed.
void draw_blank(const Context& context, Commands& commands) {
  if (!context.state.blank) {
    return;
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::GetForegroundDrawList()->AddRectFilled(
      viewport.Pos, {viewport.Pos.x + viewport.Size.x, viewport.Pos.y + viewport.Size.y},
      IM_COL32_BLACK);
  if (!commands.empty() || ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    commands.emplace_back(state::Blank{false});
  }
}

// A visible window's box.
std::optional<Box> box_of(const char* name) {
  const ImGuiWindow* const window = ImGui::FindWindowByName(name);
  return window != nullptr && window->Active && !window->Hidden
             ? std::optional(Box{window->Pos.x, window->Pos.y, window->Size.x, window->Size.y})
             : std::nullopt;
}

constexpr double kBusySeconds = 0.1;     // a job runs: its progress is shown
constexpr double kFileSeconds = 1.0;     // another program may change the file on screen
constexpr double kClockSeconds = 10.0;   // the lecturer's clock
constexpr double kFilmSeconds = 0.05;    // a film's progress bar grows
constexpr double kIdleSeconds = 3600.0;  // nothing moves

}  // namespace

std::optional<Box> stage_box() {
  const auto stage = box_of("Stage###stage");
  return stage ? stage : box_of("###lecture");
}

std::optional<Box> picture_box(const Context& context) {
  if (context.state.tab == state::Tab::Timing) {
    return box_of("###timing");
  }
  const auto first = box_of("Stage###stage");
  if (const auto second = box_of("Stage 2###stage2"); first && second) {
    return Box{first->x, first->y, second->right() - first->x, second->bottom() - first->y};
  }
  return first ? std::optional(context.memory.of<StageMemory>().cells) : std::nullopt;
}

std::optional<Box> plot_box() {
  const ImGuiWindow* const tab = ImGui::FindWindowByName("###timing");
  if (tab == nullptr || !tab->Active) {
    return std::nullopt;
  }
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (window->ParentWindow == tab && window->ChildId == ImHashStr(kPlotChild, 0, tab->ID)) {
      return Box{window->Pos.x, window->Pos.y, window->Size.x, window->Size.y};
    }
  }
  return std::nullopt;
}

Commands draw(const Context& given) {
  const MaskedContext masked(given);
  const Context& context = masked.context();
  context.memory.note_frame(context.now);
  apply_style(context.theme, ImGui::GetFontSize());
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text);
  const bool closes_popup = ImGui::IsKeyPressed(ImGuiKey_Escape, false) &&
                            ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (closes_popup) {
    ImGui::ClosePopupToLevel(ImGui::GetCurrentContext()->OpenPopupStack.Size - 1, true);
  }
  ImGui::GetIO().ConfigInputTextCursorBlink = context.state.animate;
  begin_copying(context);
  begin_saying(context);
  Commands commands = walk_controls(context);
  append(commands, draw_below(context));
  for (Commands over :
       {draw_keys(context), draw_palette(context), draw_go_to(context), draw_condition(context),
        draw_asked(context), draw_save_as(context), draw_export(context), draw_lesson_list(context),
        plays_film(context) ? film_keys(context, pressed_actions(context))
                            : pressed_actions(context)}) {
    commands.insert(commands.end(), std::make_move_iterator(over.begin()),
                    std::make_move_iterator(over.end()));
  }
  draw_ring(context);
  draw_spotlight(context);
  draw_blank(context, commands);
  ImGui::PopStyleColor();
  return commands;
}

double rest_seconds(const Context& context, bool changed) {
  if (changed || context.state.playing || context.memory.wants_frames()) {
    return 0.0;
  }
  const workspace::FrameView& view = context.view;
  return view.jobs.busy || view.jobs.waits || view.timing.bench.running || view.exporting.running
             ? kBusySeconds
         : context.state.course.film     ? kFilmSeconds
         : context.state.course.notes    ? kClockSeconds
         : view.source.file.path.empty() ? kIdleSeconds
                                         : kFileSeconds;
}

}  // namespace tilestep::ui
