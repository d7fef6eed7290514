#include "record/phases.h"

#include "problem/tr.h"

#include <bit>
#include <utility>

namespace tilestep::record {

PhaseBuilder::PhaseBuilder(const Tables& tables, simt::BlockPart part)
    : tables_(tables), blocks_(part) {
  for (const simt::Allocation& allocation : tables.program->allocations()) {
    if (allocation.kind == simt::AllocationKind::Shared) {
      arrays_.emplace(allocation.base, allocation.name);
    }
  }
}

void PhaseBuilder::note(Work& work, std::uint32_t& part) {
  if (part == 0) {
    part = ++work.order;
  }
}

void PhaseBuilder::on_step(const simt::StepInfo& info, std::uint64_t step) {
  Block& block = blocks_.at(info.id.block);
  if (!block.running) {
    block.running = true;
    block.first_step = step;
  }
  block.last_step = step + 1;
  const bool product =
      (tables_.functions[info.function].pcs[info.pc].flags & kProductPc) != 0 && info.mask != 0;
  if (product) {
    note(block.work, block.work.product);
  }
  if (product && !block.roles.empty()) {
    block.roles[info.id.warp].note(Handover::Multiplied);
  }
}

void PhaseBuilder::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (ptx::is_mbarrier(*info.instruction)) {
    return;
  }
  Block& block = blocks_.at(info.id.block);
  Work& work = block.work;
  const bool load = event.kind == simt::AccessKind::Load;
  const bool is_copy = info.instruction->op == ptx::Opcode::CpAsync;
  if (event.is_arrival || (is_copy && !load && work.global_load == 0)) {
    return;  // counted when it was issued; zeros in place of a missing tile
  }
  work.copies = work.copies || is_copy;
  if (event.space == ptx::Space::Global) {
    note(work, load ? work.global_load : work.global_store);
  } else if (event.space == ptx::Space::Shared && load) {
    note(work, work.shared_load);
  } else if (event.space == ptx::Space::Shared) {
    note(work, work.shared_store);
    if (!block.roles.empty() && event.agent == simt::AccessAgent::Thread) {
      block.roles[info.id.warp].note(Handover::Prepared);
    }
    const std::uint64_t address =
        event.addresses[static_cast<std::size_t>(std::countr_zero(event.mask))];
    const auto after = std::distance(arrays_.begin(), arrays_.upper_bound(address));
    const auto index = std::max<std::ptrdiff_t>(after - 1, 0);
    work.stored_arrays |= std::uint64_t{1} << std::min<std::ptrdiff_t>(index, 63);
    work.stored_bytes += static_cast<std::uint64_t>(std::popcount(event.mask)) * event.bytes;
  }
}

void PhaseBuilder::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event,
                              const simt::Machine& machine, std::uint64_t step) {
  Block& block = blocks_.at(info.id.block);
  if (event.id >= simt::kFirstMbarrier) {
    on_mbarrier(info, event, step);
    return;
  }
  if (event.action == simt::BarrierAction::WarpSync) {
    return;
  }
  if (event.action == simt::BarrierAction::Arrive) {
    block.arrived += static_cast<std::uint32_t>(std::popcount(event.mask));
    return;
  }
  std::uint32_t live = 0;
  for (std::uint32_t w = 0; w < tables_.program->warps_per_block(); ++w) {
    live += static_cast<std::uint32_t>(std::popcount(machine.warp({info.id.block, w}).live));
  }
  if (block.arrived >= live) {
    end(info.id.block, step, Handover::None);
    block.arrived = 0;
  }
}

void PhaseBuilder::on_mbarrier(const simt::StepInfo& info, const simt::BarrierEvent& event,
                               std::uint64_t step) {
  Block& block = blocks_.at(info.id.block);
  block.roles.resize(tables_.program->warps_per_block());
  Handover& handover = block.handovers[event.id];
  if (event.action == simt::BarrierAction::Arrive) {
    const bool is_engine = !ptx::is_mbarrier(*info.instruction);
    Role& role = block.roles[info.id.warp];
    handover = std::max(handover, is_engine ? Handover::Loaded : role.work);
    role.has_arrived = role.has_arrived || !is_engine;
  } else if (event.action == simt::BarrierAction::Release) {
    if (handover != Handover::None) {
      end(info.id.block, step, handover);
    }
    handover = Handover::None;
  }
}

