#include "insight/occupancy/occupancy.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/plot.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::ChartRequest;
using analysis::Curve;
using analysis::LaunchFacts;
using analysis::Mark;

// Remembers the row that was scrolled to: scrolls again for another row, or after a frame without
// it. Takes a few frames, because the scroll range is known one frame later.
class BroughtIntoView {
 public:
  // `grows`: the list still grows, so the row may move out of view.
  bool is_due(const std::string& wanted, bool grows = false) {
    constexpr int kSettles = 4;
    const int now = ImGui::GetFrameCount();
    const bool goes_on = wanted_ == wanted && frame_ + 1 >= now && !grows;
    frames_ = goes_on ? std::min(frames_ + 1, kSettles) : 0;
    wanted_ = wanted;
    frame_ = now;
    return frames_ < kSettles;
  }

 private:
  std::string wanted_;
  int frame_ = -1;
  int frames_ = 0;
};

struct LadderMemory {
  BroughtIntoView bar;
};

struct Lane {
  float left = 0.0F;   // of the bars
  float right = 0.0F;  // of the longest
  float height = 0.0F;
  bool is_narrow = false;  // only the speed is beside a bar, and long names are cut
};

// Sizes in lines of text, and a share of the width.
constexpr float kSpeed = 6.0F;
constexpr float kSpeeds = 10.0F;  // with the best one
constexpr float kBesideNames = 20.0F;
constexpr float kMostOfNames = 0.4F;

void draw_bar(const Context& context, const Chart& chart, const Curve& curve, const Lane& lane,
              ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const Mark& mark = curve.marks.front();
  const bool chosen = curve.kernel == context.state.kernel;
  const auto x_of = [&](double y) {
    return lane.left + static_cast<float>(y / chart.y.high) * (lane.right - lane.left);
  };
  const float top = at.y + lane.height * 0.16F;
  const float bottom = at.y + lane.height * 0.84F;
  const float end = std::max(x_of(mark.y), lane.left + 2.0F);
  const ImU32 colour = curve_colour(context.theme, curve);
  list.AddRectFilled({lane.left, top}, {end, bottom}, with_alpha(colour, chosen ? 1.0F : 0.6F),
                     em * 0.15F);
  const bool compared = is_compared(context, curve, mark);
  if (compared || is_selected(context, curve, mark)) {
    list.AddRect({lane.left, top}, {end, bottom}, context.theme.focus, em * 0.15F, 0, 2.5F);
  }
  // The kernel's best BLOCK_SIZE as a tick.
  const Mark& best = curve.marks.back();
  std::string text = analysis::speed_text(chart.y, mark.y);
  float text_x = end;
  if (best.y > mark.y) {
    const float tick = x_of(best.y);
    list.AddLine({end, (top + bottom) / 2}, {tick, (top + bottom) / 2}, context.theme.text_dim,
                 1.5F);
    list.AddLine({tick, top}, {tick, bottom}, context.theme.text, em * 0.14F);
    if (!lane.is_narrow) {
      text += tr("   best {} at BS {}", analysis::speed_text(chart.y, best.y), best.block_size);
    }
    text_x = tick;
  }
  if (const auto& pair = context.view.timing.shown->pair; compared && pair && pair->ratio > 0.0) {
    text += pair->is_swapped ? tr("   {:.2f}× as fast as the other", pair->ratio)
                             : tr("   takes {:.2f}× as long as the other", pair->ratio);
  }
  list.AddText({text_x + em * 0.5F, at.y + (lane.height - em) / 2}, context.theme.text,
               text.c_str());
}

constexpr std::array kOccupancyHeads{
    Message("BLOCK_SIZE"),     Message("threads"),   Message("registers"), Message("shared bytes"),
    Message("blocks × warps"), Message("occupancy"), Message("limited by")};
constexpr std::array kCountersHeads{Message("BLOCK_SIZE"),
                                    Message("M×N×K"),
                                    Message("load requests"),
                                    Message("load sectors"),
                                    Message("store sectors"),
                                    Message("shared load wavefronts"),
                                    Message("shared store wavefronts")};
constexpr Message kCopiedTable = "the table";

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                                   ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerV |
                                   ImGuiTableFlags_PadOuterX;
constexpr float kLeastTable = 46.0F;  // lines of text
constexpr float kScrolledTable = 60.0F;

