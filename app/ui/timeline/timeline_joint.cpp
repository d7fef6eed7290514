#include "problem/tr.h"
#include "ui/compare/compare.h"
#include "ui/masked_context.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/timeline/timeline.h"
#include "ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilestep::ui {
namespace {

using Stop = record::JointTimeline::Stop;

// Sizes in lines of text.
constexpr float kNames = 2.2F;
constexpr float kHead = 0.7F;  // marks above the rows
constexpr float kMostRow = 1.7F;
constexpr float kRowGap = 0.35F;

class JointPainter {
 public:
  JointPainter(const Context& context, const Context& second, ImVec2 at, ImVec2 size)
      : joint_(*context.view.beside->joint), context_(context), list_(*ImGui::GetWindowDrawList()) {
    const float em = ImGui::GetFontSize();
    left_ = at.x + kNames * em;
    right_ = at.x + size.x - 0.5F * em;
    const float row = std::min(kMostRow * em, 0.5F * (size.y - (kHead + kRowGap) * em));
    const float top = at.y + kHead * em;
    tracks_[0] = {&context, 1, &Stop::first, top, top + row};
    tracks_[1] = {&second, 2, &Stop::second, top + row + kRowGap * em,
                  top + 2.0F * row + kRowGap * em};
    now_ = joint_.at({context.state.step, context.state.second_step});
  }

  void draw() {
    for (const Row& row : tracks_) {
      draw_row(row);
    }
    draw_differences();
    draw_head();
  }

  // The stop under a pixel.
  [[nodiscard]] std::size_t stop_at(float x) const {
    const float share = std::clamp((x - left_) / std::max(right_ - left_, 1.0F), 0.0F, 1.0F);
    return static_cast<std::size_t>(
        std::lround(share * static_cast<float>(joint_.stops().size() - 1)));
  }
  [[nodiscard]] const Stop& stop(std::size_t i) const { return joint_.stops()[i]; }
  [[nodiscard]] float left() const { return left_; }

  void explain(ImVec2 mouse) const {
    for (const Row& row : tracks_) {
      if (mouse.y < row.top || mouse.y >= row.bottom || row.context->view.run.scene == nullptr) {
        continue;
      }
      const record::Recording& run = *row.context->view.run.scene->recording;
      const std::uint64_t step = stop(stop_at(mouse.x)).*(row.step);
      const record::Phase* const phase = run.phase_at(row.context->state.focus.block, step);
      if (phase != nullptr && !keys_came_last()) {
        const std::string words = tr("Side {}, {}: {}\nClick to move both sides there.", row.number,
                                     block_name(run.program(), phase->block), *phase->name);
        ImGui::SetTooltip("%s", words.c_str());
      }
    }
  }

 private:
  struct Row {
    const Context* context = nullptr;
    int number = 1;
    std::uint64_t Stop::*step = nullptr;
    float top = 0.0F;
    float bottom = 0.0F;
  };

  [[nodiscard]] float x_of(std::size_t stop) const {
    const auto last = static_cast<float>(std::max<std::size_t>(joint_.stops().size(), 2) - 1);
    return left_ + static_cast<float>(stop) / last * (right_ - left_);
  }
  // The stop at which a run leaves a step, and the first one at or after a step.
  [[nodiscard]] std::size_t last_before(const Row& row, std::uint64_t step) const {
    return joint_.of(row.step, step).to;
  }
  [[nodiscard]] std::size_t first_at(const Row& row, std::uint64_t step) const {
    const auto at = std::ranges::lower_bound(joint_.stops(), step, {}, row.step);
    return std::min(static_cast<std::size_t>(at - joint_.stops().begin()),
                    joint_.stops().size() - 1);
  }

  void draw_row(const Row& row) {
    const Theme& t = context_.theme;
    const float em = ImGui::GetFontSize();
    const float middle = 0.5F * (row.top + row.bottom);
    const std::string digit = std::to_string(row.number);
    list_.AddRectFilled({left_ - (kNames - 0.2F) * em, middle - 0.65F * em},
                        {left_ - (kNames - 1.6F) * em, middle + 0.65F * em}, t.raised, 0.25F * em);
    list_.AddText(context_.fonts.bold, em, {left_ - (kNames - 0.62F) * em, middle - 0.5F * em},
                  t.text, digit.c_str());
    // Visible where the run waits.
    for (float x = left_; x < right_; x += 0.5F * em) {
      list_.AddLine({x, middle}, {std::min(x + 0.2F * em, right_), middle}, t.text_dim);
    }
    if (row.context->view.run.scene == nullptr) {
      return;
    }
    const record::Recording& run = *row.context->view.run.scene->recording;
    for (const record::Phase& phase : run.phases_of(row.context->state.focus.block)) {
      draw_phase(row, phase);
    }
  }

