// Reads the sum of products that a node of a value graph stands for.
#pragma once

#include "insight/trace/origin.h"
#include "insight/trace/provenance.h"
#include "insight/trace/value_graph.h"
#include "simt/machine/machine.h"

#include <optional>

namespace tilestep::insight {

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
