// Phases of every block, statements as ticks, scrubbing, play and pace.
#pragma once

#include "record/activity.h"
#include "ui/panel.h"
#include "ui/stage/run_marks.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::ui {

// Short: one row, with the button for the next phase before it.
[[nodiscard]] Commands draw_timeline(const Context& context, bool is_short);

// The timeline's axis: every statement is equally wide, whatever number of instructions it has, but
// those between the phases of the block that is followed are narrow. Pure.

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

// What of a block's phases is drawn as one where each by itself would be too narrow to read: the
// passes of its loop over tiles, then eight, sixteen, … of them together. Pure.

// Phases [first, last): one, or several folded together.
struct PhaseFold {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string name;  // of several: "tiles 0 to 7"

  [[nodiscard]] bool is_fold() const { return last - first > 1; }
};

// `width(first, last)`: pixels of phases [first, last). Phases of a pass that are as wide as
// `least` stay by themselves, unless passes have to be put together: then folds are made as wide as
// `least_fold`, in which their names have room.
[[nodiscard]] std::vector<PhaseFold> fold_phases(
    std::span<const record::Phase> phases, float least, float least_fold,
    const std::function<float(std::size_t first, std::size_t last)>& width);

// Signs above the focus block's row of the timeline: findings, bank conflicts, uncoalesced
// accesses, split warps, barriers. Each has its own shape.

// The focus block's marks, as far as they are known; goes on once a frame, and asks for another
// frame while there is more.
[[nodiscard]] const RunMarks& focus_marks(const Context& context);

// Around the line `y`, `height` high; of the axis's statements, which start at `starts`. Returns
// what a click on one of them does.
[[nodiscard]] Commands draw_timeline_marks(const Context& context, const TimelineAxis& axis,
                                           std::span<const std::uint64_t> starts, float y,
                                           float height);

// The timeline of two runs: a row of phases each, on one axis of their common stops. A run that
// waits for the other has a gap.

// In `size` pixels from the cursor; of a frame with a side 2 whose joint timeline is there.
[[nodiscard]] Commands draw_joint_track(const Context& context, ImVec2 size);

// The longest form of a phase's name that has room; at least its sign. No name is cut.
[[nodiscard]] std::string phase_words(const Context& context, const record::Phase& phase,
                                      float size, float room);

// The button beside the play buttons that runs to the next event, and its menu.

// `wide`: the button says what it runs to.
[[nodiscard]] Commands event_button(const Context& context, bool wide);

}  // namespace tilestep::ui
