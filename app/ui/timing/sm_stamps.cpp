#include "ui/timing/sm_stamps.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/clock_axis.h"
#include "ui/timing/sm_rows.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

constexpr float kNarrow = 22.0F;      // a table that has no room for other numbers than the wave's
constexpr double kLeastShown = 0.05;  // cycles of a state
constexpr double kLeastForHall = 0.15;

void swatch(const Context& context, clock::WarpState state) {
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 0.2F * em},
                                            {at.x + 0.8F * em, at.y + 0.95F * em},
                                            state_colour(context.theme, state), 2.0F);
  ImGui::Dummy({em, em});
  ImGui::SameLine(0.0F, 0.2F * em);
}

using clock::StampedWarp;
using workspace::ShownStamps;

constexpr float kWideTable = 18.0F;  // width in font sizes, as below; narrower: no clocks
constexpr float kMostOfRow = 1.8F;

// The rows of one of the two.
struct Rows {
  std::span<const StampedWarp> warps;
  ClockAxis axis;
  float top = 0.0F;
  float bottom = 0.0F;
  float row = 1.0F;  // height
};

clock::Phase phase_after(const StampedWarp& warp, std::size_t k) {
  const clock::Stamp& from = warp.stamps[k];
  const clock::Stamp& to = warp.stamps[k + 1];
  return {from.place, from.line, to.place, to.line};
}

// Phases keep their color in both halves and in the table. Nullopt: it is not in the table.
std::optional<std::size_t> number_of(const ShownStamps& stamps, const clock::Phase& phase) {
  const auto found = std::ranges::find_if(
      stamps.phases, [&](const clock::ComparedPhase& one) { return one.measured.phase == phase; });
  return found == stamps.phases.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - stamps.phases.begin()));
}

ImU32 colour_of(const Theme& theme, std::optional<std::size_t> phase) {
  constexpr std::array kStates{clock::WarpState::ShortScoreboard, clock::WarpState::Barrier,
                               clock::WarpState::LongScoreboard,  clock::WarpState::LgThrottle,
                               clock::WarpState::MioThrottle,     clock::WarpState::MathPipe};
  return phase ? state_colour(theme, kStates[*phase % kStates.size()]) : theme.border;
}

void draw_warp(const Context& context, const ShownStamps& stamps, const Rows& rows,
               std::size_t number) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const StampedWarp& warp = rows.warps[number];
  const float y = rows.top + static_cast<float>(number) * rows.row;
  const float gap = rows.row > 6.0F ? 1.0F : 0.0F;
  for (std::size_t k = 0; k + 1 < warp.stamps.size(); ++k) {
    const float left = std::max(rows.axis.left, rows.axis.x_of(warp.stamps[k].clock));
    const float right = std::min(rows.axis.right, rows.axis.x_of(warp.stamps[k + 1].clock));
    if (left < right) {
      list.AddRectFilled({left, y}, {right, y + rows.row - gap},
                         colour_of(context.theme, number_of(stamps, phase_after(warp, k))));
    }
  }
}

void describe(const Rows& rows) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto row = static_cast<std::size_t>(std::max(0.0F, (mouse.y - rows.top) / rows.row));
  if (!ImGui::IsItemHovered() || row >= rows.warps.size()) {
    return;
  }
  const StampedWarp& warp = rows.warps[row];
  const std::int64_t clock = rows.axis.clock_at(mouse.x);
  const auto after = std::ranges::upper_bound(warp.stamps, clock, {}, &clock::Stamp::clock);
  if (after == warp.stamps.begin() || after == warp.stamps.end()) {
    return;
  }
  const auto k = static_cast<std::size_t>(after - warp.stamps.begin()) - 1;
  const auto text = [](std::int64_t clocks) {
    return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(clocks, 0)));
  };
  tooltip(tr("warp {} of block {}", warp.warp, warp.block) + "\n" +
              clock::phase_name(phase_after(warp, k)) + "\n" +
              tr("cycles {} to {}: {}", text(warp.stamps[k].clock), text(after->clock),
                 text(after->clock - warp.stamps[k].clock)),
          TooltipDelay::None);
}

void draw_labels(const Context& context, const Rows& rows, float left) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = row_sizes(context).letters * ImGui::GetFontSize();
  float free = rows.top - size;
  for (std::size_t k = 0; k < rows.warps.size(); ++k) {
    const float y = rows.top + static_cast<float>(k) * rows.row;
    const bool is_first = k == 0 || rows.warps[k].block != rows.warps[k - 1].block;
    if (is_first) {
      list.AddLine({left, y}, {rows.axis.right, y}, context.theme.border);
    }
    if (is_first && y >= free) {
      list.AddText(context.fonts.text, size, {left + 0.2F * size, y}, context.theme.text_dim,
                   tr("block {}", rows.warps[k].block).c_str());
      free = y + 1.15F * size;
    }
  }
}

