#include "simt/bind/bind.h"
#include "simt/exec/control.h"
#include "simt/exec/executors.h"
#include "simt/exec/memory_access.h"

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using Kind = ptx::OperandKind;

[[nodiscard]] std::int64_t inverts(const ptx::Operand& operand) {
  return operand.negated ? std::int64_t{0xffffffff} : 0;
}

[[nodiscard]] bool is_long(ptx::Register reg) {
  return reg.cls == ptx::RegisterClass::B64;
}

[[nodiscard]] bool has_carry(const ptx::Instruction& i) {
  return (i.flags & ptx::kCarryOut) != 0 || i.op == O::AddC || i.op == O::SubC || i.op == O::MadC;
}

// Bytes per lane of a register that is loaded or stored, by ptx::RegisterClass.
constexpr std::uint8_t kRegisterBytes[] = {4, 2, 4, 8, 4};

}  // namespace

bool Binder::bind_operation(Operation& o) {
  using Method = bool (Binder::*)(Operation&);
  struct Row {
    O op;
    Method method;
  };
  constexpr Row kRows[] = {
      {O::Bra, &Binder::bind_control},
      {O::BrxIdx, &Binder::bind_control},
      {O::Call, &Binder::bind_control},
      {O::Ret, &Binder::bind_control},
      {O::Exit, &Binder::bind_control},
      {O::Trap, &Binder::bind_control},
      {O::Prefetch, &Binder::bind_hint},
      {O::Membar, &Binder::bind_hint},
      {O::Fence, &Binder::bind_hint},
      {O::Nanosleep, &Binder::bind_hint},
      {O::Pmevent, &Binder::bind_hint},
      {O::Griddepcontrol, &Binder::bind_hint},
      {O::Brkpt, &Binder::bind_hint},
      {O::Bar, &Binder::bind_barrier},
      {O::Ld, &Binder::bind_access},
      {O::Ldu, &Binder::bind_access},
      {O::St, &Binder::bind_access},
      {O::Atom, &Binder::bind_atomic},
      {O::Red, &Binder::bind_atomic},
      {O::Mov, &Binder::bind_move},
      {O::Cvta, &Binder::bind_cvta},
      {O::Cvt, &Binder::bind_convert},
      {O::Shfl, &Binder::bind_warp},
      {O::Vote, &Binder::bind_warp},
      {O::Match, &Binder::bind_warp},
      {O::Redux, &Binder::bind_warp},
      {O::Activemask, &Binder::bind_warp},
      {O::Elect, &Binder::bind_warp},
      {O::BarWarp, &Binder::bind_warp},
      {O::Isspacep, &Binder::bind_address_of},
      {O::Mapa, &Binder::bind_cluster},
      {O::Getctarank, &Binder::bind_cluster},
      {O::CpAsync, &Binder::bind_async},
      {O::CpAsyncCommit, &Binder::bind_async},
      {O::CpAsyncWait, &Binder::bind_async},
      {O::CpAsyncMbarrier, &Binder::bind_async},
      {O::Mbarrier, &Binder::bind_mbarrier},
      {O::MmaSync, &Binder::bind_matrix},
      {O::Ldmatrix, &Binder::bind_matrix},
      {O::Stmatrix, &Binder::bind_matrix},
      {O::Movmatrix, &Binder::bind_matrix},
      {O::WmmaLoad, &Binder::bind_matrix},
      {O::WmmaStore, &Binder::bind_matrix},
      {O::WmmaMma, &Binder::bind_matrix},
      {O::BulkCopy, &Binder::bind_bulk},
      {O::BulkTensorCopy, &Binder::bind_bulk},
      {O::BulkCommit, &Binder::bind_bulk},
      {O::BulkWait, &Binder::bind_bulk},
      {O::WgmmaMma, &Binder::bind_warpgroup},
      {O::WgmmaFence, &Binder::bind_hint},
      {O::WgmmaCommit, &Binder::bind_warpgroup},
      {O::WgmmaWait, &Binder::bind_warpgroup},
      {O::FenceProxy, &Binder::bind_hint},
      {O::Setmaxnreg, &Binder::bind_hint},
  };
  for (const Row& row : kRows) {
    if (row.op == o.instruction.op) {
      return (this->*row.method)(o);
    }
  }
  const bool is_logic = o.instruction.op == O::And || o.instruction.op == O::Or ||
                        o.instruction.op == O::Xor || o.instruction.op == O::Not;
  if (is_logic && o.instruction.type == ptx::Type::Pred) {
    return bind_predicate_logic(o);
  }
  return bind_arithmetic(o);
}

