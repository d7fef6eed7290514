#include "record/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

namespace tilestep::record {

PhaseBuilder::PhaseBuilder(const Tables& tables, simt::BlockPart part)
    : tables_(tables), blocks_(part) {
  for (const simt::Allocation& allocation : tables.program->allocations()) {
    if (allocation.kind == simt::AllocationKind::Shared) {
      array_bases_.push_back(allocation.base);
    }
  }
  std::sort(array_bases_.begin(), array_bases_.end());
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
}

void PhaseBuilder::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  Work& work = blocks_.at(info.id.block).work;
  const bool load = event.kind == simt::AccessKind::Load;
  const bool is_copy = info.instruction->op == ptx::Opcode::CpAsync;
  if (event.is_arrival || (is_copy && !load && work.global_load == 0)) {
    return;  // told where it was issued; zeros in place of a tile that there is not
  }
  if (event.space == ptx::Space::Global) {
    note(work, load ? work.global_load : work.global_store);
  } else if (event.space == ptx::Space::Shared && load) {
    note(work, work.shared_load);
  } else if (event.space == ptx::Space::Shared) {
    note(work, work.shared_store);
    const std::uint64_t address =
        event.addresses[static_cast<std::size_t>(std::countr_zero(event.mask))];
    const auto after = std::upper_bound(array_bases_.begin(), array_bases_.end(), address);
    const auto index = std::max<std::ptrdiff_t>(after - array_bases_.begin() - 1, 0);
    work.stored_arrays |= std::uint64_t{1} << std::min<std::ptrdiff_t>(index, 63);
  }
}

void PhaseBuilder::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event,
                              const simt::Machine& machine, std::uint64_t step) {
  Block& block = blocks_.at(info.id.block);
  if (event.action == simt::BarrierAction::WarpSync || event.id >= simt::kFirstMbarrier) {
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
    block.last_step = step + 1;
    close(info.id.block, true);
    block.running = false;  // the next phase begins with the block's next step
    block.arrived = 0;
  }
}

void PhaseBuilder::close(std::uint32_t index, bool at_barrier) {
  Block& block = blocks_.at(index);
  Phase phase;
  phase.block = index;
  phase.first_step = block.first_step;
  phase.last_step = block.last_step;
  phase.ends_at_barrier = at_barrier;
  phase.name = &*names_.insert(name(block, phase)).first;
  block.done.push_back(phase);
  block.work = {};
}

std::string PhaseBuilder::name(Block& block, Phase& phase) {
  struct Part {
    std::uint32_t order;
    std::string text;
  };
  const Work& work = block.work;
  // What is loaded into registers first may be stored a phase later.
  block.has_loaded = block.has_loaded || work.global_load != 0;
  const bool loads =
      work.shared_store != 0 && (work.shared_load == 0 || work.product != 0) && block.has_loaded;
  block.has_loaded = block.has_loaded && work.shared_store == 0;
  const bool multiplies = work.shared_load != 0 && work.product != 0;
  const bool writes_back = work.global_store != 0;
  std::vector<Part> parts;
  if (loads) {
    // As and Bs may be filled in phases of their own: together they are one tile.
    const bool same_tile =
        !multiplies && block.load_arrays != 0 && (block.load_arrays & work.stored_arrays) == 0;
    block.loads += same_tile ? 0 : 1;
    block.load_arrays = multiplies ? 0 : (same_tile ? block.load_arrays : 0) | work.stored_arrays;
    parts.push_back({work.shared_store, fmt::format("load tile {}", block.loads - 1)});
    phase.kind = PhaseKind::Load;
    phase.tile = block.loads - 1;
  } else {
    block.load_arrays = 0;
  }
  if (multiplies) {
    parts.push_back({work.shared_load, fmt::format("multiply tile {}", block.multiplies)});
    phase.kind = loads ? PhaseKind::LoadAndMultiply : PhaseKind::Multiply;
    phase.tile = block.multiplies++;
  }
  if (writes_back) {
    parts.push_back({work.global_store, "write back"});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.order < b.order; });
  std::string name;
  for (const Part& part : parts) {
    name += (name.empty() ? "" : ", ") + part.text;
  }
  if (loads || multiplies) {
    return name;
  }
  if (work.product != 0) {
    phase.kind = PhaseKind::Compute;
    return writes_back ? "compute and write back" : "compute";
  }
  if (work.shared_load != 0 && work.shared_store != 0) {
    return writes_back ? "combine in shared memory, write back" : "combine in shared memory";
  }
  if (writes_back) {
    phase.kind = PhaseKind::WriteBack;
    return name;
  }
  const bool first = block.done.empty();
  if (work.shared_store != 0) {
    phase.kind = PhaseKind::Other;
    return "fill shared memory";
  }
  phase.kind = first ? PhaseKind::Setup : PhaseKind::Other;
  return first ? "set up" : work.order != 0 ? "read" : "finish";
}

void PhaseBuilder::on_block_end(std::uint32_t index) {
  Block& block = blocks_.at(index);
  if (block.running && block.last_step > block.first_step) {
    close(index, false);
  }
  block.running = false;
  block.done.shrink_to_fit();
}

PhaseBuilder::Phases PhaseBuilder::finish() {
  const simt::BlockPart part = blocks_.part();
  Phases phases;
  phases.of_block = simt::BlockTable<std::vector<Phase>>(part);
  for (std::uint32_t b = part.first; b < part.last; ++b) {
    on_block_end(b);
    phases.of_block.at(b) = std::move(blocks_.at(b).done);
  }
  phases.names = std::move(names_);
  return phases;
}

}  // namespace tilestep::record