// Scrolls sideways where its seven columns have no room.
bool begin_table(const char* id) {
  const float font = ImGui::GetFontSize();
  const bool is_wide = ImGui::GetContentRegionAvail().x >= kLeastTable * font;
  return ImGui::BeginTable(id, 7, is_wide ? kTable : kTable | ImGuiTableFlags_ScrollX, {},
                           is_wide ? 0.0F : kScrolledTable * font);
}

void right_text(const std::string& text, ImU32 colour) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room - width));
  coloured_text(colour, text.c_str());
}

void number_cell(const Context& context, const std::string& text) {
  ImGui::TableNextColumn();
  right_text(text, context.theme.text);
}

struct TableMemory {
  BroughtIntoView row;
};

// Rows get their words, and more height, when they are counted.
bool is_to_be_shown(const Context& context, int block_size) {
  const std::string row = fmt::format("{} {} {}", context.state.kernel, block_size,
                                      static_cast<int>(context.state.timing.page));
  return context.memory.of<TableMemory>().row.is_due(row, context.view.timing.uncounted > 0);
}

// The row's BLOCK_SIZE; a click sets it. 0: the kernel has none.
void block_size_cell(const Context& context, int block_size, Commands& commands) {
  ImGui::TableNextColumn();
  if (block_size == 0) {
    coloured_text(context.theme.text_dim, "–");
    return;
  }
  const bool chosen = context.state.parameters.block_size == block_size;
  if (chosen && is_to_be_shown(context, block_size)) {
    ImGui::SetScrollHereY();
  }
  if (ImGui::Selectable(std::to_string(block_size).c_str(), chosen,
                        ImGuiSelectableFlags_SpanAllColumns)) {
    problem::Parameters parameters = context.state.parameters;
    parameters.block_size = block_size;
    commands.push_back(state::SetParameters{parameters});
  }
}

void occupancy_bar(const Context& context, double share) {
  ImGui::TableNextColumn();
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = em * 7.0F;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + em}, context.theme.field, em * 0.15F);
  list.AddRectFilled(at, {at.x + width * static_cast<float>(share), at.y + em},
                     share >= 0.5 ? context.theme.good : context.theme.warning, em * 0.15F);
  ImGui::Dummy({width, em});
  ImGui::SameLine();
  coloured_text(context.theme.text, fmt::format("{:.0f}%", 100.0 * share).c_str());
}

void occupancy_row(const Context& context, const LaunchFacts& facts,
                   const insight::Architecture& sm) {
  if (!facts.why_not.empty() || !facts.needs) {
    for (int i = 0; i < 5; ++i) {
      ImGui::TableNextColumn();
    }
    ImGui::TableNextColumn();
    wrapped_text(context.theme.text_dim,
                 facts.why_not.empty() ? tr("no machine code: NVRTC not found") : facts.why_not);
    return;
  }
  const insight::Occupancy o = insight::occupancy(*facts.needs, sm);
  number_cell(context, std::to_string(o.needs.threads));
  number_cell(context, std::to_string(o.needs.registers));
  number_cell(context, grouped(static_cast<std::uint64_t>(o.needs.shared_bytes)));
  number_cell(context, fmt::format("{} × {}", o.blocks, o.warps_of_block));
  occupancy_bar(context, o.share());
  ImGui::TableNextColumn();
  text_in_lines(insight::explain(o, sm));
}

// The last column may take the remaining room.
void heads(std::span<const Message> names, bool last_stretches) {
  for (const Message& name : names) {
    const bool is_last = &name == &names.back();
    ImGui::TableSetupColumn(name, is_last && last_stretches ? ImGuiTableColumnFlags_WidthStretch
                                                            : ImGuiTableColumnFlags_WidthFixed);
  }
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableHeadersRow();
}

// The program's count and the hardware's: one number and a tick if they agree, else both. If the
// hardware's count varies between runs, the runs: no count can agree with them.
void compared_cell(const Context& context, std::uint64_t counted, std::uint64_t measured,
                   std::vector<std::uint64_t> runs = {}) {
  ImGui::TableNextColumn();
  if (counted == measured) {
    right_text(fmt::format("{}  {}", grouped(counted), icon::kCheck), context.theme.good);
    return;
  }
  if (runs.empty()) {
    right_text(fmt::format("{} ({})", grouped(counted), grouped(measured)), context.theme.warning);
    return;
  }
  runs.push_back(measured);
  const auto [least, most] = std::ranges::minmax(runs);
  right_text(tr("{} ({} to {})", grouped(counted), grouped(least), grouped(most)),
             context.theme.text);
}

