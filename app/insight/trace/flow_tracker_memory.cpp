#include "insight/trace/flow_tracker.h"
#include "simt/exec/executors.h"
#include "simt/exec/matrix.h"
#include "simt/state/event.h"

#include <algorithm>
#include <cstring>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using simt::kLanes;

using simt::Fragment;
using simt::Role;

constexpr std::uint32_t kDepth = 8;
constexpr std::uint32_t kRows = 16;  // per warp

}  // namespace

void FlowTracker::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (info.id.block != block_) {
    return;
  }
  const Site here = site(info, warps_[info.id.warp]);
  const FlowKind kind = here.flow.kinds[info.pc];
  if (kind == FlowKind::CopyMemory) {
    // A copy to shared memory is followed when it is issued. A copy to global memory is followed
    // when it is performed, because until then threads may change its source.
    const bool by_engine = event.agent == simt::AccessAgent::TmaUnit;
    const bool is_store = event.kind != simt::AccessKind::Load;
    const bool is_shared = event.space == ptx::Space::Shared;
    if (!by_engine || !is_shared || is_store != event.is_arrival) {
      copy_memory(info, event);
    }
    return;
  }
  if (kind == FlowKind::MultiplyMatrices) {
    if (follows_matrices_) {
      read_matrix(info, event);
    }
    return;
  }
  if (event.is_arrival || info.instruction->op == ptx::Opcode::Mbarrier) {
    return;  // followed when it was issued; not a number
  }
  const ptx::Instruction& instruction = *info.instruction;
  const std::uint32_t bytes = event.bytes / std::max<std::uint32_t>(1, instruction.vector);
  const bool load = kind == FlowKind::LoadMemory;
  if (!load && event.kind == simt::AccessKind::Load) {
    return;
  }
  if (bytes < 4) {
    store_small(info, event, bytes);
    return;
  }
  for (std::uint32_t n = 0; n < instruction.vector; ++n) {
    NodeId* nodes = row(here, here.operand(load ? n : n + 1));
    for_each_lane(event.mask, [&](int lane) {
      const std::uint64_t address =
          event.addresses[static_cast<std::size_t>(lane)] + std::uint64_t{n} * bytes;
      const std::uint32_t thread = thread_of(info, lane);
      if (load) {
        if (nodes != nullptr) {
          nodes[lane] = loaded(info, event.space, address, bytes, thread);
        }
        return;
      }
      const NodeId node = kind == FlowKind::StoreMemory
                              ? stored_node(here, n + 1, lane, event.space, address)
                              : kUnknownNode;
      const bool atomic = event.kind == simt::AccessKind::Atomic;
      if (event.space != ptx::Space::Local) {
        StoredValue stored{step_, address, thread, node, atomic, info.function, {}};
        if (atomic) {
          stored.node = read(here, here.source(1 + n), lane);
        } else if (here.operand(n + 1).kind == ptx::OperandKind::Register) {
          stored.reg = here.operand(n + 1).reg;
        }
        stores_.push_back(stored);
      }
      if (event.space == ptx::Space::Shared) {
        shared_[address % simt::kWindowBytes / 4] = {node, thread};
      } else if (event.space == ptx::Space::Local) {
        store_local(info, address, lane, node);
      } else {
        stored_[address] = {node, thread};
      }
    });
  }
}

// A value in a buffer of floats is a number even if it was stored from a register that is not
// followed: 0.0f is often moved as a word.
NodeId FlowTracker::stored_node(const Site& site, std::uint32_t n, int lane, ptx::Space space,
                                std::uint64_t address) {
  const ptx::Operand& operand = site.operand(n);
  if (operand.kind == ptx::OperandKind::None) {
    return kUnknownNode;
  }
  const NodeId node = read(site, site.operand(n), lane);
  if (node != kUnknownNode || space != ptx::Space::Global ||
      operand.kind != ptx::OperandKind::Register) {
    return node;
  }
  const std::optional<std::uint32_t> buffer = tables_.buffer_at(address);
  return buffer && tables_.program->launch().buffers[*buffer].type == problem::ElementType::F32
             ? graph_.constant(register_value(site.info, operand.reg, lane))
             : kUnknownNode;
}

std::uint32_t FlowTracker::threads() const {
  return tables_.program->warps_per_block() * tables_.program->warp_size();
}

// Halves and bytes are not followed, but their stores are noted.
void FlowTracker::store_small(const simt::StepInfo& info, const simt::MemoryEvent& event,
                              std::uint32_t bytes) {
  if (event.kind == simt::AccessKind::Load || event.space != ptx::Space::Global) {
    return;
  }
  for_each_lane(event.mask, [&](int lane) {
    for (std::uint32_t done = 0; done < event.bytes; done += bytes) {
      stores_.push_back({step_,
                         event.addresses[static_cast<std::size_t>(lane)] + done,
                         thread_of(info, lane),
                         kUnknownNode,
                         event.kind == simt::AccessKind::Atomic,
                         info.function,
                         {}});
    }
  });
}