void PhaseBuilder::end(std::uint32_t index, std::uint64_t step, Handover handover) {
  Block& block = blocks_.at(index);
  block.last_step = step + 1;
  close(index, handover == Handover::None, handover);
  block.running = false;  // the next phase begins with the block's next step
}

void PhaseBuilder::close(std::uint32_t index, bool at_barrier, Handover handover) {
  Block& block = blocks_.at(index);
  Phase phase;
  phase.block = index;
  phase.first_step = block.first_step;
  phase.last_step = block.last_step;
  phase.ends_at_barrier = at_barrier;
  Naming naming = describe(block, phase);
  if (handover != Handover::None) {
    phase.kind = handover == Handover::Loaded       ? PhaseKind::Load
                 : handover == Handover::Multiplied ? PhaseKind::Multiply
                                                    : PhaseKind::Other;
    const std::uint32_t write_back = naming.write_back;
    naming = {};
    naming.write_back = write_back;
    naming.handover = handover;
  }
  block.namings.push_back(std::move(naming));
  block.done.push_back(phase);
  block.work = {};
}

PhaseBuilder::Naming PhaseBuilder::describe(Block& block, Phase& phase) const {
  const Work& work = block.work;
  // A value that is loaded into a register first may be stored a phase later.
  block.has_loaded = block.has_loaded || work.global_load != 0;
  const bool loads =
      work.shared_store != 0 && (work.shared_load == 0 || work.product != 0) && block.has_loaded;
  block.has_loaded = block.has_loaded && work.shared_store == 0;
  const bool multiplies = work.shared_load != 0 && work.product != 0;
  const bool writes_back = work.global_store != 0;
  Naming naming;
  naming.write_back = work.global_store;
  naming.computes = work.product != 0;
  if (loads) {
    // As and Bs may be filled in separate phases: together they are one tile.
    naming.same_tile =
        !multiplies && block.load_arrays != 0 && (block.load_arrays & work.stored_arrays) == 0;
    block.load_arrays =
        multiplies ? 0 : (naming.same_tile ? block.load_arrays : 0) | work.stored_arrays;
    naming.load = work.shared_store;
    naming.arrays = work.stored_arrays;
    naming.bytes = work.stored_bytes;
    naming.is_copied = work.copies;
    phase.kind = PhaseKind::Load;
  } else {
    block.load_arrays = 0;
  }
  if (multiplies) {
    naming.multiply = work.shared_load;
    phase.kind = loads ? PhaseKind::LoadAndMultiply : PhaseKind::Multiply;
    std::uint64_t stored = loads ? 0 : work.stored_arrays;
    for (auto array = arrays_.begin(); array != arrays_.end(); ++array, stored >>= 1U) {
      if ((stored & 1U) != 0) {
        naming.results += (naming.results.empty() ? "" : ", ") + array->second;
      }
    }
  }
  if (loads || multiplies) {
    return naming;
  }
  if (work.product != 0) {
    phase.kind = PhaseKind::Compute;
    naming.other = writes_back ? tr("compute and write back") : tr("compute");
  } else if (work.shared_load != 0 && work.shared_store != 0) {
    naming.other =
        writes_back ? tr("combine in shared memory, write back") : tr("combine in shared memory");
  } else if (writes_back) {
    phase.kind = PhaseKind::WriteBack;
    naming.other = tr("write back");
  } else if (work.shared_store != 0) {
    naming.other = tr("fill shared memory");
  } else {
    const bool first = block.done.empty();
    phase.kind = first ? PhaseKind::Setup : PhaseKind::Other;
    naming.other = tr(first ? "set up" : work.order != 0 ? "read" : "finish");
  }
  return naming;
}

namespace {

std::string tiles_text(int first, std::uint64_t count) {
  const int last = first + static_cast<int>(count) - 1;
  return count == 1   ? tr("load tile {}", first)
         : count == 2 ? tr("load tiles {} and {}", first, last)
                      : tr("load tiles {} to {}", first, last);
}

}  // namespace

std::string PhaseBuilder::handover_text(Handover handover, int tile) {
  return handover == Handover::Loaded       ? tr("load tile {}", tile)
         : handover == Handover::Multiplied ? tr("multiply tile {}", tile)
                                            : tr("prepare tile {}", tile);
}

