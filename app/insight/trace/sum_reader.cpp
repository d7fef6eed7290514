#include "insight/trace/sum_reader.h"

#include "record/place_name.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace tilestep::insight {

NodeId loaded_element(const ValueGraph& graph, NodeId node) {
  while (graph[node].kind == ValueNode::Kind::Shared ||
         graph[node].kind == ValueNode::Kind::Negation) {
    node = graph[node].a;
  }
  return graph[node].kind == ValueNode::Kind::Element ? node : kUnknownNode;
}

ElementRef element_ref(const simt::Program& program, const ValueNode& element) {
  const auto pitch =
      static_cast<std::uint32_t>(std::max(program.launch().buffers[element.a].pitch, 1));
  return {element.a, static_cast<int>(element.b / pitch), static_cast<int>(element.b % pitch)};
}

Term::Factor read_factor(const simt::Program& program, const ValueGraph& graph, NodeId node,
                         bool& is_plain) {
  Term::Factor f;
  f.launch_buffer = kNoBuffer;
  f.value = graph[node].value;
  // Through shared memory, perhaps more than once; the last place is the one that was read.
  while (graph[node].kind == ValueNode::Kind::Shared ||
         graph[node].kind == ValueNode::Kind::Returned) {
    const ValueNode& cell = graph[node];
    if (f.via.empty() && cell.kind == ValueNode::Kind::Shared) {
      f.via = record::place_name(
          program, program.locate(simt::kSharedWindow + std::uint64_t{cell.b} * 4, 4));
    }
    f.loaded_by = cell.thread;
    node = cell.a;
  }
  const ValueNode& value = graph[node];
  if (value.kind == ValueNode::Kind::Element) {
    const ElementRef element = element_ref(program, value);
    f.launch_buffer = element.launch_buffer;
    f.row = element.row;
    f.col = element.col;
    f.loaded_by = value.thread;
  } else if (value.kind != ValueNode::Kind::Constant) {
    // What is not followed counts as a constant; shared memory tells its value.
    is_plain = is_plain && value.kind == ValueNode::Kind::Unknown && !f.via.empty();
  }
  return f;
}

namespace {

// Reads the sum of products that a node stands for: a linear form over products and constants. A
// node is made after those it is made of, so going from the latest to the earliest every node has
// all of its share when its turn comes.
class SumReader {
 public:
  SumReader(const simt::Program& program, const ValueGraph& graph)
      : program_(program), graph_(graph) {}

  [[nodiscard]] Accumulation read(NodeId root) {
    result_.value = graph_[root].value;
    pending_[root] = {1.0, graph_[root].step};
    while (!pending_.empty()) {
      const auto latest = std::prev(pending_.end());
      const auto [node, part] = *latest;
      pending_.erase(latest);
      if (part.times != 0.0) {
        visit(node, part);
      }
    }
    // A product of matrices adds several in one step, the latest of which was met first.
    std::ranges::reverse(result_.terms);
    std::ranges::stable_sort(result_.terms, {}, &Term::step);
    return std::move(result_);
  }

 private:
  struct Part {
    double times = 0.0;
    std::uint32_t step = 0;  // of the first addition it is a part of
  };

  void visit(NodeId id, const Part& part) {
    const ValueNode& node = graph_[id];
    switch (node.kind) {
      case ValueNode::Kind::Sum:
      case ValueNode::Kind::Difference:
        add(node.a, part.times, node.step);
        add(node.b, node.kind == ValueNode::Kind::Sum ? part.times : -part.times, node.step);
        return;
      case ValueNode::Kind::Negation:
        add(node.a, -part.times, part.step);
        return;
      case ValueNode::Kind::Product:
        result_.terms.push_back(term(node, part));
        return;
      case ValueNode::Kind::Constant:
        result_.initial += static_cast<float>(part.times) * node.value;
        return;
      case ValueNode::Kind::Shared:
      case ValueNode::Kind::Returned:
        if (const NodeId sum = moved_sum(graph_, id); sum != id) {
          add(sum, part.times, part.step);
          return;
        }
        if (node.value == 0.0F) {  // cleared by integer instructions: it adds nothing
          return;
        }
        [[fallthrough]];
      case ValueNode::Kind::Unknown:
      case ValueNode::Kind::Element:
        result_.complete = false;
        return;
    }
  }

  void add(NodeId node, double times, std::uint32_t step) {
    const auto [it, is_new] = pending_.try_emplace(node, Part{0.0, step});
    it->second.times += times;
    it->second.step = std::min(it->second.step, step);
  }

  Term term(const ValueNode& product, const Part& part) {
    Term t;
    t.times = part.times;
    t.step = part.step;
    t.a = factor(positive(product.a, t.times));
    t.b = factor(positive(product.b, t.times));
    const bool elements = t.a.launch_buffer != kNoBuffer && t.b.launch_buffer != kNoBuffer;
    // The compiler may have swapped them; A comes before B.
    if (elements && t.a.launch_buffer > t.b.launch_buffer) {
      std::swap(t.a, t.b);
    }
    return t;
  }

  // What a negation is of: x - a·b may be executed as fma(-a, b, x).
  NodeId positive(NodeId id, double& times) const {
    while (graph_[id].kind == ValueNode::Kind::Negation) {
      times = -times;
      id = graph_[id].a;
    }
    return id;
  }

  Term::Factor factor(NodeId id) { return read_factor(program_, graph_, id, result_.complete); }

  const simt::Program& program_;
  const ValueGraph& graph_;
  std::map<NodeId, Part> pending_;
  Accumulation result_;
};

}  // namespace

NodeId moved_sum(const ValueGraph& graph, NodeId node) {
  NodeId at = node;
  while (graph[at].kind == ValueNode::Kind::Shared || graph[at].kind == ValueNode::Kind::Returned) {
    at = graph[at].a;
  }
  switch (graph[at].kind) {
    case ValueNode::Kind::Sum:
    case ValueNode::Kind::Difference:
    case ValueNode::Kind::Negation:
    case ValueNode::Kind::Product:
    case ValueNode::Kind::Constant:
      return at;
    default:
      return node;
  }
}

Accumulation read_linear(const simt::Program& program, const ValueGraph& graph, NodeId node) {
  return SumReader(program, graph).read(node);
}

std::optional<Accumulation> read_sum(const simt::Program& program, const ValueGraph& graph,
                                     NodeId node) {
  const ValueNode::Kind kind = graph[node].kind;
  if (kind != ValueNode::Kind::Sum && kind != ValueNode::Kind::Difference) {
    return std::nullopt;
  }
  Accumulation sum = SumReader(program, graph).read(node);
  return sum.terms.empty() ? std::nullopt : std::optional(std::move(sum));
}

}  // namespace tilestep::insight
