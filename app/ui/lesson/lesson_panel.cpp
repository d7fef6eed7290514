#include "lesson/rich_text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/actions.h"
#include "ui/lesson/lesson.h"
#include "ui/lesson/question.h"
#include "ui/masked_context.h"
#include "ui/rich_text.h"
#include "ui/source/source.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr Message kQuestion = "Question";
constexpr Message kAnswerIs = "Correct answer: {}.";
constexpr Message kNoValue = "A number in this text has no value: {}";
constexpr Message kLastBeat = "This is the last beat.";
constexpr Message kNotThisScene = "Another scene is shown: Backspace returns.";
constexpr Message kBackToScene = "Backspace  scene";
constexpr Message kBackToQuestion = "Backspace  question";
constexpr Message kTry = "Try";
constexpr const char* kLeave = "\xef\x80\x8d###leave lesson";  // icon::kClose

// Sizes in lines of text.
constexpr float kTitleSize = 1.4F;
constexpr float kTextSize = 1.25F;
constexpr float kLeastTextSize = 0.95F;
constexpr float kButtons = 2.3F;
constexpr float kNarrow = 20.0F;  // a button shows only its key
constexpr float kLeastNext = 7.0F;
constexpr float kLeastWalk = 11.0F;  // the shortest buttons for next and previous
constexpr float kWide = 62.0F;       // the buttons are beside the text
constexpr float kButtonsShare = 0.36F;
constexpr float kLeastLab = 9.0F;  // without it, only results and Grade while the source is edited

// The parsed text.
struct LessonMemory {
  const void* lesson = nullptr;
  std::size_t beat = 0;
  std::string text;
  std::vector<lesson::Paragraph> paragraphs;
  std::string plain;  // one line for each paragraph
  bool was_grading = false;
  float rows_height = 0.0F;  // of a lab's rows, in pixels
};

// As the bar counts: question 2 of 5.
std::ptrdiff_t question_number(const workspace::ShownLesson& shown, std::size_t beat) {
  const auto& beats = shown.lesson->beats;
  return std::count_if(
      beats.begin(), beats.begin() + static_cast<std::ptrdiff_t>(beat) + 1,
      [](const lesson::Beat& one) { return one.kind == lesson::BeatKind::Question; });
}

std::string again_words(const workspace::ShownLesson& shown) {
  std::string words;
  for (const workspace::ShownLesson::Again& one : shown.again) {
    words += (words.empty() ? "" : tr("; ")) +
             tr("{} (question {})", one.about, question_number(shown, one.beat));
  }
  return words;
}

// The verdict, and what a wrong answer reveals.
std::string verdict_of(const workspace::ShownLesson& shown, const state::LessonView& course) {
  const workspace::ShownVerdict& verdict = *shown.verdict;
  if (course.answering == state::Answering::Shown) {
    return fmt::format(fmt::runtime(kAnswerIs.text()), verdict.answer_text);
  }
  const std::string given = answer_words(shown, course.given);
  if (verdict.is_right) {
    return tr("Your answer: {}. Correct.", given);
  }
  const std::string words =
      verdict.says.empty() ? "" : tr("Your answer: {}. {}", given, verdict.says) + "\n\n";
  return words.empty() ? tr("Your answer: {}. Correct answer: {}.", given, verdict.answer_text)
                       : words + fmt::format(fmt::runtime(kAnswerIs.text()), verdict.answer_text);
}

