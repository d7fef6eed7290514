#include "ui/beat_dots.h"

#include "lesson/lesson.h"
#include "problem/language.h"
#include "problem/words.h"
#include "ui/theme.h"
#include "ui/veiling.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// In lines of text.
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

}  // namespace

float beat_dots_width(std::size_t beats) {
  return kBeatDistance * ImGui::GetFontSize() * static_cast<float>(beats);
}

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
    if (hit_area("beat", {distance, box.h})) {
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

}  // namespace tilestep::ui
