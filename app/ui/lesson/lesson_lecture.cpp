#include "lesson/rich_text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/compare/compare.h"
#include "ui/instrument.h"
#include "ui/lesson/lesson.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/rich_text.h"
#include "ui/source/source.h"
#include "ui/stage_panel.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr float kDotDistance = 1.45F;  // lines
constexpr float kDot = 0.28F;

// Done: filled; current: ringed; later: an outline. A bar if there are too many.
void draw_dots(const Context& context, const Box& box) {
  const Theme& t = context.theme;
  if (context.view.run.scene == nullptr) {
    return;
  }
  const auto phases = context.view.run.scene->recording->phases_of(context.state.focus.block);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float font = ImGui::GetFontSize();
  const float y = std::round(box.y + 0.5F * box.h);
  const auto count = static_cast<float>(phases.size());
  const float width = kDotDistance * font * std::max(count - 1.0F, 0.0F);
  std::size_t current = phases.size();
  for (std::size_t i = 0; i < phases.size() && current == phases.size(); ++i) {
    current = context.state.step < phases[i].last_step ? i : current;
  }
  if (context.state.phase.done && current > 0) {
    --current;  // shown as a whole, at the start of the next one
  }
  current = phases.empty() ? 0 : std::min(current, phases.size() - 1);
  if (width > box.w) {
    const float share = static_cast<float>(current) / std::max(count, 1.0F);
    list.AddRectFilled({box.x, y - 0.1F * font}, {box.right(), y + 0.1F * font}, t.field);
    list.AddRectFilled({box.x, y - 0.1F * font}, {box.x + share * box.w, y + 0.1F * font},
                       t.accent.fill);
    return;
  }
  float x = box.x + 0.5F * (box.w - width);
  const float radius = kDot * font;
  for (std::size_t i = 0; i < phases.size(); ++i, x += kDotDistance * font) {
    if (i < current) {
      list.AddCircleFilled({x, y}, radius, t.accent.fill);
    } else if (i == current) {
      list.AddCircleFilled({x, y}, radius, t.accent.fill);
      list.AddCircle({x, y}, 1.7F * radius, t.accent.fill, 0, std::max(2.0F, 0.09F * font));
    } else {
      list.AddCircle({x, y}, radius, t.text_dim, 0, std::max(1.5F, 0.06F * font));
    }
  }
}

