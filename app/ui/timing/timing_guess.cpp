#include "analysis/prediction.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "timing/dataset_points.h"
#include "ui/theme.h"
#include "ui/timing/timing.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilestep::ui {
namespace {

using analysis::Chart;
using analysis::Sight;
using state::GuessView;

constexpr float kStroke = 1.1F;  // factor of an arrow key

Commands set_guess(const Context& context, GuessView guess) {
  return {timing_with(context, &state::TimingView::guess, std::move(guess))};
}

int block_size_at(double x) {
  return std::clamp(static_cast<int>(std::lround(x)), 1, problem::kLargestBlockSize);
}

// Draws from the mouse's previous position to the current one: no BLOCK_SIZE between them is
// skipped.
void draw_stroke(const Chart& chart, GuessView& guess) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImPlotPoint now = ImPlot::PixelsToPlot(io.MousePos);
  const bool began = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  const ImPlotPoint before = began ? now
                                   : ImPlot::PixelsToPlot({io.MousePos.x - io.MouseDelta.x,
                                                           io.MousePos.y - io.MouseDelta.y});
  const int first = block_size_at(before.x);
  const int last = block_size_at(now.x);
  for (int size = std::min(first, last); size <= std::max(first, last); ++size) {
    const double share = first == last ? 1.0 : static_cast<double>(size - first) / (last - first);
    const double y = std::exp(std::lerp(std::log(std::max(before.y, chart.y.low + 1e-3)),
                                        std::log(std::max(now.y, chart.y.low + 1e-3)), share));
    guess.gflops[size] = static_cast<float>(y / chart.y_of_gflops);
  }
  guess.at = last;
}

// The initial value: the one at the nearest drawn BLOCK_SIZE, else the middle.
float value_at(const Chart& chart, const GuessView& guess) {
  const auto nearest = std::ranges::min_element(
      guess.gflops, {}, [&](const auto& entry) { return std::abs(entry.first - guess.at); });
  const double middle = chart.y.is_log ? std::sqrt(chart.y.low * chart.y.high) : chart.y.high / 2.0;
  return nearest == guess.gflops.end() ? static_cast<float>(middle / chart.y_of_gflops)
                                       : nearest->second;
}

bool pressed(ImGuiKey key) {
  // Has priority over the same keys of the stage, which is not on this tab.
  return ImGui::Shortcut(
      key, ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_Repeat);
}

// Returns true if something has changed.
bool take_keys(const Chart& chart, GuessView& guess) {
  const bool left = pressed(ImGuiKey_LeftArrow);
  const bool right = pressed(ImGuiKey_RightArrow);
  const bool up = pressed(ImGuiKey_UpArrow);
  const bool down = pressed(ImGuiKey_DownArrow);
  if (left || right) {
    guess.at = std::clamp(guess.at + (right ? 1 : -1), 1, problem::kLargestBlockSize);
  }
  if (up || down) {
    const float value = value_at(chart, guess) * (up ? kStroke : 1.0F / kStroke);
    guess.gflops[guess.at] =
        std::clamp(value, static_cast<float>(std::max(chart.y.low, 1e-3) / chart.y_of_gflops),
                   static_cast<float>(chart.y.high / chart.y_of_gflops));
  }
  return left || right || up || down;
}

void draw_cursor(const Context& context, const Chart& chart, const GuessView& guess) {
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImPlot::GetPlotDrawList();
  const ImU32 colour = context.theme.blocks[1];
  const double y = value_at(chart, guess) * chart.y_of_gflops;
  list.AddLine(ImPlot::PlotToPixels(guess.at, chart.y.high),
               ImPlot::PlotToPixels(guess.at, chart.y.low), with_alpha(colour, 0.4F), em * 0.12F);
  const ImVec2 at = ImPlot::PlotToPixels(guess.at, y);
  list.AddCircle(at, em * 0.5F, colour, 0, em * 0.14F);
  const std::string text = fmt::format("{}: {}", guess.at, analysis::speed_text(chart.y, y));
  const ImVec2 place{at.x + em * 0.9F, at.y - em * 2.0F};
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  list.AddRectFilled({place.x - em * 0.3F, place.y - em * 0.1F},
                     {place.x + size.x + em * 0.3F, place.y + size.y + em * 0.1F},
                     context.theme.raised, em * 0.3F);
  list.AddText(place, context.theme.text, text.c_str());
}

constexpr std::uint32_t kLanes = 32;

