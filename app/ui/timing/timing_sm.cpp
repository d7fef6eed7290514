// The Timing tab's page of one SM: heading, controls, the rows, and the column beside them.
#include "analysis/launch_facts.h"
#include "analysis/prediction.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/sm_rows.h"
#include "ui/timing/sm_stamps.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace tilestep::ui {
namespace {

using clock::StateClocks;
using clock::WarpState;
using workspace::ShownSm;

constexpr float kColumn = 27.0F;       // width, in font sizes
constexpr float kColumnShare = 0.38F;  // of the page, at most
constexpr float kHallLegend = 1.15F;   // size of its letters
constexpr float kHighForSentence = 26.0F;
constexpr float kHighForControls = 20.0F;
constexpr float kHighForTwo = 20.0F;  // height of two launches with the column beside them
constexpr float kAgainst = 12.0F;     // width of the choice of a second launch
constexpr double kZoom = 1.6;

// "Tiled, BLOCK_SIZE 16, 1024: 8 blocks at once on one SM"
std::string title_of(const Context& context, const ShownSm& sm, const std::string& id) {
  const problem::LaunchSpec* const spec = context.view.kernels.catalog->find(id);
  std::string launch = kernel_title(context, id);
  if (spec == nullptr || spec->uses_block_size) {
    launch += fmt::format(", BLOCK_SIZE {}", sm.parameters.block_size);
  }
  const problem::Problem& size = sm.parameters.problem;
  launch += fmt::format(", {}×{}×{}", size.M, size.N, size.K);
  return sm.is_whole       ? tr("{}: the whole launch on one SM, {} at once", launch,
                                plural(static_cast<std::size_t>(sm.at_once), "block"))
         : sm.at_once == 1 ? tr("{}: 1 block on one SM", launch)
                           : tr("{}: {} blocks at once on one SM", launch, sm.at_once);
}

// What the model of the Timing tab, which knows no time inside an SM, predicts for the same launch;
// empty until it is counted.
std::string prediction_text(const Context& context, const ShownSm& sm,
                            const analysis::ChartRequest& request) {
  const analysis::LaunchFacts* const facts =
      analysis::find_facts(request.facts, context.state.kernel, sm.parameters,
                           request.gpu.architecture, context.state.edited_source);
  if (sm.is_whole || facts == nullptr || !facts->why_not.empty() || !request.gpu.is_known()) {
    return "";
  }
  const double clocks =
      analysis::predict(*facts, request.gpu).ms * 1000.0 * request.gpu.sm_clock_mhz;
  const std::string text = grouped(static_cast<std::uint64_t>(clocks));
  return " " + (sm.measured
                    ? tr("Predicted from the use of resources: {} ({:+.1f}%).", text,
                         100.0 * (clocks / static_cast<double>(sm.measured->clocks_busiest) - 1.0))
                    : tr("Predicted from the use of resources: {}.", text));
}

// Estimated and measured clocks of the launch.
std::string clocks_text(const ShownSm& sm) {
  const std::string clocks = grouped(static_cast<std::uint64_t>(sm.run.clocks));
  std::string text =
      sm.is_whole ? tr("It takes {} cycles.", clocks) : tr("This wave takes {} cycles.", clocks);
  const std::int64_t launch = sm.summary && sm.summary->is_launch ? sm.summary->clocks : 0;
  if (launch > 0) {
    text += " " + tr("The launch keeps the busiest SM busy for {} cycles.",
                     grouped(static_cast<std::uint64_t>(launch)));
  }
  if (sm.measured && launch > 0) {
    const auto measured = static_cast<double>(sm.measured->clocks_busiest);
    text += " " + tr("Measured: {} (estimate {:+.1f}%).",
                     grouped(static_cast<std::uint64_t>(sm.measured->clocks_busiest)),
                     100.0 * (static_cast<double>(launch) / measured - 1.0));
  }
  return text;
}

Commands zoomed(const Context& context, std::int64_t all, double factor) {
  const state::SmView& view = context.state.timing.sm;
  const ClockRange range = shown_clocks(view, all);
  const auto shown = static_cast<double>(range.clocks);
  const double middle = static_cast<double>(range.first) + 0.5 * shown;
  return {timing_with(context, &state::TimingView::sm,
                      with_clocks(view, all, middle - 0.5 * shown * factor, shown * factor))};
}

Commands with_stage_choice(const Context& context) {
  const state::SmView& view = context.state.timing.sm;
  bool has_stage = view.stage;
  Commands commands;
  if (ImGui::Checkbox(tr("Sync with stage"), &has_stage)) {
    commands.push_back(
        timing_with(context, &state::TimingView::sm,
                    state::SmView{.stage = has_stage, .by_scheduler = view.by_scheduler}));
  }
  tooltip(
      tr("The launch on the stage, executed by one SM. Stepping moves the marker on the timeline; "
         "clicking the timeline moves the stage."));
  return commands;
}

// The launch that is compared, on the same clocks.
Commands against_choice(const Context& context) {
  Commands commands;
  const problem::Catalog& catalog = *context.view.kernels.catalog;
  state::TimedPoint against = context.state.timing.against;
  const problem::LaunchSpec* const spec = catalog.find(against.kernel);
  field_label(context, tr("Compare with"));
  ImGui::SetNextItemWidth(kAgainst * ImGui::GetFontSize());
  if (ImGui::BeginCombo("##against", spec == nullptr ? tr("none") : tr(spec->title.c_str()),
                        ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable(tr("none"), spec == nullptr)) {
      commands.push_back(timing_with(context, &state::TimingView::against, state::TimedPoint{}));
    }
    for (const problem::LaunchSpec& other : catalog.kernels) {
      if (ImGui::Selectable(tr(other.title.c_str()), other.id == against.kernel)) {
        against.kernel = other.id;
        against.block_size =
            against.block_size > 0 ? against.block_size : context.state.parameters.block_size;
        commands.push_back(timing_with(context, &state::TimingView::against, against));
      }
      tooltip(tr(other.summary.c_str()));
    }
    ImGui::EndCombo();
  }
  tooltip(tr("A second launch below the first, on the same time axis."));
  if (spec == nullptr || !spec->uses_block_size) {
    return commands;
  }
  ImGui::SameLine();
  int size = against.block_size;
  const Slider slider{.id = "##against block",
                      .low = 1.0F,
                      .high = static_cast<float>(problem::kLargestBlockSize),
                      .width = 0.6F * kAgainst * ImGui::GetFontSize(),
                      .shown = std::to_string(size),
                      .widest = "32"};
  if (value_slider(context, slider, size)) {
    against.block_size = size;
    commands.push_back(timing_with(context, &state::TimingView::against, against));
  }
  tooltip("BLOCK_SIZE");
  return commands;
}

Commands controls(const Context& context, const ShownSm& sm, std::int64_t all) {
  Commands commands;
  state::SmView view = context.state.timing.sm;
  field_label(context, tr("Blocks at once"));
  int blocks = sm.at_once;
  const Slider slider{.id = "##blocks",
                      .low = 1.0F,
                      .high = static_cast<float>(std::max(1, sm.most_at_once)),
                      .width = 11.0F * ImGui::GetFontSize(),
                      .shown = std::to_string(sm.at_once),
                      .widest = "32"};
  if (value_slider(context, slider, blocks)) {
    view.blocks = std::clamp(blocks, 1, std::max(1, sm.most_at_once));
    commands.push_back(timing_with(context, &state::TimingView::sm, view));
  }
  tooltip(tr("With more blocks at once, some warps compute while others wait."));
  ImGui::SameLine();
  if (ImGui::Button("–##less")) {
    append(commands, zoomed(context, all, kZoom));
  }
  tooltip(tr("Shows more cycles (mouse wheel)."));
  ImGui::SameLine(0.0F, 2.0F);
  if (ImGui::Button("+##more")) {
    append(commands, zoomed(context, all, 1.0 / kZoom));
  }
  tooltip(tr("Shows fewer cycles (mouse wheel). Drag to move."));
  ImGui::SameLine();
  ImGui::BeginDisabled(view.clocks == 0);
  if (ImGui::Button(tr("All cycles"))) {
    view.first = 0;
    view.clocks = 0;
    commands.push_back(timing_with(context, &state::TimingView::sm, view));
  }
  ImGui::EndDisabled();
  flow(width_of_face(tr("By scheduler")));
  bool by_scheduler = view.by_scheduler;
  if (ImGui::Checkbox(tr("By scheduler"), &by_scheduler)) {
    view.by_scheduler = by_scheduler;
    commands.push_back(timing_with(context, &state::TimingView::sm, view));
  }
  tooltip(tr("Groups the warps by their scheduler. Otherwise by block."));
  flow(width_of_face(tr("Sync with stage")));
  append(commands, with_stage_choice(context));
  if (sm.stamped) {
    flow(width_of_face(tr("Measured")));
    bool has_stamps = view.stamps;
    if (ImGui::Checkbox(tr("Measured"), &has_stamps)) {
      state::SmView other = view;
      other.stamps = has_stamps;
      other.first = other.clocks = 0;
      commands.push_back(timing_with(context, &state::TimingView::sm, other));
    }
    tooltip(
        tr("Timestamps that the warps of an SM recorded at their barriers on a GPU, above the "
           "estimate for the same machine code."));
  }
  flow((kAgainst * 1.6F + 4.0F) * ImGui::GetFontSize());
  append(commands, against_choice(context));
  return commands;
}

// Large letters leave few lines, which the rows need.
Commands folded_controls(const Context& context, const ShownSm& sm, std::int64_t all) {
  Commands commands;
  constexpr const char* kFace = "…###sm controls";
  if (context.state.lecture ? ImGui::SmallButton(kFace) : ImGui::Button(kFace)) {
    ImGui::OpenPopup("sm controls");
  }
  tooltip(tr("Blocks at once, cycles, grouping, a second launch."));
  if (ImGui::BeginPopup("sm controls")) {
    commands = controls(context, sm, all);
    ImGui::EndPopup();
  }
  return commands;
}

// The instructions at which warps spend most clocks, each with its states as a bar.
Commands instructions_list(const Context& context, const ShownSm& sm) {
  Commands commands;
  heading(context, tr("Machine code, longest waits first"));
  const std::vector<std::size_t> order = clock::longest_instructions(sm.run);
  if (order.empty()) {
    return commands;
  }
  const float em = ImGui::GetFontSize();
  const auto most = static_cast<double>(clock::all_clocks(sm.run.by_instruction[order.front()]));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(order.size()), 2.3F * em);
  while (clipper.Step()) {
    for (int at = clipper.DisplayStart; at < clipper.DisplayEnd; ++at) {
      const std::size_t i = order[static_cast<std::size_t>(at)];
      const StateClocks& states = sm.run.by_instruction[i];
      const ImVec2 from = ImGui::GetCursorScreenPos();
      const float width = ImGui::GetContentRegionAvail().x;
      const bool is_chosen = context.state.timing.sm.instruction == static_cast<int>(i);
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable("##instruction", is_chosen, 0, {width, 2.1F * em})) {
        state::SmView view = context.state.timing.sm;
        view.instruction = is_chosen ? -1 : static_cast<int>(i);
        commands.push_back(timing_with(context, &state::TimingView::sm, view));
      }
      ImGui::PopID();
      ImDrawList& list = *ImGui::GetWindowDrawList();
      const std::string each =
          fmt::format("{:.1f}", static_cast<double>(clock::all_clocks(states)) /
                                    static_cast<double>(std::max<std::uint64_t>(states[0], 1)));
      const std::string line = sm.code[i].line > 0 ? tr("line {}", sm.code[i].line) : "";
      const std::string right = fmt::format("{}  {}", line, each);
      const float wide = text_width(context.fonts.text, em, right.c_str());
      list.AddText({from.x + width - wide, from.y}, context.theme.text_dim, right.c_str());
      ImGui::PushFont(context.fonts.mono, 0.0F);
      const std::string text = cut_to(sm.code[i].text, width - wide - em);
      list.AddText({from.x, from.y}, context.theme.text, text.c_str());
      ImGui::PopFont();
      float x = from.x;
      for (std::size_t s = 0; s < states.size(); ++s) {
        const float part = width * static_cast<float>(static_cast<double>(states[s]) / most);
        list.AddRectFilled({x, from.y + 1.25F * em}, {x + part, from.y + 1.8F * em},
                           state_colour(context.theme, static_cast<WarpState>(s)));
        x += part;
      }
    }
  }
  return commands;
}

