#include "ui/instrument.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "ui/lesson/lesson.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"
#include "ui/window_plan.h"
#include "workspace/survey.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

namespace tilestep::ui {
namespace {

// The height in a room of at least `room`, in lines of text.
struct Height {
  float room, height;
};
constexpr std::array kHeights{Height{44.0F, 4.4F}, Height{34.0F, 3.5F}, Height{26.0F, 2.7F},
                              Height{0.0F, 2.0F}};

constexpr float kLeastSlider = 30.0F;  // lines, if the window is wide enough
constexpr float kMostSlider = 44.0F;
constexpr float kShareOfSlider = 0.5F;
constexpr float kShareInLecture = 0.38F;  // numbers are larger in a lecture
constexpr float kTrack = 0.34F;           // lines high
constexpr float kGrip = 1.24F;            // lines high, in the middle of the track
constexpr float kCovered = 1.1F;          // half the width that a grip covers
constexpr double kTypingSeconds = 0.8;
constexpr std::array kNamedBlocks{1, 4, 8, 16, 24, 32};
constexpr std::array kNamedSizes{1, 8, 16, 24, 32, 40, 48, 56, 64};

enum class Hand { None, First, Second, Size };

struct InstrumentMemory {
  std::array<MeasuredCurve, 2> curves;
  Hand hand = Hand::None;   // the grip that the mouse drags
  bool moved = false;       // since the button was pressed
  bool has_keys = false;    // it was clicked last: it gets arrow keys and digits
  bool was_chosen = false;  // the press was on the chosen point
  int typed = 0;
  double typed_at = 0.0;
};

bool has_block_size(const Context& context, const std::string& kernel) {
  const problem::LaunchSpec* const spec = context.view.kernels.catalog->find(kernel);
  if (spec == nullptr && context.view.run.scene != nullptr &&
      context.view.run.scene->kernel_id == kernel) {
    return context.view.run.scene->spec.uses_block_size;
  }
  return spec != nullptr && spec->uses_block_size;
}

bool has_two_grips(const Context& context) {
  return context.state.comparison.on && context.view.beside != nullptr &&
         has_block_size(context, context.state.comparison.second.kernel);
}

// The slider's parts from top to bottom: the curve, the track, the notches' names.
struct Parts {
  Box curve, track;
  float names = 0.0F;  // y; below the box if there is no room for them
  Notches notches;
};

Parts parts_of(const Box& box, float font, int last) {
  const float small = kSmall * font;
  const bool names = box.h >= 2.2F * font;
  Parts parts;
  parts.names = names ? box.bottom() - small : box.bottom();
  const float track = std::round(kTrack * font);
  const float below = names ? 0.1F : 0.5F * (kGrip - kTrack);
  parts.track = {box.x, parts.names - track - below * font, box.w, track};
  parts.curve = {box.x, box.y, box.w, parts.track.y - (names ? 0.3F : 0.1F) * font - box.y};
  const float pad = 0.6F * font;
  parts.notches = {box.x + pad, box.right() - pad, last};
  return parts;
}

// Names the notches, except those below a grip.
void draw_notches(const Context& context, ImDrawList& list, const Parts& parts,
                  std::span<const int> named, std::span<const int> grips, float font) {
  const Theme& t = context.theme;
  const Box& track = parts.track;
  list.AddRectFilled({track.x, track.y}, {track.right(), track.bottom()}, t.field, 0.5F * track.h);
  for (int value = 1; value <= parts.notches.last; ++value) {
    const bool is_named = std::ranges::find(named, value) != named.end();
    const float x = parts.notches.x_of(value);
    const float h = (is_named ? 0.5F : 0.22F) * track.h;
    const float y = track.y + 0.5F * track.h;
    list.AddLine({x, y - h}, {x, y + h}, is_named ? t.text_dim : t.border, 1.0F);
    if (is_named) {
      const bool is_covered = std::ranges::any_of(grips, [&](int grip) {
        return std::abs(parts.notches.x_of(grip) - x) < kCovered * font;
      });
      if (is_covered) {
        continue;
      }
      const std::string text = std::to_string(value);
      const float size = kSmall * font;
      small_text(context, list,
                 {x - 0.5F * text_width(context.fonts.text, size, text), parts.names}, t.text_dim,
                 text, size);
    }
  }
}

// Draws the grip on the track and its connection to the point of the curve.
void draw_grip(const Context& context, ImDrawList& list, const Parts& parts, int value,
               std::optional<float> point, const std::string& text, const Fill& look, float font) {
  const Box& track = parts.track;
  const float x = parts.notches.x_of(value);
  const float half =
      0.5F * std::max(1.5F * font, text_width(context.fonts.text, font, text) + 0.5F * font);
  const float middle = track.y + 0.5F * track.h;
  if (point) {
    list.AddLine({x, *point}, {x, track.y}, look.fill, std::max(1.0F, 0.07F * font));
    list.AddCircleFilled({x, *point}, 0.32F * font, look.fill);
  }
  list.AddRectFilled({x - half, middle - 0.5F * kGrip * font},
                     {x + half, middle + 0.5F * kGrip * font}, look.fill, 0.3F * font);
  list.AddText(context.fonts.bold, font,
               {x - 0.5F * text_width(context.fonts.bold, font, text), middle - 0.5F * font},
               look.text, text.c_str());
}

Commands set_block_size(const Context& context, Hand hand, int value) {
  value = std::clamp(value, 1, problem::kLargestBlockSize);
  if (hand == Hand::Second) {
    state::Comparison comparison = context.state.comparison;
    if (comparison.second.parameters.block_size == value) {
      return {};
    }
    comparison.second.parameters.block_size = value;
    return {state::Compare{comparison}};
  }
  problem::Parameters parameters = context.state.parameters;
  if (parameters.block_size == value) {
    return {};
  }
  parameters.block_size = value;
  return {state::SetParameters{parameters}};
}

Commands set_size(const Context& context, int value) {
  problem::Parameters parameters = context.state.parameters;
  value = std::max(value, 1);
  if (parameters.problem.N == value) {
    return {};
  }
  parameters.problem = workspace::with_size(parameters.problem, value);
  return {state::SetParameters{parameters}};
}

Commands open_timing(const Context& context, const MeasuredCurve& curve) {
  state::TimingView view = context.state.timing;
  view.page = state::TimingPage::BlockSize;
  view.problem = curve.problem;
  view.selected_kernel = context.state.kernel;
  view.selected_block_size = context.state.parameters.block_size;
  view.against = {};
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

int second_value(const Context& context) {
  return context.state.comparison.second.parameters.block_size;
}

// The nearer of the two grips.
Hand hand_at(const Context& context, int value) {
  if (ImGui::GetIO().KeyShift) {
    return Hand::Size;
  }
  const int to_first = std::abs(value - context.state.parameters.block_size);
  return has_two_grips(context) && std::abs(value - second_value(context)) < to_first ? Hand::Second
                                                                                      : Hand::First;
}

Commands move_hand(const Context& context, const Notches& notches, InstrumentMemory& memory) {
  const int value = notches.value_at(ImGui::GetIO().MousePos.x);
  Commands made = memory.hand == Hand::Size ? set_size(context, value)
                                            : set_block_size(context, memory.hand, value);
  memory.moved = memory.moved || !made.empty();
  return made;
}

Commands take_mouse(const Context& context, const Parts& parts, const MeasuredCurve& curve,
                    InstrumentMemory& memory) {
  Commands commands;
  if (ImGui::IsItemActivated() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const int value = parts.notches.value_at(ImGui::GetIO().MousePos.x);
    memory.hand = hand_at(context, value);
    memory.moved = false;
    memory.has_keys = true;
    memory.was_chosen = memory.hand == Hand::First && !curve.is_empty() &&
                        value == context.state.parameters.block_size &&
                        ImGui::GetIO().MousePos.y < parts.track.y;
  }
  if (ImGui::IsItemActive() && memory.hand != Hand::None) {
    return move_hand(context, parts.notches, memory);
  }
  if (ImGui::IsItemDeactivated() && memory.was_chosen && !memory.moved) {
    commands = open_timing(context, curve);
  }
  memory.hand = Hand::None;
  return commands;
}

// Steps by keys that the stage would use otherwise.
int steps_of_keys(ImGuiID owner) {
  int steps = 0;
  for (const auto& [key, step] : {std::pair(ImGuiKey_LeftArrow, -1), {ImGuiKey_RightArrow, +1}}) {
    ImGui::SetKeyOwner(key, owner);
    steps += ImGui::IsKeyPressed(key) ? step : 0;
  }
  return steps;
}

Commands take_digits(const Context& context, ImGuiID owner, InstrumentMemory& memory) {
  for (int digit = 0; digit <= 9; ++digit) {
    for (const ImGuiKey first : {ImGuiKey_0, ImGuiKey_Keypad0}) {
      const auto key = static_cast<ImGuiKey>(first + digit);
      ImGui::SetKeyOwner(key, owner);
      if (!ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(key, false)) {
        const TypedValue typed = type_digit(memory.typed, digit, problem::kLargestBlockSize);
        memory.typed = typed.value;
        memory.typed_at = typed.is_over ? context.now - kTypingSeconds : context.now;
      }
    }
  }
  if (memory.typed == 0) {
    return {};
  }
  const double until = memory.typed_at + kTypingSeconds;
  if (context.now < until) {
    context.memory.animate_until(until);
    return {};
  }
  return set_block_size(context, Hand::First, std::exchange(memory.typed, 0));
}

Commands take_keys(const Context& context, bool is_hovered, InstrumentMemory& memory) {
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !is_hovered) {
    memory.has_keys = false;
  }
  const bool listens =
      (is_hovered || memory.has_keys) && !context.state.editing && !ImGui::GetIO().WantTextInput;
  if (!listens) {
    memory.typed = 0;
    return {};
  }
  const ImGuiID owner = ImGui::GetItemID();
  int steps = steps_of_keys(owner);
  if (is_hovered) {
    ImGui::SetKeyOwner(ImGuiKey_MouseWheelY, owner);
    steps += static_cast<int>(ImGui::GetIO().MouseWheel);
  }
  Commands commands = take_digits(context, owner, memory);
  if (steps != 0 && ImGui::GetIO().KeyShift) {
    append(commands, set_size(context, context.state.parameters.problem.N + steps));
  } else if (steps != 0) {
    append(commands,
           set_block_size(context, Hand::First, context.state.parameters.block_size + steps));
  }
  return commands;
}

void say_what_it_is(const Context& context, const Parts& parts, const MeasuredCurve& curve) {
  if (!ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    return;
  }
  const int value = parts.notches.value_at(ImGui::GetIO().MousePos.x);
  const double gflops = curve.gflops[static_cast<std::size_t>(value)];
  std::string text = fmt::format("BLOCK_SIZE {}", value);
  if (gflops > 0.0 && !hides_speed(context, context.state.kernel)) {
    text += fmt::format(": {} GFLOP/s", grouped(static_cast<std::uint64_t>(std::llround(gflops))));
  }
  tooltip(text + "\n" +
          tr("Choose a BLOCK_SIZE: drag, or use the wheel, arrow keys or digits. Shift+drag "
             "changes N. A click on the chosen point opens the Timing tab."));
}

void paint_slider(const Context& context, const Parts& parts, float font,
                  InstrumentMemory& memory) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme& t = context.theme;
  const bool is_size = memory.hand == Hand::Size;
  const bool hides_curve = is_size || hides_speed(context, context.state.kernel);
  const MeasuredCurve& one = memory.curves[0];
  const MeasuredCurve* const two = has_two_grips(context) ? &memory.curves[1] : nullptr;
  std::vector<int> grips{
      is_size ? std::min(context.state.parameters.problem.N, workspace::kLargestSliderSize)
              : context.state.parameters.block_size};
  if (two != nullptr) {
    grips.push_back(second_value(context));
  }
  draw_notches(context, list, parts,
               is_size ? std::span<const int>(kNamedSizes) : std::span<const int>(kNamedBlocks),
               grips, font);
  std::optional<float> point;
  std::optional<float> second_point;
  const bool has_curve = !one.is_empty() || (two != nullptr && !two->is_empty());
  if (has_curve && !hides_curve && parts.curve.h >= 0.6F * font) {
    const SpeedAxis axis = axis_of(one, two, parts.curve);
    draw_cublas(context, list, one, axis, font);
    if (two != nullptr) {
      draw_curve(list, *two, axis, parts.notches, t.text_dim, font);
    }
    draw_curve(list, one, axis, parts.notches, t.accent_text, font);
    if (parts.curve.h >= 1.6F * font) {
      draw_caption(context, list, one, two, axis, parts.notches, font);
    }
    const auto y_of = [&](const MeasuredCurve& curve, int value) -> std::optional<float> {
      const double gflops = curve.gflops[static_cast<std::size_t>(value)];
      return gflops > 0.0 ? std::optional(axis.y_of(gflops)) : std::nullopt;
    };
    point = y_of(one, context.state.parameters.block_size);
    second_point = two != nullptr ? y_of(*two, second_value(context)) : std::nullopt;
  }
  if (is_size) {
    const int size = context.state.parameters.problem.N;
    draw_grip(context, list, parts, std::min(size, workspace::kLargestSliderSize), std::nullopt,
              fmt::format("N {}", size), t.selected, font);
    return;
  }
  if (two != nullptr) {
    draw_grip(context, list, parts, second_value(context), second_point,
              fmt::format("2: {}", second_value(context)), t.selected, font);
  }
  const int own = context.state.parameters.block_size;
  const std::string typed =
      memory.typed > 0 ? fmt::format("{}_", memory.typed) : std::to_string(own);
  draw_grip(context, list, parts, own, point, two != nullptr ? "1: " + typed : typed, t.accent,
            font);
}

}  // namespace

