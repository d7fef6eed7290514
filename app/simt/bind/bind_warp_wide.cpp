// Binding of instructions that lanes execute together or that use the TMA unit: exchanges,
// asynchronous copies, barriers in memory, matrices.
#include "simt/bind/bind.h"
#include "simt/exec/executors.h"
#include "simt/exec/matrix.h"

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using Kind = ptx::OperandKind;

// Operands of a warp-wide exchange after its destinations: bytes per lane, in the order of in[].
struct WarpForm {
  O op;
  Executor run;
  std::uint8_t dest;  // 0: none
  std::array<std::uint8_t, 4> sources;
  std::uint8_t predicate_at;  // in[] that takes the second destination; 4: none
};

constexpr WarpForm kWarpForms[] = {
    {O::Shfl, meet, 4, {4, 4, 4}, 3},       {O::Vote, meet, 1, {1, 4}, 4},
    {O::Match, meet, 4, {4, 4}, 2},         {O::Redux, meet, 4, {4, 4}, 4},
    {O::Activemask, active_mask, 4, {}, 4}, {O::Elect, meet, 4, {4}, 3},
    {O::BarWarp, meet, 0, {4}, 4},
};

// wmma.load {…}, [p], stride and wmma.store [p], {…}, stride.
[[nodiscard]] bool is_stride(const ptx::Instruction& i, std::uint32_t operand,
                             std::uint32_t count) {
  if (i.op == O::WmmaLoad) {
    return operand == i.dest_count + 1U;
  }
  return i.op == O::WmmaStore && operand + 1 == count && operand > 1;
}

[[nodiscard]] bool is_narrow(const ptx::Operand& operand) {
  return operand.kind == Kind::Memory && operand.reg.cls == ptx::RegisterClass::B32;
}

}  // namespace

// The last operand is the mask of participating lanes: shfl.sync d|p, a, b, c, members.
bool Binder::bind_warp(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const WarpForm* form = kWarpForms;
  while (form->op != i.op) {
    ++form;
  }
  const bool ballot = i.op == O::Vote && i.mode == ptx::Mode::Ballot;
  if (form->dest != 0) {
    const auto dest = slot(o.operand(0), ballot ? 4 : form->dest);
    if (!dest) {
      return false;
    }
    o.bound.d = *dest;
  }
  if (i.dest_count > 1) {
    const auto second = slot(o.operand(1), 1);
    if (!second || form->predicate_at > 3) {
      return false;
    }
    o.bound.in[form->predicate_at] = *second;
  }
  for (std::uint32_t k = 0; k < 4 && form->sources[k] != 0; ++k) {
    const bool wide = i.op == O::Match && k == 0 && ptx::byte_size(i.type) == 8;
    const ptx::Operand& operand = o.operand(i.dest_count + k);
    const auto source = slot(operand, wide ? 8 : form->sources[k]);
    if (!source) {
      return false;
    }
    o.bound.in[k] = *source;
    o.bound.value = operand.negated ? std::int64_t{0xffffffff} : o.bound.value;
  }
  if (i.op != O::Activemask) {
    const auto members = slot(o.operand(o.count() - 1), 4);
    if (!members) {
      return false;
    }
    detail(o).members = *members;
  }
  o.run(form->run);
  return true;
}

// A memory operand for lane_address().
bool Binder::bind_lane_address(const ptx::Operand& operand, AddressOperand& address) {
  switch (operand.kind) {
    case Kind::Memory: {
      address = {register_slot(operand.reg), is_narrow(operand),
                 static_cast<std::uint64_t>(operand.value)};
      return operand.reg.cls == ptx::RegisterClass::B32 ||
             operand.reg.cls == ptx::RegisterClass::B64;
    }
    case Kind::MemoryVariable: {
      const std::uint64_t base = program_.memory.variable_address(operand.index);
      address = {constants_.long_word(base), false, static_cast<std::uint64_t>(operand.value)};
      const bool is_local = program_.module->variables[operand.index].space == ptx::Space::Local;
      return base != kNoAddress && !is_local;
    }
    case Kind::MemoryAbsolute:
      address = {constants_.long_word(0), false, static_cast<std::uint64_t>(operand.value)};
      return true;
    default:
      return false;
  }
}

