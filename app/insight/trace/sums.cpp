#include "insight/trace/sums.h"

#include "problem/values/random.h"
#include "record/place_name.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace tilestep::insight {
namespace {

std::uint64_t scramble(std::uint64_t x) {
  return problem::mixed(x + problem::kRandomStep);
}

// Saturates: counts double each round if two values keep adding each other.
std::int32_t bounded(std::int64_t count) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(count, -kMost, kMost));
}

std::int32_t combined(std::int32_t a, std::int32_t b, bool subtract) {
  return bounded(subtract ? std::int64_t{a} - b : std::int64_t{a} + b);
}

LinearForm combined(const LinearForm& a, const LinearForm& b, bool subtract) {
  LinearForm form;
  form.mix = subtract ? a.mix - b.mix : a.mix + b.mix;
  form.atoms = combined(a.atoms, b.atoms, subtract);
  form.products = combined(a.products, b.products, subtract);
  form.has_atoms = a.has_atoms || b.has_atoms;
  form.latest = a.latest > b.latest ? a.latest : b.latest;
  return form;
}

using Class = LinearForms::Class;
using Kind = ValueNode::Kind;

class Follower {
 public:
  Follower(const ValueGraph& graph, const LinearForms& forms, std::uint32_t thread)
      : graph_(graph), forms_(forms), thread_(thread) {}

  [[nodiscard]] SumChain follow(NodeId root) {
    SumChain chain;
    chain.root = root;
    chain.start = root;
    while (chain.start != kUnknownNode && take(chain)) {
    }
    std::ranges::reverse(chain.links);
    return chain;
  }

 private:
  // One step back from chain.start; false at the beginning of the sum.
  bool take(SumChain& chain) const {
    const NodeId at = moved_sum(graph_, chain.start);
    const ValueNode& node = graph_[at];
    SumLink link{at, kUnknownNode, kUnknownNode, false, false};
    switch (node.kind) {
      case Kind::Sum:
      case Kind::Difference: {
        const bool first = first_goes_on(node);
        link.added = first ? node.b : node.a;
        link.joins = forms_.classify(link.added) == Class::Sum;
        if (forms_.classify(link.added) == Class::Product) {
          const LinearForm& form = forms_[link.added];
          link.product = form.latest;
          link.subtracts = (form.products < 0) != (first && node.kind == Kind::Difference);
        }
        chain.start = first ? node.a : node.b;
        break;
      }
      case Kind::Negation:
        chain.start = node.a;
        break;
      case Kind::Product: {
        const NodeId scaled = sum_in(node);
        link.added = link.product = scaled == kUnknownNode ? at : kUnknownNode;
        chain.start = scaled;
        break;
      }
      default:
        return false;
    }
    chain.links.push_back(link);
    return true;
  }

  static constexpr int kSum = 7;

  // How well an operand fits as the sum so far. A compensated sum's y is one product, apart from
  // rounding errors, so a constant has precedence over it.
  [[nodiscard]] int rank(NodeId id) const {
    const NodeId moved = moved_sum(graph_, id);
    const Kind kind = graph_[moved].kind;
    const bool computed = kind == Kind::Sum || kind == Kind::Difference || kind == Kind::Negation;
    switch (forms_.classify(id)) {
      case Class::Sum:
        return kSum;
      case Class::Constant:
        return computed ? 6 : 5;  // the result of a tensor unit is a constant too, and so is its
                                  // sum
      case Class::Product:
        return computed ? 4 : sum_in(graph_[moved]) != kUnknownNode ? 3 : 1;
      case Class::Atom:
        return computed ? 4 : 2;
      case Class::Residue:
        return 0;
    }
    return 0;
  }

  [[nodiscard]] bool first_goes_on(const ValueNode& node) const {
    const int a = rank(node.a);
    const int b = rank(node.b);
    if (a != b) {
      return a > b;
    }
    if (a < kSum) {
      return node.a <= node.b;
    }
    const bool own_a = graph_[moved_sum(graph_, node.a)].thread == thread_;
    const bool own_b = graph_[moved_sum(graph_, node.b)].thread == thread_;
    if (own_a != own_b) {
      return own_a;
    }
    return std::abs(forms_[node.a].atoms) >= std::abs(forms_[node.b].atoms);
  }

