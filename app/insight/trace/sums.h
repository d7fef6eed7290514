// Sums of products in a graph of values: as linear forms, as chains of additions, written out.
#pragma once

#include "insight/trace/flow_tracker.h"
#include "insight/trace/origin.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::insight {

// What every value of a graph is as a sum of atoms (products, elements, values that are not
// followed), in a few numbers: enough to compare values without writing their sums out.
//
// A value's form is linear in those of the values it was added up from, so each takes one addition.
// What cancels out symbolically ((t - sum) - y where t = sum + y) has the form 0: the rounding
// error that a compensated sum keeps.

struct LinearForm {
  std::uint64_t mix = 0;         // sum of one random number for each atom
  std::int32_t atoms = 0;        // added less subtracted; ± (2^31 - 1) stands for that and more
  std::int32_t products = 0;     // of them
  bool has_atoms = false;        // it was computed from some, whether or not they cancel out
  NodeId latest = kUnknownNode;  // the latest product in it, whether or not it cancels out
};

class LinearForms {
 public:
  explicit LinearForms(const ValueGraph& graph);

  enum class Class : std::uint8_t {
    Constant,
    Residue,  // computed, and nothing of the atoms is left: what rounding lost
    Atom,     // one element, or one value that is not followed
    Product,  // one product
    Sum,      // of several atoms
  };
  [[nodiscard]] Class classify(NodeId node) const;
  [[nodiscard]] const LinearForm& operator[](NodeId node) const { return forms_[node]; }

 private:
  const ValueGraph& graph_;
  std::vector<LinearForm> forms_;
};

// The values that a sum went through on its way to what was stored in the end, read off the graph
// alone: it does not matter in which variable, array or register they were kept.

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

// Reads the sum of products that a node of a value graph stands for.

inline constexpr std::uint32_t kNoBuffer = 0xffffffffU;  // of Term::Factor: a constant

// Nothing when the node is no sum of products. `variable` is left empty.
[[nodiscard]] std::optional<Accumulation> read_sum(const simt::Program& program,
                                                   const ValueGraph& graph, NodeId node);

// The same of any node: what it is made of as far as it is sums, differences and products of
// elements; `complete` says whether that is all of it.
[[nodiscard]] Accumulation read_linear(const simt::Program& program, const ValueGraph& graph,
                                       NodeId node);

// What was stored in memory, for a value that was loaded back from there: a sum that went through
// shared memory is still that sum.
[[nodiscard]] NodeId moved_sum(const ValueGraph& graph, NodeId node);

// The element of a buffer that a node was loaded from, through shared memory and negations perhaps;
// kUnknownNode: it was computed, or is not followed.
[[nodiscard]] NodeId loaded_element(const ValueGraph& graph, NodeId node);
// Of a node that is an element.
[[nodiscard]] ElementRef element_ref(const simt::Program& program, const ValueNode& element);

// Where a factor came from, through shared memory perhaps. `is_plain` becomes false if it was
// computed.
[[nodiscard]] Term::Factor read_factor(const simt::Program& program, const ValueGraph& graph,
                                       NodeId node, bool& is_plain);

}  // namespace tilestep::insight