// The text after a question is shown only once it is answered, because it gives the answer away.
std::string text_of_beat(const workspace::ShownLesson& shown, const state::LessonView& course) {
  std::string text = shown.intro.empty() ? "" : shown.intro + "\n\n";
  if (shown.question == nullptr) {
    text += shown.text;
    if (!shown.understood.empty()) {
      text += "\n\n" + tr("**You understood:** {}.", fmt::join(shown.understood, tr("; ")));
    }
    if (!shown.again.empty()) {
      text += "\n\n" + tr("**To review:** {}.", again_words(shown));
    }
    for (std::size_t i = 0; i < shown.tries.size(); ++i) {
      text += fmt::format("{}* {}", i == 0 ? fmt::format("\n\n**{}**\n\n", kTry) : "\n",
                          shown.tries[i]);
    }
    return text;
  }
  for (std::size_t i = 0; i < shown.choices.size(); ++i) {
    text += fmt::format("{}{}. {}", i == 0 ? "" : "\n", i + 1, shown.choices[i]);
  }
  const auto add = [&text](const std::string& more) {
    text += (text.empty() || more.empty() ? "" : "\n\n") + more;
  };
  if (course.answering == state::Answering::Asked) {
    add(shown.missed ? missed_words(shown, course) : "");
    add(course.hint && !shown.hint.empty() ? tr("Hint: {}", shown.hint) : "");
  } else if (shown.verdict) {
    add(verdict_of(shown, course));
    add(shown.right);
    add(shown.text);
  }
  return text;
}

const std::vector<lesson::Paragraph>& paragraphs(const Context& context) {
  auto& memory = context.memory.of<LessonMemory>();
  const workspace::ShownLesson& shown = *context.view.lesson;
  const std::string text = text_of_beat(shown, context.state.course);
  if (memory.lesson != shown.lesson.get() || memory.beat != shown.beat || memory.text != text) {
    memory = {shown.lesson.get(), shown.beat,        text, lesson::paragraphs_of(text), "",
              memory.was_grading, memory.rows_height};
    for (const lesson::Paragraph& paragraph : memory.paragraphs) {
      memory.plain += lesson::plain_text(paragraph) + "\n";
    }
  }
  return memory.paragraphs;
}

// The title, with the button that leaves the lesson at the right.
void draw_title(const Context& context, float width, Commands& commands) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const ImVec2 at = ImGui::GetCursorPos();
  const float button =
      ImGui::CalcTextSize(icon::kClose).x + 2.0F * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(at.x + width - button);
  append(commands, action_button(context, ActionId::CloseLesson, kLeave));
  ImGui::SetCursorPos(at);
  width -= button;
  const std::string title = shown.question != nullptr ? kQuestion.text() : shown.title;
  const float size = kTitleSize * ImGui::GetFontSize();
  ImGui::PushFont(context.fonts.bold, size / ImGui::GetStyle().FontScaleMain);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

// As large as fits with a lab's rows below it, and scrolled if it does not.
void draw_text(const Context& context, Commands& commands) {
  const float font = ImGui::GetFontSize();
  const auto& all = paragraphs(context);
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y -= has_lab(context) ? context.memory.of<LessonMemory>().rows_height : 0.0F;
  const Theme& t = context.theme;
  const ImU32 ink = context.view.lesson->is_other_run ? t.text_dim : t.text;
  RichText at{0.0F, 0.0F, room.x - 0.5F * font, kTextSize * font, ink, false};
  while (at.size > kLeastTextSize * font && draw_rich_text(context, all, at, commands) > room.y) {
    at.size = std::max(kLeastTextSize * font, at.size - 1.0F);
  }
  const ImVec2 from = ImGui::GetCursorScreenPos();
  at.x = from.x;
  at.y = from.y;
  at.draws = true;
  ImGui::Dummy({1.0F, draw_rich_text(context, all, at, commands)});
  if (!context.view.lesson->mistake.empty()) {
    wrapped_text(context.theme.warning,
                 fmt::format(fmt::runtime(kNoValue.text()), context.view.lesson->mistake));
  }
}

// Filled, because it is the main button, unless a question or an unfinished lab is open.
void draw_next(const Context& context, float width, Commands& commands) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const Theme& t = context.theme;
  const Action& next = action(ActionId::NextBeat);
  const bool has_task =
      is_asked(context) || (shown.lab != nullptr && !(shown.grade && shown.grade->is_passed));
  const ImU32 fill = has_task ? t.field : t.accent.fill;
  ImGui::PushStyleColor(ImGuiCol_Button, fill);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, fill);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, fill);
  ImGui::PushStyleColor(ImGuiCol_Text, has_task ? t.text : t.accent.text);
  const float pad = 2.0F * ImGui::GetStyle().FramePadding.x;
  // The title of the next beat often gives the answer away.
  const std::string where = is_asked(context)    ? tr("Continue")
                            : has_recap(context) ? next_lesson_words(context)
                                                 : shown.next;
  const std::string face = cut_to(fmt::format("PgDn  {}", where), width - pad);
  if (ImGui::Button((face + "###next beat").c_str())) {
    append(commands, next.commands(context));
  }
  ImGui::PopStyleColor(4);
  tooltip(where + "\n" + tooltip_text(next));
}

