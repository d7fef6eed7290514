#include "insight/trace/value_roles.h"

#include "record/place_name.h"

#include <algorithm>
#include <utility>

namespace tilestep::insight {
namespace {

using Kind = ValueNode::Kind;

// The buffer that a value was loaded from, also through shared memory.
std::optional<std::uint32_t> buffer_of(const ValueGraph& graph, NodeId node) {
  const NodeId element = loaded_element(graph, node);
  return element == kUnknownNode ? std::nullopt : std::optional(graph[element].a);
}

// "As" of "As[1][2]", "a4" of "a4.x".
std::string without_index(const std::string& name) {
  return name.substr(0, name.find_first_of("[.+"));
}

}  // namespace

void ValueRoles::Seen::add(ValueRole role) {
  mixed = mixed || (any && role != first);
  first = any ? first : role;
  any = true;
}

ValueRoles::ValueRoles(const BlockFlow& flow, const LinearForms& forms)
    : shared_((flow.program().shared_room() + 3) / 4) {
  find_factors(flow.graph());
  classify(flow.graph(), forms);
  see_names(flow);
}

void ValueRoles::find_factors(const ValueGraph& graph) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> pairs;
  for (NodeId id = 1; id < graph.size(); ++id) {
    if (graph[id].kind != Kind::Product) {
      continue;
    }
    const auto a = buffer_of(graph, graph[id].a);
    const auto b = buffer_of(graph, graph[id].b);
    if (a && b && *a != *b) {
      ++pairs[std::minmax(*a, *b)];
    }
  }
  const auto most = std::ranges::max_element(
      pairs, [](const auto& x, const auto& y) { return x.second < y.second; });
  if (most != pairs.end()) {
    factors_ = {most->first.first, most->first.second};
  }
}

void ValueRoles::classify(const ValueGraph& graph, const LinearForms& forms) {
  roles_.resize(graph.size(), ValueRole::None);
  for (NodeId id = 1; id < graph.size(); ++id) {
    const ValueNode& node = graph[id];
    std::optional<ValueRole>& role = roles_[id];
    switch (node.kind) {
      case Kind::Constant:
        role = std::nullopt;
        break;
      case Kind::Element:
        if (factors_ && node.a == factors_->a) {
          role = ValueRole::A;
        } else if (factors_ && node.a == factors_->b) {
          role = ValueRole::B;
        }
        break;
      case Kind::Shared:
      case Kind::Returned:
      case Kind::Negation:
        role = roles_[node.a];
        break;
      case Kind::Product:
        if (factors_ && buffer_of(graph, node.a) && buffer_of(graph, node.b)) {
          role = ValueRole::Sum;
        } else {
          // A product with padding, or of a sum with a constant.
          const auto a = roles_[node.a];
          const auto b = roles_[node.b];
          const bool sums = a == ValueRole::Sum || b == ValueRole::Sum;
          role = sums     ? std::optional(ValueRole::Sum)
                 : a && b ? std::optional(ValueRole::None)
                          : std::nullopt;
        }
        break;
      case Kind::Sum:
      case Kind::Difference: {
        const bool adds = forms.classify(id) == LinearForms::Class::Sum ||
                          roles_[node.a] == ValueRole::Sum || roles_[node.b] == ValueRole::Sum;
        const bool constant = !roles_[node.a] && !roles_[node.b];
        role = adds       ? std::optional(ValueRole::Sum)
               : constant ? std::nullopt
                          : std::optional(ValueRole::None);
        break;
      }
      case Kind::Unknown:
        break;
    }
  }
}

void ValueRoles::see(Seen& seen, NodeId node) const {
  if (node != kUnknownNode && roles_[node]) {
    seen.add(*roles_[node]);
  }
}

void ValueRoles::see_shared(std::size_t word, const StoredValue& store) {
  const bool is_known = store.node != kUnknownNode && roles_[store.node];
  const ValueRole role = is_known ? *roles_[store.node] : ValueRole::None;
  std::vector<Held>& held = shared_[word];
  if (held.empty() ? role != ValueRole::None : held.back().role != role) {
    held.push_back({store.step, role});
  }
}

ValueRole ValueRoles::first_of_shared(std::size_t word) const {
  return word < shared_.size() && !shared_[word].empty() ? shared_[word].front().role
                                                         : ValueRole::None;
}

ValueRole ValueRoles::of_shared(std::size_t word, std::uint64_t step) const {
  ValueRole role = ValueRole::None;
  if (word < shared_.size()) {
    for (const Held& held : shared_[word]) {
      role = held.since < step ? held.role : role;
    }
  }
  return role;
}

void ValueRoles::see_names(const BlockFlow& flow) {
  const simt::Program& program = flow.program();
  for (const StoredValue& store : flow.tracker().stores()) {
    const auto place = program.locate(store.address, 4);
    if (place.allocation == simt::kNoAllocation) {
      continue;
    }
    see(names_[program.allocations()[place.allocation].name], store.node);
    const bool shared =
        store.address / simt::kWindowBytes == simt::kSharedWindow / simt::kWindowBytes;
    const std::size_t word = store.address % simt::kWindowBytes / 4;
    if (shared && word < shared_.size()) {
      see_shared(word, store);
    }
  }
  for (const LocalValue& store : flow.tracker().local_stores()) {
    see(names_[flow.tracker().local_cells()[store.cell].variable], store.node);
  }
  for (const FlowTracker::History& history : flow.tracker().histories()) {
    Seen& seen = names_[flow.source(history).name];
    for (const auto& lane : history.lanes) {
      for (const HeldValue& held : lane) {
        see(seen, held.node);
      }
    }
  }
  // A view of dynamic shared memory has the role of the first elements in its words: its name is
  // also a pointer's, and the memory may hold sums after the last tile.
  for (const simt::Array& view : program.arrays()) {
    Seen seen;
    for (std::uint64_t at = 0; view.is_view() && at < view.bytes; at += 4) {
      const std::size_t word = (view.base + at) % simt::kWindowBytes / 4;
      const ValueRole first = first_of_shared(word);
      if (first == ValueRole::A || first == ValueRole::B) {
        seen.add(first);
      }
    }
    if (seen.any) {
      names_[view.name] = seen;
    }
  }
  // A buffer's own name has precedence, so it is last: a parameter may have another buffer's name.
  if (factors_) {
    const auto& buffers = program.launch().buffers;
    names_[buffers[factors_->a].name] = {true, false, ValueRole::A};
    names_[buffers[factors_->b].name] = {true, false, ValueRole::B};
  }
  roles_ = {};  // as large as the graph, and not needed any more
}

ValueRole ValueRoles::of(const std::string& name) const {
  const auto found = names_.find(without_index(name));
  return found == names_.end() ? ValueRole::None : found->second.role();
}

}  // namespace tilestep::insight
