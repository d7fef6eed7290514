#include "problem/tr.h"
#include "problem/words.h"
#include "ui/lesson/lesson.h"
#include "ui/overlays.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

constexpr Message kLessons = "Lessons";
constexpr Message kReading = "Reading the lessons …";
constexpr Message kNoLessons =
    "There are no lessons: the folder assets/lessons is missing. Reinstall Tilestep.";
constexpr Message kHowTo = "↑ ↓ choose, Enter opens, Esc closes";
constexpr Message kNotBegun = "not started";
constexpr Message kAllSeen = "all seen";

// Sizes in lines of text.
constexpr float kLessonListWidth = 58.0F;
constexpr float kListRow = 2.9F;
constexpr float kNumberColumn = 2.2F;
constexpr float kRightColumn = 9.0F;
constexpr float kBar = 0.28F;

struct LessonListMemory {
  bool is_open = false;
  int chosen = 0;
  bool has_moved = false;  // by a key: the list scrolls to it
};

// "03-two-barriers" → "3".
std::string number_of(const std::string& lesson) {
  const std::size_t digits = std::min(lesson.find_first_not_of("0123456789"), lesson.size());
  const std::size_t zeros = std::min(lesson.find_first_not_of('0'), digits);
  return lesson.substr(zeros, digits - zeros);
}

// What was understood, of a lesson with questions.
std::string progress_words(const workspace::LessonEntry& entry) {
  return entry.seen == 0       ? kNotBegun.text()
         : entry.questions > 0 ? tr("{} of {} understood", entry.understood.size(), entry.questions)
         : entry.seen == entry.beats ? kAllSeen.text()
                                     : tr("{} of {} seen", entry.seen, entry.beats);
}

float progress_share(const workspace::LessonEntry& entry) {
  const std::size_t all = entry.questions > 0 ? entry.questions : entry.beats;
  const std::size_t done = entry.questions > 0 ? entry.understood.size() : entry.seen;
  return static_cast<float>(done) / static_cast<float>(std::max<std::size_t>(all, 1));
}

// What the questions that were answered are about; empty: none was.
std::string understood_words(const workspace::LessonEntry& entry) {
  std::string words;
  const auto list = [&words](const std::string& head, const std::vector<std::string>& abouts) {
    words += abouts.empty() ? "" : (words.empty() ? "" : "\n") + head;
    for (const std::string& about : abouts) {
      words += "\n  " + about;
    }
  };
  list(fmt::format("{} {}", "✓", tr("Understood")), entry.understood);
  list(fmt::format("{} {}", "✗", tr("To review")), entry.again);
  return words;
}

// Continues where the user left it, or starts over if it is finished.
state::OpenLesson opening(const workspace::LessonEntry& entry) {
  const bool is_over = entry.at + 1 >= entry.beats;
  return {entry.lesson, is_over || entry.is_film ? 0 : static_cast<int>(entry.at)};
}

void draw_entry(const Context& context, const workspace::LessonEntry& entry, ImVec2 at,
                float width) {
  const Theme& t = context.theme;
  const float font = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float top = std::round(at.y + 0.3F * font);
  const float left = at.x + kNumberColumn * font;
  const float right = at.x + width - kRightColumn * font;
  list.AddText(context.fonts.bold, font, {at.x + 0.5F * font, top}, t.accent_text,
               number_of(entry.lesson).c_str());
  const ImVec4 clip(left, at.y, right - font, at.y + kListRow * font);
  list.AddText(context.fonts.bold, font, {left, top}, t.text, entry.title.c_str(), nullptr, 0.0F,
               &clip);
  const std::string& below = entry.mistake.empty() ? entry.goal : entry.mistake;
  list.AddText(context.fonts.text, 0.88F * font, {left, top + 1.2F * font},
               entry.mistake.empty() ? t.text_dim : t.bad, below.c_str(), nullptr, 0.0F, &clip);
  if (!entry.mistake.empty()) {
    return;
  }
  list.AddText(context.fonts.text, font, {right, top}, t.text,
               tr("{:.0f} min", entry.minutes).c_str());
  list.AddText(context.fonts.text, 0.88F * font, {right, top + 1.2F * font}, t.text_dim,
               progress_words(entry).c_str());
  const float share = progress_share(entry);
  const Box bar{right + 4.2F * font, top + 0.4F * font, (kRightColumn - 5.0F) * font, kBar * font};
  list.AddRectFilled({bar.x, bar.y}, {bar.right(), bar.bottom()}, t.field, 0.5F * bar.h);
  if (share > 0.0F) {
    list.AddRectFilled({bar.x, bar.y}, {bar.x + share * bar.w, bar.bottom()}, t.accent.fill,
                       0.5F * bar.h);
  }
}

