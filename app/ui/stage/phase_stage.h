// What is on stage at this moment: a phase that plays, or all that there is.
#pragma once

#include "ui/panel.h"
#include "ui/stage/travel.h"
#include "workspace/generation.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::ui {

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
