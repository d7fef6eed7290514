#include "problem/problem.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "state/words.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timing/plot.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cfloat>

namespace tilestep::ui {
namespace {

constexpr float kHiddenSize = 0.035F;  // of the page's height

using state::TimingPage;

constexpr Message kCopiedPlot = "the plot's numbers, as CSV";
constexpr float kHighForNote = 18.0F;  // height of a page with a plot's note
constexpr float kStoryShare = 0.42F;   // of the window, at most
constexpr float kStoryWidth = 24.0F;   // in font sizes, as all below
// Height of the tab with all settings in rows; otherwise behind a button.
constexpr float kHighForRows = 34.0F;
constexpr float kHighForSliders = 22.0F;
constexpr float kSettingsWidth = 27.0F;
struct SliderWidths {
  float block_size, size;
};
constexpr SliderWidths kSliders{11.0F, 15.0F};
constexpr SliderWidths kShortSliders{7.5F, 12.0F};
constexpr float kSizeLabels = 9.0F;  // beside the slider of M×N×K
constexpr float kDatasetWidth = 15.0F;
constexpr float kPageList = 9.0F;

// ImPlot has a context of its own, beside ImGui's.
struct TimingMemory {
  ImPlotContext* plot = ImPlot::CreateContext();
  TimingMemory() = default;
  ~TimingMemory() { ImPlot::DestroyContext(plot); }
  TimingMemory(const TimingMemory&) = delete;
  TimingMemory& operator=(const TimingMemory&) = delete;
  TimingMemory(TimingMemory&&) = delete;
  TimingMemory& operator=(TimingMemory&&) = delete;
};

void view_checkbox(const Context& context, const char* label, bool state::TimingView::*member,
                   const char* tip, Commands& commands) {
  flow(width_of_face(label));
  bool value = context.state.timing.*member;
  if (ImGui::Checkbox(label, &value)) {
    commands.push_back(timing_with(context, member, value));
  }
  tooltip(tip);
}

void unit_choice(const Context& context, Commands& commands) {
  const state::SpeedUnit shown = context.state.timing.unit;
  ImGui::SetNextItemWidth(word_choice_width<state::SpeedUnit>());
  if (const auto unit = word_choice("##unit", shown, false)) {
    commands.push_back(timing_with(context, &state::TimingView::unit, *unit));
  }
}

void axis_options(const Context& context, Commands& commands) {
  const TimingPage page = context.state.timing.page;
  if (is_plot(page) && page != TimingPage::Roofline) {
    flow(word_choice_width<state::SpeedUnit>());
    unit_choice(context, commands);
  }
  const bool has_scale = page == TimingPage::BlockSize || page == TimingPage::Size;
  if (has_scale && !context.state.timing.alone) {
    view_checkbox(context, tr("Log"), &state::TimingView::log_scale,
                  tr("Logarithmic axis: shows slow kernels and tensor cores in one plot."),
                  commands);
  }
}

void view_options(const Context& context, Commands& commands) {
  const TimingPage page = context.state.timing.page;
  axis_options(context, commands);
  if (page == TimingPage::BlockSize) {
    view_checkbox(context, tr("Predict"), &state::TimingView::predict,
                  tr("Adds the model's curve for the kernel on the stage, dashed, with its error."),
                  commands);
  }
  if (is_plot(page) && page != TimingPage::Ladder) {
    view_checkbox(context, tr("Only this one"), &state::TimingView::alone,
                  tr("Only the kernel on the stage, on an axis that fits its curve."), commands);
    view_checkbox(
        context, tr("Every kernel"), &state::TimingView::every_kernel,
        tr("Off: only the kernel on the stage and the ladder from naive to register tiles."),
        commands);
  }
  if (page == TimingPage::BlockSize) {
    flow(width_of_face(tr("Draw yours")));
    append(commands, action_button(context, ActionId::GuessCurve, tr("Draw yours"),
                                   !context.state.timing.guess.kernel.empty()));
    flow(width_of_face(tr("What if")));
    append(commands, action_button(context, ActionId::ToggleWhatIf, tr("What if"),
                                   context.state.timing.what_if_open));
  }
}

void counting_note(const Context& context) {
  if (context.view.timing.uncounted > 0 && context.state.timing.page != TimingPage::Roofline) {
    const std::string words = tr("counting, {} left", context.view.timing.uncounted);
    flow(ImGui::CalcTextSize(words.c_str()).x);
    coloured_text(context.theme.text_dim, words.c_str());
  }
}

std::string dataset_label(const timing::DataSet& data) {
  return fmt::format("{} · {} · {}", data.provenance.gpu, data.provenance.date.substr(0, 10),
                     data.name);
}

// The first column chooses, the boxes add others to the plot.
void dataset_rows(const Context& context, Commands& commands) {
  const state::TimingView& now = context.state.timing;
  for (const timing::DataSet& data : *context.view.timing.datasets) {
    ImGui::PushID(data.name.c_str());
    const bool chosen = now.gpu.empty() && &data == context.view.timing.dataset.get();
    bool over = now.overlays.contains(data.name);
    ImGui::BeginDisabled(chosen);
    if (ImGui::Checkbox("##over", &over)) {
      state::TimingView view = now;
      if (over) {
        view.overlays.insert(data.name);
      } else {
        view.overlays.erase(data.name);
      }
      commands.push_back(state::SetTimingView{view});
    }
    ImGui::EndDisabled();
    tooltip(tr("Also draw this data set."));
    ImGui::SameLine();
    if (ImGui::Selectable(dataset_label(data).c_str(), chosen)) {
      state::TimingView view = now;
      view.dataset = data.name;
      view.gpu.clear();
      commands.push_back(state::SetTimingView{view});
    }
    ImGui::PopID();
  }
  ImGui::Separator();
  coloured_text(context.theme.text_dim, tr("only predicted, from the data sheet"));
  for (const analysis::GpuModel& gpu : analysis::known_gpus()) {
    if (ImGui::Selectable(gpu.name.c_str(), now.gpu == gpu.name)) {
      state::TimingView view = now;
      view.gpu = gpu.name;
      view.predict = true;
      commands.push_back(state::SetTimingView{view});
    }
  }
}

void dataset_choice(const Context& context, Commands& commands) {
  const auto& data = context.view.timing.dataset;
  const bool predicted = !context.state.timing.gpu.empty();
  field_label(context, tr(predicted ? "Predicted" : "Measured"));
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * kDatasetWidth);
  std::string shown = predicted         ? context.state.timing.gpu
                      : data == nullptr ? tr("no data set")
                                        : fmt::format("{} · {}", data->provenance.gpu,
                                                      data->provenance.date.substr(0, 10));
  if (!predicted && !context.state.timing.overlays.empty()) {
    shown += fmt::format(" + {}", context.state.timing.overlays.size());
  }
  if (ImGui::BeginCombo("##dataset", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    dataset_rows(context, commands);
    ImGui::EndCombo();
  }
}

void problem_slider(const Context& context, problem::Problem shown, float width,
                    Commands& commands) {
  const bool is_of_stage =
      context.state.timing.page == TimingPage::Sm && context.state.timing.sm.stage;
  if (context.view.timing.dataset == nullptr || is_of_stage) {
    return;
  }
  flow((width + kSizeLabels) * ImGui::GetFontSize());
  const std::vector<problem::Problem>& all = context.view.timing.shown->problems;
  int index = static_cast<int>(std::find(all.begin(), all.end(), shown) - all.begin());
  field_label(context, "M×N×K");
  if (all.size() < 2) {  // nothing to choose
    ImGui::TextUnformatted(analysis::to_text(shown).c_str());
    return;
  }
  const Slider slider{.id = "##size",
                      .high = static_cast<float>(all.size()) - 1.0F,
                      .width = ImGui::GetFontSize() * width,
                      .shown = analysis::to_text(shown),
                      .widest = "4096×1024×4096",
                      .flags = ImGuiSliderFlags_NoInput};
  if (value_slider(context, slider, index)) {
    index = std::clamp(index, 0, static_cast<int>(all.size()) - 1);
    commands.push_back(
        timing_with(context, &state::TimingView::problem, all[static_cast<std::size_t>(index)]));
  }
}

// The stage's BLOCK_SIZE: the choice also applies to stepping.
void block_size_slider(const Context& context, float width, Commands& commands) {
  field_label(context, "BLOCK_SIZE");
  int value = context.state.parameters.block_size;
  const Slider slider{.id = "##block_size",
                      .low = 1.0F,
                      .high = static_cast<float>(problem::kLargestBlockSize),
                      .width = ImGui::GetFontSize() * width,
                      .shown = std::to_string(value),
                      .widest = "32"};
  if (value_slider(context, slider, value)) {
    commands.push_back(state::SetTimedBlockSize{value});
    if (!context.state.timing.selected_kernel.empty()) {
      commands.push_back(timing_with(context, &state::TimingView::selected_block_size, value));
    }
  }
}

// ", 40 s left", ", 3 min left"; empty if unknown.
std::string time_left(const workspace::BenchStatus& bench) {
  constexpr double kMinute = 60.0;
  if (bench.seconds_left <= 0.0) {
    return "";
  }
  return bench.seconds_left < 2.0 * kMinute ? tr(", {:.0f} s left", bench.seconds_left)
                                            : tr(", {:.0f} min left", bench.seconds_left / kMinute);
}

void bench_progress(const Context& context, Commands& commands) {
  const workspace::BenchStatus& bench = context.view.timing.bench;
  ImGui::ProgressBar(
      static_cast<float>(bench.fraction), {ImGui::GetFontSize() * 18.0F, 0.0F},
      (bench.total == 0 ? std::string(tr("preparing"))
                        : tr("{} of {}{}", bench.done, bench.total, time_left(bench)))
          .c_str());
  tooltip(bench.current);
  ImGui::SameLine();
  append(commands, action_button(context, ActionId::CancelBench, icon::kStop));
}

void bench_controls(const Context& context, Commands& commands) {
  const workspace::BenchStatus& bench = context.view.timing.bench;
  if (bench.running) {
    bench_progress(context, commands);
    if (!bench.message.empty()) {
      wrapped_text(context.theme.bad, bench.message);
    }
    return;
  }
  ImGui::BeginDisabled(!bench.gpu_found);
  append(commands, action_button(context, ActionId::StartBench,
                                 fmt::format("{}  {}", icon::kPlay, tr("Measure here")).c_str()));
  ImGui::EndDisabled();
  if (!bench.gpu_found) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
      ImGui::SetTooltip("%s", bench.gpu.empty() ? tr("Searching for a GPU…") : bench.gpu.c_str());
    }
  } else {
    view_checkbox(context, tr("All kernels"), &state::TimingView::measure_all_kernels,
                  tr("Off: only the kernel on the stage."), commands);
    view_checkbox(context, tr("All sizes"), &state::TimingView::measure_all_sizes,
                  tr("On: 256, 512, 1024, 2048 and 4096. Off: only the size on the plot."),
                  commands);
  }
  if (!bench.message.empty()) {
    wrapped_text(bench.gpu_found ? context.theme.text_dim : context.theme.bad, bench.message);
  }
}

