#include "ui/inspector/pages.h"

#include "insight/check/finding.h"
#include "insight/names.h"
#include "problem/launch/expected.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "state/words.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <array>

namespace tilestep::ui {
namespace {

constexpr Message kCopiedFinding = "the finding, with its places";

void party_button(const Context& context, const insight::Party& party, Commands& commands) {
  const auto& launch = context.view.run.scene->launch;
  const std::string who = insight::thread_name(party.thread, launch);
  const std::string label =
      fmt::format("{}  {}", icon::kArrowRight,
                  tr("{}, line {}", insight::with_verb(who, party.access), party.line));
  if (ImGui::Button(label.c_str())) {
    commands.push_back(state::SeekStep{party.step + 1});
    commands.push_back(
        state::FocusThread{static_cast<std::uint32_t>(launch.grid.linear(party.block)),
                           static_cast<std::uint32_t>(launch.block.linear(party.thread))});
  }
  tooltip(tr("Goes to statement {} in {}.",
             context.view.run.scene->recording->statement_of(party.step) + 1,
             insight::block_name(party.block, launch)));
}

// "Race on As[1][2]: … (tiled.cu:14, thread (2,1) of block (0,0) stores; …)"
std::string finding_text(const insight::Finding& found, const problem::Launch& launch) {
  std::string places;
  for (const insight::Party& party : found.parties) {
    const std::string who = insight::thread_of_block(party.thread, party.block, launch);
    places += fmt::format("{}{}:{}, {}", places.empty() ? "" : "; ", launch.source_name, party.line,
                          insight::with_verb(who, party.access));
  }
  const Message& kind = word_of(found.kind).label;
  return found.element.empty()
             ? fmt::format("{}: {} ({})", kind, found.sentence, places)
             : tr("{} on {}: {} ({})", kind, found.element, found.sentence, places);
}

void finding(const Context& context, const insight::Finding& found, Commands& commands) {
  text_in(context.fonts.bold, fmt::format("{}  {}", icon::kWarning, word_of(found.kind).label),
          context.theme.bad);
  if (!found.element.empty()) {
    ImGui::SameLine();
    text_in(context.fonts.mono, found.element);
  }
  text_in_lines(found.sentence);
  for (const insight::Party& party : found.parties) {
    ImGui::PushID(&party);
    party_button(context, party, commands);
    ImGui::PopID();
  }
  wrapped_text(context.theme.text_dim, found.occurrences == 1
                                           ? tr("once in this launch")
                                           : tr("{} times in this launch", found.occurrences));
  ImGui::Separator();
}

void comparison(const Context& context, const problem::BufferComparison& output) {
  const problem::Comparison& c = output.comparison;
  if (c.wrong == 0) {
    wrapped_text(context.theme.good, fmt::format("{}  {}", icon::kCheckCircle,
                                                 tr("{} is correct at the end: {} elements",
                                                    output.buffer, c.compared)));
    return;
  }
  coloured_text(context.theme.bad, fmt::format("{}  {}", icon::kError,
                                               tr("{} is wrong: {} of {} elements", output.buffer,
                                                  c.wrong, c.compared))
                                       .c_str());
  ImGui::TextWrapped("%s", tr("First wrong: {}.", first_wrong(output)).c_str());
}

// The kernel's printf output; a click selects the thread.
void printed_texts(const Context& context, const insight::Printout& printout, Commands& commands) {
  const problem::Launch& launch = context.view.run.scene->launch;
  text_in(context.fonts.bold, tr("Printed by the kernel"));
  for (const insight::Printed& printed : printout.texts) {
    ImGui::PushID(&printed);
    ImGui::PushFont(context.fonts.mono, 0.0F);
    ImGui::TextWrapped("%s", std::string(trimmed(printed.text)).c_str());
    ImGui::PopFont();
    const std::string who = insight::thread_of_block(printed.thread, printed.block, launch);
    if (ImGui::Button(fmt::format("{}  {}", icon::kArrowRight, tr("{}, line {}", who, printed.line))
                          .c_str())) {
      commands.push_back(
          state::FocusThread{static_cast<std::uint32_t>(launch.grid.linear(printed.block)),
                             static_cast<std::uint32_t>(launch.block.linear(printed.thread))});
    }
    tooltip(tr("Shows this thread."));
    ImGui::PopID();
  }
  if (printout.left_out > 0) {
    wrapped_text(context.theme.text_dim, tr("{} more messages are not shown.", printout.left_out));
  }
}

Commands draw_findings_page(const Context& context) {
  Commands commands;
  const auto& check = context.view.run.check;
  if (check == nullptr) {
    coloured_text(context.theme.text_dim, tr("Checking…"));
    return commands;
  }
  for (const problem::BufferComparison& output : check->outputs) {
    comparison(context, output);
  }
  ImGui::Separator();
  if (check->findings.empty()) {
    coloured_text(context.theme.good,
                  fmt::format("{}  {}", icon::kCheckCircle, tr("No findings")).c_str());
    ImGui::TextWrapped(
        "%s", check->notes.empty()
                  ? tr("No race, no access out of range, no read of uninitialized memory, and "
                       "every thread reached every barrier. This holds for every schedule.")
                  : tr("No race, no access out of range, no read of uninitialized memory. This "
                       "holds for every schedule."));
  }
  for (const insight::Finding& found : check->findings) {
    ImGui::PushID(&found);
    ImGui::BeginGroup();
    finding(context, found, commands);
    ImGui::EndGroup();
    ImGui::PopID();
    offer_copy_of_item(context, {.what = kCopiedFinding.text(), .text = [&found, &context] {
                                   return finding_text(found, context.view.run.scene->launch);
                                 }});
  }
  for (const std::string& note : check->notes) {
    ImGui::Separator();
    ImGui::TextWrapped("%s", tr("Note: {}", note).c_str());
  }
  if (!check->printout.texts.empty()) {
    printed_texts(context, check->printout, commands);
  }
  return commands;
}

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
  if (page.page != state::InspectorPage::Findings || context.view.run.check == nullptr ||
      context.view.run.check->findings.empty()) {
    return word_of(page.page).label.text();
  }
  return fmt::format("{} {}", word_of(page.page).label, context.view.run.check->findings.size());
}

// Draws the button at the row's end, if the tabs leave room; Escape closes, too.
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

// True while a question is open whose answer is on the page.
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
      return tr("optimized out");
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
  if (context.view.run.scene == nullptr || context.view.run.state == nullptr) {
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