void draw_entries(const Context& context, LessonListMemory& memory, Commands& commands) {
  const auto& entries = *context.view.lessons;
  const auto count = static_cast<int>(entries.size());
  const int by = (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) -
                 (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
  memory.has_moved = memory.has_moved || by != 0;
  memory.chosen = count == 0 ? 0 : std::clamp(memory.chosen + by, 0, count - 1);
  const float row = std::round(kListRow * ImGui::GetFontSize());
  for (int i = 0; i < count; ++i) {
    const auto& entry = entries[static_cast<std::size_t>(i)];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(i);
    const bool is_clicked = ImGui::Selectable("###lesson", memory.chosen == i, 0, {0.0F, row});
    ImGui::PopID();
    if (memory.chosen == i && memory.has_moved) {
      ImGui::SetScrollHereY();
    }
    if (is_clicked || (memory.chosen == i && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                              ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)))) {
      commands.emplace_back(opening(entry));
      commands.emplace_back(state::ShowLessons{false});
    }
    if (const std::string words = understood_words(entry); !words.empty()) {
      tooltip(words);
    }
    draw_entry(context, entry, at, width);
  }
  memory.has_moved = false;
}

// The open lesson, or the first unfinished one.
int first_choice(const Context& context) {
  const auto& entries = *context.view.lessons;
  auto chosen =
      std::ranges::find(entries, context.state.course.lesson, &workspace::LessonEntry::lesson);
  if (chosen == entries.end()) {
    chosen = std::ranges::find_if(entries, [](const workspace::LessonEntry& entry) {
      return entry.mistake.empty() && entry.seen < entry.beats;
    });
  }
  return chosen == entries.end() ? 0 : static_cast<int>(chosen - entries.begin());
}

}  // namespace

Commands draw_lesson_list(const Context& context) {
  auto& memory = context.memory.of<LessonListMemory>();
  const bool is_read = context.view.lessons != nullptr;
  if (!context.state.course.list) {
    memory.is_open = false;
    return {};
  }
  if (has_open_field(context.state)) {  // the palette has been opened over it
    return {state::ShowLessons{false}};
  }
  if (is_read && !std::exchange(memory.is_open, true)) {
    memory.chosen = first_choice(context);
    memory.has_moved = true;
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  const float rows =
      is_read ? static_cast<float>(context.view.lessons->size()) * (kListRow + 0.3F) : 2.0F;
  const ImVec2 size(std::min(kLessonListWidth * em, viewport.Size.x - 2.0F * em),
                    std::min((rows + 5.0F) * em, viewport.Size.y - 2.0F * em));
  ImGui::SetNextWindowPos(viewport.GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em, 0.8F * em));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::SetNextWindowFocus();
  Commands commands;
  ImGui::Begin("###lessons", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  heading(context, kLessons);
  ImGui::SameLine();
  coloured_text(context.theme.text_dim, kHowTo);
  if (!is_read || context.view.lessons->empty()) {
    coloured_text(context.theme.text_dim, is_read ? kNoLessons : kReading);
  } else {
    if (ImGui::BeginChild("###rows", {0.0F, 0.0F}, ImGuiChildFlags_None, ImGuiWindowFlags_NoNav)) {
      draw_entries(context, memory, commands);
    }
    ImGui::EndChild();
  }
  const bool clicked_away = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                            !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) || clicked_away) {
    commands.emplace_back(state::ShowLessons{false});
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  return commands;
}

}  // namespace tilestep::ui
