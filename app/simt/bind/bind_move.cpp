// Binding of moves, addresses and conversions.
#include "simt/bind/bind.h"
#include "simt/exec/control.h"
#include "simt/exec/executors.h"
#include "simt/exec/memory_access.h"

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using Kind = ptx::OperandKind;
using S = ptx::SpecialRegister;

[[nodiscard]] bool is_clock(const ptx::Operand& operand) {
  const auto which = static_cast<S>(operand.index);
  return operand.kind == Kind::Special &&
         (which == S::Clock || which == S::ClockHi || which == S::Clock64 ||
          which == S::Globaltimer || which == S::GlobaltimerLo || which == S::GlobaltimerHi);
}

}  // namespace

bool Binder::bind_move(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  if (o.count() != 2) {
    return bind_pack(o);
  }
  const ptx::Operand& source = o.operand(1);
  if (i.type == ptx::Type::Pred) {
    return bind_predicate_logic(o);
  }
  const std::uint32_t bytes = ptx::byte_size(i.type);
  if (is_clock(source)) {
    const auto which = static_cast<S>(source.index);
    const auto dest = slot(o.operand(0), bytes);
    o.bound.d = dest.value_or(kNoSlot);
    o.bound.value = which == S::ClockHi || which == S::GlobaltimerHi ? 32 : 0;
    o.run(read_clock);
    return dest.has_value() && bytes >= 4;
  }
  const bool is_local_address = source.kind == Kind::Variable &&
                                program_.module->variables[source.index].space == ptx::Space::Local;
  if (is_local_address) {
    const auto dest = slot(o.operand(0), bytes);
    o.bound.d = dest.value_or(kNoSlot);
    o.bound.value =
        static_cast<std::int64_t>(program_.memory.variable_address(source.index)) + source.value;
    o.run(bytes == 4 ? local_address<std::uint32_t> : local_address<std::uint64_t>);
    return dest.has_value();
  }
  const auto executor = isa_.logic(i);
  return bytes <= 8 && executor && bind_lanes(o, *executor);
}

bool Binder::bind_pack(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const std::uint32_t bytes = ptx::byte_size(i.type);
  const bool packs = i.dest_count == 1;
  const std::uint32_t parts = o.count() - 1;
  const std::uint32_t part_bytes = bytes / parts;
  if (bytes > 8 || bytes < 4) {
    return false;
  }
  const auto whole = slot(o.operand(packs ? 0 : parts), bytes);
  if (!whole) {
    return false;
  }
  (packs ? o.bound.d : o.bound.in[0]) = *whole;
  for (std::uint32_t k = 0; k < parts; ++k) {
    const auto part = slot(o.operand(packs ? k + 1 : k), 4);
    if (!part || (packs && *part == kNoSlot)) {
      return false;
    }
    detail(o).slots.push_back(*part);
  }
  o.bound.value = 8 * part_bytes;
  if (packs) {
    o.run(bytes == 8 ? pack_long : pack_word);
  } else {
    o.run(bytes == 8 ? unpack_long : unpack_word);
  }
  return true;
}

// cvta adds the window of a space, cvta.to subtracts it.
bool Binder::bind_cvta(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  if (ptx::byte_size(i.type) != 8) {
    return false;
  }
  const ptx::Operand& source = o.operand(1);
  const std::uint64_t window = generic_base(i.space);
  const auto dest = slot(o.operand(0), 8);
  o.bound.d = dest.value_or(kNoSlot);
  if (source.kind == Kind::Variable &&
      program_.module->variables[source.index].space == ptx::Space::Local) {
    o.bound.value =
        static_cast<std::int64_t>(program_.memory.variable_address(source.index) + window) +
        source.value;
    o.run(local_address<std::uint64_t>);
    return dest.has_value();
  }
  const auto from = slot(source, 8);
  if (!dest || !from) {
    return false;
  }
  ptx::Instruction as;  // the equivalent instruction
  as.op = window == 0 ? O::Mov : O::Add;
  as.type = window == 0 ? ptx::Type::B64 : ptx::Type::U64;
  const auto executor = window == 0 ? isa_.logic(as) : isa_.integer(as);
  o.bound.in[0] = *from;
  o.bound.in[1] = constants_.long_word(i.mode == ptx::Mode::ToSpace ? 0 - window : window);
  o.run(*executor);
  return true;
}

bool Binder::bind_address_of(Operation& o) {
  const auto dest = slot(o.operand(0), 1);
  const auto source = slot(o.operand(1), 8);
  o.bound.d = dest.value_or(kNoSlot);
  o.bound.in[0] = source.value_or(kNoSlot);
  o.run(is_space);
  return dest && source;
}

// A launch without clusters: each block is a cluster of its own with rank 0, so mapa is a move.
bool Binder::bind_cluster(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const bool maps = i.op == O::Mapa;
  const std::uint32_t bytes = maps ? ptx::byte_size(i.type) : 4;
  ptx::Instruction as;
  as.op = O::Mov;
  as.type = bytes == 8 ? ptx::Type::B64 : ptx::Type::B32;
  const auto dest = slot(o.operand(0), bytes);
  const std::optional<Slot> source =
      maps ? slot(o.operand(1), bytes) : std::optional{constants_.word(0)};
  const auto executor = isa_.logic(as);
  o.bound.d = dest.value_or(kNoSlot);
  o.bound.in[0] = source.value_or(kNoSlot);
  if (executor) {
    o.run(*executor);
  }
  return dest && source && executor;
}

bool Binder::bind_convert(Operation& o) {
  const ptx::Operand& dest = o.operand(0);
  const ptx::Operand& source = o.operand(1);
  if (dest.kind != Kind::Register) {
    return false;
  }
  const bool dest_is_long = dest.reg.cls == ptx::RegisterClass::B64;
  const bool source_is_long = source.kind == Kind::Register
                                  ? source.reg.cls == ptx::RegisterClass::B64
                                  : ptx::byte_size(o.instruction.source_type) == 8;
  auto executor = isa_.convert(o.instruction, dest_is_long, source_is_long);
  if (!executor) {
    return false;
  }
  executor->sources[1] = o.count() > 2 ? executor->sources[0] : std::uint8_t{0};
  if (!bind_lanes(o, *executor)) {
    return false;
  }
  o.bound.value = dest.reg.cls == ptx::RegisterClass::B16 ? 0xffff
                  : dest_is_long                          ? -1
                                                          : std::int64_t{0xffffffff};
  return true;
}

}  // namespace tilestep::simt
