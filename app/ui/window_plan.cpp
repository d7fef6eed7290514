#include "ui/window_plan.h"

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr float kGap = 0.4F;  // lines, between panels and at the window's edge
constexpr float kSourceWidth = 30.0F;
constexpr float kNarrowSource = 24.0F;
constexpr float kMostOfWidth = 0.34F;
constexpr float kTimeline = 8.0F;
constexpr float kShortTimeline = 5.6F;
constexpr float kDrawerWidth = 22.0F;
constexpr float kStripShare = 0.42F;  // of the width, for the lines of source beside the sum

// Numbers of this size can be read from the last row where a line of text can.
constexpr float kEnoughMatrices = 1.0F;  // lines
constexpr float kEnoughBlock = 1.3F;

WindowPlan plan_with(const PlanRequest& request, Yield yield) {
  const float font = request.font;
  const float gap = std::round(kGap * font);
  const Box& room = request.room;
  WindowPlan plan;
  plan.yielded = yield;
  const float timeline =
      std::round((yield >= Yield::OtherBlocks ? kShortTimeline : kTimeline) * font);
  plan.timeline = {room.x + gap, room.bottom() - gap - timeline, room.w - 2.0F * gap, timeline};
  const float top = room.y + gap;
  const float height = std::max(plan.timeline.y - gap - top, 4.0F * font);
  plan.source_is_strip = yield >= Yield::SourceStrip;
  float left = room.x + gap;
  if (plan.source_is_strip) {
    plan.stage = {left, top, room.w - 2.0F * gap, height};
    const float strip = sum_height(font, true);
    plan.source = {left + gap, plan.stage.bottom() - strip - 0.4F * font,
                   std::round(kStripShare * plan.stage.w) - gap, strip};
    if (yield >= Yield::ShortStrip) {
      const float shorter = std::round(4.3F * font);
      plan.source.y += plan.source.h - shorter;
      plan.source.h = shorter;
    }
  } else {
    const float width =
        std::round(std::min((yield >= Yield::SourceNarrow ? kNarrowSource : kSourceWidth) * font,
                            kMostOfWidth * room.w));
    plan.source = {left, top, width, height};
    left += width + gap;
    plan.stage = {left, top, room.right() - gap - left, height};
  }
  const float drawer = std::min(kDrawerWidth * font, 0.5F * room.w);
  plan.drawer = {room.right() - gap - drawer, top, drawer, height};
  return plan;
}

bool is_enough(NumberSizes numbers, float font) {
  const auto enough = [font](float number, float wanted) {
    return number <= 0.0F || number >= wanted * font;
  };
  return enough(numbers.matrices, kEnoughMatrices) && enough(numbers.block, kEnoughBlock);
}

}  // namespace

float narration_height(float font) {
  return std::round(5.0F * font);
}

float sum_height(float font, bool beside_source) {
  return std::round((beside_source ? 6.4F : 5.0F) * font);
}

WindowPlan plan_window(const PlanRequest& request) {
  WindowPlan best;
  float best_number = -1.0F;
  for (int i = 0; i < kYields; ++i) {
    const WindowPlan plan = plan_with(request, static_cast<Yield>(i));
    const NumberSizes numbers = request.numbers ? request.numbers(plan) : NumberSizes{};
    if (is_enough(numbers, request.font)) {
      return plan;
    }
    // Where nothing is enough, what helps most; a step that helps nothing is not taken.
    const float smallest = numbers.matrices > 0.0F && numbers.block > 0.0F
                               ? std::min(numbers.matrices, numbers.block)
                               : std::max(numbers.matrices, numbers.block);
    if (smallest > 1.03F * best_number) {
      best_number = smallest;
      best = plan;
    }
  }
  return best;
}

}  // namespace tilestep::ui