Commands draw_rows(const Context& context, const ShownStamps& stamps, const Rows& rows,
                   const char* id, float left) {
  Commands commands;
  const float em = ImGui::GetFontSize();
  ImGui::SetCursorScreenPos({rows.axis.left, rows.top});
  static_cast<void>(
      hit_area(id, {rows.axis.width(), rows.bottom - rows.top + row_sizes(context).axis * em}));
  if (const auto view = zoomed_or_moved(context, rows.axis)) {
    commands.push_back(timing_with(context, &state::TimingView::sm, *view));
  }
  describe(rows);
  draw_marks(context, rows.axis, rows.top, rows.bottom);
  draw_labels(context, rows, left);
  for (std::size_t k = 0; k < rows.warps.size(); ++k) {
    draw_warp(context, stamps, rows, k);
  }
  return commands;
}

std::int64_t last_clock(std::span<const StampedWarp> warps) {
  std::int64_t last = 1;
  for (const StampedWarp& warp : warps) {
    last = warp.stamps.empty() ? last : std::max(last, warp.stamps.back().clock);
  }
  return last;
}

std::string measured_text(const ShownStamps& stamps) {
  const clock::StampedRun& run = stamps.measured;
  return tr("{}, {}: {} on SM {}. Timestamps make the launch {:.1f}% slower.", run.gpu,
            run.date.substr(0, 10), plural(clock::count_blocks(run.warps), "block"), run.sm,
            100.0 * (run.stamped_ms / run.plain_ms - 1.0));
}

// Sizes of the bars; all except the line's are in font sizes.
struct CurveSizes {
  float numbers, line;
};
constexpr CurveSizes kCurve{0.8F, 2.0F};
constexpr CurveSizes kHallCurve{1.0F, 4.0F};
constexpr float kCurveHeight = 5.0F;
constexpr float kHighestCurve = 14.0F;

}  // namespace

std::int64_t clocks_of(const ShownStamps& stamps) {
  return std::max(last_clock(stamps.measured.warps), last_clock(stamps.estimated));
}

Commands draw_stamps(const Context& context, const ShownStamps& stamps, ImVec2 from, ImVec2 to) {
  const float em = ImGui::GetFontSize();
  const std::int64_t all = clocks_of(stamps);
  const RowSizes sizes = row_sizes(context);
  const ClockAxis axis{all, shown_clocks(context.state.timing.sm, all), from.x + sizes.labels * em,
                       to.x};
  const float middle = 0.5F * (from.y + to.y);
  const auto rows_of = [&](std::span<const StampedWarp> warps, float top, float bottom) {
    Rows rows{warps, axis, top, bottom - sizes.axis * em, 1.0F};
    rows.row = std::min(
        (rows.bottom - rows.top) / static_cast<float>(std::max<std::size_t>(warps.size(), 1)),
        kMostOfRow * em);
    return rows;
  };
  ImGui::SetCursorScreenPos(from);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(tr("Measured"));
  ImGui::PopFont();
  ImGui::SameLine();
  ImGui::TextUnformatted(
      cut_to(measured_text(stamps), to.x - ImGui::GetCursorScreenPos().x).c_str());
  const float line = ImGui::GetTextLineHeightWithSpacing();
  Commands commands =
      draw_rows(context, stamps, rows_of(stamps.measured.warps, from.y + line, middle - 0.2F * em),
                "##measured", from.x);
  ImGui::SetCursorScreenPos({from.x, middle});
  estimated_chip(context);
  ImGui::SameLine();
  ImGui::TextUnformatted(
      cut_to(tr("The same machine code, with timestamps."), to.x - ImGui::GetCursorScreenPos().x)
          .c_str());
  append(commands, draw_rows(context, stamps, rows_of(stamps.estimated, middle + 1.1F * line, to.y),
                             "##estimated", from.x));
  return commands;
}

void draw_phases(const Context& context, const ShownStamps& stamps) {
  const float em = ImGui::GetFontSize();
  const bool is_wide = ImGui::GetContentRegionAvail().x > kWideTable * em;
  if (!ImGui::BeginTable("phases", is_wide ? 4 : 2, ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupColumn(tr("mean cycles per warp"), ImGuiTableColumnFlags_WidthStretch);
  if (is_wide) {
    ImGui::TableSetupColumn(tr("measured"));
    ImGui::TableSetupColumn(tr("estimated"));
  }
  ImGui::TableSetupColumn(tr("error"));
  ImGui::TableHeadersRow();
  for (std::size_t k = 0; k < stamps.phases.size(); ++k) {
    const clock::ComparedPhase& phase = stamps.phases[k];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 0.2F * em},
                                              {at.x + 0.8F * em, at.y + 0.95F * em},
                                              colour_of(context.theme, k), 2.0F);
    ImGui::Dummy({em, em});
    ImGui::SameLine(0.0F, 0.2F * em);
    ImGui::TextWrapped("%s", clock::phase_name(phase.measured.phase).c_str());
    if (is_wide) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(fmt::format("{:.0f}", phase.measured.mean).c_str());
      tooltip(tr("10% take less than {:.0f} cycles, 10% more than {:.0f}.", phase.measured.low,
                 phase.measured.high));
      ImGui::TableNextColumn();
      if (phase.estimated) {
        ImGui::TextUnformatted(fmt::format("{:.0f}", phase.estimated->mean).c_str());
      }
    }
    ImGui::TableNextColumn();
    if (const auto error = phase.error()) {
      ImGui::TextUnformatted(fmt::format("{:+.0f}%", 100.0 * *error).c_str());
    }
  }
  ImGui::EndTable();
}

