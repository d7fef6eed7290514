#include "ui/message_list.h"

#include "problem/text.h"
#include "problem/words.h"
#include "ui/icons.h"
#include "ui/line_breaks.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::ui {
namespace {

constexpr Message kMessagesFollows = "{} that may go with it";
constexpr Message kMessagesHideFollows = "Hide what may go with it";
constexpr float kMessagesMostOfRoom = 0.35F;
constexpr float kMessagesAir = 1.3F;      // in multiples of the font size
constexpr float kMessagesForSign = 2.0F;  // the icon and the bar at the right

struct MessageMemory {
  bool shows_follows = false;
};

std::string place_and_message(const compile::Diagnostic& d) {
  return d.line > 0 ? fmt::format("{}:{}  {}", d.line, d.column, d.message) : d.message;
}

std::size_t follow_count(const std::vector<compile::Diagnostic>& diagnostics) {
  return static_cast<std::size_t>(
      std::ranges::count_if(diagnostics, [](const auto& d) { return d.follows; }));
}

bool is_message_shown(const compile::Diagnostic& d, const MessageMemory& memory) {
  return !d.follows || memory.shows_follows;
}

}  // namespace

void mark_messages(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file,
                   LineMarks& marks) {
  for (const compile::Diagnostic& d : diagnostics) {
    if (d.line > 0 && d.file == file && !d.follows) {
      auto& lines = d.severity == compile::Severity::Error ? marks.errors : marks.warnings;
      std::string& message = lines[d.line];
      message += (message.empty() ? "" : "\n") + d.message;
    }
  }
}

bool has_error(const std::vector<compile::Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const auto& d) { return d.severity == compile::Severity::Error; });
}

std::string message_count(const std::vector<compile::Diagnostic>& diagnostics) {
  const auto errors = static_cast<std::size_t>(std::ranges::count_if(
      diagnostics, [](const auto& d) { return d.severity == compile::Severity::Error; }));
  return errors > 0 ? plural(errors, "error") : plural(diagnostics.size(), "warning");
}

float message_list_height(const Context& context, float width, float room) {
  const auto* const diagnostics = context.view.diagnostics;
  if (diagnostics == nullptr || diagnostics->empty()) {
    return 0.0F;
  }
  const auto& memory = context.memory.of<MessageMemory>();
  const float em = ImGui::GetFontSize();
  float height = kMessagesAir * em;
  for (const compile::Diagnostic& d : *diagnostics) {
    if (is_message_shown(d, memory)) {
      height += ImGui::CalcTextSize(place_and_message(d).c_str(), nullptr, false,
                                    width - kMessagesForSign * em)
                    .y +
                ImGui::GetStyle().ItemSpacing.y;
    }
  }
  height += follow_count(*diagnostics) > 0 ? ImGui::GetTextLineHeightWithSpacing() : 0.0F;
  return std::min(height, kMessagesMostOfRoom * room);
}

std::optional<compile::Diagnostic> draw_message_list(const Context& context, float height) {
  const auto& diagnostics = *context.view.diagnostics;
  auto& memory = context.memory.of<MessageMemory>();
  std::optional<compile::Diagnostic> clicked;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.theme.raised);
  ImGui::BeginChild("messages", {0.0F, height}, ImGuiChildFlags_Borders);
  int number = 0;
  for (const compile::Diagnostic& d : diagnostics) {
    if (!is_message_shown(d, memory)) {
      continue;
    }
    ImGui::PushID(++number);
    const bool error = d.severity == compile::Severity::Error;
    const ImU32 colour = d.follows ? context.theme.text_dim
                         : error   ? context.theme.bad
                                   : context.theme.warning;
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::BeginGroup();
    coloured_text(colour, error ? icon::kError : icon::kWarning);
    ImGui::SameLine();
    text_in_lines(place_and_message(d));
    ImGui::EndGroup();
    const ImVec2 to(from.x + ImGui::GetWindowWidth(), ImGui::GetItemRectMax().y);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to)) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        clicked = d;
      }
    }
    ImGui::PopID();
  }
  if (const std::size_t count = follow_count(diagnostics); count > 0) {
    const std::string more =
        memory.shows_follows
            ? kMessagesHideFollows.text()
            : fmt::format(fmt::runtime(kMessagesFollows.text()), plural(count, "message"));
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
    if (ImGui::Selectable(fmt::format("{}  {}###follows", icon::kDown, more).c_str())) {
      memory.shows_follows = !memory.shows_follows;
    }
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  return clicked;
}

}  // namespace tilestep::ui
