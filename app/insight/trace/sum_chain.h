// The values that a sum went through on its way to what was stored in the end, read off the graph
// alone: it does not matter in which variable, array or register they were kept.
#pragma once

#include "insight/trace/linear_form.h"
#include "insight/trace/value_graph.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

// One value of a growing sum.
struct SumLink {
  NodeId node = kUnknownNode;
  NodeId added = kUnknownNode;    // what the value before it was increased by
  NodeId product = kUnknownNode;  // the one product in that, rounding errors apart
  bool subtracts = false;         // … is taken off
  bool joins = false;             // `added` is itself a sum of several terms
};

struct SumChain {
  NodeId root = kUnknownNode;   // what was stored
  NodeId start = kUnknownNode;  // what it began with: a constant, an element; or nothing
  std::vector<SumLink> links;   // in the order in which they were computed
};

// `thread`: the owner's. Of two sums that are added up its own is the one that is followed.
[[nodiscard]] SumChain follow_sum(const ValueGraph& graph, const LinearForms& forms, NodeId root,
                                  std::uint32_t thread);

// What rounding lost earlier, where what is added to a sum makes up for it; else kUnknownNode.
[[nodiscard]] NodeId residue_in(const ValueGraph& graph, const LinearForms& forms, NodeId added);

}  // namespace tilestep::insight