bool is_estimated(const ShownSm& sm) {
  return sm.why_not.empty() && sm.run.clocks > 0;
}

// Where the stage is in time: " Warp 0 of block 0 is at clock 1,040: LDS R4, [R12] of line 29."
std::string place_text(const Context& context, const ShownSm& sm) {
  if (!sm.is_whole) {
    return "";
  }
  const clock::Places* const places = context.view.timing.sm_places.get();
  const simt::WarpId warp = focus_warp(context);
  if (places == nullptr || !places->has(warp)) {
    return context.state.warp_size == simt::kWarpSize
               ? ""
               : " " + tr("The stage has warps of {} lanes, but an SM has warps of 32.",
                          context.state.warp_size);
  }
  const std::int64_t clock = places->clock_at(warp, context.state.step);
  const std::string at = grouped(static_cast<std::uint64_t>(clock));
  const auto life = std::ranges::find_if(sm.run.lives, [&](const clock::WarpLife& one) {
    return one.block == warp.block && one.warp == warp.warp;
  });
  const auto span = std::ranges::lower_bound(life->spans, clock, {}, &clock::StateSpan::start);
  const auto& code = sm.code[span->instruction];
  return " " + (places->is_exact() ? tr("Warp {} of block {} is at cycle {}: {} at line {}.",
                                        warp.warp, warp.block, at, code.text, code.line)
                                   : tr("Warp {} of block {} is near cycle {}: {} at line {}.",
                                        warp.warp, warp.block, at, code.text, code.line));
}

