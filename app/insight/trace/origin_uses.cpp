// Where an element went: uses_of().
#include "insight/trace/block_flow.h"
#include "insight/trace/origin.h"
#include "insight/trace/sum_reader.h"
#include "problem/tr.h"
#include "record/place_name.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

namespace tilestep::insight {
namespace {

// Every load of a place in global memory.
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
        const auto thread = info.id.warp * static_cast<std::uint32_t>(program_.warp_size()) + lane;
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

// What one block made of the element.
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
  std::vector<bool> is_element_;  // by node: the element itself, moved perhaps
  std::vector<bool> contains_;    // … or computed from it
};

}  // namespace

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
  std::stable_sort(uses.loads.begin(), uses.loads.end(), order);
  std::stable_sort(uses.puts.begin(), uses.puts.end(), order);
  std::stable_sort(uses.products.begin(), uses.products.end(), order);
  std::stable_sort(uses.outputs.begin(), uses.outputs.end(), order);
  return uses;
}

}  // namespace tilestep::insight