void draw_lines(const Context& context, const Box& box, Commands& commands) {
  const float font = ImGui::GetFontSize();
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      ImVec2(std::round(0.2F * font), std::round(0.2F * font)));
  if (ImGui::BeginChild("###lines", {box.w, box.h}, ImGuiChildFlags_AlwaysUseWindowPadding,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    append(commands, draw_source(context, true));
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Commands leave_lecture(const Context& context) {
  const bool leaves = !context.state.show_keys && !context.state.show_palette &&
                      !context.state.blank && !context.state.course.list && !is_asked(context) &&
                      ImGui::IsKeyPressed(ImGuiKey_Escape);
  return leaves ? Commands{state::ShowLecture{false}} : Commands{};
}

// Sizes in lines of text.
constexpr float kWhere = 1.0F;
constexpr float kLargestSentence = 1.5F;
constexpr float kLeastSentence = 0.9F;  // 24 px at 1080p
constexpr float kHighForWhere = 3.0F;
constexpr int kSentenceLines = 2;
constexpr float kRecapWords = 11.5F;
constexpr float kAskedWords = 7.0F;  // and answered
constexpr float kMissedWords = 8.4F;
constexpr float kListedChoice = 2.1F;
constexpr float kAlone = 0.6F;  // of the window

std::vector<lesson::Paragraph> sentence_of_beat(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const std::string result = lab_result_words(context);
  auto all = lesson::paragraphs_of(!result.empty()             ? result
                                   : shown.question != nullptr ? shown.ask
                                                               : shown.text);
  all.resize(std::min<std::size_t>(all.size(), 1));
  return all;
}

bool shows_recap(const Context& context) {
  return has_recap(context) && !context.view.lesson->has_wandered;
}

// Lines of text above the stage; 0: as many as usual.
float lines_of_words(const Context& context, const Box& window) {
  if (shows_recap(context)) {
    return kRecapWords;
  }
  if (!has_question(context)) {
    return 0.0F;
  }
  const bool is_over = context.state.course.answering != state::Answering::Asked;
  const float own = !is_over && context.view.lesson->missed ? kMissedWords : kAskedWords;
  const LecturePlan usual = plan_lecture({window});
  const auto listed =
      static_cast<float>(listed_choice_count(context, usual.plan.narration.w, usual.font));
  const float lines = is_over ? own : own + kListedChoice * listed;
  return is_alone(context) ? std::max(lines, kAlone * window.h / usual.font) : lines;
}

// The memory view needs the room of the lines; each row of a contrast names its own.
Foot foot_of(const Context& context) {
  const bool shows_memory = context.state.show_memory && !hides(context, course::Topic::Counts);
  return !shows_memory                 ? Foot::LinesAndSum
         : context.state.show_contrast ? Foot::Nothing
                                       : Foot::OneLine;
}

// The three lines and the teaser, as large as fits, and the button for the next lesson.
Commands draw_recap(const Context& context, const Box& box) {
  Commands commands;
  const float font = ImGui::GetFontSize();
  const auto words = lesson::paragraphs_of(context.view.lesson->text);
  const float room = box.h - 1.3F * ImGui::GetFrameHeight();
  RichText at{box.x, box.y, box.w, kLargestSentence * font, context.theme.text, false};
  while (at.size > kLeastSentence * font && draw_rich_text(context, words, at, commands) > room) {
    at.size = std::max(kLeastSentence * font, at.size - 1.0F);
  }
  at.draws = true;
  draw_rich_text(context, words, at, commands);
  QuestionRow row(context, box);
  if (row.key("PgDn", next_lesson_words(context).c_str(), true)) {
    append(commands, action(ActionId::NextBeat).commands(context));
  }
  return commands;
}

void draw_where(const Context& context, ImVec2 at, float size) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const Theme& t = context.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto write = [&](ImFont* font, const std::string& text, ImU32 colour) {
    list.AddText(font, size, {std::round(at.x), std::round(at.y)}, colour, text.c_str());
    at.x += text_width(font, size, text) + 1.2F * size;
  };
  write(context.fonts.text, shown.lesson_title, t.text_dim);
  write(context.fonts.bold, shown.title, t.text);
  write(context.fonts.text, beat_words(context), t.text_dim);
}

constexpr ImGuiWindowFlags kFrameWindow = kFixedWindow | ImGuiWindowFlags_NoScrollWithMouse;

constexpr Message kNoNote = "This beat has no note.";
constexpr Message kLastIs = "This is the last beat.";
constexpr Message kNextIsHidden = "The next beat is shown after the question is answered.";

constexpr std::array kNotesKeys{
    ActionId::NextBeat, ActionId::PreviousBeat, ActionId::NextPhase, ActionId::NextStatement,
    ActionId::ShowRing, ActionId::BlankScreen,  ActionId::ShowNotes, ActionId::ToggleLecture};

// Sizes in lines of text.
constexpr float kClockSize = 2.2F;
constexpr float kNoteSize = 1.25F;
constexpr float kBetweenNotes = 0.7F;
constexpr float kNotesWidth = 50.0F;  // of the lecturer's window, at least as large
constexpr float kNotesHeight = 32.0F;

std::string clock_now() {
  return fmt::format("{:%H:%M}", fmt::localtime(std::time(nullptr)));
}

void air() {
  ImGui::Dummy({0.0F, kBetweenNotes * ImGui::GetFontSize()});
}

void text_of_size(ImFont* font, float lines, ImU32 colour, const std::string& text) {
  ImGui::PushFont(font, lines * ImGui::GetFontSize() / ImGui::GetStyle().FontScaleMain);
  wrapped_text(colour, text);
  ImGui::PopFont();
}

void draw_clock(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  text_of_size(context.fonts.bold, kClockSize, context.theme.text, clock_now());
  wrapped_text(context.theme.text_dim,
               tr("{:.0f} min left · {}", shown.minutes_left, beat_words(context)));
}

// What the hall does not see: the answer of a question before it is given, and every paragraph of
// the beat after the first.
void draw_beyond_hall(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  std::string text;
  if (shown.question != nullptr && !shown.answer_text.empty()) {
    text = tr("Correct answer: {}.", shown.answer_text) + " " + shown.right + "\n\n";
  }
  auto all = lesson::paragraphs_of(text + shown.text);
  if (shown.question == nullptr && !all.empty() && !has_recap(context)) {
    all.erase(all.begin());
  }
  if (all.empty()) {
    return;
  }
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const RichText at{
      from.x, from.y, ImGui::GetContentRegionAvail().x, ImGui::GetFontSize(), context.theme.text,
      true};
  Commands links;
  ImGui::Dummy({1.0F, draw_rich_text(context, all, at, links)});
  air();
}

// Hidden after a question, because the next beat often gives its answer away.
void draw_next_beat(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  if (is_asked(context)) {
    wrapped_text(context.theme.text_dim, kNextIsHidden.text());
    return;
  }
  text_of_size(context.fonts.bold, 1.0F, context.theme.text,
               shown.next.empty() ? std::string(kLastIs.text()) : tr("Next: {}", shown.next));
  if (!shown.next_where.empty()) {
    wrapped_text(context.theme.accent_text, shown.next_where);
  }
  wrapped_text(context.theme.text_dim, shown.next_text);
}

void draw_notes_keys(const Context& context) {
  float widest = 0.0F;
  for (const ActionId id : kNotesKeys) {
    widest = std::max(widest, ImGui::CalcTextSize(key_name(action(id).key).c_str()).x);
  }
  const auto row = [&](const std::string& key, const char* words) {
    coloured_text(context.theme.accent_text, key.c_str());
    ImGui::SameLine(widest + 2.0F * ImGui::GetFontSize());
    wrapped_text(context.theme.text_dim, words);
  };
  if (is_asked(context)) {
    row("Enter", tr("Submit or reveal the answer"));
  }
  for (const ActionId id : kNotesKeys) {
    row(key_name(action(id).key), action(id).label);
  }
}

}  // namespace

