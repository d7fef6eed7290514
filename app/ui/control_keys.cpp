#include "ui/control_keys.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr std::array kKeysOfControls{ImGuiKey_Tab,     ImGuiKey_LeftArrow,   ImGuiKey_RightArrow,
                                     ImGuiKey_UpArrow, ImGuiKey_DownArrow,   ImGuiKey_Space,
                                     ImGuiKey_Enter,   ImGuiKey_KeypadEnter, ImGuiKey_Escape};
constexpr double kFrameAfterKey = 0.05;  // seconds: Dear ImGui moves the mark one frame later

struct ControlKeysMemory {
  bool was_on = false;
  bool had_popup = false;  // Esc closed it
};

// These lists have keys of their own.
bool has_own_keys(const state::AppState& state) {
  return state.show_palette || state.show_keys || state.show_go_to || state.course.list ||
         state.asked != state::Asked::Nothing;
}

bool is_on(const state::AppState& state) {
  return state.controls_by_key && !has_own_keys(state);
}

// The panels with controls, in reading order. An open field or dialog covers the others.
std::vector<ImGuiWindow*> panels(const state::AppState& state) {
  std::vector<ImGuiWindow*> found;
  for (ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    const ImGuiWindowFlags excluded = ImGuiWindowFlags_NoNavInputs |
                                      ImGuiWindowFlags_NoMouseInputs | ImGuiWindowFlags_Tooltip |
                                      ImGuiWindowFlags_Popup;
    const bool is_dialog = (window->RootWindow->Flags & ImGuiWindowFlags_NoNavFocus) == 0;
    if (window->WasActive && !window->Hidden && (window->Flags & excluded) == 0 &&
        window->DC.NavLayersActiveMask != 0 &&
        (is_dialog || !(state.show_export || state.show_save_as))) {
      found.push_back(window);
    }
  }
  std::ranges::stable_sort(found, {}, [](const ImGuiWindow* window) {
    return std::tuple(window->Pos.y, window->Pos.x);
  });
  return found;
}

void go_to_next_panel(const state::AppState& state) {
  const std::vector<ImGuiWindow*> all = panels(state);
  if (all.empty()) {
    return;
  }
  const auto now = std::ranges::find(all, ImGui::GetCurrentContext()->NavWindow);
  ImGuiWindow* const next = now == all.end() || now + 1 == all.end() ? all.front() : *(now + 1);
  ImGui::FocusWindow(next);
  ImGui::NavInitWindow(next, true);
  ImGui::SetNavCursorVisible(true);
}

}  // namespace

bool controls_take(const state::AppState& state, ImGuiKeyChord chord) {
  return is_on(state) && (chord & (ImGuiMod_Ctrl | ImGuiMod_Alt)) == 0 &&
         std::ranges::find(kKeysOfControls, static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_)) !=
             kKeysOfControls.end();
}

Commands walk_controls(const Context& context) {
  auto& memory = context.memory.of<ControlKeysMemory>();
  ImGuiIO& io = ImGui::GetIO();
  const bool is_now = is_on(context.state);
  io.ConfigNavCursorVisibleAlways = is_now;
  if (!is_now) {
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
    memory = {};
    return {};
  }
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.LastKeyboardKeyPressTime == g.Time || !memory.was_on) {
    context.memory.animate_until(context.now + kFrameAfterKey);
  }
  const bool has_popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  const bool ends = ImGui::IsKeyPressed(ImGuiKey_Escape, false) && !has_popup &&
                    !memory.had_popup && g.ActiveIdPreviousFrame == 0;
  if (!memory.was_on || ImGui::IsKeyPressed(ImGuiKey_F6)) {
    go_to_next_panel(context.state);
  }
  memory = {true, has_popup};
  return ends ? Commands{state::MoveAmongControls{false}} : Commands{};
}

}  // namespace tilestep::ui
