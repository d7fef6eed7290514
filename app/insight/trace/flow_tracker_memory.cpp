#include "insight/trace/flow_tracker.h"
#include "record/place_name.h"
#include "simt/exec/shuffle.h"
#include "simt/state/lane_mask.h"

#include <algorithm>
#include <cstring>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

using simt::kLanes;

}  // namespace

void FlowTracker::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (info.id.block != block_) {
    return;
  }
  const Site here = site(info, warps_[info.id.warp]);
  const FlowKind kind = here.flow.kinds[info.pc];
  if (kind == FlowKind::CopyMemory) {
    // To shared memory it is followed where it is issued; to global memory, where it is performed,
    // for until then threads may change what is copied.
    const bool by_engine = event.agent == simt::AccessAgent::CopyEngine;
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
    return;  // followed where it was issued; no number
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
    NodeId* nodes = row(here, load ? n : n + 1);
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
          stored.node = read(here, instruction.dest_count + 1U + n, lane);
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

// A number in a buffer of floats is one also where it came there by a register that is not
// followed: 0.0f is often moved as a word.
NodeId FlowTracker::stored_node(const Site& site, std::uint32_t n, int lane, ptx::Space space,
                                std::uint64_t address) {
  const ptx::Operand& operand = site.operand(n);
  if (operand.kind == ptx::OperandKind::None) {
    return kUnknownNode;
  }
  const NodeId node = read(site, n, lane);
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
  return tables_.program->warps_per_block() *
         static_cast<std::uint32_t>(tables_.program->warp_size());
}

// Halves and bytes are not followed, but that they are stored is known.
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

// The lanes of an access, and the accesses of a loop, mostly go to one address after another of
// the same few.
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
  graph_.finish();
}

// A shuffle hands on what another lane holds.
void FlowTracker::exchange(const Site& site) {
  NodeId* to = row(site, 0);
  const NodeId* from = row(site, site.source(0));
  const auto word = [&](std::uint32_t n, int lane) {
    const ptx::Operand& operand = site.operand(site.source(n));
    return operand.kind == ptx::OperandKind::Register
               ? static_cast<std::uint32_t>(machine_.register_lane(site.info.id, operand.reg, lane))
               : static_cast<std::uint32_t>(operand.value);
  };
  std::array<NodeId, kLanes> taken{};
  for_each_lane(site.info.mask, [&](int lane) {
    const simt::ShuffleSource source =
        simt::shuffle_source(site.info.instruction->mode, static_cast<std::uint32_t>(lane),
                             word(1, lane), word(2, lane));
    const bool takes_part = (site.info.mask >> source.lane & 1U) != 0;
    taken[static_cast<std::size_t>(lane)] =
        from == nullptr || !takes_part ? kUnknownNode : from[source.lane];
  });
  for_each_lane(site.info.mask,
                [&](int lane) { to[lane] = taken[static_cast<std::size_t>(lane)]; });
}

// cp.async tells what it reads, then where it goes; what it does not read is filled with zeros.
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
  // What this block had stored there, unless another block has stored something else since.
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

}  // namespace tilestep::insight
