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

}  // namespace

// Nodes of A by row and k, of B by k and column.
struct FlowTracker::Factors {
  explicit Factors(std::uint32_t columns_of_b)
      : a(std::size_t{kRows} * kDepth, kUnknownNode),
        b(std::size_t{kDepth} * columns_of_b, kUnknownNode),
        columns(columns_of_b) {}

  std::vector<NodeId> a;
  std::vector<NodeId> b;
  std::uint32_t columns;
  bool is_whole = true;  // all that the tensor core reads in shared memory is known
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

// As read before the product: registers of A and B first, then words of shared memory.
FlowTracker::Factors FlowTracker::factors(const Site& site, const ptx::MatrixForm& form) const {
  const bool is_warpgroup = site.info.instruction->op == ptx::Opcode::WgmmaMma;
  const std::uint32_t first_a = form.group_sizes[0];
  const std::uint32_t first_b = first_a + form.group_sizes[1];
  const bool a_in_registers = form.group_sizes[1] > 1;
  const Fragment a = simt::tf32_fragment(Role::A);
  const Fragment b = simt::tf32_fragment(Role::B);
  Factors all(is_warpgroup ? form.columns : b.cols);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; a_in_registers && e < a.per_lane(); ++e) {
      const Fragment::Place at = a.place(lane, e);
      all.a[std::size_t{at.row} * kDepth + at.col] = matrix_register(first_a + e, lane);
    }
    for (std::uint32_t e = 0; !is_warpgroup && e < b.per_lane(); ++e) {
      const Fragment::Place at = b.place(lane, e);
      all.b[std::size_t{at.row} * all.columns + at.col] = matrix_register(first_b + e, lane);
    }
  }
  if (!is_warpgroup) {
    return all;
  }
  const std::size_t of_a = a_in_registers ? 0 : all.a.size();
  all.is_whole = matrix_words_.size() == of_a + all.b.size();
  for (std::size_t n = 0; all.is_whole && n < matrix_words_.size(); ++n) {
    NodeId& to =
        n < of_a ? all.a[n] : all.b[(n - of_a) % kDepth * all.columns + (n - of_a) / kDepth];
    to = matrix_words_[n];
  }
  return all;
}

// What a lane's register of D held before, where the product is added to it.
NodeId FlowTracker::addend(const Site& site, const ptx::MatrixForm& form, std::uint32_t e,
                           std::uint32_t lane) const {
  const std::uint32_t behind_b = form.group_sizes[0] + form.group_sizes[1] + form.group_sizes[2];
  if (site.info.instruction->op != ptx::Opcode::WgmmaMma) {
    return matrix_register(behind_b + e, lane);
  }
  const ptx::Operand& adds = site.operand(form.group_sizes[0] + form.group_sizes[1] + 1);
  const bool is_added =
      adds.kind != ptx::OperandKind::Register ||
      (machine_.register_lane(site.info.id, adds.reg, static_cast<int>(lane)) & 1U) != 0;
  return is_added ? matrix_register(e, lane) : kUnknownNode;
}

void FlowTracker::multiply_matrices(const Site& site) {
  const ptx::MatrixForm& form = site.function.matrix_forms[site.info.instruction->target];
  const Factors all = factors(site, form);
  const Fragment d = simt::tf32_fragment(Role::C);
  for (std::uint32_t e = 0; e < form.group_sizes[0]; ++e) {
    NodeId* const to = row(site, e);
    for (std::uint32_t lane = 0; to != nullptr && lane < kLanes; ++lane) {
      const int at_lane = static_cast<int>(lane);
      const Fragment::Place at = d.place(lane, e % d.per_lane());
      ValueNode sum;
      sum.thread = thread_of(site.info, at_lane);
      sum.step = static_cast<std::uint32_t>(step_);
      sum.a = addend(site, form, e, lane);
      const float value = register_value(site.info, site.operand(e).reg, at_lane);
      const NodeId total = all.is_whole
                               ? add_products(all, at.row, e / d.per_lane() * d.cols + at.col, sum)
                               : kUnknownNode;
      if (total == kUnknownNode) {
        to[lane] = graph_.constant(value);
        continue;
      }
      if (total != sum.a) {  // rests that are 0 add nothing
        graph_[total].value = value;
      }
      to[lane] = total;
    }
  }
}

}  // namespace tilestep::insight