void counters_row(const Context& context, const LaunchFacts* facts,
                  const timing::CountedLaunch& measured, Commands& commands) {
  block_size_cell(context, measured.block_size, commands);
  number_cell(context, analysis::to_text(measured.problem));
  if (facts == nullptr || !facts->why_not.empty()) {
    ImGui::TableNextColumn();
    coloured_text(context.theme.text_dim,
                  facts == nullptr ? tr("counting …") : facts->why_not.c_str());
    return;
  }
  const insight::Cost& cost = facts->cost;
  compared_cell(context, cost.global_loads.requests, measured.global_load_requests);
  compared_cell(context, cost.global_loads.sectors, measured.global_load_sectors);
  compared_cell(context, cost.global_stores.sectors, measured.global_store_sectors);
  compared_cell(context, cost.shared_loads.wavefronts, measured.shared_load_wavefronts,
                measured.shared_load_wavefronts_again);
  compared_cell(context, cost.shared_stores.wavefronts, measured.shared_store_wavefronts,
                measured.shared_store_wavefronts_again);
}

// The tables with one number per cell, for a spreadsheet.
std::string occupancy_text(const Context& context, const ChartRequest& request,
                           const insight::Architecture& sm) {
  std::vector<std::vector<std::string>> rows{{kOccupancyHeads.begin(), kOccupancyHeads.end()}};
  for (int block_size = 0; block_size <= problem::kLargestBlockSize; ++block_size) {
    const LaunchFacts* facts =
        analysis::find_facts(request.facts, context.state.kernel,
                             {request.view.problem, block_size}, request.gpu.architecture);
    if (facts == nullptr || !facts->needs || facts->architecture != sm.number) {
      continue;
    }
    const insight::Occupancy o = insight::occupancy(*facts->needs, sm);
    rows.push_back({std::to_string(block_size), std::to_string(o.needs.threads),
                    std::to_string(o.needs.registers), std::to_string(o.needs.shared_bytes),
                    fmt::format("{} × {}", o.blocks, o.warps_of_block),
                    fmt::format("{:.0f}%", 100.0 * o.share()), insight::explain(o, sm)});
  }
  return tabbed(rows);
}

std::string counters_text(const Context& context, const ChartRequest& request) {
  std::vector<std::vector<std::string>> rows{{kCountersHeads.begin(), kCountersHeads.end()}};
  for (std::size_t i = 2; i < kCountersHeads.size(); ++i) {
    rows[0].push_back(fmt::format("{} ({})", kCountersHeads[i], context.view.timing.counters->gpu));
  }
  for (const timing::CountedLaunch& m : context.view.timing.counters->launches) {
    const LaunchFacts* facts = analysis::find_facts(
        request.facts, m.kernel, {m.problem, m.block_size}, request.gpu.architecture);
    if (m.kernel != context.state.kernel || facts == nullptr || !facts->why_not.empty()) {
      continue;
    }
    const insight::Cost& c = facts->cost;
    std::vector<std::string> row{std::to_string(m.block_size), analysis::to_text(m.problem)};
    for (const std::uint64_t count :
         {c.global_loads.requests, c.global_loads.sectors, c.global_stores.sectors,
          c.shared_loads.wavefronts, c.shared_stores.wavefronts, m.global_load_requests,
          m.global_load_sectors, m.global_store_sectors, m.shared_load_wavefronts,
          m.shared_store_wavefronts}) {
      row.push_back(std::to_string(count));
    }
    rows.push_back(std::move(row));
  }
  return tabbed(rows);
}

}  // namespace

