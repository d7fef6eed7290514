// One run of a launch, or of some of its blocks, from the start.
#pragma once

#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace tilestep::insight {

struct LaunchRun {
  simt::Machine machine;
  simt::Scheduler scheduler;
  std::uint64_t steps = 0;
  bool cancelled = false;

  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule)
      : LaunchRun(program, schedule, {0, program->block_count()}) {}
  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
            simt::BlockPart part)
      : machine(program, part), scheduler(*program, schedule) {}

  void to_end(simt::Observer* observer, const std::atomic<bool>* cancel);
};

}  // namespace tilestep::insight