Commands draw_lecture(const Context& context, const Box& window) {
  const bool has_lesson = context.view.lesson != nullptr;
  // A lesson's scenes have fixed sizes.
  const float instrument =
      has_lesson ? 0.0F : instrument_height(context, window.h, plan_lecture({window}).font);
  LecturePlan lecture = plan_lecture({.window = window,
                                      .has_lesson = has_lesson,
                                      .asks = has_question(context),
                                      .instrument = instrument,
                                      .words = lines_of_words(context, window),
                                      .foot = foot_of(context)});
  if (context.state.comparison.on && context.view.beside != nullptr) {
    ImGui::PushFont(context.fonts.text, lecture.font / ImGui::GetStyle().FontScaleMain);
    Commands commands;
    const Box rest = has_lesson ? draw_lecture_frame(context, window, commands) : window;
    append(commands, draw_compared(context, rest));
    ImGui::PopFont();
    append(commands, leave_lecture(context));
    return commands;
  }
  ImGui::SetNextWindowPos({window.x, window.y});
  ImGui::SetNextWindowSize({window.w, window.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.window);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::PushFont(context.fonts.text, lecture.font / ImGui::GetStyle().FontScaleMain);
  Commands commands;
  if (ImGui::Begin("###lecture", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                       ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavFocus |
                       ImGuiWindowFlags_NoBringToFrontOnFocus)) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the instrument is above it
    lecture.plan.leaves_words =
        has_lesson && !context.view.lesson->has_wandered && !lecture.plan.asks;
    append(commands, draw_stage(context, lecture.plan));
    if (lecture.plan.leaves_words) {
      append(commands, draw_lecture_words(context, lecture.plan.narration));
    }
    if (has_lesson) {
      append(commands, draw_beat_dots(context, lecture.plan.dots, DotsAt::Middle));
    } else {
      draw_dots(context, lecture.plan.dots);
    }
    if (lecture.plan.source.h > 0.0F) {
      draw_lines(context, lecture.plan.source, commands);
    }
    append(commands, draw_said(context, plan_lecture({window}).plan.source));
  }
  ImGui::End();
  append(commands, draw_instrument(context, lecture.plan.instrument));
  ImGui::PopFont();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
  append(commands, leave_lecture(context));
  return commands;
}

