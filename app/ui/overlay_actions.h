// What covers the whole stage by key: the memory view, its contrast with other kernels, the volume.
#pragma once

#include "ui/actions.h"

#include <array>

namespace tilestep::ui {

// What is said.
inline constexpr Message kNoContrast =
    "No other kernel in the catalog differs from this one only in its memory layout.";

inline Commands toggle_memory(const Context& c) {
  return {state::ShowMemory{!c.state.show_memory}};
}

inline Commands toggle_contrast(const Context& c) {
  if (c.view.catalog->contrast_of(c.state.kernel) == nullptr) {
    return {state::Say{kNoContrast.text()}};
  }
  return {state::ShowMemory{!(c.state.show_memory && c.state.show_contrast), true}};
}

inline Commands toggle_volume(const Context& c) {
  state::VolumeView volume = c.state.volume;
  volume.large = !volume.large;
  return {state::SetVolume{volume}};
}

// By a twelfth of a right angle.
template <int around, int above>
Commands turn_volume(const Context& c) {
  constexpr float kTurn = 0.131F;
  state::VolumeView volume = c.state.volume;
  volume.yaw += kTurn * static_cast<float>(around);
  volume.pitch += kTurn * static_cast<float>(above);
  return volume.large ? Commands{state::SetVolume{volume}} : Commands{};
}

inline constexpr std::array kOverlayActions{
    Action{ActionId::ToggleMemory, ActionGroup::Looking, "Memory",
           "Sectors and banks that the warp's accesses use, large; again closes it.", ImGuiKey_M, 0,
           false, toggle_memory},
    Action{ActionId::ToggleContrast, ActionGroup::Looking, "Memory in other kernels",
           "The same access in kernels with another memory layout; again closes it.",
           ImGuiMod_Shift | ImGuiKey_M, 0, false, toggle_contrast},
    Action{ActionId::ToggleVolume, ActionGroup::Looking, "Volume",
           "Every product of the block as a cube, large; again closes it.", ImGuiKey_8, 0, false,
           toggle_volume},
    Action{ActionId::TurnVolumeLeft, ActionGroup::Looking, "Turn the volume left",
           "Turns it around its vertical.", ImGuiMod_Shift | ImGuiKey_LeftArrow, 0, true,
           turn_volume<+1, 0>},
    Action{ActionId::TurnVolumeRight, ActionGroup::Looking, "Turn the volume right",
           "Turns it around its vertical.", ImGuiMod_Shift | ImGuiKey_RightArrow, 0, true,
           turn_volume<-1, 0>},
    Action{ActionId::TurnVolumeUp, ActionGroup::Looking, "Turn the volume up",
           "Looks at it from further above.", ImGuiMod_Shift | ImGuiKey_UpArrow, 0, true,
           turn_volume<0, +1>},
    Action{ActionId::TurnVolumeDown, ActionGroup::Looking, "Turn the volume down",
           "Looks at it from further below.", ImGuiMod_Shift | ImGuiKey_DownArrow, 0, true,
           turn_volume<0, -1>},
};

}  // namespace tilestep::ui
