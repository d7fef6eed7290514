// The timeline's axis: every statement is equally wide, whatever number of instructions it has, but
// those between the phases of the block that is followed are narrow. Pure.
#pragma once

#include "record/activity.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::ui {

class TimelineAxis {
 public:
  // `starts` as Recording::statement_starts(): sorted, ends with the number of steps.
  // `phases`: of the block that is followed, sorted; none: all statements are equally wide.
  TimelineAxis(std::span<const std::uint64_t> starts, float left, float right,
               std::span<const record::Phase> phases = {});

  // Pixel of a step; steps inside a statement lie between its edges.
  [[nodiscard]] float x_of(std::uint64_t step) const;
  // Pixels of the boundaries of the statement that a stretch of steps [first, last) begins and ends
  // in: under lockstep resident blocks share their statements, so their phases share edges.
  [[nodiscard]] float left_of(std::uint64_t first) const;
  [[nodiscard]] float right_of(std::uint64_t last) const;
  // The statement boundary nearest to a pixel.
  [[nodiscard]] std::uint64_t step_at(float x) const;

 private:
  // Statements, from the first to this one's start; a narrow one is a part of one.
  [[nodiscard]] float edge(std::size_t index) const {
    return edges_.empty() ? static_cast<float>(index) : edges_[index];
  }
  [[nodiscard]] float unit() const;  // pixels of a statement

  std::span<const std::uint64_t> starts_;
  std::vector<float> edges_;  // empty: all are equally wide
  float left_;
  float right_;
};

}  // namespace tilestep::ui
