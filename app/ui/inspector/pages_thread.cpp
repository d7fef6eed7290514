// The focus thread: its variables, its sum, and its accesses in the last statement.
#include "insight/names.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ptx/model/module.h"
#include "record/place_name.h"
#include "ui/inspector/pages.h"
#include "ui/masked_context.h"
#include "ui/number_text.h"
#include "ui/sum_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr Message kCopiedVariables = "the thread's variables";
constexpr Message kCopiedAccesses = "what the thread reads and stores";
constexpr Message kOutOfRange = "out of range";
constexpr std::size_t kLongestWas = 16;  // characters of a previous value that are shown

// The values before the last step forward, to show what a changed value was.
struct ThreadMemory {
  workspace::Generation generation;
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::map<std::string, std::string> shown;
  std::map<std::string, std::string> before;
};

void remember(ThreadMemory& memory, const Context& context,
              const std::vector<record::NamedValue>& values) {
  const auto& s = context.state;
  const bool same_thread = memory.generation == context.view.run.scene->generation &&
                           memory.block == s.focus.block && memory.thread == s.focus.thread;
  if (same_thread && memory.step == s.step) {
    return;
  }
  const bool forward = same_thread && s.step > memory.step;
  memory.before = forward ? std::move(memory.shown) : std::map<std::string, std::string>();
  memory.shown.clear();
  for (const record::NamedValue& v : values) {
    memory.shown[v.name] =
        formed_value(context.view.run.scene->recording->program(), v.value, s.number_form);
  }
  memory.generation = context.view.run.scene->generation;
  memory.step = s.step;
  memory.block = s.focus.block;
  memory.thread = s.focus.thread;
}

// "4×4"; empty if it is not an array.
std::string dimensions(const ptx::Module& module, ptx::TypeId type) {
  std::vector<std::uint32_t> counts;
  (void)ptx::innermost_element(module, type, &counts);
  return fmt::format("{}", fmt::join(counts, "×"));
}

bool is_shared(const simt::Program& program, const std::string& name) {
  const auto allocations = program.allocations();
  return std::any_of(allocations.begin(), allocations.end(), [&name](const simt::Allocation& a) {
    return a.kind == simt::AllocationKind::Shared && a.name == name;
  });
}

std::string note_of(const record::NamedValue& variable, bool shared) {
  if (shared) {
    return tr("see the stage");
  }
  if (variable.value.status == record::Value::Status::NotYetAssigned) {
    return tr(variable.is_parameter ? "not read yet" : "not yet assigned");
  }
  return {};
}

// Long values (arrays, structs) end in an ellipsis; the tooltip has the whole value.
void value_cell(const std::string& text) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float room = ImGui::GetCurrentWindow()->InnerRect.Max.x - from.x;
  if (size.x <= room) {
    ImGui::TextUnformatted(text.c_str());
    return;
  }
  const float right = from.x + room;
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), from, {right, from.y + size.y}, right,
                            text.c_str(), nullptr, &size);
  ImGui::Dummy({room, size.y});
  ImGui::SetItemTooltip("%s", text.c_str());
}

void variable_row(const Context& context, const record::NamedValue& variable,
                  const ThreadMemory& memory) {
  const simt::Program& program = context.view.run.scene->recording->program();
  const bool shared = is_shared(program, variable.name);
  const std::string text =
      shared ? dimensions(program.module(), variable.value.type)
             : masked(context, formed_value(program, variable.value, context.state.number_form));
  const auto before = memory.before.find(variable.name);
  const bool changed = !shared && before != memory.before.end() && before->second != text;
  ImGui::TableNextRow();
  if (changed) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, context.theme.selected.fill);
  }
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  coloured_text(changed ? context.theme.selected.text : context.theme.accent_text,
                variable.name.c_str());
  ImGui::TableNextColumn();
  value_cell(text);
  ImGui::PopFont();
  ImGui::TableNextColumn();
  const bool short_enough =
      changed && before->second != "–" && before->second.size() <= kLongestWas;
  const std::string note = short_enough ? tr("was {}", before->second) : note_of(variable, shared);
  coloured_text(context.theme.text_dim, note.c_str());
}

