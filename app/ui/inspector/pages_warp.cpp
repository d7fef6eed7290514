// One variable in every lane of the focus thread's warp.
#include "insight/count/counters.h"
#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "ui/inspector/pages.h"
#include "ui/number_text.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace tilestep::ui {
namespace {

struct WarpMemory {
  std::string variable;  // chosen by the user; empty: the accumulator
};

std::string choose_variable(const Context& context, WarpMemory& memory) {
  const auto& focus = context.state.focus;
  const auto values = context.view.run.state->variables(focus.block, focus.thread);
  const auto known = [&values](const std::string& name) {
    return std::any_of(values.begin(), values.end(),
                       [&name](const record::NamedValue& v) { return v.name == name; });
  };
  std::string chosen =
      memory.variable.empty() ? context.view.run.scene->accumulator : memory.variable;
  if (!known(chosen) && !values.empty()) {
    chosen = values.back().name;
  }
  field_label(context, tr("Variable"));
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 8.0F);
  if (ImGui::BeginCombo("##variable", chosen.c_str())) {
    for (const record::NamedValue& value : values) {
      if (ImGui::Selectable(value.name.c_str(), value.name == chosen)) {
        memory.variable = value.name;
      }
    }
    ImGui::EndCombo();
  }
  return chosen;
}

struct LaneCell {
  ImVec2 min;
  ImVec2 max;
};

std::string full_text(const Context& context, std::uint32_t thread, const std::string& variable) {
  const auto value = context.view.run.state->variable(context.state.focus.block, thread, variable);
  return value ? formed_value(context.view.run.scene->recording->program(), *value,
                              context.state.number_form)
               : "–";
}

void draw_lane(const Context& context, ImDrawList& list, const LaneCell& cell,
               const std::string& text, bool focused, bool live, bool executes) {
  const Theme& theme = context.theme;
  const Fill fill = !live      ? theme.cell_empty
                    : executes ? role_colours(theme, insight::ValueRole::None).solid
                               : theme.cell;
  list.AddRectFilled(cell.min, cell.max, fill.fill, 3.0F);
  if (focused) {
    list.AddRect(cell.min, cell.max, theme.focus, 3.0F, 0, 2.0F);
  }
  const float width = cell.max.x - cell.min.x;
  float size = ImGui::GetFontSize();
  const ImVec2 natural = context.fonts.mono->CalcTextSizeA(size, FLT_MAX, 0.0F, text.c_str());
  size = fitted_size(size, natural.x, width - 4.0F);
  const ImVec2 extent = context.fonts.mono->CalcTextSizeA(size, FLT_MAX, 0.0F, text.c_str());
  list.AddText(
      context.fonts.mono, size,
      {(cell.min.x + cell.max.x - extent.x) * 0.5F, (cell.min.y + cell.max.y - extent.y) * 0.5F},
      fill.text, text.c_str());
}

// One row per lane: lane, thread, value.
std::string lanes_text(const Context& context, const std::string& variable, std::uint32_t warp) {
  const simt::Program& program = context.view.run.scene->recording->program();
  const std::uint32_t block = context.state.focus.block;
  const auto warp_size = program.warp_size();
  std::vector<std::vector<std::string>> rows;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t thread = warp * warp_size + lane;
    if (thread < program.threads_per_block()) {
      const auto value = context.view.run.state->variable(block, thread, variable);
      rows.push_back({std::to_string(lane), thread_name(program, block, thread),
                      value ? value_text(program, *value) : "–"});
    }
  }
  return tabbed(rows);
}

// Sizes in rows.
constexpr float kHeadAndScrollbar = 2.5F;
constexpr float kMostRows = 14.0F;

std::string cost_text(const simt::MemoryEvent& event) {
  const int lanes = std::popcount(event.mask);
  if (event.space == ptx::Space::Shared) {
    const std::uint32_t wavefronts = insight::count_wavefronts(event);
    return fmt::format("{}, {}", plural(lanes, "lane"), plural(wavefronts, "wavefront"));
  }
  const std::uint32_t sectors = insight::count_sectors(event);
  return fmt::format("{}, {}", plural(lanes, "lane"), plural(sectors, "sector"));
}