void states_table(const Context& context, const workspace::ShownSm& sm) {
  const bool is_hall = context.state.lecture;
  const bool is_wide =
      !is_hall && ImGui::GetContentRegionAvail().x > kNarrow * ImGui::GetFontSize();
  const bool has_launch = is_wide && sm.summary && sm.summary->is_launch;
  const bool has_measured = is_wide && sm.measured.has_value();
  const int columns = 2 + (has_launch ? 1 : 0) + (has_measured ? 1 : 0);
  if (!ImGui::BeginTable("states", columns, ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupColumn(tr("cycles per instruction"), ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn(sm.is_whole ? tr("launch") : tr("wave"));
  if (has_launch) {
    ImGui::TableSetupColumn(tr("launch"));
  }
  if (has_measured) {
    ImGui::TableSetupColumn(tr("measured"));
  }
  ImGui::TableHeadersRow();
  const auto issued = static_cast<double>(std::max<std::uint64_t>(sm.run.instructions, 1));
  const auto cell = [](double clocks) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(fmt::format("{:5.1f}", clocks).c_str());
  };
  for (const auto& word : kWords<clock::WarpState>) {
    const auto index = static_cast<std::size_t>(word.value);
    const double of_wave = static_cast<double>(sm.run.by_state[index]) / issued;
    const double of_launch = has_launch ? sm.summary->states[index] : 0.0;
    const double measured = has_measured ? sm.measured->states[index] : 0.0;
    if (std::max({of_wave, of_launch, measured}) < (is_hall ? kLeastForHall : kLeastShown)) {
      continue;
    }
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    swatch(context, word.value);
    text_in_lines(word.label.text());
    tooltip(fmt::format("{}\nNsight Compute: {}", word.tooltip.text(), word.file));
    cell(of_wave);
    if (has_launch) {
      cell(of_launch);
    }
    if (has_measured) {
      cell(measured);
    }
  }
  ImGui::EndTable();
}

void latency_curve(const Context& context, const workspace::ShownSm& sm) {
  if (sm.by_blocks.size() < 2) {
    return;
  }
  const CurveSizes& sizes = context.state.lecture ? kHallCurve : kCurve;
  const float em = ImGui::GetFontSize();
  heading(context, tr("Latency hiding"));
  wrapped_text(
      context.theme.text_dim,
      sm.measured_by_blocks.empty()
          ? tr("cycles per wave with the matrices in L2, by blocks at once")
          : tr("cycles per wave with the matrices in L2, by blocks at once; lines: measured"));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float high = context.state.lecture
                         ? std::clamp(avail.y, kCurveHeight * em, kHighestCurve * em)
                         : kCurveHeight * em;
  const ImVec2 size{avail.x, high};
  ImGui::Dummy(size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double most = 1.0;
  for (const auto* const curve : {&sm.by_blocks, &sm.measured_by_blocks}) {
    for (const auto& [blocks, clocks] : *curve) {
      most = std::max(most, static_cast<double>(clocks));
    }
  }
  const float each = size.x / static_cast<float>(sm.by_blocks.size());
  const float letters = sizes.numbers * em;
  const float room = size.y - 3.0F * letters;
  for (std::size_t k = 0; k < sm.by_blocks.size(); ++k) {
    const auto& [blocks, clocks] = sm.by_blocks[k];
    const auto high_of = [&](std::int64_t value) {
      return room * static_cast<float>(static_cast<double>(value) / most);
    };
    const float height = high_of(clocks);
    float top = height;  // of the bar or the line
    const float x = from.x + static_cast<float>(k) * each;
    const float bottom = from.y + size.y - 1.5F * letters;
    const bool is_now = blocks == sm.at_once;
    list.AddRectFilled({x + 1.0F, bottom - height}, {x + each - 1.0F, bottom},
                       is_now ? context.theme.accent.fill : context.theme.hatch, 2.0F);
    const std::string above = fmt::format("{:.0f}k", static_cast<double>(clocks) / 1000.0);
    const auto centered = [&](const std::string& text, float y, ImU32 colour) {
      const float wide = text_width(context.fonts.text, letters, text.c_str());
      if (wide < each) {
        list.AddText(context.fonts.text, letters, {x + 0.5F * (each - wide), y}, colour,
                     text.c_str());
      }
    };
    const auto measured =
        std::ranges::find(sm.measured_by_blocks, blocks, &std::pair<int, std::int64_t>::first);
    if (measured != sm.measured_by_blocks.end()) {
      const float y = bottom - high_of(measured->second);
      list.AddLine({x + 1.0F, y}, {x + each - 1.0F, y}, context.theme.warning, sizes.line);
      top = std::max(top, bottom - y);
    }
    centered(above, bottom - top - 1.25F * letters, context.theme.text_dim);
    centered(std::to_string(blocks), bottom + 0.1F * letters, context.theme.text);
  }
}

}  // namespace tilestep::ui
