// A panel's window: a card at a fixed place, dimmed while it shows what is no longer asked for.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <functional>

namespace tilestep::ui {

inline constexpr ImGuiWindowFlags kFixedWindow =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
    ImGuiWindowFlags_NoNavFocus;

struct PanelWindow {
  const char* window;
  Box box;
  bool shows_recording = true;
  bool is_ground = false;   // the source's strip and the drawer lie over it
  float said_above = 0.0F;  // where the sentence ends that says why the stage is an old one
};

// A card of its own; what `draw` draws belongs to it.
void draw_panel(const Context& context, const PanelWindow& panel,
                const std::function<void()>& draw);

}  // namespace tilestep::ui
