// One iteration of a loop for many.
#include "insight/count/affine_tracker.h"
#include "simt/state/lane_mask.h"

#include <cassert>
#include <utility>

namespace tilestep::insight {
namespace {

// Conditions cut it down.
constexpr std::uint32_t kMostIterations = 1U << 30;

}  // namespace

void AffineTracker::begin_iteration(BlockMeter& meter) {
  assert(meter_ == first_meter_);
  meter_ = &meter;
  shared_.clear();
  domain_.set_iterations(kMostIterations);
}

std::uint32_t AffineTracker::end_iteration() {
  meter_ = first_meter_;
  const std::uint32_t last = domain_.range().last[kIterations];
  domain_.set_iterations(0);
  return last + 1;
}

void AffineTracker::forget_iterations() {
  for (Warp& warp : warps_) {
    if (warp.frames.empty() || !warp.frames[0]) {
      continue;
    }
    for (FormRow& row : warp.frames[0]->words) {
      row.forget(kIterations);
    }
    for (FormRow& row : warp.frames[0]->predicates) {
      row.forget(kIterations);
    }
  }
}

const Form& AffineTracker::form_of(std::uint32_t warp, const ptx::Register& reg, std::size_t lane) {
  return warps_[warp].frames[0]->row(reg).at(lane);
}

void AffineTracker::change_form(std::uint32_t warp, const ptx::Register& reg, std::size_t lane,
                                const Form& form) {
  warps_[warp].frames[0]->row(reg).set(1U << lane, form);
}

}  // namespace tilestep::insight
