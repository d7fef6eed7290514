// Sums of products in a graph of values: as linear forms, as chains of additions, written out; and
// the places that held their values.
#pragma once

#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"
#include "insight/trace/origin.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilestep::insight {

// Every value of a graph as a sum of atoms (products, elements, values that are not followed),
// summarized in a few numbers: enough to compare values without writing out their sums.
//
// A value's form is linear in the forms of its summands, so each form takes one addition. Values
// that cancel out symbolically ((t - sum) - y with t = sum + y, the rounding error that a
// compensated sum keeps) have the form 0.

struct LinearForm {
  std::uint64_t mix = 0;         // sum of one random number for each atom
  std::int32_t atoms = 0;        // added minus subtracted; ± (2^31 - 1) also represents larger
                                 // numbers
  std::int32_t products = 0;     // products among them
  bool has_atoms = false;        // it was computed from atoms, even if they cancel out
  NodeId latest = kUnknownNode;  // the latest product in it, even if it cancels out
};

class LinearForms {
 public:
  explicit LinearForms(const ValueGraph& graph);

  enum class Class : std::uint8_t {
    Constant,
    Residue,  // computed, and all atoms cancel out: the rounding error
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

// The successive values of a sum up to the stored one, read from the graph alone: the variables,
// arrays or registers that held them do not matter.

// One value of a growing sum.
struct SumLink {
  NodeId node = kUnknownNode;
  NodeId added = kUnknownNode;    // what the previous value was increased by
  NodeId product = kUnknownNode;  // the one product in `added`, apart from rounding errors
  bool subtracts = false;         // `added` is subtracted
  bool joins = false;             // `added` is itself a sum of several terms
};

struct SumChain {
  NodeId root = kUnknownNode;   // stored value
  NodeId start = kUnknownNode;  // start of the sum: a constant or an element; kUnknownNode: none
  std::vector<SumLink> links;   // in order of computation
};

// `thread`: the owner's. If two sums are added, the owner's is followed.
[[nodiscard]] SumChain follow_sum(const ValueGraph& graph, const LinearForms& forms, NodeId root,
                                  std::uint32_t thread);

// The earlier rounding error that an added value compensates for; kUnknownNode: none.
[[nodiscard]] NodeId residue_in(const ValueGraph& graph, const LinearForms& forms, NodeId added);

// Reads the sum of products of a node of a value graph.

inline constexpr std::uint32_t kNoBuffer = 0xffffffffU;  // of Term::Factor: a constant

// Empty if the node is not a sum of products. `variable` stays empty.
[[nodiscard]] std::optional<Accumulation> read_sum(const simt::Program& program,
                                                   const ValueGraph& graph, NodeId node);

// The same for any node: its sums, differences and products of elements. `complete` says whether
// that is all of it.
[[nodiscard]] Accumulation read_linear(const simt::Program& program, const ValueGraph& graph,
                                       NodeId node);

// For a value that was loaded back from memory, the value that was stored there: a sum that passed
// through shared memory is still that sum.
[[nodiscard]] NodeId moved_sum(const ValueGraph& graph, NodeId node);

// The element of a buffer that a node was loaded from, also through shared memory and negations;
// kUnknownNode: it was computed, or is not followed.
[[nodiscard]] NodeId loaded_element(const ValueGraph& graph, NodeId node);
// For a node that is an element.
[[nodiscard]] ElementRef element_ref(const simt::Program& program, const ValueNode& element);

// The origin of a factor, also through shared memory. `is_plain` becomes false if it was computed.
[[nodiscard]] Term::Factor read_factor(const simt::Program& program, const ValueGraph& graph,
                                       NodeId node, bool& is_plain);

// The places that held the values of sums, found by searching everything that held values.

// A sum whose home is searched. `store`: the last store of it.
struct HomeQuestion {
  const SumChain* chain = nullptr;
  std::uint32_t thread = 0;
  const StoredValue* store = nullptr;
};

struct FoundHome {
  SumHome home;  // of most values
  // The other values, by their links, and the places that held them: `part` of a tile, before it is
  // added.
  struct Elsewhere {
    std::size_t link = 0;
    SumHome home;  // None: no place
  };
  std::vector<Elsewhere> elsewhere;
  std::uint64_t until = ~std::uint64_t{0};  // from this step on the home holds something else
  SumHome compensation;
  // Compensated sum, by link: the step from which on the home has the value, which another variable
  // held before. Empty: from its computation on.
  std::vector<std::uint64_t> landed;
  std::uint64_t assigned = 0;       // step from which on the home held the start; see SumNow
  std::vector<HeldValue> residues;  // values of the compensation, by step
};

// One answer for each question.
[[nodiscard]] std::vector<FoundHome> find_homes(const BlockFlow& flow, const LinearForms& forms,
                                                std::span<const HomeQuestion> questions);

}  // namespace tilestep::insight
