// What the last statement's accesses cost: sectors for global memory, wavefronts for shared memory.
#include "insight/count/counters.h"
#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "ui/inspector/pages.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

// In rows.
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

// The fewest passes or sectors that could move this much.
bool is_ideal(const simt::MemoryEvent& event) {
  const auto bytes = static_cast<std::uint32_t>(std::popcount(event.mask)) * event.bytes;
  if (event.space == ptx::Space::Shared) {
    return insight::count_wavefronts(event) <= (bytes + 127U) / 128U;
  }
  return insight::count_sectors(event) <= (bytes + 31U) / 32U;
}

void access_row(const Context& context, const record::Access& access) {
  const simt::Program& program = context.view.scene->recording->program();
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
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::TextUnformatted((first + (std::popcount(access.event.mask) > 1 ? " …" : "")).c_str());
  ImGui::PopFont();
  ImGui::TableNextColumn();
  coloured_text(is_ideal(access.event) ? context.theme.good : context.theme.warning,
                cost_text(access.event).c_str());
}

bool is_of_focus_block(const Context& context, const record::Access& access) {
  return access.warp.block == context.state.focus.block && access.event.mask != 0 &&
         access.event.space != ptx::Space::Param && access.event.agent == simt::AccessAgent::Thread;
}

// Of a statement that uses no memory, a barrier for one, there is nothing to say.
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
  ImGui::TableSetupColumn(tr("does"));
  ImGui::TableSetupColumn(tr("from"));
  ImGui::TableSetupColumn(tr("cost"));
  ImGui::TableHeadersRow();
  for (const record::Access& access : accesses) {
    if (is_its(access)) {
      access_row(context, access);
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
  const insight::Counters* c = context.view.counters;
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
  const auto& buffers = context.view.scene->launch.buffers;
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

Commands draw_memory_page(const Context& context) {
  statement_table(context);
  totals(context);
  return {};
}

}  // namespace tilestep::ui
