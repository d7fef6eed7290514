#include "ui/said.h"

#include "ui/icons.h"
#include "ui/theme.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <string>

namespace tilestep::ui {
namespace {

// What the compiler says is at the source already.
bool is_said_at_the_source(const Context& context) {
  return context.state.tab == state::Tab::Step && !context.state.lecture &&
         context.state.source_page == state::SourcePage::Source &&
         context.view.diagnostics != nullptr && !context.view.diagnostics->empty();
}

bool is_key_or_click() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) || g.LastKeyboardKeyPressTime >= g.Time;
}

}  // namespace

Commands draw_said(const Context& context, const Box& room) {
  const workspace::FrameView& view = context.view;
  const std::string& wrong = !view.refusal.empty()             ? view.refusal
                             : !is_said_at_the_source(context) ? view.message
                                                               : view.refusal;
  std::string text;
  const auto add = [&text](const char* sign, const std::string& sentence) {
    if (!sentence.empty()) {
      text += fmt::format("{}{}  {}", text.empty() ? "" : "\n", sign, sentence);
    }
  };
  add(icon::kWarning, wrong);
  add(icon::kArrowRight, view.flow != nullptr ? view.flow->sentence : "");
  add(icon::kDiamond, view.looking_for.empty() ? view.event : "");
  add(icon::kSpinner, view.looking_for);
  add(icon::kCheck, view.notice);
  if (text.empty()) {
    return {};
  }
  const Fill colours = wrong.empty() ? context.theme.selected : context.theme.fault;
  const float padding = ImGui::GetStyle().WindowPadding.x;
  ImGui::SetNextWindowPos({room.right(), room.bottom()}, ImGuiCond_Always, {1.0F, 1.0F});
  ImGui::SetNextWindowSizeConstraints({0.0F, 0.0F}, {room.w, room.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colours.fill);
  ImGui::PushStyleColor(ImGuiCol_Text, colours.text);
  ImGui::Begin("###said", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoInputs);
  ImGui::PushTextWrapPos(room.w - padding);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::End();
  ImGui::PopStyleColor(2);
  return !view.notice.empty() && is_key_or_click() ? Commands{state::Say{}} : Commands{};
}

}  // namespace tilestep::ui