struct SeenWords {
  Sight sight;
  Message face;  // {0}: the line, {1}: the warp
  Message tooltip;
};
constexpr std::array kWordsOfSights{
    SeenWords{
        Sight::Memory, Message("Show line {0}"),
        Message("Opens the stage at this line, with the sectors and banks that its accesses use.")},
    SeenWords{Sight::Warp, Message("Show warp {1}"),
              Message("Opens the stage with this warp, lane by lane.")},
    SeenWords{Sight::MaskedLanes, Message("Show masked lanes"),
              Message("Opens the stage where some lanes of a warp skip a statement.")},
    SeenWords{Sight::Barrier, Message("Show the barrier"),
              Message("Opens the stage at the first barrier.")},
    SeenWords{Sight::Ptx, Message("Show the PTX"),
              Message("Opens the stage at the line of the products, with its instructions.")},
    SeenWords{Sight::Occupancy, Message("Show occupancy"),
              Message("Shows how many warps an SM holds, and what limits them.")},
    SeenWords{Sight::BySize, Message("Show all sizes"),
              Message("Shows the plot of speed versus N.")},
    SeenWords{Sight::Roofline, Message("Show the roofline"),
              Message("Shows the plot with the GPU's ceilings.")},
};

const SeenWords& words_of_sight(Sight sight) {
  return *std::ranges::find(kWordsOfSights, sight, &SeenWords::sight);
}

// The pages of the Timing tab are about the kernel on the stage.
Commands go_to_page(const Context& context, state::TimingPage page,
                    const state::TimedPoint& point) {
  return {state::SelectKernel{point.kernel}, timing_with(context, &state::TimingView::page, page)};
}

}  // namespace

Commands draw_guess_in_plot(const Context& context, const Chart& chart) {
  GuessView guess = context.state.timing.guess;
  if (!chart.x_is_block_size || chart.y_of_gflops <= 0.0) {
    return {};
  }
  bool changed = take_keys(chart, guess);
  if (ImPlot::IsPlotHovered() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    draw_stroke(chart, guess);
    changed = true;
  }
  draw_cursor(context, chart, guess);
  return changed ? set_guess(context, guess) : Commands{};
}

Commands draw_guess_card(const Context& context, const analysis::ChartRequest& request) {
  const GuessView& guess = context.state.timing.guess;
  const std::string title = kernel_title(context, guess.kernel);
  Commands commands;
  if (!guess.shown) {
    heading(context, tr("How fast is {}?", title).c_str());
    ImGui::TextWrapped(
        "%s",
        tr("Its curve is hidden. Draw what you expect: drag over the plot, or choose a BLOCK_SIZE "
           "with the left and right arrow keys and its speed with up and down."));
    coloured_text(context.theme.text_dim,
                  tr("{} of {} drawn", guess.gflops.size(), problem::kLargestBlockSize).c_str());
    ImGui::BeginDisabled(guess.gflops.empty());
    append(commands, action_button(context, ActionId::RevealCurve, tr("Show the measured curve")));
    ImGui::EndDisabled();
    ImGui::SameLine();
    append(commands, action_button(context, ActionId::GuessCurve, tr("Exit"), false));
    return commands;
  }
  heading(context, tr("{}: drawn and measured", title).c_str());
  const std::string words =
      request.datasets.empty()
          ? tr("Nothing was measured on this GPU.")
          : analysis::judge(guess, *request.datasets.front(), request.view.problem).sentence;
  ImGui::TextWrapped("%s", words.c_str());
  say_aloud(context, words);
  append(commands, action_button(context, ActionId::RevealCurve, tr("Hide the curve")));
  ImGui::SameLine();
  append(commands, action_button(context, ActionId::GuessCurve, tr("Exit")));
  return commands;
}

std::string kernel_title(const Context& context, const std::string& id) {
  const problem::LaunchSpec* spec = context.view.kernels.catalog->find(id);
  const timing::CublasSeries* const cublas = timing::find_cublas(id);
  return spec != nullptr ? tr(spec->title.c_str()) : cublas != nullptr ? cublas->title.text() : id;
}

std::string seen_face(const analysis::SeenAt& seen) {
  return fmt::format(fmt::runtime(words_of_sight(seen.sight).face.text()), seen.line,
                     seen.thread / kLanes);
}

std::string seen_tooltip(const analysis::SeenAt& seen, const std::string& name) {
  return fmt::format("{}\n{}", name, words_of_sight(seen.sight).tooltip);
}

Commands go_to_seen(const Context& context, const analysis::SeenAt& seen,
                    const state::TimedPoint& point) {
  state::OpenOnStage open{point.kernel, point.block_size, static_cast<int>(seen.line)};
  switch (seen.sight) {
    case Sight::Memory:
      open.thread = 0;
      open.beside = state::Beside::Memory;
      break;
    case Sight::Warp:
      open.thread = seen.thread;
      open.beside = state::Beside::Warp;
      break;
    case Sight::MaskedLanes:
      open.event = record::EventKind::MaskedLane;
      open.beside = state::Beside::Warp;
      break;
    case Sight::Barrier:
      open.event = record::EventKind::Barrier;
      break;
    case Sight::Ptx:
      open.beside = state::Beside::Ptx;
      break;
    case Sight::Occupancy:
      return go_to_page(context, state::TimingPage::Occupancy, point);
    case Sight::BySize:
      return go_to_page(context, state::TimingPage::Size, point);
    case Sight::Roofline:
      return go_to_page(context, state::TimingPage::Roofline, point);
  }
  return {open};
}

}  // namespace tilestep::ui
