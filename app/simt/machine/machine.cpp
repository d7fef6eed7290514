#include "simt/machine/machine.h"

#include "simt/exec/memory_access.h"
#include "simt/machine/schedule_impl.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tilestep::simt {
namespace {

[[nodiscard]] const Frame* frame_at(const MachineState& state, WarpId id, std::uint32_t frame) {
  const Block* const block = state.blocks[id.block].get();
  if (block == nullptr) {
    return nullptr;
  }
  const Warp& warp = block->warps[id.warp];
  const std::uint32_t index = frame == kRunningFrame ? warp.paths.back().frame : frame;
  const bool exists = index < warp.frames.size() && warp.frames[index].function != kNoFunction;
  return exists ? &warp.frames[index] : nullptr;
}

// Compares everything in two blocks that execution depends on: the used parts of frames and local
// memory. Unused parts may hold anything.
[[nodiscard]] bool same_block(const Block& a, const Block& b, const ProgramData& program) {
  const std::size_t fixed = kBlockRows + program.memory.shared_room();
  if (a.index != b.index || a.live_warps != b.live_warps || a.exited_warps != b.exited_warps ||
      a.has_fault != b.has_fault || a.warps != b.warps || a.barriers != b.barriers ||
      std::memcmp(a.storage.data(), b.storage.data(), fixed) != 0) {
    return false;
  }
  for (std::uint32_t number = 0; number < a.warps.size(); ++number) {
    for (const Frame& frame : a.warps[number].frames) {
      if (frame.function == kNoFunction) {
        continue;
      }
      const FrameLayout& layout = program.functions[frame.function].frame;
      const std::size_t local = std::size_t{frame.local} * kLanes;
      if (std::memcmp(a.stack(number) + frame.offset, b.stack(number) + frame.offset,
                      layout.bytes) != 0 ||
          std::memcmp(a.local(number) + local, b.local(number) + local,
                      std::size_t{layout.local_bytes} * kLanes) != 0) {
        return false;
      }
    }
  }
  return true;
}

[[nodiscard]] bool same_windows(const MachineState& a, const MachineState& b) {
  for (std::size_t w = 0; w < a.windows.size(); ++w) {
    const GlobalWindow& x = a.windows[w];
    const GlobalWindow& y = b.windows[w];
    if (x.data != y.data && x.bytes != 0 && std::memcmp(x.data, y.data, x.bytes) != 0) {
      return false;
    }
  }
  return true;
}

[[nodiscard]] bool same_state(const MachineState& a, const MachineState& b) {
  if (a.program != b.program || a.statuses != b.statuses || a.steps != b.steps ||
      a.heap != b.heap || !same_windows(a, b)) {
    return false;
  }
  for (std::uint32_t k = a.blocks.part().first; k < a.blocks.part().last; ++k) {
    if (a.blocks[k] && !same_block(*a.blocks[k], *b.blocks[k], a.data())) {
      return false;
    }
  }
  return true;
}

}  // namespace

Machine::Machine(const std::shared_ptr<const Program>& program)
    : Machine(program, {0, program->block_count()}) {}
Machine::Machine(std::shared_ptr<const Program> program, BlockPart part)
    : impl_(std::make_unique<Impl>(std::move(program), part)) {}
