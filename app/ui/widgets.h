// Small widgets that several panels share.
#pragma once

#include "problem/launch/launch.h"
#include "problem/words.h"
#include "simt/machine/machine.h"
#include "simt/machine/program.h"
#include "ui/actions.h"
#include "ui/panel.h"

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

// Dimmed text before a field, on its baseline; the next item follows on the same line.
void field_label(const Context& context, const char* text);

// The text, cut with an ellipsis if it is wider than `width` pixels in the current font.
[[nodiscard]] std::string cut_to(const std::string& text, float width);

// The font size, at most `size`, at which a text that is `natural` pixels wide at `size` fits into
// `room` pixels; at least one pixel.
[[nodiscard]] float fitted_size(float size, float natural, float room);

// ImGui::InvisibleButton, at least one pixel wide and high: a small window may leave no room.
bool hit_area(const char* id, ImVec2 size, ImGuiButtonFlags flags = 0);
// One that does the same wherever it is clicked; keys reach it, too (ui/control_keys.h).
inline bool hit_button(const char* id, ImVec2 size) {
  return hit_area(id, size, ImGuiButtonFlags_EnableNav);
}

// True if a key was pressed since the mouse moved: a tooltip would hide the key's effect.
[[nodiscard]] bool keys_came_last();

// A tooltip for the last item, after ImGui's usual delay or at once; none while keys_came_last().
enum class TooltipDelay { Usual, None };
void tooltip(const std::string& text, TooltipDelay delay = TooltipDelay::Usual);

// A slider with its value to the right, where the grab cannot cover it. Ctrl+click types a value,
// also one outside the slider's range.
struct Slider {
  const char* id = "##value";
  float low = 0.0F;
  float high = 1.0F;
  float width = 0.0F;         // pixels, including the text
  std::string shown;          // "64", "2.0/s"
  const char* widest = "64";  // the longest text
  ImGuiSliderFlags flags = ImGuiSliderFlags_None;
  std::span<const int> ticks{};  // marked values, ascending
};
[[nodiscard]] bool value_slider(const Context& context, const Slider& slider, int& value);
[[nodiscard]] bool value_slider(const Context& context, const Slider& slider, float& value);

// A button with the colors of a selection if `lit`.
bool lit_button(const Context& context, const char* face, bool lit);

// A button for an action: shows `face` (an icon, a word or both), shows its key and sentence on
// hover (at once if the face is only an icon), returns its commands when pressed.
[[nodiscard]] Commands action_button(const Context& context, ActionId id, const char* face,
                                     bool lit = false);

void append(Commands& to, Commands from);

// Text in a theme color.
void coloured_text(ImU32 colour, const char* text);
void wrapped_text(ImU32 colour, const std::string& text);
// "estimated", with stripes: what it heads is no measurement.
void estimated_chip(const Context& context);
// A panel's heading: bold, with space above.
void heading(const Context& context, const char* text);

// Builds of a kernel: the choice, and texts for the fast build on stage.

// Limits of the optimized builds.
inline constexpr Message kFastBuildSentence =
    "In the fast build and in machine code, variables have no names, and the instructions run in "
    "the compiler's order. "
    "Declared arrays, accesses and sums are still traced.";

// The same in one line.
inline constexpr Message kFastBuildLine =
    "Optimized: variables have no names, lines run in the compiler's order.";

[[nodiscard]] problem::Build build_of(const simt::Program& program);

// A list of an enum's words; returns the value chosen in this frame.
template <class Enum>
[[nodiscard]] std::optional<Enum> word_choice(const char* label, Enum now, bool has_tips = true) {
  std::optional<Enum> chosen;
  if (ImGui::BeginCombo(label, word_of(now).label)) {
    for (const Word<Enum>& word : words_of<Enum>()) {
      if (ImGui::Selectable(word.label, word.value == now)) {
        chosen = word.value;
      }
      if (has_tips) {
        tooltip(word.tooltip.text());
      }
    }
    ImGui::EndCombo();
  }
  return chosen;
}

// The width of such a list: its longest word and the arrow.
template <class Enum>
[[nodiscard]] float word_choice_width() {
  float widest = 0.0F;
  for (const Word<Enum>& word : words_of<Enum>()) {
    widest = std::max(widest, ImGui::CalcTextSize(word.label).x);
  }
  return widest + ImGui::GetFrameHeight() + 2.0F * ImGui::GetStyle().FramePadding.x;
}

// `width`: in lines of text. Returns the build chosen in this frame.
[[nodiscard]] std::optional<problem::Build> build_choice(const char* label, problem::Build now,
                                                         float width);