// The lanes of an access, and the accesses of a loop, mostly use the same few addresses in order.
std::uint32_t FlowTracker::local_slot(std::uint64_t address) {
  if (last_local_slot_.first != address / 4) {
    const auto found = local_slot_of_.find(address / 4);
    if (found == local_slot_of_.end()) {
      return kUntracked;
    }
    last_local_slot_ = {address / 4, found->second};
  }
  return last_local_slot_.second;
}

std::uint32_t FlowTracker::local_cell(const simt::StepInfo& info, std::uint64_t address, int lane) {
  const std::pair key(info.function, address);
  if (last_local_cell_.first != key) {
    const auto [it, is_new] = local_cell_of_.try_emplace(key, 0);
    if (is_new) {
      it->second = static_cast<std::uint32_t>(local_cells_.size());
      local_cells_.push_back(
          record::local_place_name(machine_, info.id, lane, info.frame, address));
    }
    last_local_cell_ = {key, it->second};
  }
  return last_local_cell_.second;
}

void FlowTracker::store_local(const simt::StepInfo& info, std::uint64_t address, int lane,
                              NodeId node) {
  const std::uint32_t thread = thread_of(info, lane);
  std::uint32_t slot = local_slot(address);
  if (slot == kUntracked) {
    slot = static_cast<std::uint32_t>(local_slot_of_.size());
    local_slot_of_.emplace(address / 4, slot);
    local_.resize(local_.size() + threads(), kUnknownNode);
  }
  local_[std::size_t{slot} * threads() + thread] = node;
  local_stores_.push_back(
      {static_cast<std::uint32_t>(step_), local_cell(info, address, lane), thread, node});
}

void FlowTracker::forget_stores() {
  stores_ = {};
  local_stores_ = {};
  local_ = {};
  shared_ = {};
  stored_ = {};
  warps_ = {};
}

// A shuffle passes on the value of another lane.
void FlowTracker::exchange(const Site& site) {
  NodeId* to = row(site, site.operand(0));
  const NodeId* from = row(site, site.source(0));
  const auto word = [&](std::uint32_t n, std::uint32_t lane) {
    return static_cast<std::uint32_t>(operand_bits(machine_, site.info, site.source(n), lane));
  };
  std::array<NodeId, kLanes> taken{};
  for_each_lane(site.info.mask, [&](std::uint32_t lane) {
    const simt::ShuffleSource source =
        simt::shuffle_source(site.instruction.mode, lane, word(1, lane), word(2, lane));
    const bool takes_part = (site.info.mask >> source.lane & 1U) != 0;
    taken[lane] = from == nullptr || !takes_part ? kUnknownNode : from[source.lane];
  });
  for_each_lane(site.info.mask, [&](std::uint32_t lane) { to[lane] = taken[lane]; });
}

// cp.async reports first what it reads, then its destination. Bytes that it does not read are
// filled with zeros.
void FlowTracker::copy_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  for_each_lane(event.mask, [&](int lane) {
    const auto number = static_cast<std::size_t>(lane);
    const std::uint64_t address = event.addresses[number];
    const std::uint32_t thread = thread_of(info, lane);
    std::vector<NodeId>& nodes = copied_[number];  // one for each word
    for (std::uint32_t byte = 0; byte < event.bytes;) {
      if (event.kind == simt::AccessKind::Load) {
        const std::optional<std::uint32_t> buffer = tables_.buffer_at(address);
        const std::uint32_t size =
            buffer && problem::byte_size(tables_.program->launch().buffers[*buffer].type) == 8 ? 8
                                                                                               : 4;
        nodes.resize(byte / 4, kUnknownNode);
        nodes.push_back(loaded(info, event.space, address + byte, size, thread));
        byte += size;
      } else {
        const NodeId node = byte / 4 < nodes.size() ? nodes[byte / 4] : graph_.constant(0.0F);
        if (event.space == ptx::Space::Shared) {
          shared_[(address + byte) % simt::kWindowBytes / 4] = {node, thread};
        } else {
          stored_[address + byte] = {node, thread};
        }
        stores_.push_back({step_, address + byte, thread, node, false, info.function, {}});
        byte += 4;
      }
    }
  });
  if (event.kind != simt::AccessKind::Load) {
    copied_ = {};
  }
}