// True if no access of this size needs fewer passes or sectors.
bool is_ideal(const simt::MemoryEvent& event) {
  const auto bytes = static_cast<std::uint32_t>(std::popcount(event.mask)) * event.bytes;
  if (event.space == ptx::Space::Shared) {
    return insight::count_wavefronts(event) <= (bytes + 127U) / 128U;
  }
  return insight::count_sectors(event) <= (bytes + 31U) / 32U;
}

void cost_row(const Context& context, const record::Access& access) {
  const simt::Program& program = context.view.run.scene->recording->program();
  const auto lane = static_cast<std::size_t>(std::countr_zero(access.event.mask));
  const std::string first =
      record::place_name(program, program.locate(access.event.addresses[lane], access.event.bytes),
                         access.event.bytes);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::Text("%u", access.warp.warp);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(insight::verb_of_several(access.event.kind));
  ImGui::TableNextColumn();
  text_in(context.fonts.mono, first + (std::popcount(access.event.mask) > 1 ? " …" : ""));
  ImGui::TableNextColumn();
  coloured_text(is_ideal(access.event) ? context.theme.good : context.theme.warning,
                cost_text(access.event).c_str());
}

bool is_of_focus_block(const Context& context, const record::Access& access) {
  return access.warp.block == context.state.focus.block && access.event.mask != 0 &&
         access.event.space != ptx::Space::Param && access.event.agent == simt::AccessAgent::Thread;
}

// Empty if the statement does not access memory, such as a barrier.
void statement_table(const Context& context) {
  const auto& accesses = last_statement(context).accesses;
  const auto is_its = [&context](const record::Access& access) {
    return is_of_focus_block(context, access);
  };
  const auto count = std::ranges::count_if(accesses, is_its);
  if (count == 0) {
    return;
  }
  heading(context, tr("last statement of this block"));
  if (!ImGui::BeginTable(
          "accesses", 4,
          ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerH,
          {0.0F, ImGui::GetTextLineHeightWithSpacing() *
                     std::min(static_cast<float>(count) + kHeadAndScrollbar, kMostRows)})) {
    return;
  }
  ImGui::TableSetupColumn(tr("warp"));
  ImGui::TableSetupColumn(tr("action"));
  ImGui::TableSetupColumn(tr("element"));
  ImGui::TableSetupColumn(tr("cost"));
  ImGui::TableHeadersRow();
  for (const record::Access& access : accesses) {
    if (is_its(access)) {
      cost_row(context, access);
    }
  }
  ImGui::EndTable();
}