// In a lecture: the legend in large letters, and the bars if the number of blocks was chosen.
void hall_column(const Context& context, const ShownSm& sm) {
  ImGui::PushFont(context.fonts.text,
                  kHallLegend * ImGui::GetFontSize() / ImGui::GetStyle().FontScaleMain);
  if (context.state.timing.sm.stamps && sm.stamped) {
    draw_phases(context, *sm.stamped);
  } else {
    states_table(context, sm);
  }
  ImGui::PopFont();
  if (context.state.timing.sm.blocks > 0) {
    latency_curve(context, sm);
  }
}

Commands column(const Context& context, const ShownSm& sm) {
  if (context.state.lecture) {
    hall_column(context, sm);
    return {};
  }
  if (context.state.timing.sm.stamps && sm.stamped) {
    draw_phases(context, *sm.stamped);
  } else {
    states_table(context, sm);
  }
  latency_curve(context, sm);
  return instructions_list(context, sm);
}

// The heading of the second launch, below the first.
std::string other_text(const ShownSm& other, bool has_clocks) {
  return !is_estimated(other) ? other.why_not : has_clocks ? clocks_text(other) : "";
}

// Two launches on one axis of clocks, `all` long. Their rows are equally high.
Commands draw_two(const Context& context, std::int64_t all, ImVec2 from, ImVec2 to,
                  bool has_clocks) {
  const float em = ImGui::GetFontSize();
  const auto& shown = context.view.timing.sm;
  const auto& other = context.view.timing.sm_against;
  const float width = to.x - from.x;
  const std::string title = title_of(context, *other, context.state.timing.against.kernel);
  const std::string text = other_text(*other, has_clocks);
  const auto high = [width](const std::string& words) {
    return words.empty() ? 0.0F
                         : ImGui::CalcTextSize(words.c_str(), nullptr, false, width).y +
                               ImGui::GetStyle().ItemSpacing.y;
  };
  const float between = high(title) + high(text) + 0.4F * em;
  const float each = 0.5F * (to.y - from.y - between);
  const bool has_lanes = has_room_for_lanes(context, each);
  Commands commands =
      draw_sm_rows(context, {shown, all, 0, has_lanes}, from, {to.x, from.y + each});
  ImGui::SetCursorScreenPos({from.x, from.y + each + 0.4F * em});
  ImGui::PushTextWrapPos(to.x - ImGui::GetWindowPos().x);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopFont();
  if (!text.empty()) {
    ImGui::TextUnformatted(text.c_str());
  }
  ImGui::PopTextWrapPos();
  if (is_estimated(*other)) {
    append(commands, draw_sm_rows(context, {other, all, 1, has_lanes}, {from.x, to.y - each}, to));
  }
  return commands;
}

}  // namespace

