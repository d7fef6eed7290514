#include "ui/size_sliders.h"

#include "problem/describe/spec_parts.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/widgets.h"
#include "workspace/survey.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

// What is said of the sizes.
constexpr Message kRowsTip = "Rows of A and C. Arrow keys and wheel: by one; Ctrl+click: type.";
constexpr Message kColumnsTip =
    "Columns of B and C. Arrow keys and wheel: by one; Ctrl+click: type.";
constexpr Message kTermsTip =
    "Columns of A, rows of B. Arrow keys and wheel: by one; Ctrl+click: type.";
constexpr Message kSizeTip = "M, N and K. Arrow keys and wheel: by one; Ctrl+click: type.";
constexpr const char* kLockedName = "M = N = K";
constexpr const char* kLockFace = "=";

// In multiples of the font size, chosen so that the whole bar fits 1280×720.
constexpr float kSizeWidth = 4.4F;

// What the wheel and the arrow keys do to the slider under the pointer, which takes them from the
// stage.
int steps_over_item() {
  if (!ImGui::IsItemHovered()) {
    return 0;
  }
  const ImGuiID owner = ImGui::GetID("##steps");  // a group has no id of its own
  ImGui::SetKeyOwner(ImGuiKey_MouseWheelY, owner);
  int steps = static_cast<int>(ImGui::GetIO().MouseWheel);
  for (const auto& [key, step] : {std::pair(ImGuiKey_LeftArrow, -1),
                                  {ImGuiKey_DownArrow, -1},
                                  {ImGuiKey_RightArrow, 1},
                                  {ImGuiKey_UpArrow, 1}}) {
    ImGui::SetKeyOwner(key, owner);
    steps += ImGui::IsKeyPressed(key) ? step : 0;
  }
  return steps;
}

struct SizeSlider {
  const char* name;
  const char* tip;
  int max;
  float width;             // in multiples of the font size
  std::vector<int> ticks;  // values that are marked
};

bool size_slider(const Context& context, const SizeSlider& slider, int& value) {
  field_label(context, slider.name);
  ImGui::PushID(slider.name);
  bool changed = value_slider(context,
                              {.low = 1.0F,
                               .high = static_cast<float>(slider.max),
                               .width = slider.width * ImGui::GetFontSize(),
                               .shown = std::to_string(value),
                               .ticks = slider.ticks},
                              value);
  if (const int steps = steps_over_item(); steps != 0) {
    value = std::max(1, value + steps);
    changed = true;
  }
  ImGui::PopID();
  tooltip(slider.tip);
  ImGui::SameLine();
  return changed;
}

// While a kernel is not there yet: all.
problem::UsedSizes sizes_in_use(const Context& context) {
  return context.view.scene == nullptr ? problem::UsedSizes{true, true, true}
                                       : problem::used_sizes(context.view.scene->spec);
}

bool uses_block_size(const Context& context) {
  return context.view.scene == nullptr || context.view.scene->spec.uses_block_size;
}

// One for all three, and as wide as they are.
bool locked_slider(const Context& context, const std::vector<int>& ticks, float width,
                   problem::Problem& size) {
  const bool changed = size_slider(
      context, {kLockedName, kSizeTip.text(), workspace::kLargestSliderSize, 3.0F * width, ticks},
      size.M);
  if (changed) {
    size.N = size.K = size.M;
  }
  return changed;
}

// Marked are the sizes that whole tiles fill. Those that the kernel does not use are not there.
bool problem_sliders(const Context& context, const SizeRoom& room, problem::Problem& size,
                     Commands& commands) {
  const problem::UsedSizes used = sizes_in_use(context);
  const int step = uses_block_size(context) ? context.state.parameters.block_size : 8;
  std::vector<int> whole;
  for (int value = step; step > 0 && value <= workspace::kLargestSliderSize; value += step) {
    whole.push_back(value);
  }
  const float width = kSizeWidth + room.more_for_sizes;
  bool changed = false;
  if (context.state.sizes_locked) {
    changed = locked_slider(context, whole, width, size);
  } else {
    for (const auto& [name, tip, is_used, value] :
         {std::tuple("M", kRowsTip.text(), used.M, &size.M),
          {"N", kColumnsTip.text(), used.N, &size.N},
          {"K", kTermsTip.text(), used.K, &size.K}}) {
      changed |=
          is_used &&
          size_slider(context, {name, tip, workspace::kLargestSliderSize, width, whole}, *value);
    }
  }
  if (used.M + used.N + used.K > 1) {
    append(commands,
           action_button(context, ActionId::LockSizes, kLockFace, context.state.sizes_locked));
    ImGui::SameLine();
  }
  return changed;
}

// One button that opens the three sliders.
bool problem_button(const Context& context, const SizeRoom& room, problem::Problem& size,
                    Commands& commands) {
  bool changed = false;
  const std::string face =
      fmt::format("{}{}·{}·{}###sizes", room.is_tight ? "" : "M N K  ", size.M, size.N, size.K);
  if (ImGui::Button(face.c_str())) {
    ImGui::OpenPopup("sizes");
  }
  tooltip(tr("Rows of A and C, columns of B and C, columns of A and rows of B."));
  if (ImGui::BeginPopup("sizes")) {
    changed = problem_sliders(context, room, size, commands);
    ImGui::NewLine();
    ImGui::EndPopup();
  }
  ImGui::SameLine();
  return changed;
}

}  // namespace

Commands draw_sizes(const Context& context, const SizeRoom& room) {
  Commands commands;
  problem::Parameters p = context.state.parameters;
  const problem::UsedSizes used = sizes_in_use(context);
  bool changed = false;
  if (used.M || used.N || used.K) {
    changed = room.has_room ? problem_sliders(context, room, p.problem, commands)
                            : problem_button(context, room, p.problem, commands);
  }
  if (changed) {
    commands.push_back(state::SetParameters{p});
  }
  return commands;
}

}  // namespace tilestep::ui
