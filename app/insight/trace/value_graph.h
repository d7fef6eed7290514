// Where values came from, as a graph: elements of buffers, constants, and what was done with them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

using NodeId = std::uint32_t;
inline constexpr NodeId kUnknownNode = 0;

struct ValueNode {
  enum class Kind : std::uint8_t {
    Unknown,
    Constant,    // a literal, or a value that is not followed; `value`
    Element,     // a: launch buffer, b: element; thread: who loaded it
    Shared,      // a: what was stored in the word, b: the word; thread: who stored it
    Returned,    // read back from a buffer. a: what this block had stored there; thread: who did
    Product,     // a · b
    Sum,         // a + b
    Difference,  // a - b
    Negation,    // -a
  };
  Kind kind = Kind::Unknown;
  std::uint32_t thread = 0;  // linear in the block; of products and sums: who computed them
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t step = 0;
  float value = 0.0F;
};

// A float's or a double's bits as a number.
[[nodiscard]] inline float float_of_bits(std::uint64_t bits, bool is_double) {
  return is_double ? static_cast<float>(std::bit_cast<double>(bits))
                   : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

class ValueGraph {
 public:
  ValueGraph() : nodes_(1) {}

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const ValueNode& operator[](NodeId id) const { return nodes_[id]; }
  [[nodiscard]] ValueNode& operator[](NodeId id) { return nodes_[id]; }
  NodeId add(const ValueNode& node) {
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  // Nothing more is added.
  void finish() { nodes_.shrink_to_fit(); }
  // The same constant is the same node.
  NodeId constant(float value);

 private:
  std::vector<ValueNode> nodes_;
  std::unordered_map<std::uint32_t, NodeId> constants_;  // by bits
};

}  // namespace tilestep::insight
