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

// Short: one row, preceded by the button for the next phase.
[[nodiscard]] Commands draw_timeline(const Context& context, bool is_short);

// The timeline's axis: statements have equal widths, whatever their number of instructions, except
// that those between the phases of the focus block are narrow. Pure.

class TimelineAxis {
 public:
  // `starts` as Recording::statement_starts(): sorted, ends with the number of steps. `phases`: of
  // the focus block, sorted; empty: all statements have equal widths.
  TimelineAxis(std::span<const std::uint64_t> starts, float left, float right,
               std::span<const record::Phase> phases = {});

  // Pixel of a step; steps inside a statement are between its edges.
  [[nodiscard]] float x_of(std::uint64_t step) const;
  // Pixels of the boundaries of the statements in which the steps [first, last) begin and end: in
  // lockstep resident blocks share their statements, so their phases share edges.
  [[nodiscard]] float left_of(std::uint64_t first) const;
  [[nodiscard]] float right_of(std::uint64_t last) const;
  // The statement boundary nearest to a pixel.
  [[nodiscard]] std::uint64_t step_at(float x) const;

 private:
  // The number of statements before this one's start; a narrow one counts as a fraction.
  [[nodiscard]] float edge(std::size_t index) const {
    return edges_.empty() ? static_cast<float>(index) : edges_[index];
  }
  [[nodiscard]] float unit() const;  // pixels per statement

  std::span<const std::uint64_t> starts_;
  std::vector<float> edges_;  // empty: all have equal widths
  float left_;
  float right_;
};

// Phases that are drawn as one because each alone would be too narrow to read: the passes of its
// loop over tiles, then eight, sixteen, … of these together. Pure.

// Phases [first, last): one, or several folded together.
struct PhaseFold {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string name;  // of several phases: "tiles 0 to 7"

  [[nodiscard]] bool is_fold() const { return last - first > 1; }
};

// `width(first, last)`: pixels of phases [first, last). Phases of a pass that are as wide as
// `least` stay separate, unless passes have to be joined: then folds are at least as wide as
// `least_fold`, so that their names have room.
[[nodiscard]] std::vector<PhaseFold> fold_phases(
    std::span<const record::Phase> phases, float least, float least_fold,
    const std::function<float(std::size_t first, std::size_t last)>& width);

// Signs above the focus block's row of the timeline: findings, bank conflicts, uncoalesced
// accesses, split warps, barriers. Each kind has its own shape.

// The focus block's marks found so far; continues once per frame, and requests another frame while
// there is more.
[[nodiscard]] const RunMarks& focus_marks(const Context& context);

// Draws around the line `y`, `height` pixels high; the axis's statements begin at `starts`. Returns
// the command of a clicked mark.
[[nodiscard]] Commands draw_timeline_marks(const Context& context, const TimelineAxis& axis,
                                           std::span<const std::uint64_t> starts, float y,
                                           float height);

// The timeline of two runs: a row of phases each, on one axis of their common stops. A run that
// waits for the other has a gap.

// Draws in `size` pixels from the cursor; requires a frame with a side 2 and its joint timeline.
[[nodiscard]] Commands draw_joint_track(const Context& context, ImVec2 size);

// The longest form of a phase's name that fits; at least its sign. Names are never cut.
[[nodiscard]] std::string phase_words(const Context& context, const record::Phase& phase,
                                      float size, float room);

// The button beside the play buttons that runs to the next event, and its menu.

// `wide`: the button names the event.
[[nodiscard]] Commands event_button(const Context& context, bool wide);

}  // namespace tilestep::ui
