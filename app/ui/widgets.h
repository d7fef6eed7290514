// Small pieces that several panels share.
#pragma once

#include "problem/launch/launch.h"
#include "problem/words.h"
#include "simt/machine/machine.h"
#include "simt/machine/program.h"
#include "ui/actions.h"
#include "ui/panel.h"

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// A button in the colours of a selection where it is lit.
bool lit_button(const Context& context, const char* face, bool lit);

// A button for an action: shows `face` (an icon, a word or both), tells its key and sentence on
// hover (at once where the face is an icon alone), gives its commands when pressed.
[[nodiscard]] Commands action_button(const Context& context, ActionId id, const char* face,
                                     bool lit = false);

void append(Commands& to, Commands from);

// Text in one of the theme's colours.
void coloured_text(ImU32 colour, const char* text);
void wrapped_text(ImU32 colour, const std::string& text);
// A panel's heading: bold, with air above.
void heading(const Context& context, const char* text);

// Builds of a kernel: chosen from a list, and what is said where the fast one is on stage.

// What of it cannot be seen.
inline constexpr Message kFastBuildSentence =
    "In the fast build, variables have no names, and a line's instructions are where the compiler "
    "put them. Declared arrays, accesses and sums are still traced.";

// … in a line.
inline constexpr Message kFastBuildLine =
    "Fast build: variables have no names, lines run in the compiler's order.";

[[nodiscard]] bool is_fast_build(const simt::Program& program);

// A list of an enum's words: the value that was chosen in this frame.
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
// `width`: in lines of text. The build that was chosen in this frame.
[[nodiscard]] std::optional<problem::Build> build_choice(const char* label, problem::Build now,
                                                         float width);

// The Font Awesome 6 Free (solid) icons in use, as UTF-8; merged into every font of ui::Fonts.

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

// How blocks and threads are written, by their linear indices (insight/names.h has the rule).

// "block (1,0)"
[[nodiscard]] std::string block_name(const simt::Program& program, std::uint32_t block);
// "thread (2,1) of block (1,0)"
[[nodiscard]] std::string thread_name(const simt::Program& program, std::uint32_t block,
                                      std::uint32_t thread);

// Ctrl+C: what can be copied says so where it is drawn; the innermost thing under the mouse is what
// is meant, else what the tab is about.

// What is said of what was copied, where several places have it.
inline constexpr Message kCopiedSum = "the sum of {}";
inline constexpr Message kCopiedLanes = "{} in every lane";

// Text that something drawn in this frame offers.
struct Copyable {
  std::string what;                   // "the sum of C[5][6]": said after "Copied: "
  std::function<std::string()> text;  // made when it is copied, in the frame that offers it
  bool is_main = false;               // where the mouse is over nothing: the last of these
};

// From (left, top) to (right, bottom), window pixels. Does nothing where the window that is being
// drawn is not the one under the mouse, unless it is a main thing.
void offer_copy(const Context& context, ImVec2 from, ImVec2 to, Copyable thing);
// The item drawn last, or the group.
void offer_copy_of_item(const Context& context, Copyable thing);

// Forgets the last frame's.
void begin_copying(const Context& context);
// Puts the chosen thing into the clipboard and says so; nothing where nothing is offered.
[[nodiscard]] Commands copy_this(const Context& context);

// Cells side by side, as spreadsheets paste them: tabs and line breaks in a cell become blanks.
[[nodiscard]] std::string tabbed(const std::vector<std::vector<std::string>>& rows);

}  // namespace tilestep::ui
