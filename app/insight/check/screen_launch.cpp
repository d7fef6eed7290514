#include "insight/check/screen.h"
#include "insight/count/block_sample.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilestep::insight {
namespace {

// Some blocks of a launch.
struct Part {
  LaunchRun run;
  Screen screen;

  Part(const std::shared_ptr<const simt::Program>& program, const simt::Schedule& schedule,
       simt::BlockPart part, std::atomic<std::uint32_t>* blocks_done)
      : run(program, schedule, part), screen(*program, blocks_done) {}
};

bool may_part(const simt::Program& program, const simt::Schedule& schedule, const Cores& cores) {
  const bool block_by_block = schedule.kind == simt::ScheduleKind::Sequential ||
                              schedule.kind == simt::ScheduleKind::RunAhead;
  return cores.count > 1 && cores.run && block_by_block && program.only_memory_connects_blocks() &&
         program.block_count() >= cores.count;
}

Screened to_screened(Part& part) {
  const std::optional<Party> at =
      part.run.cancelled ? first_at_work(part.run.machine) : std::nullopt;
  return {std::make_unique<simt::Machine>(std::move(part.run.machine)),
          part.screen.suspects(),
          nullptr,
          part.screen.counters(),
          part.screen.printout(),
          part.run.steps,
          part.screen.had_faults(),
          part.run.cancelled,
          part.screen.blocks_ended(),
          at};
}

void add(const AccessCounters& from, AccessCounters& to) {
  to.requests += from.requests;
  to.elements += from.elements;
  to.sectors += from.sectors;
  to.wavefronts += from.wavefronts;
  to.bytes += from.bytes;
}

void add(const Counters& from, Counters& to) {
  add(from.global_loads, to.global_loads);
  add(from.global_stores, to.global_stores);
  add(from.global_atomics, to.global_atomics);
  add(from.shared_loads, to.shared_loads);
  add(from.shared_stores, to.shared_stores);
  add(from.shared_atomics, to.shared_atomics);
  for (std::size_t i = 0; i < from.buffers.size(); ++i) {
    to.buffers[i].loads += from.buffers[i].loads;
    to.buffers[i].stores += from.buffers[i].stores;
  }
}

bool any_cancelled(const std::vector<std::unique_ptr<Part>>& parts) {
  return std::ranges::any_of(parts,
                             [](const std::unique_ptr<Part>& part) { return part->run.cancelled; });
}

// Joins the results of the parts; empty if blocks of two parts accessed one word.
std::optional<Screened> put_together(std::vector<std::unique_ptr<Part>>& parts) {
  for (std::size_t i = 0; i < parts.size() && !any_cancelled(parts); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (parts[i]->screen.meets(parts[k]->screen)) {
        return std::nullopt;
      }
    }
  }
  Screened all = to_screened(*parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Part& part = *parts[i];
    all.machine->adopt_stores(part.run.machine);
    all.suspects.add(part.screen.suspects());
    add(part.screen.counters(), all.counters);
    all.printout.add(part.screen.printout());
    all.steps += part.run.steps;
    all.had_faults = all.had_faults || part.screen.had_faults();
    all.cancelled = all.cancelled || part.run.cancelled;
    all.blocks_ended += part.screen.blocks_ended();
    if (part.run.cancelled && !all.stands_at) {
      all.stands_at = first_at_work(part.run.machine);
    }
  }
  return all;
}

std::optional<Screened> screen_in_parts(const std::shared_ptr<const simt::Program>& program,
                                        const simt::Schedule& schedule, const Cores& cores,
                                        const std::atomic<bool>* cancel,
                                        std::atomic<std::uint32_t>* blocks_done) {
  std::vector<std::unique_ptr<Part>> parts(cores.count);
  const std::uint64_t blocks = program->block_count();
  cores.run(parts.size(), [&](std::size_t i) {
    const simt::BlockPart part{static_cast<std::uint32_t>(blocks * i / parts.size()),
                               static_cast<std::uint32_t>(blocks * (i + 1) / parts.size())};
    parts[i] = std::make_unique<Part>(program, schedule, part, blocks_done);
    parts[i]->run.to_end(&parts[i]->screen, cancel);
  });
  return put_together(parts);
}

}  // namespace

std::optional<Party> first_at_work(const simt::Machine& machine) {
  const simt::Program& program = machine.program();
  std::optional<Party> waits;
  for (std::uint32_t block = 0; block < program.block_count(); ++block) {
    if (machine.block_status(block) != simt::BlockStatus::Running) {
      continue;
    }
    for (std::uint32_t warp = 0; warp < program.warps_per_block(); ++warp) {
      const simt::WarpView view = machine.warp({block, warp});
      const bool ready = view.status == simt::WarpStatus::Ready;
      if (view.live == 0 || (!ready && waits)) {
        continue;
      }
      simt::StepInfo info;
      info.id = {block, warp};
      info.function = view.function;
      info.frame = view.frame;
      info.pc = view.pc;
      const std::uint32_t lanes = view.active != 0 ? view.active : view.live;
      const std::uint32_t thread =
          warp * program.warp_size() + static_cast<std::uint32_t>(std::countr_zero(lanes));
      waits = Party{program.block_index(block), program.thread_index(thread),
                    WarpLines(program).line_of(info, machine), 0, std::nullopt};
      if (ready) {
        return waits;
      }
    }
  }
  return waits;
}

Screened screen_launch(const std::shared_ptr<const simt::Program>& program,
                       const simt::Schedule& schedule, const Cores& cores,
                       const std::atomic<bool>* cancel, std::atomic<std::uint32_t>* blocks_done,
                       const std::vector<std::uint32_t>& blocks) {
  if (blocks.empty() && may_part(*program, schedule, cores)) {
    if (auto screened = screen_in_parts(program, schedule, cores, cancel, blocks_done)) {
      return std::move(*screened);
    }
    if (blocks_done != nullptr) {
      blocks_done->store(0, std::memory_order_relaxed);
    }
  }
  Part whole(program, schedule, {0, program->block_count()}, blocks_done);
  if (blocks.empty()) {
    whole.run.to_end(&whole.screen, cancel);
    return to_screened(whole);
  }
  whole.run.blocks = blocks;
  auto stores = std::make_unique<BufferStores>(whole.run.machine);
  Watchers watchers;
  watchers.add(&whole.screen);
  watchers.add(stores.get());
  whole.run.to_end(&watchers, cancel);
  Screened screened = to_screened(whole);
  screened.stores = std::move(stores);
  return screened;
}

}  // namespace tilestep::insight
