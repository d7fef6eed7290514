#include "insight/trace/origin.h"

#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"
#include "insight/trace/sums.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <tuple>
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
  const auto size = flow.program().warp_size();
  const simt::WarpId id{question.block, question.thread / size};
  const simt::WarpView view = flow.machine().warp(id);
  const ptx::Function& function = flow.program().module().functions[view.function];
  const auto name = std::ranges::find(function.register_names, question.what);
  if (name == function.register_names.end()) {
    return fail(tr("{}: {} does not have this register.", question.what, function.name));
  }
  const ptx::Register reg =
      function.registers[static_cast<std::size_t>(name - function.register_names.begin())];
  return describe(flow, question,
                  flow.tracker().register_node(id.warp, view.frame, reg,
                                               static_cast<int>(question.thread % size)));
}

// A cell without stores holds its initial value: its origin is itself.
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
  // An asynchronous copy was issued at an earlier step than the one at which the bytes changed.
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

// Finds every load of a place in global memory.
class LoadFinder final : public simt::Observer {
 public:
  LoadFinder(const simt::Program& program, const Cell& cell) : program_(program), cell_(cell) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void after_step(const simt::StepInfo& /*info*/) override { ++step_; }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    if (event.space != ptx::Space::Global || event.kind == simt::AccessKind::Store) {
      return;
    }
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t first = event.addresses[lane];
      if (first <= cell_.address && cell_.address < first + event.bytes) {
        const auto thread = program_.thread_of(info.id, lane);
        loads_.push_back(
            {info.id.block, thread, step_,
             ptx::statement_line(program_.module().functions[info.function], info.pc)});
      }
    }
  }
  [[nodiscard]] std::vector<ElementUses::Load> loads() const { return loads_; }

 private:
  const simt::Program& program_;
  const Cell& cell_;
  std::uint64_t step_ = 0;
  std::vector<ElementUses::Load> loads_;
};

// The uses of the element in one block.
class BlockUses {
 public:
  BlockUses(const BlockFlow& flow, std::uint32_t block, const ElementRef& element)
      : flow_(flow), block_(block), element_(element) {}

  void add_to(ElementUses& uses) {
    mark();
    add_products(uses);
    for (const StoredValue& store : flow_.tracker().stores()) {
      const bool shared =
          store.address / simt::kWindowBytes == simt::kSharedWindow / simt::kWindowBytes;
      if (shared && is_element_[store.node]) {
        uses.puts.push_back({block_, store.thread, store.step, cell_name(store.address)});
      } else if (!shared && contains_[store.node]) {
        uses.outputs.push_back({block_, store.thread, store.step, cell_name(store.address)});
      }
    }
  }

 private:
  // A node's parts have smaller numbers than the node.
  void mark() {
    const ValueGraph& graph = flow_.graph();
    const auto pitch = static_cast<std::uint32_t>(
        std::max(flow_.program().launch().buffers[element_.launch_buffer].pitch, 1));
    const std::uint32_t number =
        static_cast<std::uint32_t>(element_.row) * pitch + static_cast<std::uint32_t>(element_.col);
    is_element_.assign(graph.size(), false);
    contains_.assign(graph.size(), false);
    for (NodeId id = 0; id < graph.size(); ++id) {
      const ValueNode& node = graph[id];
      const bool has_b = node.kind == ValueNode::Kind::Product ||
                         node.kind == ValueNode::Kind::Sum ||
                         node.kind == ValueNode::Kind::Difference;
      const bool has_a = has_b || node.kind == ValueNode::Kind::Negation;
      if (node.kind == ValueNode::Kind::Element) {
        is_element_[id] = node.a == element_.launch_buffer && node.b == number;
      } else if (node.kind == ValueNode::Kind::Shared || node.kind == ValueNode::Kind::Returned) {
        is_element_[id] = is_element_[node.a];
        contains_[id] = contains_[node.a];
      }
      contains_[id] = contains_[id] || is_element_[id] || (has_a && contains_[node.a]) ||
                      (has_b && contains_[node.b]);
    }
  }

  void add_products(ElementUses& uses) const {
    const ValueGraph& graph = flow_.graph();
    for (NodeId id = 0; id < graph.size(); ++id) {
      const ValueNode& node = graph[id];
      if (node.kind != ValueNode::Kind::Product || (!is_element_[node.a] && !is_element_[node.b])) {
        continue;
      }
      const bool first = is_element_[node.a];
      bool plain = true;
      ElementUses::Product product{block_, node.thread, node.step, {}, {}};
      product.via = read_factor(flow_.program(), graph, first ? node.a : node.b, plain).via;
      product.with = read_factor(flow_.program(), graph, first ? node.b : node.a, plain);
      uses.products.push_back(std::move(product));
    }
  }

  [[nodiscard]] std::string cell_name(std::uint64_t address) const {
    return record::place_name(flow_.program(), flow_.program().locate(address, 4));
  }

  const BlockFlow& flow_;
  std::uint32_t block_;
  ElementRef element_;
  std::vector<bool> is_element_;  // by node: the element itself, or a copy
  std::vector<bool> contains_;    // … or a value computed from it
};

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

// Uses of an element: uses_of().

Result<ElementUses> uses_of(const record::Recording& recording, const std::string& element) {
  const simt::Program& program = recording.program();
  const Result<Cell> cell = find_cell(program, element);
  if (!cell) {
    return tl::unexpected(cell.error());
  }
  if (cell->shared) {
    return fail(
        tr("{} is an element of shared memory. Name an element of a buffer, for example A[0][0].",
           element));
  }
  const record::BufferElement at =
      record::buffer_element(program.launch().buffers[cell->launch_buffer],
                             static_cast<std::int64_t>(cell->address % simt::kWindowBytes));
  ElementUses uses;
  uses.element = {cell->launch_buffer, static_cast<int>(at.row), static_cast<int>(at.col)};
  LoadFinder finder(program, *cell);
  recording.replay(0, recording.step_count(), finder);
  uses.loads = finder.loads();
  std::set<std::uint32_t> blocks;
  for (const ElementUses::Load& load : uses.loads) {
    blocks.insert(load.block);
  }
  for (const std::uint32_t block : blocks) {
    const BlockFlow flow(recording, block, recording.step_count(), Settle::Exactly);
    BlockUses(flow, block, uses.element).add_to(uses);
  }
  const auto order = [](const auto& a, const auto& b) {
    return std::tie(a.block, a.step, a.thread) < std::tie(b.block, b.step, b.thread);
  };
  std::ranges::stable_sort(uses.loads, order);
  std::ranges::stable_sort(uses.puts, order);
  std::ranges::stable_sort(uses.products, order);
  std::ranges::stable_sort(uses.outputs, order);
  return uses;
}

}  // namespace tilestep::insight
