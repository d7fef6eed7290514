#include "ui/lab_panel.h"

#include "problem/tr.h"
#include "problem/words.h"
#include "ui/actions.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace tilestep::ui {
namespace {

constexpr Message kPassedAll = "All rows pass. The lab is done.";
constexpr Message kPassedBefore = "You have passed this lab.";
constexpr Message kIsOld = "The text has changed since. Grade it again.";
constexpr Message kLabHint = "Hint: {}";
constexpr Message kShowsWhy = "The stage shows where.";

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
  switch (mark) {
    case RowMark::ToCome:
      coloured_text(theme.text_dim, "·");
      break;
    case RowMark::Running:
      coloured_text(theme.accent_text, "…");
      break;
    case RowMark::Passed:
      coloured_text(theme.good, "✓");
      break;
    case RowMark::Failed:
      coloured_text(theme.warning, "✗");
      break;
  }
}

// From the second failure on; empty: there is none yet.
std::string hint_of(const workspace::ShownLesson& lesson) {
  const std::string& hint = lesson.grade->hint.empty() ? lesson.hint : lesson.grade->hint;
  return lesson.lab_failures < kFailuresUntilHint || hint.empty()
             ? ""
             : fmt::format(fmt::runtime(kLabHint.text()), hint);
}

}  // namespace

std::string lab_result_words(const Context& context) {
  if (!has_lab(context)) {
    return "";
  }
  const workspace::ShownLesson& lesson = *context.view.lesson;
  if (lesson.is_grading) {
    return tr("Row {} of {} runs …", lesson.grading_row + 1, lesson.lab_rows.size());
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

void draw_lab_result(const Context& context) {
  if (!has_lab(context)) {
    return;
  }
  const workspace::ShownLesson& lesson = *context.view.lesson;
  const Theme& t = context.theme;
  if (lesson.is_grading) {
    wrapped_text(t.text_dim,
                 tr("Row {} of {} runs …", lesson.grading_row + 1, lesson.lab_rows.size()));
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
}

Commands draw_lab_buttons(const Context& context) {
  Commands commands;
  if (!has_lab(context)) {
    return commands;
  }
  const Theme& t = context.theme;
  const bool is_next = !context.view.lesson->grade || !context.view.lesson->grade->is_passed;
  ImGui::PushStyleColor(ImGuiCol_Button, is_next ? t.accent.fill : t.field);
  ImGui::PushStyleColor(ImGuiCol_Text, is_next ? t.accent.text : t.text);
  append(commands, action_button(context, ActionId::GradeLab, tr("Ctrl+Enter  Grade")));
  ImGui::PopStyleColor(2);
  if (!context.state.edited_source.empty()) {
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::ResetSource, tr("Begin anew")));
  }
  return commands;
}

}  // namespace tilestep::ui
