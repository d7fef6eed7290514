// One run of a launch, or of some of its blocks, from the start.
#pragma once

#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tilestep::insight {

struct LaunchRun {
  simt::Machine machine;
  simt::Scheduler scheduler;
  std::vector<std::uint32_t> blocks;  // those that run, one after the other; empty: all, scheduled
  std::uint64_t steps = 0;
  bool cancelled = false;

  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule)
      : LaunchRun(program, schedule, simt::BlockPart{0, program->block_count()}) {}
  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
            simt::BlockPart part)
      : machine(program, part), scheduler(*program, schedule) {}

  // Of these blocks alone, where there are any.
  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
            std::vector<std::uint32_t> some)
      : LaunchRun(program, schedule) {
    blocks = std::move(some);
  }

  void to_end(simt::Observer* observer, const std::atomic<bool>* cancel);
};

}  // namespace tilestep::insight