// cp.async [to], [from], bytes{, bytes to read, or whether the source is ignored}.
bool Binder::bind_async(Operation& o) {
  switch (o.instruction.op) {
    case O::CpAsyncCommit:
      o.run(commit_copies);
      return true;
    case O::CpAsyncWait:
      if (o.instruction.mode == ptx::Mode::All) {
        o.run(await_all_copies);
        return true;
      }
      o.bound.value = o.operand(0).value;
      o.run(await_copies);
      return o.operand(0).kind == Kind::Immediate;
    case O::CpAsyncMbarrier:
      o.run(arrive_after_copies);
      return bind_lane_address(o.operand(0), detail(o).addresses[0]);
    default:
      break;
  }
  const std::int64_t bytes = o.operand(2).value;
  if (o.operand(2).kind != Kind::Immediate || (bytes != 4 && bytes != 8 && bytes != 16)) {
    return false;
  }
  if (o.count() > 3) {
    const ptx::Operand& last = o.operand(3);
    const bool ignores = last.kind == Kind::Register && last.reg.cls == ptx::RegisterClass::Pred;
    const auto given = slot(last, ignores ? 1 : 4);
    if (!given || last.negated) {
      return false;
    }
    o.bound.in[ignores ? 1 : 0] = *given;
  }
  o.bound.value = bytes;
  o.run(copy_async);
  return bind_lane_address(o.operand(0), detail(o).addresses[0]) &&
         bind_lane_address(o.operand(1), detail(o).addresses[1]);
}

// mbarrier.op {state or predicate,} [object]{, count, state or parity}{, time}.
bool Binder::bind_mbarrier(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const bool waits = ptx::asks_mbarrier(i.mode);
  const std::uint32_t first = i.dest_count;
  if (first != 0) {
    const bool counts = i.mode == ptx::Mode::MbarPendingCount;
    const auto dest = slot(o.operand(0), waits ? 1 : counts ? 4 : 8);
    if (!dest) {
      return false;
    }
    o.bound.d = *dest;
  }
  if (i.mode == ptx::Mode::MbarPendingCount) {
    const auto state = slot(o.operand(1), 8);
    o.bound.in[0] = state.value_or(kNoSlot);
    o.run(pending_count);
    return state.has_value();
  }
  if (o.count() > first + 1) {
    const bool is_state = waits && (i.flags & ptx::kParity) == 0;
    const auto value = slot(o.operand(first + 1), is_state ? 8 : 4);
    if (!value) {
      return false;
    }
    o.bound.in[0] = *value;
  }
  o.run(use_mbarrier);
  return bind_lane_address(o.operand(first), detail(o).addresses[0]);
}

bool Binder::bind_matrix(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  if (i.op == O::Movmatrix) {
    const auto dest = slot(o.operand(0), 4);
    const auto source = slot(o.operand(1), 4);
    o.bound.d = dest.value_or(kNoSlot);
    o.bound.in[0] = source.value_or(kNoSlot);
    o.run(transpose_matrix);
    return dest && source;
  }
  const ptx::MatrixForm& form = o.function.matrix_forms[i.target];
  detail(o).matrix = &form;
  bool bound = knows_matrix(i, form);
  for (std::uint32_t k = 0; k < o.count() && bound; ++k) {
    const ptx::Operand& operand = o.operand(k);
    if (operand.kind == Kind::Register && !is_stride(i, k, o.count())) {
      const bool is_long = operand.reg.cls == ptx::RegisterClass::B64;
      detail(o).slots.push_back(register_slot(operand.reg));
      bound = is_long == (i.type == ptx::Type::F64);
    } else if (operand.kind == Kind::None) {
      detail(o).slots.push_back(kNoSlot);
    } else if (is_stride(i, k, o.count())) {
      const auto stride = slot(operand, 4);
      o.bound.in[1] = stride.value_or(kNoSlot);
      bound = stride.has_value();
    } else {
      bound = bind_lane_address(operand, detail(o).addresses[0]);
    }
  }
  switch (i.op) {
    case O::Ldmatrix:
      o.run(load_rows_of_matrix);
      break;
    case O::Stmatrix:
      o.run(store_rows_of_matrix);
      break;
    case O::WmmaLoad:
      o.run(load_fragment);
      break;
    case O::WmmaStore:
      o.run(store_fragment);
      break;
    default:
      o.run(multiply_matrices);
  }
  return bound;
}