// Order: the thread's own scalars, then parameters, which are equal in all threads, then arrays and
// structs, which the stage shows better.
int rank_of(const ptx::Module& module, const record::NamedValue& value) {
  const bool typed = value.value.type < module.types.size();
  const ptx::TypeKind kind = typed ? module.types[value.value.type].kind : ptx::TypeKind::Unknown;
  if (kind == ptx::TypeKind::Array || kind == ptx::TypeKind::Structure) {
    return 2;
  }
  return value.is_parameter ? 1 : 0;
}

std::string variables_text(const Context& context, const std::vector<record::NamedValue>& values) {
  const simt::Program& program = context.view.run.scene->recording->program();
  std::vector<std::vector<std::string>> rows;
  for (const record::NamedValue& value : values) {
    rows.push_back({value.name, value_text(program, value.value)});
  }
  return tabbed(rows);
}

void variables(const Context& context) {
  const auto& focus = context.state.focus;
  const auto values = context.view.run.state->variables(focus.block, focus.thread);
  auto& memory = context.memory.of<ThreadMemory>();
  remember(memory, context, values);
  if (build_of(context.view.run.scene->recording->program()) != problem::Build::Step) {
    text_in_lines(kFastBuildSentence.text());
  }
  if (!ImGui::BeginTable("variables", 3, ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupColumn(tr("name"));
  ImGui::TableSetupColumn(tr("value"));
  ImGui::TableSetupColumn(tr("note"), ImGuiTableColumnFlags_WidthStretch);
  const ptx::Module& module = context.view.run.scene->recording->program().module();
  for (const int rank : {0, 1, 2}) {
    for (const record::NamedValue& value : values) {
      if (rank_of(module, value) == rank) {
        variable_row(context, value, memory);
      }
    }
  }
  ImGui::EndTable();
  offer_copy_of_item(context, {.what = kCopiedVariables.text(), .text = [values, &context] {
                                 return variables_text(context, values);
                               }});
}

// The chosen sum written out, and the thread's other sums in short; a click chooses another.
Commands sums(const Context& context) {
  Commands commands;
  const auto& all = context.view.run.sums;
  if (all == nullptr || !context.view.run.sum) {
    return commands;
  }
  const SumStory story = sum_story({.recording = *context.view.run.scene->recording,
                                    .sums = all.get(),
                                    .chosen = context.view.run.sum,
                                    .thread = context.state.focus.thread,
                                    .step = context.view.run.state->step()});
  heading(context, story.title.c_str());
  const auto& sum = context.view.run.accumulation;
  if (story.sum && sum != nullptr) {
    ImGui::PushFont(context.fonts.mono, 0.0F);
    text_in_lines(sum_line(*sum));
    ImGui::PopFont();
    offer_copy_of_item(
        context,
        {.what = fmt::format(fmt::runtime(kCopiedSum.text()), story.element),
         .text = [element = story.element, sum] { return element + ": " + sum_line(*sum); }});
  } else {
    text_in_lines(story.sentence);
  }
  if (!story.also.empty()) {
    coloured_text(context.theme.text_dim, story.also.c_str());
  }
  const insight::BlockSums::Range own = all->of_thread(context.state.focus.thread);
  for (const SumStory::Other& other : story.others) {
    ImGui::PushID(static_cast<int>(other.sum));
    if (ImGui::Selectable(other.text.c_str())) {
      commands.emplace_back(state::FocusSum{static_cast<int>(other.sum - own.first)});
    }
    ImGui::PopID();
  }
  return commands;
}

std::string access_value(const Context& context, const simt::MemoryEvent& event, int lane) {
  const auto& focus = context.state.focus;
  const auto bytes = context.view.run.state->machine().read(
      focus.block, focus.thread, event.addresses[static_cast<std::size_t>(lane)], event.bytes);
  const simt::Program& program = context.view.run.scene->recording->program();
  const auto type = element_type(
      program, program.locate(event.addresses[static_cast<std::size_t>(lane)], event.bytes));
  return bytes && type ? masked(context, numbers_text(*type, *bytes)) : std::string();
}

struct AccessRow {
  simt::AccessKind kind = simt::AccessKind::Load;
  simt::Place place;
  std::uint32_t bytes = 0;
  std::string value;
};

// A place outside its array has the color and the text of a fault.
void access_row(const Context& context, const AccessRow& row) {
  const simt::Program& program = context.view.run.scene->recording->program();
  const std::string name = record::place_name(program, row.place, row.bytes);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  coloured_text(context.theme.text_dim, insight::verb(row.kind).c_str());
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  coloured_text(row.place.inside ? context.theme.text : context.theme.bad,
                name.empty() ? tr("not an array") : name.c_str());
  ImGui::TableNextColumn();
  coloured_text(row.place.inside ? context.theme.text : context.theme.bad,
                row.place.inside ? row.value.c_str() : kOutOfRange.text());
  ImGui::PopFont();
}

std::vector<AccessRow> accesses_of_focus(const Context& context) {
  const auto& focus = context.state.focus;
  const simt::Program& program = context.view.run.scene->recording->program();
  const auto warp_size = program.warp_size();
  const simt::WarpId warp{focus.block, focus.thread / warp_size};
  const auto lane = static_cast<int>(focus.thread % warp_size);
  const auto address = [lane](const auto& event) {
    return event.addresses[static_cast<std::size_t>(lane)];
  };
  std::vector<AccessRow> rows;
  for (const record::Access& access : last_statement(context).accesses) {
    const simt::MemoryEvent& event = access.event;
    if (access.warp == warp && (event.mask >> lane & 1U) != 0 && event.space != ptx::Space::Param &&
        event.agent == simt::AccessAgent::Thread) {
      rows.push_back({event.kind, program.locate(address(event), event.bytes), event.bytes,
                      access_value(context, event, lane)});
    }
  }
  for (const record::Activity::Fault& fault : last_statement(context).faults) {
    const simt::FaultEvent& event = fault.event;
    if (fault.warp == warp && (event.mask >> lane & 1U) != 0 &&
        event.kind == simt::FaultKind::OutOfRange) {
      rows.push_back({event.access, program.locate(address(event), event.bytes), event.bytes, {}});
    }
  }
  return rows;
}

std::string accesses_text(const Context& context, const std::vector<AccessRow>& accesses) {
  const simt::Program& program = context.view.run.scene->recording->program();
  std::vector<std::vector<std::string>> rows;
  for (const AccessRow& row : accesses) {
    rows.push_back({insight::verb(row.kind), record::place_name(program, row.place, row.bytes),
                    row.place.inside ? row.value : kOutOfRange.text()});
  }
  return tabbed(rows);
}

void accesses(const Context& context) {
  heading(context, tr("in the last statement"));
  const std::vector<AccessRow> rows = accesses_of_focus(context);
  if (rows.empty()) {
    coloured_text(context.theme.text_dim, tr("no memory access"));
  } else if (ImGui::BeginTable("accesses", 3, ImGuiTableFlags_SizingFixedFit)) {
    for (const AccessRow& row : rows) {
      access_row(context, row);
    }
    ImGui::EndTable();
    offer_copy_of_item(context, {.what = kCopiedAccesses.text(), .text = [rows, &context] {
                                   return accesses_text(context, rows);
                                 }});
  }
}

}  // namespace

Commands draw_thread_page(const Context& context) {
  const simt::Program& program = context.view.run.scene->recording->program();
  const auto& focus = context.state.focus;
  const std::uint32_t line = context.view.run.state->line(focus.block, focus.thread);
  text_in(context.fonts.bold, thread_name(program, focus.block, focus.thread));
  const auto warp_size = program.warp_size();
  wrapped_text(context.theme.text_dim,
               tr("warp {}, lane {}{}", focus.thread / warp_size, focus.thread % warp_size,
                  line == 0 ? tr(", ended") : tr(", at line {}", line)));
  variables(context);
  accesses(context);
  return sums(context);
}

}  // namespace tilestep::ui
