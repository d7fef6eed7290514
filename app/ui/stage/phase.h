// A phase on stage: its content as a whole, its moments while it plays, cells in flight.
#pragma once

#include "ui/panel.h"
#include "ui/stage/content.h"
#include "ui/stage/paint.h"
#include "workspace/generation.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::ui {

// A finished phase on stage: everything that it read, stored and added, the sources of its tiles,
// and the focus thread's part. Pure.

// The phase that is shown as a whole; null: a statement is shown.
[[nodiscard]] const record::Phase* shown_phase(const ContentInputs& inputs);
// Changes since this step are highlighted.
[[nodiscard]] std::uint64_t lit_since(const ContentInputs& inputs);

// Marks every cell that the focus block accessed, and threads that did nothing.
void mark_phase(const ContentInputs& inputs, StageContent& content);
// Adds ribbons, the previous tile, and the focus thread's own cells. Call after add_frames().
void add_phase_frames(const ContentInputs& inputs, StageContent& content);
// Marks the cells that the focus thread stored in a single statement.
void add_focus_stores(const ContentInputs& inputs, StageContent& content);
// Adds the sums' values at the beginning of the phase.
void add_sums_before(const ContentInputs& inputs, StageContent& content);

// A playing phase, from its beginning at t = 0 to the whole phase at t = 1: cells move, rows and
// columns sweep, sums grow, stores are made, in execution order of the block. Pure.

// A number that moves from one cell to another.
struct Flight {
  SheetPlace from;
  SheetPlace to;
  double value = 0.0;
  float progress = 0.0F;  // 0…1
};

// The animation of one phase.
class PhasePlay {
 public:
  // `whole`: make_content() of these inputs, which show a phase.
  PhasePlay(const ContentInputs& inputs, const StageContent& whole);

  // True if there is nothing to animate.
  [[nodiscard]] bool is_empty() const { return steps_.empty(); }
  // The content at time t; at 1 the result of the phase.
  [[nodiscard]] StageContent at(float t, const ContentInputs& inputs) const;
  [[nodiscard]] std::vector<Flight> flights(float t) const;

 private:
  struct Way {
    Flight flight;
    float leaves = 0.0F;
    float arrives = 0.0F;
  };

  void find_ways(const ContentInputs& inputs);
  void add_ways(const ContentInputs& inputs, const std::vector<Transfer>& moves);
  [[nodiscard]] float time_of(std::uint64_t step) const;
  [[nodiscard]] bool is_just(std::uint64_t step, float t) const;
  [[nodiscard]] std::uint64_t step_at(float t) const;
  // The time at which a store is shown.
  [[nodiscard]] float landing_of(const CellTouch& touch) const;
  void show_touches(const PhaseLog& log, float t, StageContent& out) const;
  void show_sums(const ContentInputs& inputs, std::uint64_t step, StageContent& out) const;

  StageContent whole_;
  StageContent before_;  // at the beginning of the phase
  std::vector<std::uint64_t> steps_;
  std::uint64_t end_ = 0;
  std::vector<Way> ways_;
  std::map<std::pair<int, std::size_t>, float> landings_;  // by sheet and cell
};

// Moving cells, from a matrix to shared memory, after the statement that copied them.

// Notes when stepping forward changed the statement on stage; nothing moves after a seek or in
// exports. Depends only on the frame's clock.
class Travel {
 public:
  // Call every frame with what is on stage.
  void notice(const workspace::Generation& generation, std::uint64_t step, double now,
              bool animate);
  // 0…1 while cells move, 1 when they have arrived.
  [[nodiscard]] float progress(double now) const;
  [[nodiscard]] double ends_at() const;

 private:
  workspace::Generation generation_;
  std::uint64_t step_ = 0;
  double since_ = -1e9;
};

// Notes when F10 showed the phase, which plays from then on. Any other change ends that.
class PhaseClock {
 public:
  struct Showing {
    workspace::Generation generation;
    std::uint64_t step = 0;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    bool shows_phase = false;
    friend bool operator==(const Showing&, const Showing&) = default;
  };
  // Call every frame with what is on stage.
  void notice(const Showing& now_shown, double now, bool animate);
  void finish() { since_ = -1e9; }
  // 0…1 of the phase.
  [[nodiscard]] float progress(double now) const;
  [[nodiscard]] double ends_at() const;

 private:
  Showing shown_;
  double since_ = -1e9;
};

// `progress` below 1: the target cells are still empty, and the cells are in between.
void paint_travel(const StagePicture& picture, float progress,
                  std::vector<CellInstance>& instances);
// Numbers in flight between two cells.
void paint_flights(const StagePicture& picture, std::span<const Flight> flights,
                   std::vector<CellInstance>& instances);

// The stage at this moment: a playing phase, or the whole content.

// The animation that is on stage, if any.
class PhaseStage {
 public:
  // The content of the stage has changed.
  void forget() { play_.reset(); }
  // Null: no phase plays, `whole` is on stage. Call every frame.
  [[nodiscard]] const StageContent* now(const Context& context, const ContentInputs& inputs,
                                        const StageContent& whole,
                                        const workspace::Generation& generation);
  // Numbers in flight.
  [[nodiscard]] std::span<const Flight> flights() const { return flights_; }

 private:
  [[nodiscard]] float progress(const Context& context, const workspace::Generation& generation);

  PhaseClock clock_;
  std::optional<PhasePlay> play_;
  StageContent playing_;
  std::vector<Flight> flights_;
};

}  // namespace tilestep::ui
