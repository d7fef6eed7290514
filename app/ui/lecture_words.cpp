#include "ui/lecture_words.h"

#include "lesson/rich_text.h"
#include "problem/words.h"
#include "ui/beat_dots.h"
#include "ui/lab_panel.h"
#include "ui/lesson_bar.h"
#include "ui/panel_window.h"
#include "ui/question_card.h"
#include "ui/rich_text.h"
#include "ui/theme.h"
#include "ui/veiling.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

// In lines of text.
constexpr float kWhere = 0.95F;
constexpr float kLargestSentence = 1.5F;
constexpr float kLeastSentence = 0.9F;  // 24 px at 1080p
constexpr float kHighForWhere = 3.0F;
constexpr int kSentenceLines = 2;

std::vector<lesson::Paragraph> sentence_of_beat(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const std::string result = lab_result_words(context);
  auto all = lesson::paragraphs_of(!result.empty()             ? result
                                   : shown.question != nullptr ? shown.ask
                                                               : shown.text);
  all.resize(std::min<std::size_t>(all.size(), 1));
  return all;
}

void draw_where(const Context& context, ImVec2 at, float size) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const Theme& t = context.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto write = [&](ImFont* font, const std::string& text, ImU32 colour) {
    list.AddText(font, size, {std::round(at.x), std::round(at.y)}, colour, text.c_str());
    at.x += font->CalcTextSizeA(size, 1e6F, 0.0F, text.c_str()).x + 1.2F * size;
  };
  write(context.fonts.text, shown.lesson_title, t.text_dim);
  write(context.fonts.bold, shown.title, t.text);
  write(context.fonts.text, beat_words(context), t.text_dim);
}

constexpr ImGuiWindowFlags kFrameWindow = kFixedWindow | ImGuiWindowFlags_NoScrollWithMouse;

}  // namespace

void draw_lecture_words(const Context& context, const Box& box) {
  const float font = ImGui::GetFontSize();
  const bool is_short = box.h < kHighForWhere * font;
  if (!is_short) {
    draw_where(context, {box.x, box.y}, kWhere * font);
  }
  const std::vector<lesson::Paragraph> sentence = sentence_of_beat(context);
  if (sentence.empty()) {
    return;
  }
  const float top = box.y + (is_short ? 0.0F : 1.45F * kWhere * font);
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
}

Box draw_lecture_frame(const Context& context, const Box& window, Commands& commands) {
  const LecturePlan lecture = plan_lecture(window, true, has_question(context));
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
      draw_lecture_words(context, lecture.plan.narration);
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

}  // namespace tilestep::ui
