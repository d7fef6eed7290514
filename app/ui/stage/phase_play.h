// A phase as it runs, from nothing at t = 0 to the whole phase at t = 1: cells travel, rows and
// columns sweep, sums grow, stores land, in the order in which the block executed them. Pure.
#pragma once

#include "ui/stage/content.h"

#include <map>
#include <vector>

namespace tilestep::ui {

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

}  // namespace tilestep::ui
