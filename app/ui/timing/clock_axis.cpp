#include "ui/timing/clock_axis.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <cmath>
#include <string>

namespace tilestep::ui {
namespace {

constexpr std::int64_t kFewestClocks = 24;
constexpr RowSizes kHallSizes{
    .letters = 1.2F, .labels = 7.2F, .axis = 1.7F, .lane = 0.9F, .stage = 1.8F};

// Clocks between marks of the axis: 1, 2 or 5 times a power of ten.
std::int64_t mark_distance(std::int64_t clocks, float marks) {
  const double least = static_cast<double>(clocks) / std::max(1.0F, marks);
  const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1.0))));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= least) {
      return static_cast<std::int64_t>(times * power);
    }
  }
  return static_cast<std::int64_t>(10.0 * power);
}

}  // namespace

RowSizes row_sizes(const Context& context) {
  return context.state.lecture ? kHallSizes : RowSizes{};
}

state::SmView with_clocks(state::SmView view, std::int64_t all, double first, double clocks) {
  const auto most = static_cast<double>(all);
  clocks = std::clamp(clocks, std::min(most, static_cast<double>(kFewestClocks)), most);
  view.first = static_cast<std::int64_t>(std::clamp(first, 0.0, most - clocks));
  view.clocks = clocks >= most ? 0 : static_cast<std::int64_t>(clocks);
  return view;
}

ClockRange shown_clocks(const state::SmView& view, std::int64_t all) {
  const std::int64_t clocks = view.clocks == 0 ? all : std::min(view.clocks, all);
  return {std::clamp<std::int64_t>(view.first, 0, all - clocks), std::max<std::int64_t>(clocks, 1)};
}

void draw_marks(const Context& context, const ClockAxis& axis, float top, float bottom) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = row_sizes(context).letters * ImGui::GetFontSize();
  const ClockRange& range = axis.range;
  const std::string widest = grouped(static_cast<std::uint64_t>(range.first + range.clocks));
  const float each = text_width(context.fonts.text, size, widest.c_str()) + size;
  const std::int64_t step = mark_distance(range.clocks, axis.width() / each);
  const auto write = [&](float x, const char* text) {
    list.AddText(context.fonts.text, size, {x, bottom + 0.15F * ImGui::GetFontSize()},
                 context.theme.text_dim, text);
  };
  const char* const unit = tr("cycles");
  write(axis.left - text_width(context.fonts.text, size, unit) - size, unit);
  const std::int64_t first = (range.first + step - 1) / step * step;
  for (std::int64_t clock = first; clock < range.first + range.clocks; clock += step) {
    const float x = axis.x_of(clock);
    list.AddLine({x, top}, {x, bottom}, with_alpha(context.theme.text_dim, 0.25F));
    const std::string text = grouped(clock);
    if (x + text_width(context.fonts.text, size, text.c_str()) <= axis.right) {
      write(x, text.c_str());
    }
  }
}

std::optional<state::SmView> zoomed_or_moved(const Context& context, const ClockAxis& axis) {
  const state::SmView& view = context.state.timing.sm;
  const ImGuiIO& io = ImGui::GetIO();
  const auto shown = static_cast<double>(axis.range.clocks);
  const auto first = static_cast<double>(axis.range.first);
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left) &&
      io.MouseDelta.x != 0.0F) {
    return with_clocks(view, axis.all, first - io.MouseDelta.x * shown / axis.width(), shown);
  }
  if (ImGui::IsItemHovered() && io.MouseWheel != 0.0F) {
    const double clocks = shown * std::pow(0.8, static_cast<double>(io.MouseWheel));
    const double share = static_cast<double>(io.MousePos.x - axis.left) / axis.width();
    return with_clocks(view, axis.all, first + share * (shown - clocks), clocks);
  }
  return std::nullopt;
}

}  // namespace tilestep::ui
