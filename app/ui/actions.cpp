#include "ui/actions.h"

#include "ui/control_keys.h"
#include "ui/lesson/question.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace tilestep::ui {
namespace {

struct KeySign {
  ImGuiKey key;
  const char* text;
};
constexpr std::array kKeySigns{
    KeySign{ImGuiKey_Minus, "-"},       KeySign{ImGuiKey_LeftArrow, "←"},
    KeySign{ImGuiKey_RightArrow, "→"},  KeySign{ImGuiKey_UpArrow, "↑"},
    KeySign{ImGuiKey_DownArrow, "↓"},   KeySign{ImGuiKey_Period, "."},
    KeySign{ImGuiKey_Comma, ","},       KeySign{ImGuiKey_LeftBracket, "["},
    KeySign{ImGuiKey_RightBracket, "]"}};

bool works_while_typing(const Context& context, const Action& action) {
  if (action.typing == Typing::Works || action.typing == Typing::Never) {
    return action.typing == Typing::Works;
  }
  const int key = action.key & ~ImGuiMod_Mask_;
  const bool function_key = key >= ImGuiKey_F1 && key <= ImGuiKey_F24;
  const bool letter_or_digit = key >= ImGuiKey_0 && key <= ImGuiKey_Z;
  const bool sign = key == ImGuiKey_Equal || key == ImGuiKey_Minus;
  return function_key || ((action.key & ImGuiMod_Ctrl) != 0 && (letter_or_digit || sign)) ||
         (action.typing == Typing::InALine && !context.state.editing);
}

}  // namespace

const char* name(ActionGroup group) {
  constexpr std::array kNames{Message("Stepping"),  Message("Running"), Message("Viewing"),
                              Message("Comparing"), Message("Window"),  Message("General")};
  return kNames[static_cast<std::size_t>(group)];
}

const Action& action(ActionId id) {
  const auto found = std::ranges::find(actions(), id, &Action::id);
  assert(found != actions().end());
  return *found;
}

const Action& event_action(record::EventKind kind, int direction) {
  const int pair = 2 * static_cast<int>(kind) + (direction > 0 ? 0 : 1);
  return action(static_cast<ActionId>(static_cast<int>(ActionId::NextFinding) + pair));
}

std::string key_name(ImGuiKeyChord chord) {
  if (chord == 0) {
    return {};
  }
  if (chord == (ImGuiMod_Shift | ImGuiKey_Slash)) {
    return "?";
  }
  std::string text;
  text += (chord & ImGuiMod_Ctrl) != 0 ? "Ctrl+" : "";
  text += (chord & ImGuiMod_Alt) != 0 ? "Alt+" : "";
  text += (chord & ImGuiMod_Shift) != 0 ? "Shift+" : "";
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  if (key == ImGuiKey_Equal) {  // "Ctrl++" names the effect
    return text + ((chord & ImGuiMod_Ctrl) != 0 ? "+" : "=");
  }
  const auto sign = std::ranges::find(kKeySigns, key, &KeySign::key);
  return text + (sign != kKeySigns.end() ? sign->text : ImGui::GetKeyName(key));
}

std::string tooltip_text(const Action& action) {
  const std::string key = key_name(action.key);
  return key.empty() ? fmt::format("{}\n{}", action.label, action.tooltip)
                     : fmt::format("{}  ({})\n{}", action.label, key, action.tooltip);
}

Commands pressed_actions(const Context& context) {
  Commands commands;
  const bool is_list = context.state.course.list;  // its keys do nothing to what it covers
  const bool typing = context.state.editing || ImGui::GetIO().WantTextInput || is_list;
  for (const Action& a : actions()) {
    if (typing && !works_while_typing(context, a)) {
      continue;
    }
    if (a.key == ImGuiKey_Enter ? is_list || context.state.show_keys
                                : is_list && a.key == ImGuiKey_Escape) {
      continue;  // the list of lessons or the sheet of keys uses it
    }
    const ImGuiInputFlags flags =
        ImGuiInputFlags_RouteGlobal | (a.repeats ? ImGuiInputFlags_Repeat : 0);
    const bool is_first = a.goes_first != nullptr && a.goes_first(context);
    const ImGuiInputFlags over = is_first ? ImGuiInputFlags_RouteOverActive : 0;
    // On keyboards where "+" is Shift and "=".
    const bool is_plus = a.key == (ImGuiMod_Ctrl | ImGuiKey_Equal);
    const auto is_free = [&context](ImGuiKeyChord key) {
      return key != 0 && !question_takes(context, key) && !controls_take(context.state, key);
    };
    if ((is_free(a.key) && ImGui::Shortcut(a.key, flags | over)) ||
        (is_plus && ImGui::Shortcut(ImGuiMod_Shift | a.key, flags)) ||
        (is_free(a.other_key) && ImGui::Shortcut(a.other_key, flags))) {
      append(commands, a.commands(context));
    }
  }
  return commands;
}

}  // namespace tilestep::ui
