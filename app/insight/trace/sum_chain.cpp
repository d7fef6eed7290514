#include "insight/trace/sum_chain.h"

#include "insight/trace/sum_reader.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilestep::insight {
namespace {

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
    std::reverse(chain.links.begin(), chain.links.end());
    return chain;
  }

 private:
  // One step back from chain.start; false where the sum began.
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

  // How well an operand fits as the sum so far. A compensated sum's y is one product, rounding
  // errors apart, so a constant comes before that.
  [[nodiscard]] int rank(NodeId id) const {
    const NodeId moved = moved_sum(graph_, id);
    const Kind kind = graph_[moved].kind;
    const bool computed = kind == Kind::Sum || kind == Kind::Difference || kind == Kind::Negation;
    switch (forms_.classify(id)) {
      case Class::Sum:
        return kSum;
      case Class::Constant:
        return computed ? 6 : 5;  // what a tensor unit gave is a constant too, and so its sum
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

}  // namespace tilestep::insight
