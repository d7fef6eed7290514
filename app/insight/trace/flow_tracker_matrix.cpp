// Products of matrices on tensor cores (TF32): each element of the result is a sum of products.
#include "insight/trace/flow_tracker.h"
#include "simt/exec/matrix_fragment.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

using simt::Fragment;
using simt::kLanes;
using simt::Role;

constexpr std::uint32_t kDepth = 8;
constexpr std::uint32_t kRows = 16;  // of a warp

// Where lanes have their elements: PTX ISA, "Matrix Fragments for mma.m16n8k8"; a warp's part of a
// wgmma is such pieces side by side.
Fragment fragment(Role role, std::uint32_t registers) {
  Fragment f;
  f.role = role;
  f.type = role == Role::C ? ptx::Type::F32 : ptx::Type::TF32;
  f.rows = role == Role::B ? kDepth : kRows;
  f.cols = role == Role::A ? kDepth : 8;
  f.registers = registers;
  return f;
}

}  // namespace

// Nodes of A by row and k, of B by k and column.
struct FlowTracker::Factors {
  std::vector<NodeId> a;
  std::vector<NodeId> b;
  std::uint32_t columns = 8;
};

void FlowTracker::begin_matrices(const Site& site) {
  has_matrices_ = true;
  const std::uint32_t count = site.info.instruction->operand_count;
  matrix_words_.clear();
  matrix_registers_.assign(std::size_t{count} * kLanes, kUnknownNode);
  for (std::uint32_t n = 0; n < count; ++n) {
    const ptx::Operand& operand = site.operand(n);
    if (operand.kind != ptx::OperandKind::Register || operand.reg.cls != ptx::RegisterClass::B32) {
      continue;
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      matrix_registers_[std::size_t{n} * kLanes + lane] = read(site, n, static_cast<int>(lane));
    }
  }
}

// Pieces of 16 bytes: of each row of k the first and the second, row after row.
void FlowTracker::read_matrix(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.is_arrival) {
    return;
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const bool is_read = (event.mask >> lane & 1U) != 0;
    for (std::uint32_t byte = 0; is_read && byte < event.bytes; byte += 4) {
      matrix_words_.push_back(loaded(info, event.space, event.addresses[lane] + byte, 4,
                                     thread_of(info, static_cast<int>(lane))));
    }
  }
}

// x less its part that TF32 holds: it makes up for what is cut off.
bool FlowTracker::is_rest(NodeId node) const {
  const auto base = [this](NodeId id) {
    while (graph_[id].kind == ValueNode::Kind::Shared) {
      id = graph_[id].a;
    }
    return id;
  };
  const ValueNode& difference = graph_[base(node)];
  return difference.kind == ValueNode::Kind::Difference && base(difference.a) == base(difference.b);
}

NodeId FlowTracker::add_products(const Factors& factors, std::uint32_t row, std::uint32_t col,
                                 ValueNode sum) {
  NodeId total = sum.a;
  for (std::uint32_t k = 0; k < kDepth; ++k) {
    ValueNode product = sum;
    product.a = factors.a[std::size_t{row} * kDepth + k];
    product.b = factors.b[std::size_t{k} * factors.columns + col];
    product.kind = ValueNode::Kind::Product;
    product.value = graph_[product.a].value * graph_[product.b].value;
    if (is_rest(product.a) || is_rest(product.b)) {
      has_rests_ = has_rests_ || product.value != 0.0F;
      continue;
    }
    const NodeId id = graph_.add(product);
    if (total == kUnknownNode) {
      total = id;
      continue;
    }
    ValueNode next = sum;
    next.kind = ValueNode::Kind::Sum;
    next.a = total;
    next.b = id;
    next.value = graph_[total].value + product.value;
    total = graph_.add(next);
  }
  return total;
}

void FlowTracker::multiply_matrices(const Site& site) {
  const ptx::Instruction& i = *site.info.instruction;
  const ptx::MatrixForm& form = site.function.matrix_forms[i.target];
  const bool is_warpgroup = i.op == ptx::Opcode::WgmmaMma;
  const auto registers = [&](std::uint32_t n, std::uint32_t lane) {
    return matrix_registers_[std::size_t{n} * kLanes + lane];
  };
  Factors factors;
  factors.columns = is_warpgroup ? form.columns : 8;
  factors.a.resize(std::size_t{kRows} * kDepth, kUnknownNode);
  factors.b.resize(std::size_t{kDepth} * factors.columns, kUnknownNode);
  const std::uint32_t first_a = form.group_sizes[0];
  const std::uint32_t first_b = first_a + form.group_sizes[1];
  const bool a_in_registers = form.group_sizes[1] > 1;
  const Fragment a = fragment(Role::A, 4);
  const Fragment b = fragment(Role::B, 2);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; a_in_registers && e < a.per_lane(); ++e) {
      const Fragment::Place at = a.place(lane, e);
      factors.a[std::size_t{at.row} * kDepth + at.col] = registers(first_a + e, lane);
    }
    for (std::uint32_t e = 0; !is_warpgroup && e < b.per_lane(); ++e) {
      const Fragment::Place at = b.place(lane, e);
      factors.b[std::size_t{at.row} * factors.columns + at.col] = registers(first_b + e, lane);
    }
  }
  const std::size_t of_a = a_in_registers ? 0 : factors.a.size();
  const bool is_whole = !is_warpgroup || matrix_words_.size() == of_a + factors.b.size();
  for (std::size_t n = 0; is_warpgroup && is_whole && n < matrix_words_.size(); ++n) {
    if (n < of_a) {
      factors.a[n] = matrix_words_[n];
    } else {
      factors.b[(n - of_a) % kDepth * factors.columns + (n - of_a) / kDepth] = matrix_words_[n];
    }
  }
  const Fragment d = fragment(Role::C, 4);
  for (std::uint32_t e = 0; e < form.group_sizes[0]; ++e) {
    NodeId* const to = row(site, e);
    const ptx::Operand& operand = site.operand(e);
    for (std::uint32_t lane = 0; to != nullptr && lane < kLanes; ++lane) {
      const int at_lane = static_cast<int>(lane);
      const Fragment::Place at = d.place(lane, e % 4);
      ValueNode sum;
      sum.thread = thread_of(site.info, at_lane);
      sum.step = static_cast<std::uint32_t>(step_);
      bool adds = true;
      if (is_warpgroup) {
        const ptx::Operand& scale = site.operand(first_b + 1);
        adds = scale.kind != ptx::OperandKind::Register ||
               (machine_.register_lane(site.info.id, scale.reg, at_lane) & 1U) != 0;
      }
      const std::uint32_t c = is_warpgroup ? e : first_b + form.group_sizes[2] + e;
      sum.a = adds ? registers(c, lane) : kUnknownNode;
      const float value = register_value(site.info, operand.reg, at_lane);
      const NodeId before = sum.a;
      NodeId total = is_whole ? add_products(factors, at.row, e / 4 * 8 + at.col, sum)
                              : graph_.constant(value);
      if (total == before) {  // rests that are 0 add nothing
        total = before == kUnknownNode ? graph_.constant(value) : before;
      } else {
        graph_[total].value = value;
      }
      to[lane] = total;
    }
  }
}

}  // namespace tilestep::insight
