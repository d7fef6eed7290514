#include "ui/lesson_bar.h"

#include "lesson/lesson.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/actions.h"
#include "ui/beat_dots.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tilestep::ui {
namespace {

// What is said.
constexpr Message kMayExplore = "Backspace returns to the scene";
constexpr Message kSetupTip = "Kernel, sizes, data and schedule: you may explore.";

// In lines of text.
constexpr float kRightOfBar = 7.5F;
constexpr float kLeastDots = 8.0F;
constexpr float kLeastTitle = 5.0F;
constexpr float kWordyBar = 60.0F;

float text_width(const std::string& text) {
  return ImGui::CalcTextSize(text.c_str()).x;
}

// A narrow bar has the sign alone.
std::string close_face(float room) {
  const bool has_words = room > kWordyBar * ImGui::GetFontSize();
  return has_words ? fmt::format("{} {}", icon::kClose, tr("close the lesson")) : icon::kClose;
}

void setup_button(const Context& context, const std::string& words,
                  const std::function<void(Commands& made)>& setup, Commands& commands) {
  if (ImGui::Button((words + "###setup").c_str())) {
    ImGui::OpenPopup("setup");
  }
  tooltip(kSetupTip.text());
  if (ImGui::BeginPopup("setup")) {
    setup(commands);
    ImGui::EndPopup();
  }
  static_cast<void>(context);
}

}  // namespace

std::string setup_words(const Context& context, const state::Setup& s) {
  const problem::Problem& p = s.parameters.problem;
  const std::string kernel = s.kernel.substr(s.kernel.find_last_of('/') + 1);
  const workspace::Scene* const scene = context.view.scene;
  const problem::LaunchSpec* const spec = scene != nullptr && scene->kernel_id == s.kernel
                                              ? &scene->spec
                                              : context.view.catalog->find(s.kernel);
  const bool uses_block = spec == nullptr || spec->uses_block_size;
  return fmt::format("{} {},{},{}{}", kernel, p.M, p.N, p.K,
                     uses_block ? fmt::format("/{}", s.parameters.block_size) : "");
}

std::string beat_words(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const auto& beats = shown.lesson->beats;
  const lesson::BeatKind kind = beats[shown.beat].kind;
  const auto of_kind = [kind](const lesson::Beat& beat) { return beat.kind == kind; };
  const auto here = beats.begin() + static_cast<std::ptrdiff_t>(shown.beat);
  return tr("{} {} of {}", word_of(kind).label, std::count_if(beats.begin(), here + 1, of_kind),
            std::ranges::count_if(beats, of_kind));
}

Commands draw_lesson_bar(const Context& context, const std::function<void(Commands& made)>& setup) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  Commands commands;
  const float from = ImGui::GetCursorPosX();
  const float end = ImGui::GetWindowWidth() - kRightOfBar * font;
  std::string words = setup_words(context, context.state);
  const std::string where = beat_words(context);
  const float button = 2.0F * ImGui::GetStyle().FramePadding.x;
  const std::string close = close_face(end - from);
  float room = end - from - text_width(where) - 5.0F * gap - text_width(close) - button;
  // What a narrow bar cuts: the way back (which the panel says, too), the set-up, the title.
  const float dots_wanted = beat_dots_width(shown.lesson->beats.size());
  const float title_wanted = text_width(shown.lesson_title) * 1.04F;
  const float hint = text_width(kMayExplore.text()) + gap;
  const bool has_hint =
      shown.has_wandered && room >= dots_wanted + title_wanted + text_width(words) + button + hint;
  room -= has_hint ? hint : 0.0F;
  if (room <
      std::min(dots_wanted, kLeastDots * font) + kLeastTitle * font + text_width(words) + button) {
    words = "…";
  }
  room -= text_width(words) + button;
  const float title =
      std::min(title_wanted, std::max(kLeastTitle * font, room - std::min(dots_wanted, room)));
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(cut_to(shown.lesson_title, title).c_str());
  ImGui::PopFont();
  tooltip(shown.lesson_title + "\n" + shown.lesson->goal.in(spoken_language()));
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  coloured_text(t.text_dim, where.c_str());
  ImGui::SameLine(0.0F, 2.0F * gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float dots = std::clamp(room - title, font, dots_wanted);
  append(commands,
         draw_beat_dots(context, {at.x, at.y, dots, ImGui::GetFrameHeight()}, DotsAt::Left));
  ImGui::SetCursorScreenPos({at.x + dots + 2.0F * gap, at.y});
  setup_button(context, words, setup, commands);
  ImGui::SameLine();
  append(commands,
         action_button(context, ActionId::CloseLesson, (close + "###close lesson").c_str()));
  if (has_hint) {
    ImGui::SameLine();
    coloured_text(t.text_dim, kMayExplore);
  }
  return commands;
}

}  // namespace tilestep::ui
