#include "record/state_data.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilestep::record {
namespace {

using Status = Value::Status;

void store_bits(std::uint64_t bits, std::span<std::byte> out) {
  std::memcpy(out.data(), &bits, std::min(out.size(), sizeof bits));
}

bool has_lane(std::uint32_t mask, int lane) {
  return ((mask >> lane) & 1U) != 0;
}

// Where reading happens: one lane in one frame of a running warp.
struct Reader {
  const StateData& state;
  const LanePlace& place;
  const Frame& frame;
  std::uint32_t number;  // of the frame

  [[nodiscard]] std::uint64_t reg(const ptx::Register& r) const {
    return state.machine.register_lane(place.id, r, place.lane, number);
  }
  [[nodiscard]] std::uint32_t thread() const {
    return place.id.warp * static_cast<std::uint32_t>(state.tables->program->warp_size()) +
           static_cast<std::uint32_t>(place.lane);
  }
  [[nodiscard]] Status memory(std::uint64_t address, std::span<std::byte> out) const {
    const std::optional<std::vector<std::byte>> bytes =
        state.machine.read(place.id.block, thread(), address, out.size());
    if (!bytes) {
      return Status::Unreadable;
    }
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return Status::Ok;
  }
};

// Assignments that the lane has arrived at but that the tracker has not seen yet: it applies them
// when the instruction executes.
struct Pending {
  bool cleared = false;
  const ptx::Register* snapshot = nullptr;
};

Pending pending_at(const FunctionTable& table, std::uint32_t pc, std::uint32_t variable) {
  Pending pending;
  for (const Action& action : table.actions_at(table.pcs[pc])) {
    if (action.variable == variable && action.kind == Action::Kind::Clear) {
      pending = {true, nullptr};
    } else if (action.variable == variable && action.kind == Action::Kind::Snapshot) {
      pending.snapshot = &action.reg;
    }
  }
  return pending;
}

Status read_snapshot(const Reader& reader, const VariableSlot& slot, std::span<std::byte> out) {
  const std::uint32_t* words = reader.frame.words.data() + slot.snapshot;
  std::uint64_t bits = 0;
  if (slot.wide) {
    std::memcpy(&bits, words + 2 * reader.place.lane, sizeof bits);
  } else {
    bits = words[reader.place.lane];
  }
  store_bits(bits, out);
  return Status::Ok;
}

std::optional<std::uint64_t> allocation_base(const simt::Program& program,
                                             std::uint32_t module_variable) {
  for (const simt::Allocation& allocation : program.allocations()) {
    const bool is_variable = allocation.kind == simt::AllocationKind::GlobalVariable ||
                             allocation.kind == simt::AllocationKind::ConstVariable ||
                             allocation.kind == simt::AllocationKind::Shared;
    if (is_variable && allocation.module_variable == module_variable) {
      return allocation.base;
    }
  }
  return std::nullopt;
}

Status read_memory_variable(const Reader& reader, const ptx::SourceVariable& variable,
                            bool assigned, std::span<std::byte> out) {
  const simt::Program& program = *reader.state.tables->program;
  const ptx::MemoryVariable& memory = program.module().variables[variable.variable];
  if (memory.space == ptx::Space::Local) {
    if (!assigned) {
      return Status::NotYetAssigned;
    }
    const std::uint64_t frame =
        reader.state.machine.local_frame(reader.place.id, reader.place.lane, reader.number);
    return frame == 0 ? Status::Unreadable
                      : reader.memory(frame + memory.local_offset + variable.offset, out);
  }
  const std::optional<std::uint64_t> base = allocation_base(program, variable.variable);
  return base ? reader.memory(*base + variable.offset, out) : Status::Unreadable;
}

Status read_param(const Reader& reader, const ptx::SourceVariable& variable,
                  std::span<std::byte> out) {
  const std::vector<std::byte> params =
      reader.state.machine.params(reader.place.id, reader.place.lane, reader.number);
  if (variable.offset + out.size() > params.size()) {
    return Status::Unreadable;
  }
  std::copy_n(params.begin() + variable.offset, out.size(), out.begin());
  return Status::Ok;
}

}  // namespace

std::uint32_t type_bytes(const ptx::Module& module, ptx::TypeId type) {
  return type < module.types.size() ? module.types[type].bytes : 8;
}

Value::Status read_variable(const StateData& state, const LanePlace& place,
                            const LanePosition& position, std::uint32_t number,
                            std::uint32_t variable, std::span<std::byte> out) {
  const WarpTrack& track = state.tracks.warp(place.id);
  if (number >= track.frames.size()) {
    return Status::NotYetAssigned;
  }
  const Frame& frame = track.frames[number];
  const FunctionTable& table = state.tables->functions[frame.function];
  const ptx::SourceVariable& source =
      state.tables->program->module().functions[frame.function].source_variables[variable];
  const Reader reader{state, place, frame, number};
  const Pending pending = position.active && number == position.frame
                              ? pending_at(table, position.pc, variable)
                              : Pending{};
  const VariableSlot& slot = table.slots[variable];
  const bool assigned = !pending.cleared && has_lane(frame.assigned(variable), place.lane);
  const bool snapped = !pending.cleared && has_lane(frame.snapped(variable), place.lane);
  switch (source.kind) {
    case ptx::LocationKind::None:
      return Status::OptimisedOut;
    case ptx::LocationKind::Constant:
      std::copy_n(source.constant.begin(), std::min(source.constant.size(), out.size()),
                  out.begin());
      return Status::Ok;
    case ptx::LocationKind::Register:
      if (assigned) {
        store_bits(reader.reg(source.reg), out);
      }
      return assigned ? Status::Ok : Status::NotYetAssigned;
    case ptx::LocationKind::Events:
      if (pending.snapshot != nullptr) {
        store_bits(reader.reg(*pending.snapshot), out);
        return Status::Ok;
      }
      if (snapped) {
        return read_snapshot(reader, slot, out);
      }
      if (assigned) {
        store_bits(reader.reg(slot.entry_register), out);
      }
      return assigned ? Status::Ok : Status::NotYetAssigned;
    case ptx::LocationKind::Memory:
      return read_memory_variable(reader, source, assigned, out);
    case ptx::LocationKind::RegisterAddress:
      return assigned ? reader.memory(reader.reg(source.reg), out) : Status::NotYetAssigned;
    case ptx::LocationKind::Param:
      return read_param(reader, source, out);
  }
  return Status::Unreadable;
}

}  // namespace tilestep::record
