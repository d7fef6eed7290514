#include "insight/trace/origin.h"

#include "insight/trace/block_flow.h"
#include "insight/trace/sum_reader.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace tilestep::insight {
namespace {

ElementRef element_of(const simt::Program& program, const ValueNode& node) {
  const auto pitch =
      static_cast<std::uint32_t>(std::max(program.launch().buffers[node.a].pitch, 1));
  return {node.a, static_cast<int>(node.b / pitch), static_cast<int>(node.b % pitch)};
}

// The elements that a value was computed from; earlier parts of a sum first.
std::vector<ElementRef> elements_of(const simt::Program& program, const ValueGraph& graph,
                                    NodeId root) {
  std::vector<ElementRef> elements;
  std::unordered_set<NodeId> seen;
  std::unordered_set<std::uint64_t> taken;
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    if (!seen.insert(id).second) {
      continue;
    }
    const ValueNode& node = graph[id];
    switch (node.kind) {
      case ValueNode::Kind::Element:
        if (taken.insert(std::uint64_t{node.a} << 32 | node.b).second) {
          elements.push_back(element_of(program, node));
        }
        break;
      case ValueNode::Kind::Product:
      case ValueNode::Kind::Sum:
      case ValueNode::Kind::Difference:
        pending.push_back(node.b);
        pending.push_back(node.a);
        break;
      case ValueNode::Kind::Shared:
      case ValueNode::Kind::Returned:
      case ValueNode::Kind::Negation:
        pending.push_back(node.a);
        break;
      case ValueNode::Kind::Unknown:
      case ValueNode::Kind::Constant:
        break;
    }
  }
  return elements;
}

Result<Origin> describe(const BlockFlow& flow, const Question& question, NodeId node) {
  Origin origin;
  origin.name = question.what;
  const ValueNode::Kind kind = flow.graph()[node].kind;
  if (kind == ValueNode::Kind::Unknown) {
    return fail(
        tr("{} holds no traced value at step {}. Only floats and doubles are traced, from "
           "their first store; integers, addresses and half precision are not.",
           question.what, question.step));
  }
  origin.value = flow.graph()[node].value;
  origin.elements = elements_of(flow.program(), flow.graph(), node);
  origin.sum = read_sum(flow.program(), flow.graph(), node);
  if (origin.sum) {
    origin.sum->variable = question.what;
  }
  return origin;
}

Result<Origin> register_origin(const record::Recording& recording, const Question& question) {
  const BlockFlow flow(recording, question.block, question.step, Settle::Exactly);
  const auto size = static_cast<std::uint32_t>(flow.program().warp_size());
  const simt::WarpId id{question.block, question.thread / size};
  const simt::WarpView view = flow.machine().warp(id);
  const ptx::Function& function = flow.program().module().functions[view.function];
  const auto name =
      std::find(function.register_names.begin(), function.register_names.end(), question.what);
  if (name == function.register_names.end()) {
    return fail(tr("{}: {} does not have this register.", question.what, function.name));
  }
  const ptx::Register reg =
      function.registers[static_cast<std::size_t>(name - function.register_names.begin())];
  return describe(flow, question,
                  flow.tracker().register_node(id.warp, view.frame, reg,
                                               static_cast<int>(question.thread % size)));
}

// A cell that nothing was stored in holds what the launch began with: itself.
Origin initial_origin(const record::Recording& recording, const Cell& cell) {
  Origin origin;
  origin.name = cell.name;
  origin.writer = record::Writer{};
  const simt::Program& program = recording.program();
  if (cell.shared) {
    return origin;
  }
  const problem::Buffer& buffer = program.launch().buffers[cell.launch_buffer];
  const std::uint64_t offset = cell.address % simt::kWindowBytes;
  const record::BufferElement at =
      record::buffer_element(buffer, static_cast<std::int64_t>(offset));
  origin.elements = {{cell.launch_buffer, static_cast<int>(at.row), static_cast<int>(at.col)}};
  if (buffer.type == problem::ElementType::F32) {
    std::memcpy(&origin.value, buffer.contents.data() + offset, sizeof origin.value);
  } else if (buffer.type == problem::ElementType::F64) {
    double value = 0.0;
    std::memcpy(&value, buffer.contents.data() + offset, sizeof value);
    origin.value = static_cast<float>(value);
  }
  return origin;
}

Result<Origin> cell_origin(const record::Recording& recording, Question question,
                           const Cell& cell) {
  const record::State state = recording.state_at(question.step);
  const std::uint64_t word = cell.address % simt::kWindowBytes / 4;
  const record::Writer writer = cell.shared ? state.shared_writer(question.block, word)
                                            : state.buffer_writer(cell.launch_buffer, word);
  if (!writer.written) {
    return initial_origin(recording, cell);
  }
  question.what = cell.name;
  const BlockFlow flow(recording, writer.block, writer.step + 1, Settle::Exactly);
  const auto& stores = flow.tracker().stores();
  const auto store = std::find_if(stores.rbegin(), stores.rend(), [&](const StoredValue& s) {
    return s.address == cell.address && s.step == writer.step && s.thread == writer.thread;
  });
  // An asynchronous copy was issued at an earlier step than the one that the bytes changed in.
  const auto found = store != stores.rend()
                         ? store
                         : std::find_if(stores.rbegin(), stores.rend(), [&](const StoredValue& s) {
                             return s.address == cell.address && s.thread == writer.thread;
                           });
  Result<Origin> origin =
      describe(flow, question, found == stores.rend() ? kUnknownNode : found->node);
  if (origin) {
    origin->writer = writer;
  }
  return origin;
}

}  // namespace

std::string name_of(const simt::Program& program, const ElementRef& element) {
  return problem::element_name(program.launch().buffers[element.launch_buffer], element.row,
                               element.col);
}

Result<Origin> origin_of(const record::Recording& recording, const Question& question) {
  const simt::Program& program = recording.program();
  if (question.step > recording.step_count()) {
    return fail(
        tr("Step {} does not exist: the run has {}.", question.step, recording.step_count()));
  }
  if (question.block >= program.block_count()) {
    return fail(tr("Block {} does not exist: the grid has blocks 0 to {}.", question.block,
                   program.block_count() - 1));
  }
  if (question.thread >= program.threads_per_block()) {
    return fail(tr("Thread {} does not exist: a block has threads 0 to {}.", question.thread,
                   program.threads_per_block() - 1));
  }
  if (question.what.starts_with('%')) {
    return register_origin(recording, question);
  }
  if (looks_like_cell(question.what)) {
    const Result<Cell> cell = find_cell(program, question.what);
    return cell ? cell_origin(recording, question, *cell) : tl::unexpected(cell.error());
  }
  const BlockFlow flow(recording, question.block, question.step, Settle::OneMore);
  return describe(flow, question, flow.held(question.step, question.thread, question.what));
}

}  // namespace tilestep::insight