// The used Font Awesome 6 Free (solid) icons as UTF-8; merged into every font of ui::Fonts.

namespace icon {
inline constexpr const char* kPlay = "\xef\x81\x8b";         // U+F04B
inline constexpr const char* kPause = "\xef\x81\x8c";        // U+F04C
inline constexpr const char* kStop = "\xef\x81\x8d";         // U+F04D
inline constexpr const char* kToStart = "\xef\x81\x89";      // U+F049 backward-fast
inline constexpr const char* kToEnd = "\xef\x81\x90";        // U+F050 forward-fast
inline constexpr const char* kBackward = "\xef\x81\x8a";     // U+F04A
inline constexpr const char* kForward = "\xef\x81\x8e";      // U+F04E
inline constexpr const char* kStepBack = "\xef\x81\x88";     // U+F048 backward-step
inline constexpr const char* kStepForward = "\xef\x81\x91";  // U+F051 forward-step
inline constexpr const char* kWarning = "\xef\x81\xb1";      // U+F071 triangle-exclamation
inline constexpr const char* kError = "\xef\x81\xaa";        // U+F06A circle-exclamation
inline constexpr const char* kCheck = "\xef\x80\x8c";        // U+F00C
inline constexpr const char* kClose = "\xef\x80\x8d";        // U+F00D xmark
inline constexpr const char* kCheckCircle = "\xef\x81\x98";  // U+F058
inline constexpr const char* kEdit = "\xef\x8c\x83";         // U+F303 pencil
inline constexpr const char* kKeyboard = "\xef\x84\x9c";     // U+F11C
inline constexpr const char* kHalfCircle = "\xef\x81\x82";   // U+F042 circle-half-stroke
inline constexpr const char* kSpinner = "\xef\x84\x90";      // U+F110
inline constexpr const char* kArrowRight = "\xef\x81\xa1";   // U+F061
inline constexpr const char* kCircle = "\xef\x84\x91";       // U+F111
inline constexpr const char* kSquare = "\xef\x83\x88";       // U+F0C8
inline constexpr const char* kDiamond = "\xef\x88\x99";      // U+F219
inline constexpr const char* kUp = "\xef\x83\x98";           // U+F0D8 caret-up
inline constexpr const char* kDown = "\xef\x83\x97";         // U+F0D7 caret-down
}  // namespace icon

// The names of blocks and threads by their linear indices (insight/names.h has the rule).

// "block (1,0)"
[[nodiscard]] std::string block_name(const simt::Program& program, std::uint32_t block);
// "thread (2,1) of block (1,0)"
[[nodiscard]] std::string thread_name(const simt::Program& program, std::uint32_t block,
                                      std::uint32_t thread);

// What the window says in words, for a screen reader: the sentence of the statement on stage, the
// lesson's text, a question, its verdict, messages. Panels add what they draw; nothing that an open
// question hides.

// Clears the previous frame's lines.
void begin_saying(const Context& context);
// One line for each line of the text; empty ones are dropped.
void say_aloud(const Context& context, const std::string& text);
[[nodiscard]] const std::vector<std::string>& said_aloud(Memory& memory);

// Ctrl+C: drawn items offer texts to copy; the innermost one under the mouse is chosen, else the
// main one of the tab.

// Names of copied texts that several places use.
inline constexpr Message kCopiedSum = "the sum of {}";
inline constexpr Message kCopiedLanes = "{} in every lane";

// A text that an item drawn in this frame offers.
struct Copyable {
  std::string what;                   // "the sum of C[5][6]": follows "Copied: "
  std::function<std::string()> text;  // called when it is copied, in the frame that offers it
  bool is_main = false;               // used if the mouse is over none: the last of these
};

// The area from (left, top) to (right, bottom), window pixels. Has no effect if the current window
// is not the one under the mouse, unless `thing` is a main one.
void offer_copy(const Context& context, ImVec2 from, ImVec2 to, Copyable thing);
// Offers a text for the latest item or group.
void offer_copy_of_item(const Context& context, Copyable thing);

// Clears the previous frame's offers.
void begin_copying(const Context& context);
// Copies the chosen text to the clipboard and reports it; empty if nothing is offered.
[[nodiscard]] Commands copy_this(const Context& context);

// Cells in the format of spreadsheets: tabs and line breaks in a cell become blanks.
[[nodiscard]] std::string tabbed(const std::vector<std::vector<std::string>>& rows);

}  // namespace tilestep::ui
