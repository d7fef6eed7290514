// Binding of what a thread sets to work and that goes on by itself: the copy engine, and tensor
// cores that a warpgroup uses.
#include "simt/bind/bind_operation.h"
#include "simt/exec/bulk_copy.h"
#include "simt/exec/warpgroup.h"

namespace tilestep::simt {
namespace {

using O = ptx::Opcode;
using Kind = ptx::OperandKind;

}  // namespace

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
  constexpr std::uint32_t kCoordinates = 2;  // of a matrix; tensors of another rank are refused
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