// Binding of instructions that start a unit, which then continues by itself: the TMA unit, and
// tensor cores that a warpgroup uses.

// cp.async.bulk [to], [from], bytes{, [mbarrier]}.
// cp.async.bulk.tensor [to], [map, {column, row}], [mbarrier] or [map, {column, row}], [from].
bool Binder::bind_bulk(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  const bool to_shared = i.space == ptx::Space::Shared;
  o.bound.value = to_shared ? 1 : 0;
  auto& addresses = detail(o).addresses;
  switch (i.op) {
    case O::BulkCommit:
      o.run(commit_bulk_copies);
      return true;
    case O::BulkWait:
      o.bound.value = o.operand(0).value;
      o.run(await_bulk_copies);
      return o.operand(0).kind == Kind::Immediate;
    case O::BulkCopy: {
      const auto bytes = slot(o.operand(2), 4);
      o.bound.in[0] = bytes.value_or(kNoSlot);
      o.run(copy_bulk);
      return bytes && o.count() == (to_shared ? 4U : 3U) &&
             bind_lane_address(o.operand(0), addresses[to_shared ? 0 : 1]) &&
             bind_lane_address(o.operand(1), addresses[to_shared ? 1 : 0]) &&
             (!to_shared || bind_lane_address(o.operand(3), addresses[2]));
    }
    default:
      break;
  }
  constexpr std::uint32_t kCoordinates = 2;  // of a matrix; tensors of another rank are rejected
  const std::uint32_t map = to_shared ? 1 : 0;
  if (o.count() != map + 1 + kCoordinates + 1) {
    return false;
  }
  for (std::uint32_t k = 0; k < kCoordinates; ++k) {
    const auto place = slot(o.operand(map + 1 + k), 4);
    if (!place) {
      return false;
    }
    detail(o).slots.push_back(*place);
  }
  const ptx::Operand& last = o.operand(map + 1 + kCoordinates);
  o.run(copy_bulk_tensor);
  return bind_lane_address(o.operand(map), addresses[1]) &&
         (to_shared ? bind_lane_address(o.operand(0), addresses[0]) &&
                          bind_lane_address(last, addresses[2])
                    : bind_lane_address(last, addresses[0]));
}

// wgmma.mma_async {d…}, {a…} or a-descriptor, b-descriptor, scale-d, scale-a, scale-b.
bool Binder::bind_warpgroup(Operation& o) {
  const ptx::Instruction& i = o.instruction;
  if (i.op == O::WgmmaCommit) {
    o.run(commit_products);
    return true;
  }
  if (i.op == O::WgmmaWait) {
    o.bound.value = o.operand(0).value;
    o.run(await_products);
    return o.operand(0).kind == Kind::Immediate;
  }
  const ptx::MatrixForm& form = o.function.matrix_forms[i.target];
  detail(o).matrix = &form;
  detail(o).add_tf32_row = isa_.add_tf32_row;
  const std::uint32_t a = form.group_sizes[0];
  const bool in_registers = form.group_sizes[1] > 1;
  const std::uint32_t b = a + form.group_sizes[1];
  if (!knows_warpgroup(form) || o.count() != b + 4) {
    return false;
  }
  for (std::uint32_t k = 0; k < (in_registers ? b : a); ++k) {
    const ptx::Operand& operand = o.operand(k);
    if (operand.kind != Kind::Register || operand.reg.cls != ptx::RegisterClass::B32) {
      return false;
    }
    detail(o).slots.push_back(register_slot(operand.reg));
  }
  const auto a_descriptor = in_registers ? std::optional(kNoSlot) : slot(o.operand(a), 8);
  const auto b_descriptor = slot(o.operand(b), 8);
  const auto adds = slot(o.operand(b + 1), 1);
  if (!a_descriptor || !b_descriptor || !adds || o.operand(b + 1).negated) {
    return false;
  }
  o.bound.in = {*a_descriptor, *b_descriptor, *adds, kNoSlot};
  for (std::uint32_t k = 0; k < 2; ++k) {
    const ptx::Operand& scale = o.operand(b + 2 + k);
    if (scale.kind != Kind::Immediate || (scale.value != 1 && scale.value != -1)) {
      return false;
    }
    o.bound.value |= scale.value == -1 ? 1 << k : 0;
  }
  o.run(multiply_warpgroup);
  return true;
}

}  // namespace tilestep::simt
