// Cells on their way from a matrix to shared memory, after the statement that brought them.
#pragma once

#include "ui/stage/paint.h"
#include "ui/stage/phase_play.h"
#include "workspace/generation.h"

#include <span>
#include <vector>

namespace tilestep::ui {

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

}  // namespace tilestep::ui
