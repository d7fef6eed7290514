#include "lesson/lesson.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/actions.h"
#include "ui/lesson/lesson.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

// Sizes in lines of text.
constexpr float kBeatDistance = 1.45F;
constexpr float kBeatDot = 0.25F;
constexpr float kQuestionDot = 0.48F;
constexpr float kBeatRing = 0.5F;

struct BeatDot {
  ImVec2 at;
  float font = 0.0F;
  bool is_question = false;
  bool is_current = false;
  bool is_seen = false;
};

void paint_beat_dot(const Context& context, const BeatDot& dot) {
  const Theme& t = context.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = std::max(1.5F, 0.07F * dot.font);
  const float radius = (dot.is_question ? kQuestionDot : kBeatDot) * dot.font;
  const ImU32 sum = role_colours(t, insight::ValueRole::Sum).solid.fill;
  const ImU32 fill = dot.is_current ? sum : t.text;
  const bool is_filled = dot.is_current || dot.is_seen;
  if (is_filled) {
    list.AddCircleFilled(dot.at, radius, fill);
  } else {
    list.AddCircle(dot.at, radius, t.text_dim, 0, line);
  }
  if (dot.is_question) {
    const float size = 0.78F * dot.font;
    const ImVec2 sign = context.fonts.bold->CalcTextSizeA(size, 1e6F, 0.0F, "?");
    const ImU32 ink = dot.is_current ? role_colours(t, insight::ValueRole::Sum).solid.text
                      : is_filled    ? t.window
                                     : t.text_dim;
    list.AddText(context.fonts.bold, size,
                 {dot.at.x - 0.5F * sign.x, std::round(dot.at.y - 0.5F * sign.y)}, ink, "?");
  }
  if (dot.is_current) {
    const float ring = std::max(kBeatRing * dot.font, radius + 2.0F * line);
    list.AddCircle(dot.at, ring, sum, 0, line);
  }
}

constexpr Message kMayExplore = "Backspace returns to the scene";
constexpr Message kSetupTip = "Explore freely: kernel, sizes, data and schedule.";

// Sizes in lines of text.
constexpr float kRightOfBar = 7.5F;
constexpr float kLeastDots = 8.0F;
constexpr float kLeastTitle = 5.0F;
constexpr float kWordyBar = 60.0F;

float width_now(const std::string& text) {
  return ImGui::CalcTextSize(text.c_str()).x;
}

// A narrow bar has only the sign.
std::string close_face(float room) {
  const bool has_words = room > kWordyBar * ImGui::GetFontSize();
  return has_words ? fmt::format("{} {}", icon::kClose, tr("Close the lesson")) : icon::kClose;
}

void setup_button(const std::string& words, const std::function<void(Commands& made)>& setup,
                  Commands& commands) {
  if (ImGui::Button((words + "###setup").c_str())) {
    ImGui::OpenPopup("setup");
  }
  tooltip(kSetupTip.text());
  if (ImGui::BeginPopup("setup")) {
    setup(commands);
    ImGui::EndPopup();
  }
}

// The preferred width in pixels of the dots of so many beats.
float beat_dots_width(std::size_t beats) {
  return kBeatDistance * ImGui::GetFontSize() * static_cast<float>(beats);
}

}  // namespace

Commands draw_beat_dots(const Context& context, const Box& box, DotsAt at) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const auto& beats = shown.lesson->beats;
  const float font = ImGui::GetFontSize();
  const auto count = static_cast<float>(beats.size());
  const float distance = std::min(kBeatDistance * font, box.w / count);
  const float left =
      at == DotsAt::Left ? box.x : box.x + 0.5F * std::max(0.0F, box.w - distance * count);
  Commands commands;
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const ImVec2 middle(std::round(left + (static_cast<float>(i) + 0.5F) * distance),
                        std::round(box.y + 0.5F * box.h));
    paint_beat_dot(context, {middle, font * std::min(1.0F, distance / (1.1F * font)),
                             beats[i].kind == lesson::BeatKind::Question, i == shown.beat,
                             i < shown.seen.size() && shown.seen[i]});
    ImGui::SetCursorScreenPos({middle.x - 0.5F * distance, box.y});
    ImGui::PushID(static_cast<int>(i));
    if (hit_button("beat", {distance, box.h})) {
      commands.push_back(state::GoToBeat{static_cast<int>(i)});
    }
    const std::string title = is_asked(context) && i > shown.beat
                                  ? std::string()
                                  : shown.lesson->title_of(beats[i]).in(spoken_language());
    const std::string kind = word_of(beats[i].kind).label.text();
    tooltip(title.empty() ? fmt::format("{}: {}", i + 1, kind)
                          : fmt::format("{}: {}", i + 1, title));
    ImGui::PopID();
  }
  return commands;
}

std::string setup_words(const Context& context, const state::Setup& s) {
  const problem::Problem& p = s.parameters.problem;
  const std::string kernel = s.kernel.substr(s.kernel.find_last_of('/') + 1);
  const auto& scene = context.view.run.scene;
  const problem::LaunchSpec* const spec = scene != nullptr && scene->kernel_id == s.kernel
                                              ? &scene->spec
                                              : context.view.kernels.catalog->find(s.kernel);
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
  float room = end - from - width_now(where) - 5.0F * gap - width_now(close) - button;
  // Order in which a narrow bar drops items: the way back (also in the panel), the setup, the
  // title.
  const float dots_wanted = beat_dots_width(shown.lesson->beats.size());
  const float title_wanted = width_now(shown.lesson_title) * 1.04F;
  const float hint = width_now(kMayExplore.text()) + gap;
  const bool has_hint =
      shown.has_wandered && room >= dots_wanted + title_wanted + width_now(words) + button + hint;
  room -= has_hint ? hint : 0.0F;
  if (room <
      std::min(dots_wanted, kLeastDots * font) + kLeastTitle * font + width_now(words) + button) {
    words = "…";
  }
  room -= width_now(words) + button;
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
  setup_button(words, setup, commands);
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