NodeId FlowTracker::loaded(const simt::StepInfo& info, ptx::Space space, std::uint64_t address,
                           std::uint32_t bytes, std::uint32_t thread) {
  const std::uint64_t offset = address % simt::kWindowBytes;
  if (space == ptx::Space::Local) {
    const std::uint32_t slot = local_slot(address);
    return slot == kUntracked ? kUnknownNode : local_[std::size_t{slot} * threads() + thread];
  }
  ValueNode node;
  node.step = static_cast<std::uint32_t>(step_);
  std::span<const std::byte> memory;
  if (space == ptx::Space::Shared) {
    const Word& word = shared_[offset / 4];
    node.kind = ValueNode::Kind::Shared;
    node.a = word.node;
    node.b = static_cast<std::uint32_t>(offset / 4);
    node.thread = word.thread;
    memory = machine_.shared(info.id.block);
  } else if (const auto buffer = tables_.buffer_at(address); buffer) {
    node.kind = ValueNode::Kind::Element;
    node.a = *buffer;
    node.b = static_cast<std::uint32_t>(
        offset / problem::byte_size(tables_.program->launch().buffers[*buffer].type));
    node.thread = thread;
    memory = machine_.buffer(*buffer);
  } else {
    return kUnknownNode;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, memory.data() + offset, bytes);
  node.value = float_of_bits(bits, bytes == 8);
  // The value that this block stored there, unless another block has stored a different one since.
  const auto stored = stored_.find(address);
  if (node.kind == ValueNode::Kind::Element && stored != stored_.end() &&
      stored->second.node != kUnknownNode && graph_[stored->second.node].value == node.value) {
    node.kind = ValueNode::Kind::Returned;
    node.a = stored->second.node;
    node.b = 0;
    node.thread = stored->second.thread;
  }
  return graph_.add(node);
}

// Products of matrices on tensor cores (TF32): each element of the result is a sum of products.

// Nodes of A by row and k, of B by k and column.
struct FlowTracker::Factors {
  explicit Factors(std::uint32_t columns_of_b)
      : a(std::size_t{kRows} * kDepth, kUnknownNode),
        b(std::size_t{kDepth} * columns_of_b, kUnknownNode),
        columns(columns_of_b) {}

  std::vector<NodeId> a;
  std::vector<NodeId> b;
  std::uint32_t columns;
  bool is_whole = true;  // all words that the tensor core reads in shared memory are known
};

void FlowTracker::begin_matrices(const Site& site) {
  has_matrices_ = true;
  const std::uint32_t count = site.instruction.operand_count;
  matrix_words_.clear();
  matrix_registers_.assign(std::size_t{count} * kLanes, kUnknownNode);
  for (std::uint32_t n = 0; n < count; ++n) {
    const ptx::Operand& operand = site.operand(n);
    if (operand.kind != ptx::OperandKind::Register || operand.reg.cls != ptx::RegisterClass::B32) {
      continue;
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      matrix_registers_[std::size_t{n} * kLanes + lane] =
          read(site, site.operand(n), static_cast<int>(lane));
    }
  }
}

// Pieces of 16 bytes: for each row of k the first and the second, row after row.
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

// Whether the node is x minus the part of x that TF32 holds, which compensates for the cut-off
// bits.
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
  const bool is_warpgroup = site.instruction.op == ptx::Opcode::WgmmaMma;
  const std::uint32_t first_a = form.group_sizes[0];
  const std::uint32_t first_b = first_a + form.group_sizes[1];
  const bool a_in_registers = form.group_sizes[1] > 1;
  const Fragment a = simt::tf32_fragment(Role::A);
  const Fragment b = simt::tf32_fragment(Role::B);
  Factors all(is_warpgroup ? form.columns : b.cols);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t e = 0; a_in_registers && e < a.per_lane(); ++e) {
      const Fragment::Cell at = a.place(lane, e);
      all.a[std::size_t{at.row} * kDepth + at.col] = matrix_register(first_a + e, lane);
    }
    for (std::uint32_t e = 0; !is_warpgroup && e < b.per_lane(); ++e) {
      const Fragment::Cell at = b.place(lane, e);
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

// Previous value of a lane's register of D, if the product is added to it.
NodeId FlowTracker::addend(const Site& site, const ptx::MatrixForm& form, std::uint32_t e,
                           std::uint32_t lane) const {
  const std::uint32_t behind_b = form.group_sizes[0] + form.group_sizes[1] + form.group_sizes[2];
  if (site.instruction.op != ptx::Opcode::WgmmaMma) {
    return matrix_register(behind_b + e, lane);
  }
  const ptx::Operand& adds = site.operand(form.group_sizes[0] + form.group_sizes[1] + 1);
  const bool is_added =
      adds.kind != ptx::OperandKind::Register ||
      (machine_.register_lane(site.info.id, adds.reg, static_cast<int>(lane)) & 1U) != 0;
  return is_added ? matrix_register(e, lane) : kUnknownNode;
}

void FlowTracker::multiply_matrices(const Site& site) {
  const ptx::MatrixForm& form = site.function.matrix_forms[site.instruction.target];
  const Factors all = factors(site, form);
  const Fragment d = simt::tf32_fragment(Role::C);
  for (std::uint32_t e = 0; e < form.group_sizes[0]; ++e) {
    NodeId* const to = row(site, site.operand(e));
    for (std::uint32_t lane = 0; to != nullptr && lane < kLanes; ++lane) {
      const int at_lane = static_cast<int>(lane);
      const Fragment::Cell at = d.place(lane, e % d.per_lane());
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
