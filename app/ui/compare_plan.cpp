#include "ui/compare_plan.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

// In lines of text.
constexpr float kCompareGap = 0.4F;
constexpr float kTracks = 4.6F;         // two rows of phases with their marks
constexpr float kTracksButtons = 7.0F;  // … and the buttons below
constexpr float kBelowStages = 9.6F;    // sources and card
constexpr float kRoomForButtons = 32.0F;
constexpr float kLeastBelow = 4.4F;
constexpr float kRoomForStages = 32.0F;  // and for the timeline
constexpr float kRoomForBoth = 84.0F;    // wide enough for both sources and the card
constexpr float kShareOfEditor = 0.5F;
constexpr float kShareOfSource = 0.31F;

void stand_below(ComparePlan& plan, const Box& row, float gap, bool is_wide) {
  if (is_wide) {
    const float source = std::round(kShareOfSource * row.w);
    plan.sources[0] = {row.x, row.y, source, row.h};
    plan.sources[1] = {row.right() - source, row.y, source, row.h};
    const float left = plan.sources[0].right() + gap;
    plan.card = {left, row.y, plan.sources[1].x - gap - left, row.h};
    return;
  }
  const float half = std::round(0.5F * (row.w - gap));
  plan.card = {row.x, row.y, half, row.h};
  plan.sources[1] = {row.x + half + gap, row.y, row.w - half - gap, row.h};
}

}  // namespace

ComparePlan plan_compare(const Box& room, float font, bool edits, bool is_lecture,
                         float instrument) {
  ComparePlan plan;
  const float gap = std::round(kCompareGap * font);
  const float width = room.w - 2.0F * gap;
  plan.is_short = is_lecture || room.h < kRoomForButtons * font;
  const float tracks = std::round((plan.is_short ? kTracks : kTracksButtons) * font);
  plan.timeline = {room.x + gap, room.bottom() - gap - tracks, width, tracks};
  const float top = room.y + gap;
  float bottom = plan.timeline.y - gap;
  if (instrument > 0.0F) {
    plan.instrument = {plan.timeline.x, bottom - instrument, width, instrument};
    bottom = plan.instrument.y - gap;
  }
  const float free = std::min(kBelowStages, (room.h - instrument) / font - kRoomForStages);
  if ((free >= kLeastBelow && !is_lecture) || edits) {
    const float below = std::round(edits ? kShareOfEditor * (bottom - top) : free * font);
    const Box row{room.x + gap, bottom - below, width, below};
    stand_below(plan, row, gap, room.w >= kRoomForBoth * font);
    if (edits) {  // which is side 1's
      plan.sources[0] = plan.sources[0].w > 0.0F ? plan.sources[0] : plan.sources[1];
      plan.sources[1] = plan.sources[0] == plan.sources[1] ? Box{} : plan.sources[1];
    }
    bottom = row.y - gap;
  }
  if (width >= bottom - top) {
    const float half = std::round(0.5F * (width - gap));
    plan.sides[0] = {room.x + gap, top, half, bottom - top};
    plan.sides[1] = {room.x + gap + half + gap, top, width - half - gap, bottom - top};
  } else {
    const float half = std::round(0.5F * (bottom - top - gap));
    plan.sides[0] = {room.x + gap, top, width, half};
    plan.sides[1] = {room.x + gap, top + half + gap, width, bottom - top - half - gap};
  }
  return plan;
}

}  // namespace tilestep::ui
