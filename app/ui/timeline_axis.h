// The timeline's axis: every statement is equally wide, whatever number of instructions it has.
// Pure.
#pragma once

#include <cstdint>
#include <span>

namespace tilestep::ui {

class TimelineAxis {
 public:
  // `starts` as Recording::statement_starts(): sorted, ends with the number of steps.
  TimelineAxis(std::span<const std::uint64_t> starts, float left, float right)
      : starts_(starts), left_(left), right_(right) {}

  // Pixel of a step; steps inside a statement lie between its edges.
  [[nodiscard]] float x_of(std::uint64_t step) const;
  // Pixels of the boundaries of the statement that a stretch of steps [first, last) begins and ends
  // in: under lockstep resident blocks share their statements, so their phases share edges.
  [[nodiscard]] float left_of(std::uint64_t first) const;
  [[nodiscard]] float right_of(std::uint64_t last) const;
  // The statement boundary nearest to a pixel.
  [[nodiscard]] std::uint64_t step_at(float x) const;
  [[nodiscard]] float statement_width() const;

 private:
  std::span<const std::uint64_t> starts_;
  float left_;
  float right_;
};

}  // namespace tilestep::ui
