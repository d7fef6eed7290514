// The role of every value of a graph in a product of two matrices: from A, from B, a sum, or none.
#pragma once

#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"
#include "insight/trace/sums.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

class ValueRoles {
 public:
  ValueRoles() = default;  // without any values
  ValueRoles(const BlockFlow& flow, const LinearForms& forms);

  [[nodiscard]] std::optional<BlockSums::Factors> factors() const { return factors_; }
  [[nodiscard]] ValueRole of(const std::string& name) const;
  // Role of the value that a 4-byte word of shared memory holds at a step.
  [[nodiscard]] ValueRole of_shared(std::size_t word, std::uint64_t step) const;

 private:
  // Roles seen for a name. Constants are ignored.
  struct Seen {
    bool any = false;
    bool mixed = false;
    ValueRole first = ValueRole::None;
    void add(ValueRole role);
    [[nodiscard]] ValueRole role() const { return mixed ? ValueRole::None : first; }
  };

  void find_factors(const ValueGraph& graph);
  void classify(const ValueGraph& graph, const LinearForms& forms);
  void see(Seen& seen, NodeId node) const;
  void see_names(const BlockFlow& flow);
  void see_shared(std::size_t word, const StoredValue& store);
  // Its first role.
  [[nodiscard]] ValueRole first_of_shared(std::size_t word) const;

  std::optional<BlockSums::Factors> factors_;
  std::vector<std::optional<ValueRole>> roles_;  // by node; empty: a constant
  std::map<std::string, Seen> names_;
  // Role of a word of shared memory since a step; one entry per change.
  struct Held {
    std::uint64_t since = 0;
    ValueRole role = ValueRole::None;  // constants have none
  };
  std::vector<std::vector<Held>> shared_;
};

}  // namespace tilestep::insight