Machine::Machine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Machine::Machine(const Machine& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Machine& Machine::operator=(const Machine& other) {
  if (this != &other) {
    impl_ = std::make_unique<Impl>(*other.impl_);
  }
  return *this;
}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

const Program& Machine::program() const {
  return *impl_->program;
}

BlockPart Machine::part() const {
  return impl_->state.statuses.part();
}

void Machine::step(WarpId id, Observer* observer) {
  run(id, 1, observer);
}

std::uint64_t Machine::run(WarpId id, std::uint64_t max_steps, Observer* observer) {
  MachineState& state = impl_->state;
  assert(state.statuses.part().holds(id.block));
  assert(state.statuses[id.block] == BlockStatus::NotStarted ||
         (state.blocks[id.block] &&
          state.blocks[id.block]->warps[id.warp].status == WarpStatus::Ready));
  return run_warp(state, id, max_steps, observer);
}

std::uint64_t Machine::run_to(WarpId id, const std::vector<bool>& places, std::uint64_t max_steps,
                              Observer& observer) {
  assert(impl_->state.statuses.part().holds(id.block) && max_steps != 0);
  return run_warp_to(impl_->state, id, places, max_steps, observer);
}

BlockStatus Machine::block_status(std::uint32_t block) const {
  return impl_->state.statuses[block];
}

WarpView Machine::warp(WarpId id) const {
  const MachineState& state = impl_->state;
  const ProgramData& program = state.data();
  WarpView view;
  view.function = program.entry;
  if (state.statuses[id.block] == BlockStatus::NotStarted) {
    view.live = program.existing_lanes(id.warp);
    view.active = view.live;
    return view;
  }
  if (!state.blocks[id.block]) {
    const bool ended = state.statuses[id.block] == BlockStatus::Ended;
    view.status = ended ? WarpStatus::Exited : WarpStatus::Stopped;
    return view;
  }
  const Warp& warp = state.blocks[id.block]->warps[id.warp];
  const Path& path = warp.paths.back();
  view.status = warp.status;
  view.function = warp.frames[path.frame].function;
  view.pc = path.pc;
  view.active = warp.status == WarpStatus::Exited ? 0 : path.mask;
  view.live = warp.live;
  view.call_depth = warp.frames[path.frame].depth;
  view.frame = path.frame;
  return view;
}

void Machine::adopt_stores(const Machine& other) {
  MachineState& state = impl_->state;
  const MachineState& from = other.impl_->state;
  const std::vector<InitialWindow>& initial = state.data().memory.windows();
  for (std::uint32_t w = 0; w < from.windows.size(); ++w) {
    if (from.windows[w].writable == nullptr) {
      continue;
    }
    state.make_writable(w);
    for (std::size_t i = 0; i < from.windows[w].bytes; ++i) {
      const std::byte now = from.windows[w].data[i];
      if (now != initial[w].contents[i]) {
        state.windows[w].writable[i] = now;
      }
    }
  }
}

bool Machine::done() const {
  return impl_->state.unfinished == 0;
}

void Machine::stop_deadlocked(std::uint32_t block, Observer* observer) {
  MachineState& state = impl_->state;
  if (!state.blocks[block]) {
    return;
  }
  Block* const running = &state.blocks.at(block).own();
  for (std::uint32_t number = 0; number < running->warps.size(); ++number) {
    const Warp& warp = running->warps[number];
    // If a fault has stopped a warp, the others wait because of it: that was already reported.
    if (warp.status == WarpStatus::AtBarrier && !running->has_fault && observer != nullptr) {
      Context context(state, *running, {block, number}, observer);
      context.enter();
      context.mask = warp.barrier_lanes;
      FaultEvent fault;
      fault.kind = FaultKind::BarrierDeadlock;
      fault.mask = warp.barrier_lanes;
      fault.arrived = running->barriers[warp.barrier].arrived;
      fault.expected = running->barriers[warp.barrier].expected;
      report_fault(context, context.code + warp.barrier_pc, fault);
    }
  }
  state.end_block(block, BlockStatus::Stopped);
  if (observer != nullptr) {
    observer->on_block_end(block);
  }
  state.release_block(block);
}

std::optional<CallView> Machine::call(WarpId id, std::uint32_t frame) const {
  const Frame* const found = frame_at(impl_->state, id, frame);
  return found == nullptr
             ? std::nullopt
             : std::optional<CallView>({found->function, found->caller, found->call_pc});
}

std::uint64_t Machine::register_lane(WarpId id, ptx::Register reg, int lane,
                                     std::uint32_t frame) const {
  const MachineState& state = impl_->state;
  const Frame* const found = frame_at(state, id, frame);
  if (found == nullptr) {
    return 0;
  }
  const FrameLayout& layout = state.data().functions[found->function].frame;
  const std::byte* const base = state.blocks[id.block]->stack(id.warp) + found->offset;
  const auto number = static_cast<std::size_t>(lane);
  std::uint32_t word = 0;
  std::uint64_t value = 0;
  switch (reg.cls) {
    case ptx::RegisterClass::Pred:
      std::memcpy(&word, base + layout.predicates + std::size_t{reg.index} * 4, sizeof word);
      return word >> number & 1U;
    case ptx::RegisterClass::B16:
    case ptx::RegisterClass::B32:
      std::memcpy(&word, base + std::size_t{reg.index} * kWordRow + number * 4, sizeof word);
      return word;
    default:
      std::memcpy(&value, base + std::size_t{reg.index} * kWordRow + number * 8, sizeof value);
      return value;
  }
}

std::array<std::uint64_t, kWarpSize> Machine::register_row(WarpId id, ptx::Register reg,
                                                           std::uint32_t frame) const {
  const MachineState& state = impl_->state;
  std::array<std::uint64_t, kWarpSize> row{};
  const Frame* const found = frame_at(state, id, frame);
  if (found == nullptr) {
    return row;
  }
  const FrameLayout& layout = state.data().functions[found->function].frame;
  const std::byte* const base = state.blocks[id.block]->stack(id.warp) + found->offset;
  if (reg.cls == ptx::RegisterClass::Pred) {
    std::uint32_t word = 0;
    std::memcpy(&word, base + layout.predicates + std::size_t{reg.index} * 4, sizeof word);
    for (std::size_t lane = 0; lane < row.size(); ++lane) {
      row[lane] = word >> lane & 1U;
    }
  } else if (reg.cls == ptx::RegisterClass::B16 || reg.cls == ptx::RegisterClass::B32) {
    std::array<std::uint32_t, kWarpSize> words{};
    std::memcpy(words.data(), base + std::size_t{reg.index} * kWordRow, sizeof words);
    std::copy(words.begin(), words.end(), row.begin());
  } else {
    std::memcpy(row.data(), base + std::size_t{reg.index} * kWordRow, sizeof row);
  }
  return row;
}

void Machine::set_register_lane(WarpId id, ptx::Register reg, int lane, std::uint64_t value,
                                std::uint32_t frame) {
  MachineState& state = impl_->state;
  const Frame* const found = frame_at(state, id, frame);
  assert(found != nullptr && reg.cls != ptx::RegisterClass::Pred);
  const std::size_t place = found->offset + std::size_t{reg.index} * kWordRow;
  std::byte* const row = state.blocks.at(id.block).own().stack(id.warp) + place;
  const auto number = static_cast<std::size_t>(lane);
  if (reg.cls == ptx::RegisterClass::B64 || reg.cls == ptx::RegisterClass::B128) {
    std::memcpy(row + number * 8, &value, sizeof value);
  } else {
    const auto word = static_cast<std::uint32_t>(value);
    std::memcpy(row + number * 4, &word, sizeof word);
  }
}

std::optional<std::vector<std::byte>> Machine::read(std::uint32_t block, std::uint32_t thread,
                                                    std::uint64_t generic_address,
                                                    std::size_t bytes) const {
  const MachineState& state = impl_->state;
  const ProgramData& program = state.data();
  const Block* const running = state.blocks[block].get();
  const std::uint64_t offset = generic_address & 0xffffffffU;
  const auto piece = [&](const std::byte* from,
                         std::uint64_t size) -> std::optional<std::vector<std::byte>> {
    if (offset > size || size - offset < bytes) {
      return std::nullopt;
    }
    return std::vector<std::byte>(from + offset, from + offset + bytes);
  };
  const std::uint64_t high = generic_address >> 32;
  if (high == kParamWindow >> 32) {
    return piece(program.params.data(), program.params.size());
  }
  const std::uint64_t window = high - (kGlobalWindow >> 32);
  if (window < state.windows.size()) {
    return piece(state.windows[window].data, state.windows[window].bytes);
  }
  if (running == nullptr) {
    return std::nullopt;
  }
  if (high == kSharedWindow >> 32) {
    return piece(running->storage.data() + running->shared_offset, program.memory.shared_room());
  }
  const auto size = static_cast<std::uint32_t>(program.warp_size);
  const Warp& warp = running->warps[thread / size];
  std::uint64_t end = 0;
  for (const Frame& frame : warp.frames) {
    if (frame.function != kNoFunction) {
      end = std::max<std::uint64_t>(
          end, frame.local + program.functions[frame.function].frame.local_bytes);
    }
  }
  if (high != kLocalWindow >> 32 || offset > end || end - offset < bytes) {
    return std::nullopt;
  }
  std::vector<std::byte> found(bytes);
  read_interleaved(running->local(thread / size), offset, thread % size, found.data(),
                   static_cast<std::uint32_t>(bytes));
  return found;
}

std::span<const std::byte> Machine::buffer(std::uint32_t launch_buffer) const {
  const GlobalWindow& window = impl_->state.windows[launch_buffer];
  return {window.data, static_cast<std::size_t>(window.bytes)};
}

std::span<const std::byte> Machine::shared(std::uint32_t block) const {
  const Block* const running = impl_->state.blocks[block].get();
  if (running == nullptr) {
    return {};
  }
  return {running->storage.data() + running->shared_offset,
          static_cast<std::size_t>(program().shared_room())};
}

std::uint64_t Machine::local_frame(WarpId id, int /*lane*/, std::uint32_t frame) const {
  const MachineState& state = impl_->state;
  const Frame* const found = frame_at(state, id, frame);
  const bool has_local =
      found != nullptr && state.data().functions[found->function].frame.local_bytes != 0;
  return has_local ? kLocalWindow + found->local : 0;
}

std::vector<std::byte> Machine::params(WarpId id, int lane, std::uint32_t frame) const {
  const MachineState& state = impl_->state;
  const Frame* const found = frame_at(state, id, frame);
  if (found == nullptr) {
    return {};
  }
  const ptx::Function& function = program().module().functions[found->function];
  if (function.is_entry) {
    return state.data().params;
  }
  std::vector<std::byte> bytes(function.param_bytes);
  const std::byte* const area = state.blocks[id.block]->stack(id.warp) + found->offset +
                                state.data().functions[found->function].frame.params;
  read_interleaved(area, 0, static_cast<std::uint32_t>(lane), bytes.data(),
                   static_cast<std::uint32_t>(bytes.size()));
  return bytes;
}

Machine Machine::packed() const {
  return Machine(std::make_unique<Impl>(*impl_, MachineState::Form::Packed));
}

bool operator==(const Machine& a, const Machine& b) {
  return a.impl_ == b.impl_ || same_state(a.impl_->state, b.impl_->state);
}

void Machine::leave_out_products() {
  impl_->state.leaves_out_products = true;
}

std::vector<std::uint64_t> Machine::bulk_copies(std::uint32_t block) const {
  std::vector<std::uint64_t> mbarriers;
  if (impl_->state.statuses[block] == BlockStatus::Running) {
    for (const BulkCopy& copy : impl_->state.blocks[block]->bulk_copies) {
      mbarriers.push_back(copy.mbarrier);
    }
  }
  return mbarriers;
}

std::size_t Machine::footprint() const {
  const MachineState& state = impl_->state;
  std::size_t bytes = sizeof(MachineState) + state.statuses.entries().size() * sizeof(BlockStatus) +
                      state.blocks.entries().size() * sizeof(void*) +
                      state.packed.size() * sizeof(state.packed[0]);
  for (const std::vector<std::byte>& window : state.stored) {
    bytes += sizeof(GlobalWindow) + sizeof(std::vector<std::byte>) + window.size();
  }
  for (const ZeroedBytes& window : state.stored_on_zeros) {
    bytes += sizeof(ZeroedBytes) + window.size();
  }
  for (const CopyOnWrite<Block>& block : state.blocks.entries()) {
    if (block) {
      bytes += sizeof(Block) + block->storage.size() + block->bulk_copies.size() * sizeof(BulkCopy);
      for (const Warp& warp : block->warps) {
        bytes += sizeof(Warp) + warp.paths.size() * sizeof(Path) +
                 warp.frames.size() * sizeof(Frame) + warp.copies.size() * sizeof(AsyncCopy) +
                 (warp.copy_groups.size() + warp.bulk_groups.size()) * sizeof(std::uint32_t) +
                 warp.products.size() * sizeof(WarpgroupProduct);
      }
    }
  }
  return bytes;
}

}  // namespace tilestep::simt