Commands draw_ladder(const Context& context, const Chart& chart) {
  Commands commands;
  const float em = ImGui::GetFontSize();
  const ImVec2 space = ImGui::GetContentRegionAvail();
  float names = 0.0F;
  for (const Curve& curve : chart.curves) {
    names = std::max(names, ImGui::CalcTextSize(shown_name(curve).c_str()).x);
  }
  Lane lane;
  const float rows = static_cast<float>(std::max<std::size_t>(chart.curves.size(), 1));
  lane.height = std::clamp(space.y / rows, em * 1.25F, em * 2.4F);
  const float start = ImGui::GetCursorScreenPos().x;
  lane.is_narrow = space.x < names + kBesideNames * em;
  names = lane.is_narrow ? std::min(names, kMostOfNames * space.x) : names;
  lane.left = start + names + em;
  lane.right = start + space.x - em * (lane.is_narrow ? kSpeed : kSpeeds);
  for (std::size_t i = chart.curves.size(); i-- > 0;) {
    const Curve& curve = chart.curves[i];
    const Mark& mark = curve.marks.front();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    if (hit_button("bar", {space.x, lane.height}) && mark.point != nullptr) {
      append(commands, click_point(context, curve, mark));
    }
    const std::string& selected = context.state.timing.selected_kernel;
    const bool is_wanted = curve.kernel == (selected.empty() ? context.state.kernel : selected);
    if (is_wanted && context.memory.of<LadderMemory>().bar.is_due(
                         fmt::format("{} {}", curve.kernel, ImGui::GetWindowHeight()))) {
      ImGui::SetScrollHereY(1.0F);  // scrolls as little as possible
    }
    if (ImGui::IsItemHovered()) {
      mark_tooltip(curve, mark);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) &&
          curve.role == analysis::Role::Measured) {
        commands.push_back(state::OpenOnStage{
            mark.point == nullptr ? curve.kernel : analysis::stage_kernel(*mark.point),
            mark.block_size});
      }
    }
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, at.y + lane.height});
    const std::string name = cut_to(shown_name(curve), names + 1.0F);
    ImGui::GetWindowDrawList()->AddText(
        {lane.left - em * 0.6F - ImGui::CalcTextSize(name.c_str()).x,
         at.y + (lane.height - em) / 2},
        curve.is_wrong ? context.theme.bad : context.theme.text, name.c_str());
    draw_bar(context, chart, curve, lane, at);
  }
  ImGui::Dummy({0.0F, 0.0F});
  return commands;
}

Commands draw_occupancy_table(const Context& context, const ChartRequest& request) {
  Commands commands;
  const insight::Architecture* sm = insight::find_architecture(request.gpu.architecture);
  if (sm == nullptr) {
    ImGui::TextWrapped(
        "%s", tr("The compute capability of {} is unknown. Choose a GPU above.", request.gpu.name)
                  .c_str());
    return commands;
  }
  if (begin_table("occupancy")) {
    heads(kOccupancyHeads, true);
    const problem::LaunchSpec* spec = context.view.kernels.catalog->find(context.state.kernel);
    const bool has_block_size = spec == nullptr || spec->uses_block_size;
    const int last = has_block_size ? problem::kLargestBlockSize : 0;
    for (int block_size = std::min(1, last); block_size <= last; ++block_size) {
      const LaunchFacts* facts =
          analysis::find_facts(request.facts, context.state.kernel,
                               {request.view.problem, block_size}, request.gpu.architecture);
      ImGui::TableNextRow();
      block_size_cell(context, block_size, commands);
      if (facts == nullptr || facts->architecture != sm->number) {
        ImGui::TableNextColumn();
        coloured_text(context.theme.text_dim, "…");
      } else {
        occupancy_row(context, *facts, *sm);
      }
    }
    ImGui::EndTable();
    offer_copy_of_item(context, {.what = kCopiedTable.text(),
                                 .text = [&context, &request,
                                          sm] { return occupancy_text(context, request, *sm); },
                                 .is_main = true});
  }
  return commands;
}

Commands draw_counters_table(const Context& context, const ChartRequest& request) {
  Commands commands;
  const auto& measured = context.view.timing.counters;
  const bool any = measured != nullptr && !measured->problems(context.state.kernel).empty();
  if (!any) {
    ImGui::TextWrapped(
        "%s", tr("No hardware counters were recorded for this kernel. Choose another kernel above, "
                 "or run `tilestep counters {}`.",
                 context.state.kernel)
                  .c_str());
    return commands;
  }
  const std::string what =
      tr("Counted by Tilestep. {} means that Nsight Compute on {} counted the same. Otherwise, the "
         "hardware's count is in parentheses: a range if it differs from run to run "
         "(docs/reports/counters.md).",
         icon::kCheck, measured->gpu);
  wrapped_text(context.theme.text_dim, what);
  if (begin_table("counters")) {
    heads(kCountersHeads, false);
    for (const timing::CountedLaunch& launch : measured->launches) {
      if (launch.kernel != context.state.kernel) {
        continue;
      }
      ImGui::TableNextRow();
      ImGui::PushID(&launch);
      counters_row(
          context,
          analysis::find_facts(request.facts, launch.kernel, {launch.problem, launch.block_size},
                               request.gpu.architecture),
          launch, commands);
      ImGui::PopID();
    }
    ImGui::EndTable();
    offer_copy_of_item(context,
                       {.what = kCopiedTable.text(),
                        .text = [&context, &request] { return counters_text(context, request); },
                        .is_main = true});
  }
  return commands;
}

}  // namespace tilestep::ui