  void draw_phase(const Row& row, const record::Phase& phase) {
    const Theme& t = context_.theme;
    const float em = ImGui::GetFontSize();
    const float left = x_of(last_before(row, phase.first_step));
    const float right = std::max(x_of(first_at(row, phase.last_step)) - 1.0F, left + 1.0F);
    const std::uint64_t step = stop(now_).*(row.step);
    const Fill fill = phase.last_step <= step   ? t.phase_done
                      : phase.first_step < step ? t.phase_now
                                                : t.phase;
    list_.AddRectFilled({left, row.top}, {right, row.bottom}, fill.fill, 3.0F);
    if (phase.first_step < step && step <= phase.last_step) {
      list_.AddRect({left, row.top}, {right, row.bottom}, t.focus, 3.0F, ImDrawFlags_None, 1.5F);
    }
    if (right - left > 1.4F * em) {
      const float size = std::min(0.9F * em, 0.85F * (row.bottom - row.top));
      const std::string words = phase_words(context_, phase, size, right - left - 0.8F * em);
      list_.AddText(context_.fonts.bold, size,
                    {left + 0.4F * em, 0.5F * (row.top + row.bottom - size)}, fill.text,
                    words.c_str());
    }
    if (phase.ends_at_barrier) {
      for (float y = row.top - 0.15F * em; y < row.bottom + 0.15F * em; y += 4.0F) {
        list_.AddLine({right, y}, {right, y + 2.0F}, t.text, 1.5F);
      }
    }
  }

  // The points where a sum begins to differ.
  void draw_differences() {
    const float r = 0.3F * ImGui::GetFontSize();
    const float y = tracks_[0].top - 1.1F * r;
    float latest = left_ - 3.0F * r;
    for (const insight::SumDifference& d : context_.view.beside->sums->differences) {
      const float x = x_of(first_at(tracks_[1], d.sides[1].step));
      if (x >= latest + 2.2F * r) {
        list_.AddQuadFilled({x - r, y}, {x, y - r}, {x + r, y}, {x, y + r}, context_.theme.bad);
        latest = x;
      }
    }
  }

  // The playhead; hollow in the row of a waiting run.
  void draw_head() {
    const Theme& t = context_.theme;
    const float em = ImGui::GetFontSize();
    const float x = x_of(now_);
    list_.AddLine({x, tracks_[0].top - 0.2F * em}, {x, tracks_[1].bottom + 0.2F * em}, t.text,
                  2.0F);
    for (const Row& row : tracks_) {
      const bool waits = now_ > 0 && stop(now_).*(row.step) == stop(now_ - 1).*(row.step);
      const ImVec2 at(x, 0.5F * (row.top + row.bottom));
      list_.AddCircleFilled(at, 0.32F * em, waits ? t.panel : t.text);
      list_.AddCircle(at, 0.32F * em, t.text, 0, 2.0F);
    }
  }

  const record::JointTimeline& joint_;
  const Context& context_;
  ImDrawList& list_;
  std::array<Row, 2> tracks_;
  float left_ = 0.0F;
  float right_ = 0.0F;
  std::size_t now_ = 0;
};

}  // namespace

std::string phase_words(const Context& context, const record::Phase& phase, float size,
                        float room) {
  // Whether there is a barrier between multiplying and loading is a frequent question.
  if (hides(context, course::Topic::Findings)) {
    return course::kMasked;
  }
  const std::string sign = phase_sign(phase.kind);
  std::vector<std::string> forms{sign + " " + *phase.name};
  if (phase.results != nullptr) {
    forms.push_back(sign + " " + *phase.results);
  } else if (phase.tile >= 0) {
    forms.push_back(sign + " " + tr("tile {}", phase.tile));
    forms.push_back(fmt::format("{} {}", sign, phase.tile));
  }
  const auto fits = [&](const std::string& form) {
    return text_width(context.fonts.bold, size, form) <= room;
  };
  const auto found = std::ranges::find_if(forms, fits);
  return found == forms.end() ? sign : *found;
}

Commands draw_joint_track(const Context& context, ImVec2 size) {
  const Context second = second_context(context);
  JointPainter painter(context, second, ImGui::GetCursorScreenPos(), size);
  hit_area("track", size);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Commands commands;
  if (ImGui::IsItemActive() && mouse.x >= painter.left()) {
    const Stop stop = painter.stop(painter.stop_at(mouse.x));
    commands = {state::Play{false}, state::SeekStep{stop.first, stop.second}};
  } else if (ImGui::IsItemHovered()) {
    painter.explain(mouse);
  }
  painter.draw();
  return commands;
}

}  // namespace tilestep::ui
