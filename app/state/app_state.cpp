// Diagnostics make nlohmann name the path of a wrong field ("/parameters/problem/M").
#define JSON_DIAGNOSTICS 1

#include "state/app_state.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilestep::problem {
NLOHMANN_JSON_SERIALIZE_ENUM(Pattern, {{Pattern::DistinctIntegers, "distinct"},
                                       {Pattern::Ramp, "ramp"},
                                       {Pattern::Random, "random"},
                                       {Pattern::Unit, "unit"},
                                       {Pattern::Identity, "identity"},
                                       {Pattern::Constant, "constant"},
                                       {Pattern::Csv, "csv"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Problem, M, N, K)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Parameters, problem, block_size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(InputSpec, pattern, seed, constant, csv, csv_name)
}  // namespace tilestep::problem

namespace tilestep::simt {
NLOHMANN_JSON_SERIALIZE_ENUM(ScheduleKind, {{ScheduleKind::Lockstep, "lockstep"},
                                            {ScheduleKind::Sequential, "sequential"},
                                            {ScheduleKind::RunAhead, "run_ahead"},
                                            {ScheduleKind::Random, "random"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Schedule, kind, run_ahead_warp, seed)
}  // namespace tilestep::simt

namespace tilestep::state {

NLOHMANN_JSON_SERIALIZE_ENUM(Tab, {{Tab::Step, "step"}, {Tab::Timing, "timing"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Theme, {{Theme::Dark, "dark"}, {Theme::Light, "light"}})
NLOHMANN_JSON_SERIALIZE_ENUM(InspectorPage, {{InspectorPage::Thread, "thread"},
                                             {InspectorPage::Warp, "warp"},
                                             {InspectorPage::Memory, "memory"},
                                             {InspectorPage::Findings, "findings"}})
NLOHMANN_JSON_SERIALIZE_ENUM(SourcePage, {{SourcePage::Source, "source"}, {SourcePage::Ptx, "ptx"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Focus, block, thread, cell_of, cell_row, cell_col)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Camera, zoom, x, y)
NLOHMANN_JSON_SERIALIZE_ENUM(TimingPage, {{TimingPage::BlockSize, "block_size"},
                                          {TimingPage::Size, "size"},
                                          {TimingPage::Ladder, "ladder"},
                                          {TimingPage::Roofline, "roofline"},
                                          {TimingPage::Occupancy, "occupancy"},
                                          {TimingPage::Counters, "counters"}})
NLOHMANN_JSON_SERIALIZE_ENUM(SpeedUnit, {{SpeedUnit::Gflops, "gflops"},
                                         {SpeedUnit::OfCublas, "of_cublas"},
                                         {SpeedUnit::OfPeak, "of_peak"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TimingView, page, unit, dataset, overlays, problem,
                                                log_scale, every_kernel, predict,
                                                measure_all_kernels, measure_all_sizes, gpu,
                                                selected_kernel, selected_block_size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AppState, kernel, edited_source, parameters, input,
                                                schedule, warp_size, step, playing, pace, focus,
                                                breakpoints, tab, theme, scale, camera, inspector,
                                                source_page, editing, animate, show_keys,
                                                show_palette, timing)

std::string to_json(const AppState& state) {
  return nlohmann::json(state).dump(2);
}

Result<AppState> from_json(const std::string& json) {
  try {
    return nlohmann::json::parse(json).get<AppState>();
  } catch (const nlohmann::json::exception& e) {
    return fail(
        fmt::format("The saved session cannot be read: {}. Delete it to start afresh.", e.what()));
  }
}

}  // namespace tilestep::state
