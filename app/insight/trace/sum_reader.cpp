#include "insight/trace/sum_reader.h"

#include "record/place_name.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tilestep::insight {

Term::Factor read_factor(const simt::Program& program, const ValueGraph& graph, NodeId node,
                         bool& is_plain) {
  Term::Factor f;
  f.launch_buffer = kNoBuffer;
  f.value = graph[node].value;
  // Through shared memory, perhaps more than once; the last place is the one that was read.
  while (graph[node].kind == ValueNode::Kind::Shared) {
    const ValueNode& cell = graph[node];
    if (f.via.empty()) {
      f.via = record::place_name(
          program, program.locate(simt::kSharedWindow + std::uint64_t{cell.b} * 4, 4));
    }
    f.loaded_by = cell.thread;
    node = cell.a;
  }
  const ValueNode& value = graph[node];
  if (value.kind == ValueNode::Kind::Element) {
    const problem::Buffer& buffer = program.launch().buffers[value.a];
    const auto pitch = static_cast<std::uint32_t>(std::max(buffer.pitch, 1));
    f.launch_buffer = value.a;
    f.row = static_cast<int>(value.b / pitch);
    f.col = static_cast<int>(value.b % pitch);
    f.loaded_by = value.thread;
  } else if (value.kind != ValueNode::Kind::Constant) {
    is_plain = false;
  }
  return f;
}

namespace {

// Reads the sum of products that a node stands for.
class SumReader {
 public:
  SumReader(const simt::Program& program, const ValueGraph& graph)
      : program_(program), graph_(graph) {}

  [[nodiscard]] Accumulation read(NodeId root) {
    result_.value = graph_[root].value;
    pending_.push_back({root, graph_[root].step});
    while (!pending_.empty()) {
      const Part part = pending_.back();
      pending_.pop_back();
      visit(part);
    }
    return std::move(result_);
  }

 private:
  struct Part {
    NodeId node = kUnknownNode;
    std::uint32_t step = 0;  // of the addition it is a part of
  };

  void visit(const Part& part) {
    const ValueNode& node = graph_[part.node];
    switch (node.kind) {
      case ValueNode::Kind::Sum:
      case ValueNode::Kind::Difference:
      case ValueNode::Kind::Negation:
        // In a compensated sum the same part is met many times over.
        if (!seen_.insert(part.node).second) {
          return;
        }
        result_.complete = result_.complete && node.kind == ValueNode::Kind::Sum;
        if (node.kind != ValueNode::Kind::Negation) {
          pending_.push_back({node.b, node.step});
        }
        pending_.push_back({node.a, node.step});
        return;
      case ValueNode::Kind::Product:
        if (seen_.insert(part.node).second) {
          result_.terms.push_back(term(node, part.step));
        }
        return;
      case ValueNode::Kind::Constant:
        add_constant(node.value);
        return;
      case ValueNode::Kind::Unknown:
      case ValueNode::Kind::Element:
      case ValueNode::Kind::Shared:
        result_.complete = false;
        return;
    }
  }

  void add_constant(float value) {
    if (result_.terms.empty() && result_.initial == 0.0F) {
      result_.initial = value;
    } else if (value != 0.0F) {
      result_.complete = false;
    }
  }

  Term term(const ValueNode& product, std::uint32_t step) {
    Term t{factor(product.a), factor(product.b), step};
    const bool elements = t.a.launch_buffer != kNoBuffer && t.b.launch_buffer != kNoBuffer;
    // The compiler may have swapped them; A comes before B.
    if (elements && t.a.launch_buffer > t.b.launch_buffer) {
      std::swap(t.a, t.b);
    }
    return t;
  }

  Term::Factor factor(NodeId id) { return read_factor(program_, graph_, id, result_.complete); }

  const simt::Program& program_;
  const ValueGraph& graph_;
  std::vector<Part> pending_;
  std::unordered_set<NodeId> seen_;
  Accumulation result_;
};

}  // namespace

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
