#include "analysis/chart.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "ui/instrument.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

namespace tilestep::ui {

const MeasuredCurve& curve_of(const Context& context, const std::string& kernel,
                              MeasuredCurve& curve) {
  const auto& data = context.view.timing.dataset;
  const problem::Problem wanted = context.state.timing.problem;
  if (curve.kernel == kernel && curve.data == data && curve.wanted == wanted) {
    return curve;
  }
  const auto problem = data == nullptr ? std::nullopt : analysis::nearest_problem(*data, wanted);
  curve = {kernel, wanted, problem.value_or(problem::Problem{}), data, {}, 0.0};
  if (!problem) {
    return curve;
  }
  for (int size = 1; size <= problem::kLargestBlockSize; ++size) {
    const timing::Point* const point = data->find(kernel, *problem, size);
    curve.gflops[static_cast<std::size_t>(size)] =
        point == nullptr ? 0.0 : timing::gflops(*point, point->median_ms());
  }
  const double ms = data->median_ms(timing::kCublas, *problem, 0);
  curve.cublas = ms > 0.0 ? timing::gflops(*problem, ms) : 0.0;
  return curve;
}

SpeedAxis axis_of(const MeasuredCurve& one, const MeasuredCurve* two, const Box& box) {
  constexpr double kHead = 1.35;     // above the largest: room for a line of text
  constexpr double kFarAbove = 1.5;  // relative to cuBLAS: beyond it the curves would be flat
  SpeedAxis axis{1.0, box};
  for (const MeasuredCurve* curve : {&one, two}) {
    if (curve == nullptr) {
      continue;
    }
    axis.high = std::max(axis.high, kHead * std::ranges::max(curve->gflops));
  }
  axis.high = one.cublas < kFarAbove * axis.high ? std::max(axis.high, one.cublas) : axis.high;
  return axis;
}

void draw_curve(ImDrawList& list, const MeasuredCurve& curve, const SpeedAxis& axis,
                const Notches& notches, ImU32 colour, float font) {
  std::optional<ImVec2> last;
  for (int size = 1; size <= notches.last; ++size) {
    const double gflops = curve.gflops[static_cast<std::size_t>(size)];
    if (gflops <= 0.0) {
      last.reset();
      continue;
    }
    const ImVec2 at(notches.x_of(size), axis.y_of(gflops));
    if (last) {
      list.AddLine(*last, at, colour, std::max(1.5F, 0.09F * font));
    }
    list.AddCircleFilled(at, 0.13F * font, colour);
    last = at;
  }
}

void small_text(const Context& context, ImDrawList& list, ImVec2 at, ImU32 colour,
                const std::string& text, float size) {
  list.AddText(context.fonts.text, size, at, colour, text.c_str());
}

void draw_caption(const Context& context, ImDrawList& list, const MeasuredCurve& one,
                  const MeasuredCurve* two, const SpeedAxis& axis, const Notches& notches,
                  float font) {
  const MeasuredCurve& named = one.data != nullptr || two == nullptr ? one : *two;
  const float size = kSmall * font;
  const std::string text = cut_to(
      tr("GFLOP/s at {} on {}", analysis::to_text(named.problem), named.data->provenance.gpu),
      0.6F * axis.box.w);
  const float width = text_width(context.fonts.text, size, text);
  const auto runs_through = [&](const MeasuredCurve& curve, ImVec2 at) {
    for (int value = 1; value <= notches.last; ++value) {
      const double gflops = curve.gflops[static_cast<std::size_t>(value)];
      const ImVec2 point(notches.x_of(value), axis.y_of(gflops));
      if (gflops > 0.0 && point.x >= at.x && point.x <= at.x + width && point.y >= at.y &&
          point.y <= at.y + size) {
        return true;
      }
    }
    return false;
  };
  const ImVec2 above_its_start(axis.box.x, axis.box.y + 0.4F * size);
  const ImVec2 below_its_end(axis.box.right() - width, axis.box.bottom() - size);
  for (const ImVec2 at : {above_its_start, below_its_end}) {
    if (!runs_through(one, at) && (two == nullptr || !runs_through(*two, at))) {
      small_text(context, list, at, context.theme.text_dim, text, size);
      return;
    }
  }
}

void draw_cublas(const Context& context, ImDrawList& list, const MeasuredCurve& curve,
                 const SpeedAxis& axis, float font) {
  if (curve.cublas <= 0.0) {
    return;
  }
  const Theme& t = context.theme;
  const float y = axis.y_of(curve.cublas);
  const float size = kSmall * font;
  const bool is_beyond = curve.cublas > axis.high;
  const std::string name =
      fmt::format("cuBLAS {}{}", grouped(static_cast<std::uint64_t>(std::llround(curve.cublas))),
                  is_beyond ? std::string(" ") + icon::kUp : "");
  const bool has_room = axis.box.h >= 2.0F * size;  // above the curve
  const float width = has_room ? text_width(context.fonts.text, size, name) : 0.0F;
  list.AddLine({axis.box.x, y}, {axis.box.right() - width - 0.4F * font, y}, t.good,
               std::max(1.5F, 0.08F * font));
  if (has_room) {
    small_text(context, list, {axis.box.right() - width, y - 0.35F * size}, t.good, name, size);
  }
}

}  // namespace tilestep::ui
