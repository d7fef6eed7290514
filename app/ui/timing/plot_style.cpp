#include "ui/timing/plot_style.h"

#include "problem/describe/best_by_size.h"
#include "problem/tr.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <array>

namespace tilestep::ui {

using analysis::Curve;
using analysis::Role;

namespace {

constexpr std::array kMarkers{
    Marker{ImPlotMarker_Circle, icon::kCircle}, Marker{ImPlotMarker_Square, icon::kSquare},
    Marker{ImPlotMarker_Diamond, icon::kDiamond}, Marker{ImPlotMarker_Up, icon::kUp},
    Marker{ImPlotMarker_Down, icon::kDown}};
constexpr Marker kWrong{ImPlotMarker_Cross, icon::kError};

// In the catalog's order of families: one block, global memory, tiles, strips, several elements a
// thread, towards cuBLAS, broken on purpose; then kernels of no family, the user's own.
ImU32 family_colour(const Theme& theme, std::size_t family) {
  const std::array<ImU32, 8> colours{theme.blocks[2],     theme.roles[0].line, theme.roles[1].line,
                                     theme.roles[2].line, theme.roles[3].line, theme.blocks[3],
                                     theme.bad,           theme.blocks[0]};
  return colours[family % colours.size()];
}

}  // namespace

const Marker& marker_of(const Curve& curve) {
  return curve.is_wrong ? kWrong : kMarkers[curve.style % kMarkers.size()];
}

bool is_dashed(const Curve& curve) {
  return curve.style / kMarkers.size() % 2 == 1;
}

ImU32 curve_colour(const Theme& theme, const Curve& curve) {
  switch (curve.role) {
    case Role::Library:
      return curve.kernel == timing::kCublas ? theme.good : theme.text_dim;
    case Role::Ceiling:
    case Role::Predicted:
      return theme.text;
    case Role::Drawn:
      return theme.blocks[1];
    case Role::Measured:
      break;
  }
  if (curve.kernel == problem::kBestBySize) {
    return theme.blocks[1];  // as drawings have, which are on no page with it
  }
  return curve.is_wrong ? theme.bad : family_colour(theme, curve.family);
}

std::string shown_name(const Curve& curve) {
  return curve.name + (curve.is_wrong ? tr(", wrong result") : "");
}

}  // namespace tilestep::ui