Commands draw_lecture_words(const Context& context, const Box& box) {
  const float font = ImGui::GetFontSize();
  const bool is_short = box.h < kHighForWhere * font;
  if (!is_short) {
    draw_where(context, {box.x, box.y}, kWhere * font);
  }
  const float top = box.y + (is_short ? 0.0F : 1.45F * kWhere * font);
  if (shows_recap(context)) {
    return draw_recap(context, {box.x, top, box.w, box.bottom() - top});
  }
  const std::vector<lesson::Paragraph> sentence = sentence_of_beat(context);
  if (sentence.empty()) {
    return {};
  }
  RichText at{box.x, top, box.w, kLargestSentence * font, context.theme.text, false};
  Commands links;
  while (at.size > kLeastSentence * font &&
         draw_rich_text(context, sentence, at, links) > box.bottom() - top) {
    at.size = std::max(kLeastSentence * font, at.size - 1.0F);
  }
  const bool fits = draw_rich_text(context, sentence, at, links) <= box.bottom() - top;
  const auto shown =
      fits ? sentence.front() : sentences_that_fit(context, sentence.front(), at, kSentenceLines);
  at.draws = true;
  draw_rich_text(context, {shown}, at, links);
  return {};
}

Box draw_lecture_frame(const Context& context, const Box& window, Commands& commands) {
  const LecturePlan lecture = plan_lecture({.window = window,
                                            .has_lesson = true,
                                            .asks = has_question(context),
                                            .words = lines_of_words(context, window)});
  const float top = lecture.plan.narration.bottom();
  const float font = lecture.font / ImGui::GetStyle().FontScaleMain;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.window);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushFont(context.fonts.text, font);
  ImGui::SetNextWindowPos({window.x, window.y});
  ImGui::SetNextWindowSize({window.w, top - window.y});
  if (ImGui::Begin("###lecture words", nullptr, kFrameWindow)) {
    if (has_question(context)) {
      append(commands, draw_question(context, lecture.plan.narration, {}));
    } else {
      append(commands, draw_lecture_words(context, lecture.plan.narration));
    }
  }
  ImGui::End();
  const Box& dots = lecture.plan.dots;
  ImGui::SetNextWindowPos({window.x, dots.y});
  ImGui::SetNextWindowSize({window.w, dots.h});
  if (ImGui::Begin("###lecture dots", nullptr, kFrameWindow)) {
    append(commands, draw_beat_dots(context, dots, DotsAt::Middle));
  }
  ImGui::End();
  ImGui::PopFont();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  return {window.x, top, window.w, dots.y - top};
}

void draw_notes(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const Theme& t = context.theme;
  apply_style(t, ImGui::GetFontSize());
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = std::max(ImGui::GetFontSize(), std::min(viewport.Size.x / kNotesWidth,
                                                           viewport.Size.y / kNotesHeight));
  ImGui::SetNextWindowPos(viewport.Pos);
  ImGui::SetNextWindowSize(viewport.Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em, 0.8F * em));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, t.panel);
  ImGui::PushStyleColor(ImGuiCol_Text, t.text);
  ImGui::PushFont(context.fonts.text, em / ImGui::GetStyle().FontScaleMain);
  ImGui::Begin("###notes", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking);
  draw_clock(context);
  air();
  text_of_size(context.fonts.bold, kNoteSize, t.text,
               shown.title.empty() ? shown.ask : shown.title);
  text_of_size(context.fonts.text, kNoteSize, t.text,
               shown.note.empty() ? std::string(kNoNote.text()) : shown.note);
  if (!shown.hint.empty()) {
    wrapped_text(t.text_dim, tr("Hint: {}", shown.hint));
  }
  air();
  draw_beyond_hall(context);
  draw_next_beat(context);
  air();
  draw_notes_keys(context);
  ImGui::End();
  ImGui::PopFont();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

}  // namespace tilestep::ui
