#include "ui/entry_field.h"

#include "ui/theme.h"
#include "ui/widgets.h"

#include <algorithm>
#include <utility>

namespace tilestep::ui {
namespace {

// Puts what Tab makes of the text into the field.
int complete_entry(ImGuiInputTextCallbackData* data) {
  const auto& ways = *static_cast<const EntryWays*>(data->UserData);
  const std::string typed(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  const std::string whole = ways.complete(typed);
  if (whole != typed && whole.size() < static_cast<std::size_t>(data->BufSize)) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, whole.c_str());
  }
  return 0;
}

}  // namespace

void begin_entry(EntryField& entry, const std::string& text) {
  entry.is_open = true;
  entry.text[text.copy(entry.text.data(), entry.text.size() - 1)] = '\0';
}

EntryAnswer draw_entry(const Context& context, EntryField& entry, const EntryWords& words,
                       const EntryWays& ways) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({viewport.GetCenter().x, viewport.Pos.y + 4.0F * em}, ImGuiCond_Always,
                          {0.5F, 0.0F});
  ImGui::SetNextWindowSize({std::min(0.9F * viewport.Size.x, 36.0F * em), 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
  ImGui::Begin(words.window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::TextUnformatted(words.title.c_str());
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::IsWindowAppearing() || std::exchange(entry.asks_again, false)) {
    ImGui::SetKeyboardFocusHere();
  }
  EntryAnswer answer = EntryAnswer::None;
  EntryWays used = ways;
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue |
                                    (ways.complete ? ImGuiInputTextFlags_CallbackCompletion : 0);
  if (ImGui::InputTextWithHint("##entry", words.hint, entry.text.data(), entry.text.size(), flags,
                               ways.complete ? complete_entry : nullptr, &used)) {
    answer = EntryAnswer::Enter;
  }
  const std::string wrong = ways.mistake ? ways.mistake(entry.text.data()) : "";
  if (!wrong.empty()) {
    wrapped_text(context.theme.bad, wrong);
    answer = EntryAnswer::None;
    if (!ImGui::IsItemActive() && ImGui::IsKeyPressed(ImGuiKey_Enter)) {
      ImGui::SetKeyboardFocusHere(-1);  // Enter leaves the field; a mistake is mended in it
    }
  } else if (words.help != nullptr) {
    wrapped_text(context.theme.text_dim, words.help);
  }
  if (ways.below) {
    ways.below();
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    answer = EntryAnswer::Leave;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  return answer;
}

}  // namespace tilestep::ui
