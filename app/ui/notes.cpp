#include "ui/notes.h"

#include "problem/tr.h"
#include "problem/words.h"
#include "ui/lesson_bar.h"
#include "ui/theme.h"
#include "ui/veiling.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string>

namespace tilestep::ui {
namespace {

// What is said.
constexpr Message kNoNote = "This beat has no note.";
constexpr Message kLastIs = "This is the last beat.";
constexpr Message kNextIsHidden = "What comes next is shown once the question is answered.";

constexpr std::array kNotesKeys{
    ActionId::NextBeat, ActionId::PreviousBeat, ActionId::NextPhase, ActionId::NextStatement,
    ActionId::ShowRing, ActionId::BlankScreen,  ActionId::ShowNotes, ActionId::ToggleLecture};

// In lines of text.
constexpr float kClockSize = 2.2F;
constexpr float kNoteSize = 1.25F;
constexpr float kBetweenNotes = 0.7F;

std::string clock_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}", local.tm_hour, local.tm_min);
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

// Of a question that is asked the answer is often what follows.
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
    row("Enter", tr("Gives or reveals the answer"));
  }
  for (const ActionId id : kNotesKeys) {
    row(key_name(action(id).key), action(id).label);
  }
}

}  // namespace

void draw_notes(const Context& context) {
  const workspace::ShownLesson& shown = *context.view.lesson;
  const Theme& t = context.theme;
  apply_style(t, ImGui::GetFontSize());
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos(viewport.Pos);
  ImGui::SetNextWindowSize(viewport.Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em, 0.8F * em));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, t.panel);
  ImGui::PushStyleColor(ImGuiCol_Text, t.text);
  ImGui::PushFont(context.fonts.text, 0.0F);
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
  draw_next_beat(context);
  air();
  draw_notes_keys(context);
  ImGui::End();
  ImGui::PopFont();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

}  // namespace tilestep::ui