void counter_row(const char* what, const insight::AccessCounters& c, std::uint64_t cost,
                 const char* unit) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(what);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(fmt::format("{:L}", c.elements).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(fmt::format("{:L}", c.requests).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(fmt::format("{:L} {}", cost, unit).c_str());
}

void totals(const Context& context) {
  const auto& c = context.view.run.counters;
  if (c == nullptr) {
    return;
  }
  heading(context, tr("whole launch (fast build)"));
  if (ImGui::BeginTable("totals", 4, ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableSetupColumn("");
    ImGui::TableSetupColumn(tr("elements"));
    ImGui::TableSetupColumn(tr("requests"));
    ImGui::TableSetupColumn(tr("cost"));
    ImGui::TableHeadersRow();
    counter_row(tr("global loads"), c->global_loads, c->global_loads.sectors, tr("sectors"));
    counter_row(tr("global stores"), c->global_stores, c->global_stores.sectors, tr("sectors"));
    counter_row(tr("shared loads"), c->shared_loads, c->shared_loads.wavefronts, tr("wavefronts"));
    counter_row(tr("shared stores"), c->shared_stores, c->shared_stores.wavefronts,
                tr("wavefronts"));
    ImGui::EndTable();
  }
  const auto& buffers = context.view.run.scene->launch.buffers;
  for (std::size_t i = 0; i < buffers.size() && i < c->buffers.size(); ++i) {
    const auto elements =
        static_cast<double>(buffers[i].rows) * static_cast<double>(buffers[i].cols);
    if (c->buffers[i].loads > 0) {
      const double times = static_cast<double>(c->buffers[i].loads) / elements;
      const std::string& name = buffers[i].name;
      ImGui::TextUnformatted((times == 1.0
                                  ? tr("each element of {} is loaded once", name)
                                  : tr("each element of {} is loaded {:.4g} times", name, times))
                                 .c_str());
    }
  }
}

}  // namespace

Commands draw_warp_page(const Context& context) {
  Commands commands;
  const simt::Program& program = context.view.run.scene->recording->program();
  const auto& focus = context.state.focus;
  const auto warp_size = program.warp_size();
  const std::uint32_t warp = focus.thread / warp_size;
  const std::string variable = choose_variable(context, context.memory.of<WarpMemory>());
  const bool running =
      context.view.run.state->machine().block_status(focus.block) == simt::BlockStatus::Running;
  const simt::WarpView at =
      running ? context.view.run.state->machine().warp({focus.block, warp}) : simt::WarpView{};

  if (build_of(program) != problem::Build::Step) {
    text_in_lines(kFastBuildSentence.text());
  }
  const float em = ImGui::GetFontSize();
  const int columns = warp_size >= 8 ? 8 : static_cast<int>(warp_size);
  const float gap = em * 0.15F;
  const float numbers = em * 1.5F;  // column of each row's first lane
  const float width =
      (ImGui::GetContentRegionAvail().x - numbers - gap * static_cast<float>(columns)) /
      static_cast<float>(columns);
  const float height = em * 1.7F;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 origin(corner.x + numbers, corner.y);
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t thread = warp * warp_size + lane;
    const std::uint32_t column = lane % static_cast<std::uint32_t>(columns);
    const std::uint32_t row = lane / static_cast<std::uint32_t>(columns);
    const ImVec2 min(origin.x + static_cast<float>(column) * (width + gap),
                     origin.y + static_cast<float>(row) * (height + gap));
    if (column == 0) {
      ImGui::GetWindowDrawList()->AddText(context.fonts.mono, 0.8F * em,
                                          {corner.x, min.y + 0.5F * (height - 0.8F * em)},
                                          context.theme.text_dim, std::to_string(lane).c_str());
    }
    const bool exists = thread < program.threads_per_block();
    std::string text = "–";
    if (exists) {
      const auto value = context.view.run.state->variable(focus.block, thread, variable);
      text = value ? value_text(program, *value) : "–";
    }
    draw_lane(context, *ImGui::GetWindowDrawList(), {min, {min.x + width, min.y + height}}, text,
              thread == focus.thread, exists, running && (at.active >> lane & 1U) != 0);
    ImGui::SetCursorScreenPos(min);
    ImGui::PushID(static_cast<int>(lane));
    if (hit_button("lane", {width, height}) && exists) {
      commands.push_back(state::FocusThread{focus.block, thread});
    }
    ImGui::PopID();
    if (exists && ImGui::IsItemHovered()) {
      ImGui::SetTooltip("%s",
                        tr("lane {}: {}\n{} = {}", lane, thread_name(program, focus.block, thread),
                           variable, full_text(context, thread, variable))
                            .c_str());
    }
  }
  offer_copy(
      context, origin,
      {ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x, ImGui::GetItemRectMax().y},
      {.what = fmt::format(fmt::runtime(kCopiedLanes.text()), variable),
       .text = [&context, variable, warp] { return lanes_text(context, variable, warp); }});
  const std::uint32_t idle =
      warp_size - std::min(warp_size, program.threads_per_block() - warp * warp_size);
  std::string note = tr("warp {} of {}", warp, program.warps_per_block());
  note += idle > 0 ? tr(" · {} lanes have no thread", idle) : "";
  note += warp_size < 32 ? tr(" · teaching warp") : "";
  wrapped_text(context.theme.text_dim, note);
  wrapped_text(context.theme.text_dim, tr("Filled lanes execute the next instruction."));
  return commands;
}

Commands draw_memory_page(const Context& context) {
  statement_table(context);
  totals(context);
  return {};
}

}  // namespace tilestep::ui
