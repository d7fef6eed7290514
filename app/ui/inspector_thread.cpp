// The focus thread: its variables, its sum, what it read and wrote in the last statement.
#include "record/place_name.h"
#include "ui/inspector_pages.h"
#include "ui/memory.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace tilestep::ui {
namespace {

// The values shown before the last step forward, so that a change can say what it was.
struct ThreadMemory {
  std::uint64_t generation = 0;
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::map<std::string, std::string> shown;
  std::map<std::string, std::string> before;
};

void remember(ThreadMemory& memory, const Context& context,
              const std::vector<record::NamedValue>& values) {
  const auto& s = context.state;
  const bool same_thread = memory.generation == context.view.scene->generation &&
                           memory.block == s.focus.block && memory.thread == s.focus.thread;
  if (same_thread && memory.step == s.step) {
    return;
  }
  const bool forward = same_thread && s.step > memory.step;
  memory.before = forward ? std::move(memory.shown) : std::map<std::string, std::string>();
  memory.shown.clear();
  for (const record::NamedValue& v : values) {
    memory.shown[v.name] = value_text(context.view.scene->recording->program(), v.value);
  }
  memory.generation = context.view.scene->generation;
  memory.step = s.step;
  memory.block = s.focus.block;
  memory.thread = s.focus.thread;
}

void variable_row(const Context& context, const record::NamedValue& variable,
                  const ThreadMemory& memory) {
  const std::string text = value_text(context.view.scene->recording->program(), variable.value);
  const auto before = memory.before.find(variable.name);
  const bool changed = before != memory.before.end() && before->second != text;
  ImGui::TableNextRow();
  if (changed) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, context.theme.selected.fill);
  }
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  coloured_text(changed ? context.theme.selected.text : context.theme.accent_text,
                variable.name.c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  ImGui::TableNextColumn();
  if (changed) {
    coloured_text(context.theme.text_dim, fmt::format("was {}", before->second).c_str());
  } else if (variable.value.status == record::Value::Status::NotYetAssigned) {
    coloured_text(context.theme.text_dim, "not yet assigned");
  }
}

// The thread's own scalars first, then parameters, which are the same for everyone; arrays and
// structs, which the stage shows better, last.
int rank_of(const ptx::Module& module, const record::NamedValue& value) {
  const bool typed = value.value.type < module.types.size();
  const ptx::TypeKind kind = typed ? module.types[value.value.type].kind : ptx::TypeKind::Unknown;
  if (kind == ptx::TypeKind::Array || kind == ptx::TypeKind::Structure) {
    return 2;
  }
  return value.is_parameter ? 1 : 0;
}

void variables(const Context& context) {
  const auto& focus = context.state.focus;
  const auto values = context.view.state->variables(focus.block, focus.thread);
  auto& memory = context.memory.of<ThreadMemory>();
  remember(memory, context, values);
  if (!ImGui::BeginTable("variables", 3, ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupColumn("name");
  ImGui::TableSetupColumn("value");
  ImGui::TableSetupColumn("note", ImGuiTableColumnFlags_WidthStretch);
  const ptx::Module& module = context.view.scene->recording->program().module();
  for (const int rank : {0, 1, 2}) {
    for (const record::NamedValue& value : values) {
      if (rank_of(module, value) == rank) {
        variable_row(context, value, memory);
      }
    }
  }
  ImGui::EndTable();
}

void sum(const Context& context) {
  const insight::Accumulation* sum = context.view.accumulation;
  if (sum == nullptr || sum->terms.empty()) {
    return;
  }
  heading(context, fmt::format("{} as executed", sum->variable).c_str());
  std::string text = fmt::format("{} =", sum->variable);
  for (const insight::Term& term : sum->terms) {
    text += fmt::format("{} {:g}·{:g}", &term == sum->terms.data() ? "" : " +", term.a.value,
                        term.b.value);
  }
  text += fmt::format(" = {:g}", sum->value);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopFont();
}

std::string access_value(const Context& context, const simt::MemoryEvent& event, int lane) {
  const auto& focus = context.state.focus;
  const auto bytes = context.view.state->machine().read(
      focus.block, focus.thread, event.addresses[static_cast<std::size_t>(lane)], event.bytes);
  if (!bytes || bytes->size() != sizeof(float)) {
    return {};
  }
  float value = 0.0F;
  std::memcpy(&value, bytes->data(), sizeof value);
  return fmt::format("{:g}", value);
}

void access_row(const Context& context, const record::Access& access, int lane) {
  const simt::Program& program = context.view.scene->recording->program();
  const auto place =
      program.locate(access.event.addresses[static_cast<std::size_t>(lane)], access.event.bytes);
  const bool reads = access.event.kind == simt::AccessKind::Load;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  coloured_text(context.theme.text_dim, reads ? "reads" : "writes");
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  coloured_text(place.inside ? context.theme.text : context.theme.bad,
                record::place_name(program, place, access.event.bytes).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(access_value(context, access.event, lane).c_str());
  ImGui::PopFont();
}

void accesses(const Context& context) {
  const auto& focus = context.state.focus;
  const auto warp_size =
      static_cast<std::uint32_t>(context.view.scene->recording->program().warp_size());
  const std::uint32_t warp = focus.thread / warp_size;
  const int lane = static_cast<int>(focus.thread % warp_size);
  heading(context, "in the last statement");
  bool any = false;
  if (ImGui::BeginTable("accesses", 3, ImGuiTableFlags_SizingFixedFit)) {
    for (const record::Access& access : context.view.statement->accesses) {
      const bool mine = access.warp.block == focus.block && access.warp.warp == warp &&
                        (access.event.mask >> lane & 1U) != 0 &&
                        access.event.space != ptx::Space::Param;
      if (mine) {
        any = true;
        access_row(context, access, lane);
      }
    }
    ImGui::EndTable();
  }
  if (!any) {
    coloured_text(context.theme.text_dim, "no memory access");
  }
}

}  // namespace

Commands draw_thread_page(const Context& context) {
  const simt::Program& program = context.view.scene->recording->program();
  const auto& focus = context.state.focus;
  const std::uint32_t line = context.view.state->line(focus.block, focus.thread);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(thread_name(program, focus.block, focus.thread).c_str());
  ImGui::PopFont();
  const auto warp_size = static_cast<std::uint32_t>(program.warp_size());
  coloured_text(
      context.theme.text_dim,
      fmt::format("warp {}, lane {}{}", focus.thread / warp_size, focus.thread % warp_size,
                  line == 0 ? ", has ended" : fmt::format(", at line {}", line))
          .c_str());
  variables(context);
  accesses(context);
  sum(context);
  return {};
}

}  // namespace tilestep::ui
