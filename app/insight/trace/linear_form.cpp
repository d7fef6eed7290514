#include "insight/trace/linear_form.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tilestep::insight {
namespace {

// Steele, Lea and Flood's SplitMix64.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Stays at the largest number of either sign: values that take each other twice a round double.
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
        // Two loads of one word are one number.
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

}  // namespace tilestep::insight
