// Small pieces that several panels share.
#pragma once

#include "ui/actions.h"
#include "ui/panel.h"

#include <span>
#include <string>

namespace tilestep::ui {

// Dimmed text in front of a field, on its baseline; the next item follows on the same line.
void field_label(const Context& context, const char* text);

// The text, cut short with an ellipsis where it is wider than `width` pixels in the font in use.
[[nodiscard]] std::string cut_to(const std::string& text, float width);

// The size of letters, at most `size`, at which a text fits into `room` pixels that is `natural`
// pixels wide at `size`; at least one pixel, where there is no room.
[[nodiscard]] float fitted_size(float size, float natural, float room);

// ImGui::InvisibleButton, at least one pixel wide and high: a small window leaves no room for some.
bool hit_area(const char* id, ImVec2 size, ImGuiButtonFlags flags = 0);

// A key was pressed since the mouse moved: a tooltip would hide what it did.
[[nodiscard]] bool keys_came_last();

// A tooltip for the last item, after ImGui's usual delay or at once; none while keys_came_last().
enum class TooltipDelay { Usual, None };
void tooltip(const std::string& text, TooltipDelay delay = TooltipDelay::Usual);

// A slider with its value to the right, where the grab cannot lie over it. Ctrl+click types a
// value, also one outside the slider's range.
struct Slider {
  const char* id = "##value";
  float low = 0.0F;
  float high = 1.0F;
  float width = 0.0F;         // pixels, the text included
  std::string shown;          // "64", "2.0/s"
  const char* widest = "64";  // the longest text that is shown
  ImGuiSliderFlags flags = ImGuiSliderFlags_None;
  std::span<const int> ticks{};  // values that are marked, rising
};
[[nodiscard]] bool value_slider(const Context& context, const Slider& slider, int& value);
[[nodiscard]] bool value_slider(const Context& context, const Slider& slider, float& value);

// A button for an action: shows `face` (an icon, a word or both), tells its key and sentence on
// hover (at once where the face is an icon alone), gives its commands when pressed.
[[nodiscard]] Commands action_button(const Context& context, ActionId id, const char* face,
                                     bool lit = false);

void append(Commands& to, Commands from);

// Text in one of the theme's colours.
void coloured_text(ImU32 colour, const char* text);
void wrapped_text(ImU32 colour, const std::string& text);
// Of one line, in pixels.
[[nodiscard]] float text_width(ImFont* font, float size, const std::string& text);
// A panel's heading: bold, with air above.
void heading(const Context& context, const char* text);

}  // namespace tilestep::ui