float Notches::x_of(int value) const {
  const float share = static_cast<float>(value - 1) / static_cast<float>(std::max(last - 1, 1));
  return left + share * (right - left);
}

int Notches::value_at(float x) const {
  const float share = (x - left) / std::max(right - left, 1.0F);
  const float steps = share * static_cast<float>(last - 1);
  return std::clamp(1 + static_cast<int>(std::lround(steps)), 1, last);
}

TypedValue type_digit(int typed, int digit, int last) {
  int value = 10 * typed + digit;
  value = value > last ? digit : value;
  return {value, value > 0 && 10 * value > last};
}

float instrument_height(const Context& context, float room, float font) {
  if (!context.state.show_costs || has_lab(context) ||
      !has_block_size(context, context.state.kernel)) {
    return 0.0F;
  }
  const auto height =
      std::ranges::find_if(kHeights, [&](const Height& of) { return room >= of.room * font; });
  return std::round(height->height * font);
}

bool is_instrument_held(const Context& context) {
  return context.memory.of<InstrumentMemory>().hand != Hand::None;
}

namespace {

Commands draw_within(const Context& context, const Box& box) {
  auto& memory = context.memory.of<InstrumentMemory>();
  const float font = ImGui::GetFontSize();
  const float pad = std::round(0.5F * font);
  const float room = box.w - 2.0F * pad;
  const float name = ImGui::CalcTextSize("BLOCK_SIZE").x + 0.8F * font;
  const float wanted = context.state.lecture ? kShareInLecture * room
                                             : std::clamp(kShareOfSlider * room,
                                                          kLeastSlider * font, kMostSlider * font);
  const Box slider{box.x + pad + name, box.y + 0.35F * pad, std::min(wanted, room - name),
                   box.h - 0.7F * pad};
  curve_of(context, context.state.kernel, memory.curves[0]);
  if (has_two_grips(context)) {
    curve_of(context, context.state.comparison.second.kernel, memory.curves[1]);
  }
  const Parts parts = parts_of(
      slider, font,
      memory.hand == Hand::Size ? workspace::kLargestSliderSize : problem::kLargestBlockSize);
  small_text(context, *ImGui::GetWindowDrawList(),
             {box.x + pad, parts.track.y + 0.5F * (parts.track.h - font)}, context.theme.text_dim,
             memory.hand == Hand::Size ? "N" : "BLOCK_SIZE", font);
  ImGui::SetCursorScreenPos({slider.x, slider.y});
  hit_button("block_size", {slider.w, slider.h});
  Commands commands = take_mouse(context, parts, memory.curves[0], memory);
  append(commands, take_keys(context, ImGui::IsItemHovered(), memory));
  say_what_it_is(context, parts, memory.curves[0]);
  paint_slider(context, parts, font, memory);
  const float left = slider.right() + 2.0F * pad;
  draw_instrument_numbers(context, {left, slider.y, box.right() - pad - left, slider.h},
                          memory.hand != Hand::None);
  return commands;
}

}  // namespace

Commands draw_instrument(const Context& context, const Box& box) {
  Commands commands;
  if (box.h > 0.0F) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
    draw_panel(context, {"BLOCK_SIZE###instrument", box, false},
               [&] { commands = draw_within(context, box); });
    ImGui::PopStyleVar();
  }
  return commands;
}

}  // namespace tilestep::ui
