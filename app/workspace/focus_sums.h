// The sums of the focus block: followed once for a block, and then asked every frame.
#pragma once

#include "insight/trace/accumulators.h"
#include "state/app_state.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace tilestep::workspace {

class FocusSums {
 public:
  // Puts into the view what the focus thread's chosen sum is after `step` steps. The view's
  // pointers are valid until the next call.
  void follow(const Scene& scene, const state::Focus& focus, std::uint64_t step, FrameView& view);

 private:
  std::uint64_t generation_ = 0;  // of the scene that they are of
  std::shared_ptr<const insight::BlockSums> sums_;
  std::optional<insight::Accumulation> accumulation_;
};

}  // namespace tilestep::workspace