  // The factor of a product that is a sum: alpha · (A[i][0]·B[0][j] + …).
  [[nodiscard]] NodeId sum_in(const ValueNode& node) const {
    if (node.kind != Kind::Product) {
      return kUnknownNode;
    }
    for (const NodeId factor : {node.a, node.b}) {
      const NodeId moved = moved_sum(graph_, factor);
      const Kind kind = graph_[moved].kind;
      const Class form = forms_.classify(factor);
      const bool computed = kind == Kind::Sum || kind == Kind::Difference;
      if (computed && (form == Class::Sum || form == Class::Product)) {
        return factor;
      }
    }
    return kUnknownNode;
  }

  const ValueGraph& graph_;
  const LinearForms& forms_;
  std::uint32_t thread_;
};

}  // namespace

LinearForms::LinearForms(const ValueGraph& graph) : graph_(graph), forms_(graph.size()) {
  for (NodeId id = 1; id < graph.size(); ++id) {
    const ValueNode& node = graph[id];
    LinearForm& form = forms_[id];
    switch (node.kind) {
      case ValueNode::Kind::Constant:
        break;
      case ValueNode::Kind::Sum:
      case ValueNode::Kind::Difference:
        form = combined(forms_[node.a], forms_[node.b], node.kind == ValueNode::Kind::Difference);
        break;
      case ValueNode::Kind::Negation:
        form = combined({}, forms_[node.a], true);
        break;
      case ValueNode::Kind::Shared:
      case ValueNode::Kind::Returned:
        // Two loads of one word have the same form.
        form = forms_[node.a];
        if (node.a == kUnknownNode) {
          form = {scramble(id), 1, 0, true, kUnknownNode};
        }
        break;
      case ValueNode::Kind::Element:
        form = {scramble(~(std::uint64_t{node.a} << 40 | node.b)), 1, 0, true, kUnknownNode};
        break;
      case ValueNode::Kind::Product:
        form = {scramble(id), 1, 1, true, id};
        break;
      case ValueNode::Kind::Unknown:
        form = {scramble(id), 1, 0, true, kUnknownNode};
        break;
    }
  }
}

LinearForms::Class LinearForms::classify(NodeId node) const {
  const LinearForm& form = forms_[node];
  const ValueNode::Kind kind = graph_[node].kind;
  if (form.mix == 0) {
    const bool computed = kind == ValueNode::Kind::Sum || kind == ValueNode::Kind::Difference ||
                          kind == ValueNode::Kind::Negation;
    return computed && form.has_atoms ? Class::Residue : Class::Constant;
  }
  if (form.latest != kUnknownNode) {
    const std::uint64_t one = forms_[form.latest].mix;
    return form.mix == one || form.mix == 0 - one ? Class::Product : Class::Sum;
  }
  return std::abs(form.atoms) == 1 ? Class::Atom : Class::Sum;
}

SumChain follow_sum(const ValueGraph& graph, const LinearForms& forms, NodeId root,
                    std::uint32_t thread) {
  return Follower(graph, forms, thread).follow(root);
}

NodeId residue_in(const ValueGraph& graph, const LinearForms& forms, NodeId added) {
  const ValueNode& node = graph[moved_sum(graph, added)];
  if (node.kind != Kind::Sum && node.kind != Kind::Difference) {
    return kUnknownNode;
  }
  for (NodeId part : {node.a, node.b}) {
    while (graph[part].kind == Kind::Negation) {
      part = graph[part].a;
    }
    part = moved_sum(graph, part);
    if (forms.classify(part) == Class::Residue) {
      return part;
    }
  }
  return kUnknownNode;
}

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
  // Through shared memory, also more than once; the last place is the one that was read.
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
    // A value that is not followed counts as a constant; shared memory has its value.
    is_plain = is_plain && value.kind == ValueNode::Kind::Unknown && !f.via.empty();
  }
  return f;
}

namespace {

// Reads the sum of products of a node: a linear form over products and constants. A node is created
// after its parts. So in order from the latest to the earliest, every node has its full weight when
// it is visited.
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
    // A product of matrices adds several products in one step, and the latest was visited first.
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
    // The compiler may have swapped them; A is first.
    if (elements && t.a.launch_buffer > t.b.launch_buffer) {
      std::swap(t.a, t.b);
    }
    return t;
  }

  // The operand of a negation: x - a·b may be executed as fma(-a, b, x).
  NodeId positive(NodeId id, double& times) const {
    while (graph_[id].kind == ValueNode::Kind::Negation) {
      times = -times;
      id = graph_[id].a;
    }
    return id;
  }

  // A factor that was itself computed leaves its term a product: of two values.
  [[nodiscard]] Term::Factor factor(NodeId id) const {
    bool is_plain = true;
    return read_factor(program_, graph_, id, is_plain);
  }

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
