#include "ui/inspector/panel.h"

#include "problem/tr.h"
#include "state/words.h"
#include "ui/inspector/pages.h"
#include "ui/theme.h"
#include "ui/veiling.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <array>

namespace tilestep::ui {
namespace {

struct InspectorTab {
  state::InspectorPage page;
  ActionId action;
  Commands (*draw)(const Context&);
};
constexpr std::array kInspectorTabs{
    InspectorTab{state::InspectorPage::Thread, ActionId::ThreadPage, draw_thread_page},
    InspectorTab{state::InspectorPage::Warp, ActionId::WarpPage, draw_warp_page},
    InspectorTab{state::InspectorPage::Memory, ActionId::MemoryPage, draw_memory_page},
    InspectorTab{state::InspectorPage::Findings, ActionId::FindingsPage, draw_findings_page},
};

std::string label_of(const Context& context, const InspectorTab& page) {
  if (page.page != state::InspectorPage::Findings || context.view.check == nullptr ||
      context.view.check->findings.empty()) {
    return word_of(page.page).label.text();
  }
  return fmt::format("{} {}", word_of(page.page).label, context.view.check->findings.size());
}

// At the row's end, where the tabs leave room: Escape closes, too.
Commands close_button(const Context& context) {
  const float width = ImGui::CalcTextSize("×").x + 2.0F * ImGui::GetStyle().FramePadding.x;
  const float room = ImGui::GetContentRegionAvail().x;
  if (room < width) {
    ImGui::NewLine();
    return {};
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  return action_button(context, ActionId::ToggleInspector, "×###close");
}

// While a question is asked whose answer stands there.
bool is_hidden(const Context& context, state::InspectorPage page) {
  using state::InspectorPage;
  return hides_run(context) ||
         (page == InspectorPage::Findings && hides(context, course::Topic::Findings)) ||
         (page == InspectorPage::Memory && hides(context, course::Topic::Counts));
}

}  // namespace

std::string value_text(const simt::Program& program, const record::Value& value) {
  using Status = record::Value::Status;
  switch (value.status) {
    case Status::Ok:
      return record::format_value(program, value);
    case Status::ThreadExited:
      return value.bytes.empty() ? "–" : record::format_value(program, value);
    case Status::OptimisedOut:
      return tr("optimised out");
    case Status::NotYetAssigned:
    case Status::OutOfScope:
    case Status::Unreadable:
      break;
  }
  return "–";
}

Commands draw_inspector(const Context& context) {
  Commands commands;
  for (const InspectorTab& page : kInspectorTabs) {
    append(commands, action_button(context, page.action, label_of(context, page).c_str(),
                                   context.state.inspector == page.page));
    ImGui::SameLine(0.0F, 2.0F);
  }
  append(commands, close_button(context));
  if (context.view.scene == nullptr || context.view.state == nullptr) {
    coloured_text(context.theme.text_dim, tr("No recording yet."));
    return commands;
  }
  ImGui::BeginChild("page");
  for (const InspectorTab& page : kInspectorTabs) {
    if (page.page == context.state.inspector && is_hidden(context, page.page)) {
      coloured_text(context.theme.text_dim, kHiddenUntilAnswered);
    } else if (page.page == context.state.inspector) {
      append(commands, page.draw(context));
    }
  }
  ImGui::EndChild();
  return commands;
}

}  // namespace tilestep::ui
