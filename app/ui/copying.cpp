#include "ui/copying.h"

#include "ui/memory.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::ui {
namespace {

struct CopyMemory {
  std::optional<Copyable> pointed;
  float pointed_area = 0.0F;
  std::optional<Copyable> main;
};

}  // namespace

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