Commands draw_plot_page(const Context& context, const analysis::ChartRequest& /*request*/) {
  const analysis::Chart& chart = context.view.timing.shown->chart;
  const bool is_low = ImGui::GetContentRegionAvail().y < kHighForNote * ImGui::GetFontSize();
  if (!is_low) {
    heading(context, chart.title.c_str());
    wrapped_text(context.theme.text_dim, chart.note);
  }
  if (chart.is_empty()) {
    ImGui::TextWrapped(
        "%s", context.view.timing.uncounted > 0
                  ? tr("Counting. Curves appear when they are ready.")
                  : tr("No measurement here. Choose another size, BLOCK_SIZE or data set."));
    return {};
  }
  const ImVec2 from = ImGui::GetWindowPos();
  offer_copy(context, from, {from.x + ImGui::GetWindowWidth(), from.y + ImGui::GetWindowHeight()},
             {.what = kCopiedPlot.text(),
              .text = [&chart] { return analysis::to_csv(chart); },
              .is_main = true});
  return chart.is_bars ? draw_ladder(context, chart) : draw_chart(context, chart);
}

std::string shown_title(const Context& context) {
  const problem::LaunchSpec* spec = context.view.kernels.catalog->find(context.state.kernel);
  return spec == nullptr ? context.state.kernel : tr(spec->title.c_str());
}

