// What every value of a graph is as a sum of atoms (products, elements, values that are not
// followed), in a few numbers: enough to compare values without writing their sums out.
//
// A value's form is linear in those of the values it was added up from, so each takes one addition.
// What cancels out symbolically ((t - sum) - y where t = sum + y) has the form 0: the rounding
// error that a compensated sum keeps.
#pragma once

#include "insight/trace/value_graph.h"

#include <cstdint>
#include <vector>

namespace tilestep::insight {

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

}  // namespace tilestep::insight