// Instructions without an effect here: every access is performed at once and in order, time is
// counted in steps, and there is no debugger and no other grid.
bool Binder::bind_hint(Operation& o) {
  o.run(nothing);
  return true;
}

bool Binder::bind_control(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  switch (i.op) {
    case O::Bra:
      o.bound.jump = static_cast<std::int32_t>(i.target) - static_cast<std::int32_t>(o.bound.pc);
      o.run(i.guard == ptx::kNoGuard ? branch_always : branch_if);
      if (i.guard != ptx::kNoGuard) {
        o.bound.in[0] = {program_.functions[function_].frame.predicates + i.guard * 4, Base::Frame};
        o.bound.value = i.guard_negated ? std::int64_t{0xffffffff} : 0;
      }
      return true;
    case O::BrxIdx: {
      const auto index = slot(o.operand(0), 4);
      o.bound.in[0] = index.value_or(kNoSlot);
      detail(o).targets = o.function.branch_tables[i.target];
      o.run(branch_indexed);
      return index.has_value() && !o.detail->targets.empty();
    }
    case O::Call:
      if (o.operand(i.dest_count).kind == Kind::Register) {
        const auto target = slot(o.operand(i.dest_count), 8);
        o.bound.in[0] = target.value_or(kNoSlot);
        if (!target) {
          return false;
        }
      }
      o.run(call);
      return true;
    case O::Ret:
      o.run(return_from);
      return true;
    case O::Exit:
      o.run(exit_thread);
      return true;
    default:
      o.run(trap);
      return true;
  }
}

// bar.sync a{, b}; bar.arrive a, b; bar.red d, a{, b}, p.
bool Binder::bind_barrier(Operation& o) {
  const std::uint32_t first = o.instruction.dest_count;
  const bool reduces = first != 0;
  const std::uint32_t numbers = o.count() - first - (reduces ? 1U : 0U);
  for (std::uint32_t k = 0; k < numbers && k < 2; ++k) {
    const auto place = slot(o.operand(first + k), 4);
    if (!place) {
      return false;
    }
    o.bound.in[k] = *place;
  }
  if (reduces) {
    const bool counts = o.instruction.mode == ptx::Mode::BarRedPopc;
    const auto dest = slot(o.operand(0), counts ? 4 : 1);
    const auto vote = slot(o.operand(o.count() - 1), 1);
    if (!dest || !vote) {
      return false;
    }
    o.bound.d = *dest;
    o.bound.in[2] = *vote;
    o.bound.value = inverts(o.operand(o.count() - 1));
  }
  o.run(barrier);
  return true;
}

// in[0] and value: the address.
bool Binder::bind_address(Operation& o, const ptx::Operand& operand) {
  switch (operand.kind) {
    case Kind::Memory:
      o.bound.in[0] = is_long(operand.reg) ? register_slot(operand.reg) : Slot{0, Base::Scratch};
      o.bound.value = operand.value;
      return is_long(operand.reg) || operand.reg.cls == ptx::RegisterClass::B32;
    case Kind::MemoryVariable: {
      const std::uint64_t address = program_.memory.variable_address(operand.index);
      o.bound.in[0] = constants_.long_word(address);
      o.bound.value = operand.value;
      return address != kNoAddress;
    }
    case Kind::MemoryAbsolute:
      o.bound.in[0] = constants_.long_word(0);
      o.bound.value = operand.value;
      return true;
    default:
      return false;
  }
}

// Executors take 64-bit addresses, so a 32-bit address register is copied to a 64-bit row.
void Binder::widen_address(Operation& o, const ptx::Operand& address) {
  if (address.kind == Kind::Memory && !is_long(address.reg)) {
    Detail& more = detail(o);
    more.widened = o.bound.run;
    more.narrow = register_slot(address.reg);
    o.run(with_wide_address);
  }
}