Commands draw_occupancy_page(const Context& context, const analysis::ChartRequest& request) {
  heading(context, tr("Occupancy of {} on {}", shown_title(context), request.gpu.name).c_str());
  return draw_occupancy_table(context, request);
}

Commands draw_counters_page(const Context& context, const analysis::ChartRequest& request) {
  heading(context, tr("Counters of {}", shown_title(context)).c_str());
  return draw_counters_table(context, request);
}

struct TimingTab {
  TimingPage page;
  ActionId action;
  Commands (*draw)(const Context&, const analysis::ChartRequest&);
};
constexpr std::array kTimingTabs{
    TimingTab{TimingPage::BlockSize, ActionId::TimingByBlockSize, draw_plot_page},
    TimingTab{TimingPage::Size, ActionId::TimingBySize, draw_plot_page},
    TimingTab{TimingPage::Ladder, ActionId::TimingLadder, draw_plot_page},
    TimingTab{TimingPage::Roofline, ActionId::TimingRoofline, draw_plot_page},
    TimingTab{TimingPage::Occupancy, ActionId::TimingOccupancy, draw_occupancy_page},
    TimingTab{TimingPage::Counters, ActionId::TimingCounters, draw_counters_page},
    TimingTab{TimingPage::Sm, ActionId::TimingSm, draw_sm_page},
};

