#include "ui/widgets.h"

#include "insight/names.h"
#include "problem/describe/words.h"
#include "problem/tr.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr float kClosestTicks = 5.0F;  // pixels

// Marks at the lower edge of the latest slider, if its values are distinguishable.
void draw_ticks(const Context& context, const Slider& slider) {
  constexpr float kFramePad = 2.0F;  // the library's padding around the grab
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
  text_in(context.fonts.bold, slider.shown);
  ImGui::SameLine(0.0F, 0.0F);
  ImGui::Dummy({std::max(0.0F, room - text), 0.0F});
  ImGui::EndGroup();
  return changed;
}

struct SaidMemory {
  std::vector<std::string> lines;
};

struct CopyMemory {
  std::optional<Copyable> pointed;
  float pointed_area = 0.0F;
  std::optional<Copyable> main;
};

}  // namespace

std::string block_name(const simt::Program& program, std::uint32_t block) {
  return insight::block_name(program.block_index(block), program.launch());
}

std::string thread_name(const simt::Program& program, std::uint32_t block, std::uint32_t thread) {
  return insight::thread_of_block(program.thread_index(thread), program.block_index(block),
                                  program.launch());
}

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

// A single character of the private use area.
bool is_icon_alone(const std::string& face) {
  constexpr std::size_t kBytes = 3;
  return face.substr(0, face.find("##")).size() == kBytes && face.starts_with('\xef');
}

}  // namespace

bool lit_button(const Context& context, const char* face, bool lit) {
  if (lit) {
    ImGui::PushStyleColor(ImGuiCol_Button, context.theme.selected.fill);
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.selected.text);
  }
  const bool pressed = ImGui::Button(face);
  ImGui::PopStyleColor(lit ? 2 : 0);
  return pressed;
}

Commands action_button(const Context& context, ActionId id, const char* face, bool lit) {
  const Action& a = action(id);
  ImGui::PushID(static_cast<int>(id));
  const bool pressed = lit_button(context, face, lit);
  ImGui::PopID();
  // A tooltip has its own background, whatever the button's color and font.
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

void estimated_chip(const Context& context) {
  const char* const word = tr("estimated");
  const float em = ImGui::GetFontSize();
  const ImVec2 text = ImGui::CalcTextSize(word);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 to{from.x + text.x + em, from.y + text.y + 0.2F * em};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to, context.theme.raised, 3.0F);
  list.PushClipRect(from, to, true);
  for (float x = from.x - (to.y - from.y); x < to.x; x += 0.5F * em) {
    list.AddLine({x, to.y}, {x + (to.y - from.y), from.y}, with_alpha(context.theme.warning, 0.35F),
                 2.0F);
  }
  list.PopClipRect();
  list.AddRect(from, to, context.theme.warning, 3.0F);
  list.AddText({from.x + 0.5F * em, from.y + 0.1F * em}, context.theme.text, word);
  ImGui::Dummy({to.x - from.x, to.y - from.y});
}

void heading(const Context& context, const char* text) {
  ImGui::Dummy({0.0F, ImGui::GetFontSize() * 0.25F});
  ImGui::PushFont(context.fonts.bold, 0.0F);
  text_in_lines(text);
  ImGui::PopFont();
}

problem::Build build_of(const simt::Program& program) {
  const ptx::Module& module = program.module();
  return module.is_machine_code ? problem::Build::Machine
         : module.is_debug      ? problem::Build::Step
                                : problem::Build::Fast;
}

std::optional<problem::Build> build_choice(const char* label, problem::Build now, float width) {
  ImGui::SetNextItemWidth(width * ImGui::GetFontSize());
  return word_choice(label, now);
}

void begin_saying(const Context& context) {
  context.memory.of<SaidMemory>().lines.clear();
}

void say_aloud(const Context& context, const std::string& text) {
  std::vector<std::string>& lines = context.memory.of<SaidMemory>().lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (end > from) {
      lines.push_back(text.substr(from, end - from));
    }
    from = end + 1;
  }
}

const std::vector<std::string>& said_aloud(Memory& memory) {
  return memory.of<SaidMemory>().lines;
}

void begin_copying(const Context& context) {
  context.memory.of<CopyMemory>() = {};
}

void offer_copy(const Context& context, ImVec2 from, ImVec2 to, Copyable thing) {
  auto& memory = context.memory.of<CopyMemory>();
  const float area = (to.x - from.x) * (to.y - from.y);
  const bool is_pointed_at =
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                             ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
      ImGui::IsMouseHoveringRect(from, to);
  if (is_pointed_at && (!memory.pointed || area <= memory.pointed_area)) {
    memory.pointed = thing;
    memory.pointed_area = area;
  }
  if (thing.is_main) {
    memory.main = std::move(thing);
  }
}

void offer_copy_of_item(const Context& context, Copyable thing) {
  offer_copy(context, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), std::move(thing));
}

Commands copy_this(const Context& context) {
  const auto& memory = context.memory.of<CopyMemory>();
  const std::optional<Copyable>& thing = memory.pointed ? memory.pointed : memory.main;
  const std::string text = thing ? thing->text() : std::string();
  if (text.empty()) {
    return {};
  }
  ImGui::SetClipboardText(text.c_str());
  return {state::Copied{thing->what}};
}

std::string tabbed(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i];
      std::replace_if(
          cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; },
          ' ');
      out += (i == 0 ? "" : "\t") + cell;
    }
    out += '\n';
  }
  return out;
}

}  // namespace tilestep::ui
