#include "ui/widgets.h"

#include "ui/line_breaks.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <iterator>

namespace tilestep::ui {
namespace {

constexpr float kClosestTicks = 5.0F;  // pixels

// Marks at the lower edge of the slider drawn last, where its values can be told apart.
void draw_ticks(const Context& context, const Slider& slider) {
  constexpr float kFramePad = 2.0F;  // as the library leaves around the grab
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  const float room = to.x - from.x - 2.0F * kFramePad;
  const float grab =
      std::max(room / (slider.high - slider.low + 1.0F), ImGui::GetStyle().GrabMinSize);
  const float per_value = (room - grab) / (slider.high - slider.low);
  const float height = 0.25F * (to.y - from.y);
  float last = -1e6F;
  for (const int tick : slider.ticks) {
    const float x =
        from.x + kFramePad + 0.5F * grab + (static_cast<float>(tick) - slider.low) * per_value;
    if (x - last >= kClosestTicks && x < to.x) {
      ImGui::GetWindowDrawList()->AddLine({x, to.y - height}, {x, to.y - 1.0F},
                                          context.theme.text_dim, 1.0F);
      last = x;
    }
  }
}

// The slider draws its own text only while one is being typed into it.
template <class Draw>
bool beside_text(const Context& context, const Slider& slider, Draw draw) {
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const float room = ImGui::CalcTextSize(slider.widest).x;
  const float text = ImGui::CalcTextSize(slider.shown.c_str()).x;
  ImGui::PopFont();
  ImGui::BeginGroup();
  ImGui::SetNextItemWidth(slider.width - room - gap);
  const bool typing = ImGui::TempInputIsActive(ImGui::GetID(slider.id));
  ImGui::PushStyleColor(ImGuiCol_Text,
                        typing ? ImGui::GetColorU32(ImGuiCol_Text) : IM_COL32_BLACK_TRANS);
  const bool changed = draw();
  ImGui::PopStyleColor();
  draw_ticks(context, slider);
  ImGui::SameLine(0.0F, gap);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(slider.shown.c_str());
  ImGui::PopFont();
  ImGui::SameLine(0.0F, 0.0F);
  ImGui::Dummy({std::max(0.0F, room - text), 0.0F});
  ImGui::EndGroup();
  return changed;
}

}  // namespace

bool value_slider(const Context& context, const Slider& slider, int& value) {
  return beside_text(context, slider, [&] {
    return ImGui::SliderInt(slider.id, &value, static_cast<int>(slider.low),
                            static_cast<int>(slider.high), "%d", slider.flags);
  });
}

bool value_slider(const Context& context, const Slider& slider, float& value) {
  return beside_text(context, slider, [&] {
    return ImGui::SliderFloat(slider.id, &value, slider.low, slider.high, "%.2f", slider.flags);
  });
}

void field_label(const Context& context, const char* text) {
  ImGui::AlignTextToFramePadding();
  coloured_text(context.theme.text_dim, text);
  ImGui::SameLine(0.0F, ImGui::GetStyle().ItemInnerSpacing.x);
}

std::string cut_to(const std::string& text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) {
    return text;
  }
  std::string cut = text;
  do {
    while (cut.size() > 1 && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U) {
      cut.pop_back();  // the rest of a character
    }
    cut.pop_back();
  } while (!cut.empty() && ImGui::CalcTextSize((cut + "…").c_str()).x > width);
  return cut + "…";
}

float fitted_size(float size, float natural, float room) {
  return std::max(1.0F, std::min(size, size * room / std::max(natural, 1.0F)));
}

bool hit_area(const char* id, ImVec2 size, ImGuiButtonFlags flags) {
  return ImGui::InvisibleButton(id, {std::max(size.x, 1.0F), std::max(size.y, 1.0F)}, flags);
}

bool keys_came_last() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return g.Time - g.LastKeyboardKeyPressTime <= static_cast<double>(g.MouseStationaryTimer);
}

void tooltip(const std::string& text, TooltipDelay delay) {
  if (keys_came_last()) {
    return;
  }
  if (delay == TooltipDelay::Usual) {
    ImGui::SetItemTooltip("%s", text.c_str());
  } else if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s", text.c_str());
  }
}

namespace {

// One character of the private use area, and no word.
bool is_icon_alone(const std::string& face) {
  constexpr std::size_t kBytes = 3;
  return face.substr(0, face.find("##")).size() == kBytes && face.starts_with('\xef');
}

}  // namespace

Commands action_button(const Context& context, ActionId id, const char* face, bool lit) {
  const Action& a = action(id);
  ImGui::PushID(static_cast<int>(id));
  if (lit) {
    ImGui::PushStyleColor(ImGuiCol_Button, context.theme.selected.fill);
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.selected.text);
  }
  const bool pressed = ImGui::Button(face);
  if (lit) {
    ImGui::PopStyleColor(2);
  }
  ImGui::PopID();
  // A tooltip has its own ground, whatever the button's ink and font.
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text);
  ImGui::PushFont(context.fonts.text, 0.0F);
  tooltip(tooltip_text(a), is_icon_alone(face) ? TooltipDelay::None : TooltipDelay::Usual);
  ImGui::PopFont();
  ImGui::PopStyleColor();
  return pressed ? a.commands(context) : Commands{};
}

void append(Commands& to, Commands from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void coloured_text(ImU32 colour, const char* text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
}

void wrapped_text(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  text_in_lines(text);
  ImGui::PopStyleColor();
}

float text_width(ImFont* font, float size, const std::string& text) {
  return font->CalcTextSizeA(size, FLT_MAX, 0.0F, text.c_str()).x;
}

void heading(const Context& context, const char* text) {
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.25F});
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
}

}  // namespace tilestep::ui