// A row of buttons, or a list if the row is wider than the room.
void page_buttons(const Context& context, Commands& commands) {
  const float pad = 2.0F * ImGui::GetStyle().FramePadding.x;
  float width = 0.0F;
  for (const TimingTab& tab : kTimingTabs) {
    width += ImGui::CalcTextSize(word_of(tab.page).label).x + pad + 2.0F;
  }
  if (width > ImGui::GetContentRegionAvail().x) {
    ImGui::SetNextItemWidth(kPageList * ImGui::GetFontSize());
    if (ImGui::BeginCombo("##page", word_of(context.state.timing.page).label)) {
      for (const TimingTab& tab : kTimingTabs) {
        if (ImGui::Selectable(word_of(tab.page).label, context.state.timing.page == tab.page)) {
          append(commands, action(tab.action).commands(context));
        }
      }
      ImGui::EndCombo();
    }
    return;
  }
  for (const TimingTab& tab : kTimingTabs) {
    if (&tab != kTimingTabs.data()) {
      ImGui::SameLine(0.0F, 2.0F);
    }
    append(commands, action_button(context, tab.action, word_of(tab.page).label,
                                   context.state.timing.page == tab.page));
  }
}

void measuring(const Context& context, Commands& commands) {
  dataset_choice(context, commands);
  flow(width_of_face(tr("Measure here")));
  bench_controls(context, commands);
}

void setting_rows(const Context& context, problem::Problem shown, Commands& commands) {
  page_buttons(context, commands);
  view_options(context, commands);
  counting_note(context);
  block_size_slider(context, kSliders.block_size, commands);
  problem_slider(context, shown, kSliders.size, commands);
  flow((kDatasetWidth + 6.0F) * ImGui::GetFontSize());
  measuring(context, commands);
}

// Large letters leave few lines, which the plot needs.
void short_settings(const Context& context, problem::Problem shown, Commands& commands) {
  const float em = ImGui::GetFontSize();
  const bool has_sliders = ImGui::GetContentRegionAvail().y > kHighForSliders * em;
  page_buttons(context, commands);
  flow(width_of_face("…"));
  if (ImGui::Button("…###settings")) {
    ImGui::OpenPopup("timing settings");
  }
  tooltip(tr("Axes, curves, data set, measuring."));
  counting_note(context);
  if (has_sliders) {
    block_size_slider(context, kShortSliders.block_size, commands);
    problem_slider(context, shown, kShortSliders.size, commands);
  }
  if (context.view.timing.bench.running) {
    bench_progress(context, commands);
  } else if (!context.view.timing.bench.message.empty()) {
    wrapped_text(context.theme.text_dim, context.view.timing.bench.message);
  }
  ImGui::SetNextWindowSizeConstraints({kSettingsWidth * em, 0.0F}, {kSettingsWidth * em, FLT_MAX});
  if (ImGui::BeginPopup("timing settings")) {
    if (!has_sliders) {
      block_size_slider(context, kSliders.block_size, commands);
      problem_slider(context, shown, kSliders.size, commands);
    }
    measuring(context, commands);
    ImGui::Dummy({});
    view_options(context, commands);
    ImGui::EndPopup();
  }
}