// The buttons for next and previous, and the time; without room the time is dropped first, then
// words.
void draw_buttons(const Context& context, Commands& commands) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const float font = ImGui::GetFontSize();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float pad = 2.0F * ImGui::GetStyle().FramePadding.x;
  const float left = ImGui::GetCursorPosX();
  const float room = ImGui::GetContentRegionAvail().x;
  const bool has_back = shown.beat > 0;
  const char* const back = room < kNarrow * font ? "PgUp" : tr("PgUp  back");
  const float back_width = has_back ? ImGui::CalcTextSize(back).x + pad + gap : 0.0F;
  const std::string minutes = tr("{:.0f} min", shown.minutes_left);
  const float clock = ImGui::CalcTextSize(minutes.c_str()).x;
  const float least = kLeastNext * font;
  const bool has_clock = room - back_width - clock - gap >= least;
  if (shown.next.empty() && !has_recap(context)) {
    ImGui::AlignTextToFramePadding();
    const float width = room - back_width - (has_clock ? clock + gap : 0.0F);
    coloured_text(context.theme.text_dim, cut_to(kLastBeat.text(), width).c_str());
  } else {
    draw_next(context, room - back_width - (has_clock ? clock + gap : 0.0F), commands);
  }
  if (has_back) {
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::PreviousBeat, back));
  }
  if (has_clock) {
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), left + room - clock));
    ImGui::AlignTextToFramePadding();
    coloured_text(context.theme.text_dim, minutes.c_str());
    tooltip(tr("Time for this beat and all later ones."));
  }
}

void draw_way_back(const Context& context, Commands& commands) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  if (!shown.has_wandered) {
    return;
  }
  const Message words = shown.question != nullptr ? kBackToQuestion : kBackToScene;
  if (ImGui::Button((std::string(words.text()) + "###return").c_str())) {
    commands.emplace_back(state::ReturnToBeat{});
  }
}

// A notice above a text that does not describe the picture beside it; the text is dimmed.
void draw_other_run(const Context& context) {
  if (context.view.lesson->is_other_run) {
    wrapped_text(context.theme.warning, fmt::format("{}  {}", icon::kWarning, kNotThisScene));
  }
}

// The buttons are beside the words if the panel is wide enough, else below them.
float buttons_width(float width) {
  return width > kWide * ImGui::GetFontSize() ? std::round(kButtonsShare * width) : width;
}

constexpr Message kPassedAll = "All rows pass. The lab is done.";
constexpr Message kPassedBefore = "You have passed this lab.";
constexpr Message kIsOld = "The code changed after grading. Grade it again.";
constexpr Message kLabHint = "Hint: {}";
constexpr Message kShowsWhy = "The stage shows where the row fails.";

constexpr int kFailuresUntilHint = 2;

enum class RowMark { ToCome, Running, Passed, Failed };

RowMark mark_of(const workspace::ShownLesson& lesson, std::size_t row) {
  if (lesson.is_grading) {
    return row < lesson.grading_row    ? RowMark::Passed
           : row == lesson.grading_row ? RowMark::Running
                                       : RowMark::ToCome;
  }
  if (!lesson.grade) {
    return RowMark::ToCome;
  }
  return row < lesson.grade->rows_passed                                ? RowMark::Passed
         : row == lesson.grade->rows_passed && !lesson.grade->is_passed ? RowMark::Failed
                                                                        : RowMark::ToCome;
}