std::optional<Binder::NamedRows> Binder::named_rows(const Operation& o,
                                                    const ptx::Operand& address) const {
  const FrameLayout& frame = program_.functions[function_].frame;
  switch (address.kind) {
    case Kind::Param:
      return o.function.is_entry
                 ? NamedRows{{param_rows_.offset, Base::Constants}, address.index, true}
                 : NamedRows{{frame.params, Base::Frame}, address.index, false};
    case Kind::CallParam:
      return NamedRows{{frame.call_area, Base::Frame}, address.index, false};
    case Kind::MemoryVariable:
      if (program_.module->variables[address.index].space == ptx::Space::Local) {
        return NamedRows{{0, Base::Local}, program_.memory.variable_address(address.index), false};
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// in[0] and value: the word, and the byte in it. A kernel's parameters are read-only.
bool Binder::bind_named(Operation& o, const NamedRows& rows, std::int64_t offset,
                        std::uint32_t bytes) {
  const auto byte = static_cast<std::uint32_t>(rows.byte + static_cast<std::uint64_t>(offset));
  o.bound.in[0] = {rows.first.offset + byte / 4 * kWordRow, rows.first.base};
  o.bound.value = byte % 4;
  return (byte & (bytes - 1)) == 0 && !(rows.is_constant && o.instruction.op == O::St);
}

bool Binder::bind_elements(Operation& o, std::uint32_t first, std::uint32_t count,
                           std::uint32_t bytes) {
  o.bound.elements = count;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto place = slot(o.operand(first + k), bytes);
    if (!place) {
      return false;
    }
    o.bound.d = *place;
    if (count > 1) {
      detail(o).slots.push_back(*place);
    }
  }
  return true;
}

bool Binder::bind_access(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const bool loads = i.op != O::St;
  const ptx::Operand& address = o.operand(loads ? i.dest_count : 0);
  const std::uint32_t first = loads ? 0 : 1;
  MemoryForm form;
  form.space = i.space;
  form.bytes = ptx::byte_size(i.type);
  form.sign_extend = ptx::is_signed(i.type);
  form.register_bytes = form.bytes == 8 ? 8 : 4;
  form.elements = loads ? i.dest_count : o.count() - 1;
  for (std::uint32_t k = 0; k < form.elements; ++k) {
    const ptx::Operand& value = o.operand(first + k);
    if (value.kind == Kind::Register) {
      form.register_bytes = kRegisterBytes[static_cast<std::size_t>(value.reg.cls)];
    }
  }
  if (const std::optional<NamedRows> rows = named_rows(o, address)) {
    form.space = ptx::Space::Reg;
    if (!bind_named(o, *rows, address.value, form.bytes)) {
      return false;
    }
  } else if (!bind_address(o, address)) {
    return false;
  }
  if (!bind_elements(o, first, form.elements, form.register_bytes == 8 ? 8 : 4)) {
    return false;
  }
  o.bound.run = loads ? isa_.load(form) : isa_.store(form);
  if (o.bound.run[0] == nullptr) {
    return false;
  }
  widen_address(o, address);
  // A strong load must see what other threads have stored in the meantime.
  if (loads && ptx::is_strong(i)) {
    detail(o).polled = o.bound.run;
    o.run(polling_load);
  }
  return true;
}

bool Binder::bind_atomic(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const std::uint32_t bytes = ptx::byte_size(i.type) == 8 ? 8 : 4;
  if (!knows_atomic(i) || !bind_address(o, o.operand(i.dest_count))) {
    return false;
  }
  if (i.vector > 1) {
    return bind_atomic_vector(o);
  }
  if (i.dest_count != 0) {
    const auto dest = slot(o.operand(0), bytes);
    if (!dest) {
      return false;
    }
    o.bound.d = *dest;
  }
  for (std::uint32_t k = i.dest_count + 1U; k < o.count(); ++k) {
    const auto source = slot(o.operand(k), bytes);
    if (!source) {
      return false;
    }
    o.bound.in[k - i.dest_count] = *source;
  }
  o.run(atomic);
  widen_address(o, o.operand(i.dest_count));
  return true;
}

bool Binder::bind_atomic_vector(Operation& o) {
  const std::uint32_t address = o.instruction.dest_count;
  for (std::uint32_t k = 0; k < o.count(); ++k) {
    if (k == address) {
      continue;
    }
    const auto place = slot(o.operand(k), 4);
    if (!place) {
      return false;
    }
    detail(o).slots.push_back(*place);
  }
  o.run(atomic_vector);
  widen_address(o, o.operand(address));
  return true;
}

bool Binder::bind_predicate_logic(Operation& o) {
  const auto dest = slot(o.operand(0), 1);
  const auto a = slot(o.operand(1), 1);
  const bool single = o.count() == 2;
  const auto b = single ? a : slot(o.operand(2), 1);
  if (!dest || !a || !b) {
    return false;
  }
  o.bound.d = *dest;
  o.bound.in[0] = *a;
  o.bound.in[1] = *b;
  const bool flips = o.operand(1).negated != (o.instruction.op == O::Not);
  o.bound.value = flips ? std::int64_t{0xffffffff} : 0;
  if (!single && o.operand(2).negated) {
    o.bound.value |= std::int64_t{0xffffffff} << 32;
  }
  o.run(single                       ? predicate_move
        : o.instruction.op == O::And ? predicate_and
        : o.instruction.op == O::Or  ? predicate_or
                                     : predicate_xor);
  return true;
}

bool Binder::bind_lanes(Operation& o, const LaneExecutor& executor) {
  const ptx::Instruction& i = o.instruction;
  const auto dest = slot(o.operand(0), executor.dest);
  if (!dest) {
    return false;
  }
  o.bound.d = *dest;
  const std::uint32_t first = i.dest_count;
  for (std::uint32_t k = 0; k < 4 && executor.sources[k] != 0; ++k) {
    if (first + k >= o.count()) {
      return false;
    }
    const ptx::Operand& operand = o.operand(first + k);
    const auto source = slot(operand, executor.sources[k]);
    if (!source) {
      return false;
    }
    o.bound.in[k] = *source;
    if (executor.sources[k] == 1) {
      o.bound.value = inverts(operand);
    }
  }
  o.run(executor);
  return true;
}

bool Binder::bind_arithmetic(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  if (i.op == O::Testp) {
    const auto dest = slot(o.operand(0), 1);
    const auto source = slot(o.operand(1), i.type == ptx::Type::F64 ? 8 : 4);
    o.bound.d = dest.value_or(kNoSlot);
    o.bound.in[0] = source.value_or(kNoSlot);
    o.run(test_float);
    return dest && source;
  }
  if (i.op == O::Vabsdiff4) {
    return bind_lanes(o, {{byte_differences, byte_differences}, 4, {4, 4, 4}});
  }
  if (has_carry(i)) {
    const auto bytes = static_cast<std::uint8_t>(ptx::byte_size(i.type) == 8 ? 8 : 4);
    const bool is_mad = i.op == O::Mad || i.op == O::MadC;
    const std::uint8_t third = is_mad ? bytes : std::uint8_t{0};
    return bind_lanes(o, {{carry_arithmetic, carry_arithmetic}, bytes, {bytes, bytes, third}});
  }
  if ((i.op == O::Shl || i.op == O::Shr) && o.operand(2).kind == Kind::Immediate) {
    const auto by = isa_.shift_by(i);
    const auto count = static_cast<std::uint32_t>(o.operand(2).value);
    if (by && count < 8 * ptx::byte_size(i.type)) {
      o.bound.value = count;
      return bind_lanes(o, *by);
    }
  }
  for (const FindExecutor find :
       {isa_.integer, isa_.floating, isa_.logic, isa_.compare, &find_half}) {
    const auto executor = find(i);
    if (!executor) {
      continue;
    }
    if (!bind_lanes(o, *executor)) {
      return false;
    }
    if (i.op == O::Setp && (i.flags & ptx::kDestPred) != 0) {
      const auto second = slot(o.operand(1), 1);
      o.bound.in[3] = second.value_or(kNoSlot);
      return second.has_value();
    }
    return true;
  }
  return false;
}

}  // namespace tilestep::simt