// Until a point is chosen, the line above the plot has the instructions.
bool has_something_to_tell(const state::TimingView& view) {
  return !view.selected_kernel.empty() || !view.guess.kernel.empty() || view.what_if_open;
}

Commands draw_page(const Context& context, const analysis::ChartRequest& request) {
  const auto* const tab =
      std::find_if(kTimingTabs.begin(), kTimingTabs.end(),
                   [&](const TimingTab& one) { return one.page == context.state.timing.page; });
  return tab == kTimingTabs.end() ? Commands{} : tab->draw(context, request);
}

// Centered, in a size for lecture halls.
void draw_hidden(const Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const char* const words = kHiddenUntilAnswered;
  const float size = std::max(1.2F * ImGui::GetFontSize(), kHiddenSize * room.y);
  const float sign = std::min(4.0F * size, 0.5F * room.y);
  const float top = from.y + 0.5F * (room.y - sign - 1.5F * size);
  const auto write = [&](ImFont* font, float height, float y, const char* text) {
    const float width = text_width(font, height, text);
    ImGui::GetWindowDrawList()->AddText(font, height, {from.x + 0.5F * (room.x - width), y},
                                        context.theme.text_dim, text);
  };
  write(context.fonts.bold, sign, top, course::kMasked);
  write(context.fonts.text, size, top + sign + 0.2F * size, words);
}

}  // namespace

void flow(float width, float gap) {
  ImGui::SameLine(0.0F, gap);
  if (ImGui::GetContentRegionAvail().x < width) {
    ImGui::NewLine();
  }
}

float width_of_face(const char* face) {
  const ImGuiStyle& style = ImGui::GetStyle();
  return ImGui::CalcTextSize(face).x + ImGui::GetFrameHeight() + 2.0F * style.FramePadding.x;
}

Commands draw_timing(const Context& context) {
  if (hides_timings(context)) {
    draw_hidden(context);
    return {};
  }
  if (context.view.timing.shown == nullptr) {
    coloured_text(context.theme.text_dim, tr("Reading the recorded timings…"));
    return {};
  }
  Commands commands;
  ImPlot::SetCurrentContext(context.memory.of<TimingMemory>().plot);
  const analysis::ChartRequest& request = context.view.timing.shown->request;
  const bool is_short = ImGui::GetContentRegionAvail().y < kHighForRows * ImGui::GetFontSize();
  if (context.state.lecture && context.state.timing.page == TimingPage::Sm) {
    // The page needs their room; keys choose another one.
  } else if (is_short) {
    short_settings(context, request.view.problem, commands);
  } else {
    setting_rows(context, request.view.problem, commands);
  }
  if (!context.view.timing.unread_files.empty()) {
    wrapped_text(context.theme.bad, context.view.timing.unread_files);
  }

  const bool is_one_plot = is_plot(context.state.timing.page);
  const bool has_story = is_one_plot && (!is_short || has_something_to_tell(context.state.timing));
  if (is_one_plot) {
    draw_answer(context, request);
  }
  const float side = has_story ? std::min(ImGui::GetFontSize() * kStoryWidth,
                                          ImGui::GetContentRegionAvail().x * kStoryShare)
                               : 0.0F;
  ImGui::BeginChild(kPlotChild, {ImGui::GetContentRegionAvail().x - side, 0.0F},
                    ImGuiChildFlags_AlwaysUseWindowPadding);
  append(commands, draw_page(context, request));
  ImGui::EndChild();
  if (has_story) {
    ImGui::SameLine();
    ImGui::BeginChild("story", {0.0F, 0.0F}, ImGuiChildFlags_AlwaysUseWindowPadding);
    append(commands, draw_story(context, request));
    ImGui::EndChild();
  }
  return commands;
}

}  // namespace tilestep::ui