void draw_mark(const Theme& theme, RowMark mark) {
  const std::array colours{theme.text_dim, theme.accent_text, theme.good, theme.warning};
  constexpr std::array kSigns{"·", "…", "✓", "✗"};
  const auto at = static_cast<std::size_t>(mark);
  coloured_text(colours.at(at), kSigns.at(at));
}

// The hint, from the second failure on; empty before.
std::string hint_of(const workspace::ShownLesson& lesson) {
  const std::string& hint = lesson.grade->hint.empty() ? lesson.hint : lesson.grade->hint;
  return lesson.lab_failures < kFailuresUntilHint || hint.empty()
             ? ""
             : fmt::format(fmt::runtime(kLabHint.text()), hint);
}

// With a button that edits the source if the source's own is hidden.
Commands draw_lab_buttons(const Context& context, bool is_source_hidden) {
  if (!has_lab(context)) {
    return {};
  }
  Commands commands;
  const Theme& t = context.theme;
  const bool is_next = !context.view.lesson->grade || !context.view.lesson->grade->is_passed;
  ImGui::PushStyleColor(ImGuiCol_Button, is_next ? t.accent.fill : t.field);
  ImGui::PushStyleColor(ImGuiCol_Text, is_next ? t.accent.text : t.text);
  append(commands, action_button(context, ActionId::GradeLab, tr("Ctrl+Enter  Grade")));
  ImGui::PopStyleColor(2);
  if (is_source_hidden) {
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::EditSource, tr("Edit")));
  }
  if (is_changed(context)) {
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::ResetSource, tr("Start over")));
  }
  return commands;
}

// Draws nothing if the beat is not a lab.
void draw_lab_result(const Context& context) {
  if (!has_lab(context)) {
    return;
  }
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const Theme& t = context.theme;
  if (lesson.is_grading) {
    wrapped_text(t.text_dim, lab_result_words(context));
    return;
  }
  if (!lesson.grade) {
    if (lesson.lab_is_passed) {
      wrapped_text(t.good, kPassedBefore.text());
    }
    return;
  }
  const workspace::ShownGrade& grade = *lesson.grade;
  if (grade.is_old) {
    wrapped_text(t.text_dim, kIsOld.text());
  }
  if (grade.is_passed) {
    wrapped_text(t.good, kPassedAll.text());
    return;
  }
  wrapped_text(t.text, tr("Row {} of {} fails.", grade.rows_passed + 1, lesson.lab_rows.size()));
  if (const std::string hint = hint_of(lesson); !hint.empty()) {
    wrapped_text(t.text, hint);
  }
  for (const std::string& cause : grade.causes) {
    wrapped_text(t.warning, cause);
  }
  if (grade.is_on_stage) {
    wrapped_text(t.text_dim, kShowsWhy.text());
  }
}