Commands draw_sm_page(const Context& context, const analysis::ChartRequest& request) {
  const auto& shown = context.view.timing.sm;
  if (shown == nullptr) {
    coloured_text(context.theme.text_dim, tr("Executing the machine code of one wave…"));
    return {};
  }
  const ShownSm& sm = *shown;
  if (!is_estimated(sm)) {
    wrapped_text(context.theme.text, sm.why_not);
    say_aloud(context, sm.why_not);
    return with_stage_choice(context);
  }
  const auto& other = context.view.timing.sm_against;
  const bool has_other = other != nullptr && is_estimated(*other);
  const bool has_stamps = context.state.timing.sm.stamps && sm.stamped.has_value();
  const std::int64_t all = has_stamps  ? clocks_of(*sm.stamped)
                           : has_other ? std::max(sm.run.clocks, other->run.clocks)
                                       : sm.run.clocks;
  const float em = ImGui::GetFontSize();
  const bool is_hall = context.state.lecture;
  const bool is_short = is_hall || ImGui::GetContentRegionAvail().y < kHighForControls * em;
  Commands commands;
  estimated_chip(context);
  tooltip(clock::estimate_sentence(*sm.table));
  ImGui::SameLine();
  if (is_hall) {
    ImGui::TextUnformatted(clock::error_words(*sm.table).c_str());
    ImGui::SameLine();
  }
  if (is_short) {
    append(commands, folded_controls(context, sm, all));
    ImGui::SameLine();
  }
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const std::string title = title_of(context, sm, context.state.kernel);
  wrapped_text(context.theme.text, title);
  say_aloud(context, title);
  say_aloud(context, clocks_text(sm));
  if (sm.summary) {
    say_aloud(context,
              clock::waits_sentence(*sm.summary, sm.measured ? &*sm.measured : nullptr, *sm.table));
  }
  ImGui::PopFont();
  if (is_hall) {
    flow(ImGui::CalcTextSize(clocks_text(sm).c_str()).x);
  }
  wrapped_text(context.theme.text, is_short
                                       ? clocks_text(sm)
                                       : clocks_text(sm) + prediction_text(context, sm, request) +
                                             place_text(context, sm));
  if (!is_hall && ImGui::GetContentRegionAvail().y > kHighForSentence * em) {
    wrapped_text(context.theme.text_dim, clock::estimate_sentence(*sm.table));
  }
  if (!is_short) {
    append(commands, controls(context, sm, all));
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // Two launches in a low window need its width; for a hall, in every window.
  const bool is_low = other != nullptr && (is_hall || room.y < kHighForTwo * em);
  const float side = is_low ? 0.0F : std::min(kColumn * em, room.x * kColumnShare);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float right = from.x + room.x - side - em;
  const float bottom = from.y + room.y;
  if (has_stamps) {
    append(commands, draw_stamps(context, *sm.stamped, from, {right, bottom}));
  } else if (other == nullptr) {
    append(commands, draw_sm_rows(context, {shown, all, 0, has_room_for_lanes(context, room.y)},
                                  from, {right, bottom}));
  } else {
    append(commands, draw_two(context, all, from, {right, bottom}, is_hall || !is_low));
  }
  if (side > 0.0F) {
    ImGui::SetCursorScreenPos({from.x + room.x - side, from.y});
    ImGui::BeginChild("states", {side, room.y});
    append(commands, column(context, sm));
    ImGui::EndChild();
  }
  return commands;
}

}  // namespace tilestep::ui
