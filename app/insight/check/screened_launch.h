// The fast checks of a launch, spread over cores.
#pragma once

#include "insight/check/buffer_stores.h"
#include "insight/check/finding.h"
#include "insight/check/screen.h"
#include "insight/cores.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilestep::insight {

// A launch that has run under a screen.
struct Screened {
  std::unique_ptr<simt::Machine> machine;  // at its end
  Suspects suspects;
  std::unique_ptr<BufferStores> stores;  // where only some blocks ran
  Counters counters;
  Printout printout;
  std::uint64_t steps = 0;
  bool had_faults = false;
  bool cancelled = false;
  std::uint32_t blocks_ended = 0;
  std::optional<Party> stands_at;  // cancelled: a thread that had not ended
};

// The first thread of a launch in progress that could go on, or else one that waits.
[[nodiscard]] std::optional<Party> first_at_work(const simt::Machine& machine);

// On several cores, each takes some of the blocks and a copy of global memory. That is the same as
// one run if no word that blocks of one part stored was touched by blocks of another, which is
// looked at afterwards; where it was, or where anything else connects blocks (malloc, clocks,
// schedules that go from block to block), the launch runs on one core.
// `blocks`: only these, one after the other, where there are any.
[[nodiscard]] Screened screen_launch(const std::shared_ptr<const simt::Program>& program,
                                     simt::Schedule schedule, const Cores& cores,
                                     const std::atomic<bool>* cancel,
                                     std::atomic<std::uint32_t>* blocks_done,
                                     const std::vector<std::uint32_t>& blocks = {});

}  // namespace tilestep::insight