void draw_lab_rows(const Context& context) {
  if (!has_lab(context)) {
    return;
  }
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const float top = ImGui::GetCursorPosY();
  if (!ImGui::BeginTable("###rows", 3, ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupColumn("mark");
  ImGui::TableSetupColumn("row");
  ImGui::TableSetupColumn("launch", ImGuiTableColumnFlags_WidthStretch);
  for (std::size_t i = 0; i < lesson.lab_rows.size(); ++i) {
    const workspace::ShownLabRow& row = lesson.lab_rows[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_mark(context.theme, mark_of(lesson, i));
    ImGui::TableNextColumn();
    coloured_text(context.theme.text_dim, fmt::format("{}", i + 1).c_str());
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", row.launch.c_str());
    if (!row.requires_too.empty()) {
      ImGui::PushFont(context.fonts.mono, 0.0F);
      wrapped_text(context.theme.text_dim, row.requires_too);
      ImGui::PopFont();
    }
  }
  ImGui::EndTable();
  context.memory.of<LessonMemory>().rows_height = ImGui::GetCursorPosY() - top;
}

// Beside the buttons of draw_buttons, or above them if both do not fit.
bool has_lab_buttons_beside(const Context& context, float room) {
  const float pad = 2.0F * ImGui::GetStyle().FramePadding.x + ImGui::GetStyle().ItemSpacing.x;
  const float again = is_changed(context) ? ImGui::CalcTextSize(tr("Start over")).x + pad : 0.0F;
  const float grade = ImGui::CalcTextSize(tr("Ctrl+Enter  Grade")).x + pad;
  return room - again - grade > kLeastWalk * ImGui::GetFontSize();
}

}  // namespace

std::string next_lesson_words(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  return shown.next_lesson.empty()         ? tr("All lessons")
         : shown.next_lesson_title.empty() ? tr("Next lesson")
                                           : tr("Next lesson: {}", shown.next_lesson_title);
}

float lesson_height(const Context& context, float width) {
  const float font = ImGui::GetFontSize();
  const float buttons = buttons_width(width);
  const bool is_beside = buttons < width;
  Commands none;
  const float room = (is_beside ? width - buttons - font : width) - 0.5F * font;
  const RichText at{0.0F, 0.0F, room, kTextSize * font, context.theme.text, false};
  const float words = kTitleSize * font + 2.0F * ImGui::GetStyle().ItemSpacing.y +
                      draw_rich_text(context, paragraphs(context), at, none);
  const float other = context.view.lesson->is_other_run ? 2.0F * font : 0.0F;
  const float walk = kButtons * font + 2.0F * ImGui::GetFrameHeightWithSpacing();
  return is_beside ? std::max(words + other, walk) : words + other + walk;
}

Commands draw_lesson(const Context& context, bool is_source_hidden) {
  Commands commands;
  const float font = ImGui::GetFontSize();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float buttons = buttons_width(room.x);
  const bool is_wide = buttons < room.x;
  const bool is_beside =
      !is_source_hidden && has_lab_buttons_beside(context, is_wide ? buttons : room.x);
  const bool is_low = has_lab(context) && context.state.editing && room.y < kLeastLab * font;
  const float row = ImGui::GetFrameHeightWithSpacing();
  const float above = (context.view.lesson->has_wandered ? row : 0.0F) +
                      (has_lab(context) && !is_beside && !is_low ? row : 0.0F);
  const ImVec2 words(is_wide ? room.x - buttons - font : 0.0F,
                     is_wide ? 0.0F : -(std::round(kButtons * font) + above));
  if (ImGui::BeginChild("###words", words)) {
    auto& memory = context.memory.of<LessonMemory>();
    if (std::exchange(memory.was_grading, context.view.lesson->is_grading)) {
      ImGui::SetScrollY(0.0F);  // the result is above the rows
    }
    draw_other_run(context);
    if (!is_low) {
      draw_title(context, ImGui::GetContentRegionAvail().x, commands);
    }
    draw_lab_result(context);
    draw_text(context, commands);
    if (context.view.lesson->question == nullptr) {
      say_aloud(context, context.view.lesson->title);
    }
    say_aloud(context, lab_result_words(context));
    say_aloud(context, memory.plain);
    draw_lab_rows(context);
  }
  ImGui::EndChild();
  if (is_wide) {
    ImGui::SameLine(0.0F, font);
  }
  if (ImGui::BeginChild("###walk")) {
    draw_way_back(context, commands);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 0.2F * font);
    append(commands, draw_lab_buttons(context, is_source_hidden));
    if (has_lab(context) && is_beside) {
      ImGui::SameLine();
    }
    if (!is_low) {
      draw_buttons(context, commands);
    }
  }
  ImGui::EndChild();
  return commands;
}

std::string lab_result_words(const Context& context) {
  if (!has_lab(context)) {
    return "";
  }
  const workspace::ShownLesson& lesson = *context.view.lesson;
  if (lesson.is_grading) {
    return tr("Running row {} of {} …", lesson.grading_row + 1, lesson.lab_rows.size());
  }
  if (!lesson.grade || lesson.grade->is_old) {
    return "";
  }
  if (lesson.grade->is_passed) {
    return kPassedAll.text();
  }
  const std::string row =
      tr("Row {} of {} fails.", lesson.grade->rows_passed + 1, lesson.lab_rows.size());
  return row + (lesson.grade->causes.empty() ? "" : " " + lesson.grade->causes.front());
}

}  // namespace tilestep::ui
