// A phase on stage: its content as a whole, the moments while it plays, cells on their way.
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

// A whole phase on stage once it is over: all that it read, stored and added up, where its tiles
// came from, and what the focus thread had of it. Pure.

// The phase that is shown as a whole; null: a statement is.
[[nodiscard]] const record::Phase* shown_phase(const ContentInputs& inputs);
// What has happened since this step is lit.
[[nodiscard]] std::uint64_t lit_since(const ContentInputs& inputs);

// Marks of every cell that the focus block touched, and of threads that did nothing.
void mark_phase(const ContentInputs& inputs, StageContent& content);
// Ribbons, the tile before this one, the focus thread's own cells. After add_frames().
void add_phase_frames(const ContentInputs& inputs, StageContent& content);
// Marks the cells that the focus thread stored in a single statement.
void add_focus_stores(const ContentInputs& inputs, StageContent& content);
// What sums were when the phase began.
void add_sums_before(const ContentInputs& inputs, StageContent& content);

// A phase as it runs, from nothing at t = 0 to the whole phase at t = 1: cells travel, rows and
// columns sweep, sums grow, stores land, in the order in which the block executed them. Pure.

// A number on its way from one cell to another.
struct Flight {
  SheetPlace from;
  SheetPlace to;
  double value = 0.0;
  float progress = 0.0F;  // 0…1
};

class PhasePlay {
 public:
  // `whole`: what make_content() says of these inputs, which show a phase.
  PhasePlay(const ContentInputs& inputs, const StageContent& whole);

  // There is nothing to be seen in between.
  [[nodiscard]] bool is_empty() const { return steps_.empty(); }
  // At 1 what the phase left.
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
  // When a store is seen.
  [[nodiscard]] float landing_of(const CellTouch& touch) const;
  void show_touches(const PhaseLog& log, float t, StageContent& out) const;
  void show_sums(const ContentInputs& inputs, std::uint64_t step, StageContent& out) const;

  StageContent whole_;
  StageContent before_;  // as the phase began
  std::vector<std::uint64_t> steps_;
  std::uint64_t end_ = 0;
  std::vector<Way> ways_;
  std::map<std::pair<int, std::size_t>, float> landings_;  // by sheet and cell
};

// Cells on their way from a matrix to shared memory, after the statement that brought them.

// When the statement on stage changed by stepping forward; nothing moves after a seek or in
// exports. Driven by the frame's clock only.
class Travel {
 public:
  // Called every frame with what is on stage.
  void notice(const workspace::Generation& generation, std::uint64_t step, double now,
              bool animate);
  // 0..1 while cells are on their way, 1 when they have arrived.
  [[nodiscard]] float progress(double now) const;
  [[nodiscard]] double ends_at() const;

 private:
  workspace::Generation generation_;
  std::uint64_t step_ = 0;
  double since_ = -1e9;
};

// When F10 brought the phase on stage: it plays from then on. Whatever else changes ends that.
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
  // Called every frame with what is on stage.
  void notice(const Showing& now_shown, double now, bool animate);
  void finish() { since_ = -1e9; }
  // 0…1 of the phase.
  [[nodiscard]] float progress(double now) const;
  [[nodiscard]] double ends_at() const;

 private:
  Showing shown_;
  double since_ = -1e9;
};

// `progress` below 1: the target cells are still empty, and the cells are between.
void paint_travel(const StagePicture& picture, float progress,
                  std::vector<CellInstance>& instances);
// Numbers between two cells.
void paint_flights(const StagePicture& picture, std::span<const Flight> flights,
                   std::vector<CellInstance>& instances);

// What is on stage at this moment: a phase that plays, or all that there is.

class PhaseStage {
 public:
  // What is on stage has changed.
  void forget() { play_.reset(); }
  // Null: no phase plays, `whole` is on stage. Called every frame.
  [[nodiscard]] const StageContent* now(const Context& context, const ContentInputs& inputs,
                                        const StageContent& whole,
                                        const workspace::Generation& generation);
  // Numbers on their way just now.
  [[nodiscard]] std::span<const Flight> flights() const { return flights_; }

 private:
  [[nodiscard]] float progress(const Context& context, const workspace::Generation& generation);

  PhaseClock clock_;
  std::optional<PhasePlay> play_;
  StageContent playing_;
  std::vector<Flight> flights_;
};

}  // namespace tilestep::ui