// A pipeline loads several tiles before it multiplies the first: the number of bytes that the phase
// stores divided by the smallest number that one phase stores. Values that are prefetched into
// registers may be multiplied after the last barrier, also those of the last tile. If one phase
// loads everything, the number of tiles is unknown; if nothing is multiplied, there are no tiles.
void PhaseBuilder::name_phases(Block& block) {
  std::uint64_t unit = 0;
  std::uint64_t arrays = 0;
  bool is_regular = true;
  for (const Naming& n : block.namings) {
    if (n.load != 0) {
      unit = unit == 0 ? n.bytes : std::min(unit, n.bytes);
      is_regular = is_regular && n.is_copied && !n.same_tile && (arrays == 0 || arrays == n.arrays);
      arrays = n.arrays;
    }
  }
  for (const Naming& n : block.namings) {
    is_regular = is_regular && unit != 0 && (n.load == 0 || n.bytes % unit == 0);
  }
  const auto loads =
      std::ranges::count_if(block.namings, [](const Naming& n) { return n.load != 0; });
  const auto products =
      std::ranges::count_if(block.namings, [](const Naming& n) { return n.multiply != 0; });
  const bool is_once = is_regular && loads == 1 && products > 1 && block.has_ended;
  int loaded = 0;
  int multiplied = 0;
  std::map<Handover, int> handed_over;
  for (std::size_t i = 0; i < block.namings.size(); ++i) {
    const Naming& n = block.namings[i];
    Phase& phase = block.done[i];
    std::vector<std::pair<std::uint32_t, std::string>> parts;
    if (n.load != 0 && products == 0) {
      parts.emplace_back(n.load,
                         tr(n.computes ? "compute, fill shared memory" : "fill shared memory"));
    } else if (n.load != 0 && is_once) {
      parts.emplace_back(n.load, tr("load all tiles"));
    } else if (n.load != 0) {
      const std::uint64_t count = is_regular ? n.bytes / unit : 1;
      loaded -= n.same_tile ? 1 : 0;
      phase.tile = loaded;
      parts.emplace_back(n.load, tiles_text(loaded, count));
      loaded += static_cast<int>(count);
    }
    if (n.multiply != 0 && is_once) {
      parts.emplace_back(n.multiply, tr("multiply, part {} of {}", ++multiplied, products));
    } else if (n.multiply != 0) {
      // A tile may be multiplied in several phases.
      phase.tile = loaded > 0 ? std::min(multiplied, loaded - 1) : multiplied;
      multiplied += n.results.empty() ? 1 : 0;
      parts.emplace_back(n.multiply, n.results.empty()
                                         ? tr("multiply tile {}", phase.tile)
                                         : tr("compute {} of tile {}", n.results, phase.tile));
    }
    if (n.handover != Handover::None) {
      phase.tile = handed_over[n.handover]++;
      parts.emplace_back(0, handover_text(n.handover, phase.tile));
    }
    if (n.write_back != 0 && !parts.empty()) {
      parts.emplace_back(n.write_back, tr("write back"));
    }
    std::ranges::sort(parts);
    std::string name = n.other;
    for (const auto& [order, text] : parts) {
      name = name.empty() ? text : tr("{}, {}", name, text);
    }
    phase.name = &*names_.insert(name).first;
    phase.results = n.results.empty() ? nullptr : &*names_.insert(n.results).first;
  }
  block.namings = std::vector<Naming>();
}

void PhaseBuilder::on_block_end(std::uint32_t index) {
  blocks_.at(index).has_ended = true;
  finish(index);
}

void PhaseBuilder::finish(std::uint32_t index) {
  Block& block = blocks_.at(index);
  if (block.running && block.last_step > block.first_step) {
    close(index, false);
  }
  block.running = false;
  name_phases(block);
  block.done.shrink_to_fit();
}

PhaseBuilder::Phases PhaseBuilder::finish() {
  const simt::BlockPart part = blocks_.part();
  Phases phases;
  phases.of_block = simt::BlockTable<std::vector<Phase>>(part);
  for (std::uint32_t b = part.first; b < part.last; ++b) {
    finish(b);
    phases.of_block.at(b) = std::move(blocks_.at(b).done);
  }
  phases.names = std::move(names_);
  return phases;
}

}  // namespace tilestep::record
