#include "insight/trace/sums.h"
#include "record/place_name.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tilestep::insight {
namespace {

// Something that held values of one thread: a variable, or a place in memory.
struct Holder {
  SumHome home;
  std::uint32_t thread = 0;
  bool of_kernel = true;         // a variable of the kernel itself, not of a function it called
  std::uint32_t line = 0xffffU;  // line of a variable's declaration; memory sorts after all
                                 // variables
  const std::vector<HeldValue>* held = nullptr;  // of a variable
  std::vector<HeldValue> stored = {};            // of a place in memory

  [[nodiscard]] const std::vector<HeldValue>& values() const {
    return held != nullptr ? *held : stored;
  }
};

void add_variables(const BlockFlow& flow, std::vector<Holder>& holders) {
  for (const FlowTracker::History& history : flow.tracker().histories()) {
    const ptx::SourceVariable& source = flow.source(history);
    for (std::uint32_t thread = 0; thread < history.lanes.size(); ++thread) {
      if (!history.lanes[thread].empty()) {
        holders.push_back({.home = {SumHome::Kind::Variable, source.name, source.name, 0},
                           .thread = thread,
                           .of_kernel = history.function == flow.tables().entry,
                           .line = source.decl_line,
                           .held = &history.lanes[thread]});
      }
    }
  }
}

void add_local_cells(const BlockFlow& flow, std::vector<Holder>& holders) {
  const auto cells = flow.tracker().local_cells();
  std::unordered_map<std::uint64_t, std::size_t> of_cell;
  for (const LocalValue& store : flow.tracker().local_stores()) {
    const std::uint64_t key = std::uint64_t{store.thread} << 32 | store.cell;
    const auto [it, is_new] = of_cell.try_emplace(key, holders.size());
    if (is_new) {
      const record::LocalPlaceName& name = cells[store.cell];
      holders.push_back(
          {.home = {SumHome::Kind::Variable, name.element, name.variable, name.offset},
           .thread = store.thread});
    }
    holders[it->second].stored.push_back({store.step + 1, store.node});
  }
}

void add_memory_cells(const BlockFlow& flow, std::vector<Holder>& holders) {
  const simt::Program& program = flow.program();
  std::unordered_map<std::uint64_t, std::size_t> of_cell;
  for (const StoredValue& store : flow.tracker().stores()) {
    const std::uint64_t key = store.address ^ std::uint64_t{store.thread} << 48;
    const auto [it, is_new] = of_cell.try_emplace(key, holders.size());
    if (is_new) {
      const bool shared =
          store.address / simt::kWindowBytes == simt::kSharedWindow / simt::kWindowBytes;
      holders.push_back({.home = {shared ? SumHome::Kind::Shared : SumHome::Kind::Buffer,
                                  record::place_name(program, program.locate(store.address, 4)),
                                  {},
                                  0},
                         .thread = store.thread});
    }
    holders[it->second].stored.push_back({store.step + 1, store.node});
  }
}

// Order of preference: the larger sum before a part of it (`sum` before `part`, which is added to
// it), the holder of more of its values, a variable before memory, a variable of the kernel before
// others, an earlier declaration before later ones.
struct Votes {
  std::int64_t products = 0;  // of the largest value
  std::size_t held = 0;       // values
};
using Preference = std::tuple<std::int64_t, std::size_t, int, bool, std::int64_t>;
Preference preference(const Holder& holder, const Votes& votes) {
  const bool is_variable = holder.home.kind == SumHome::Kind::Variable;
  const int kind = is_variable ? 2 : holder.home.kind == SumHome::Kind::Shared ? 1 : 0;
  // A holder of only one of its values, the last, is its destination and not its home.
  const std::int64_t products = votes.held > 1 ? votes.products : 0;
  return {products, votes.held, kind, holder.of_kernel, -std::int64_t{holder.line}};
}

// Finds the holder of most of the nodes of each group. A group belongs to one thread.
class Ballot {
 public:
  Ballot(const std::vector<Holder>& holders, const LinearForms& forms, std::size_t nodes,
         std::size_t groups)
      : holders_(holders),
        forms_(forms),
        group_of_(nodes, kNone),
        thread_of_(groups),
        best_(groups) {}

  void add(NodeId node, std::uint32_t thread, std::size_t group) {
    thread_of_[group] = thread;
    if (group_of_[node] == kNone) {
      group_of_[node] = static_cast<std::uint32_t>(group);
    } else {
      more_groups_of_[node].push_back(static_cast<std::uint32_t>(group));
    }
  }

  void count() {
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      const Holder& holder = holders_[h];
      votes_.clear();
      NodeId last = kUnknownNode;
      for (const HeldValue& value : holder.values()) {
        if (value.node != last && group_of_[value.node] != kNone) {
          vote(holder.thread, value.node);
        }
        last = value.node;
      }
      for (const auto& [group, votes] : votes_) {
        auto& best = best_[group];
        const Preference mine = preference(holder, votes);
        if (!best || mine > best->first) {
          best = {mine, h};
        }
      }
    }
  }

  [[nodiscard]] const Holder* best(std::size_t group) const {
    return best_[group] ? &holders_[best_[group]->second] : nullptr;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  void vote(std::uint32_t thread, NodeId node) {
    const auto products = std::abs(std::int64_t{forms_[node].products});
    const auto one = [this, thread, products](std::uint32_t group) {
      if (thread_of_[group] == thread) {
        Votes& votes = votes_[group];
        votes.products = std::max(votes.products, products);
        ++votes.held;
      }
    };
    one(group_of_[node]);
    if (const auto more = more_groups_of_.find(node); more != more_groups_of_.end()) {
      std::ranges::for_each(more->second, one);
    }
  }

  const std::vector<Holder>& holders_;
  const LinearForms& forms_;
  std::vector<std::uint32_t> group_of_;  // by node: the first group that contains it
  std::unordered_map<NodeId, std::vector<std::uint32_t>> more_groups_of_;
  std::vector<std::uint32_t> thread_of_;
  std::unordered_map<std::uint32_t, Votes> votes_;
  std::vector<std::optional<std::pair<Preference, std::size_t>>> best_;
};

std::string register_name(const simt::Program& program, const StoredValue& store) {
  const ptx::Function& function = program.module().functions[store.function];
  const auto found = std::ranges::find(function.registers, store.reg);
  const auto at = static_cast<std::size_t>(found - function.registers.begin());
  return at < function.register_names.size() ? function.register_names[at] : std::string();
}

// The step from which on the holder held the start: its last value before the sum's first value.
std::uint64_t assigned_from(const ValueGraph& graph, const Holder& holder, const SumChain& chain) {
  if (chain.links.empty()) {
    for (const HeldValue& value : holder.values()) {
      if (value.node == chain.root) {
        return value.step;
      }
    }
    return ~std::uint64_t{0};
  }
  const NodeId first = chain.links.front().node;
  const auto at = std::ranges::find_if(
      holder.values(), [first](const HeldValue& value) { return value.node == first; });
  const bool has_start =
      at != holder.values().end() && at != holder.values().begin() &&
      (std::prev(at)->node == chain.start || std::prev(at)->node == kUnknownNode);
  return has_start ? std::prev(at)->step : std::uint64_t{graph[chain.links.front().node].step} + 1;
}

// The compensation of a sum, step by step.
std::vector<HeldValue> residues(const ValueGraph& graph, const LinearForms& forms,
                                const SumChain& chain, const Holder* kept) {
  std::vector<HeldValue> found;
  if (kept != nullptr) {
    for (const HeldValue& value : kept->values()) {
      const LinearForms::Class form = forms.classify(value.node);
      if (value.node != kUnknownNode &&
          (form == LinearForms::Class::Residue || form == LinearForms::Class::Constant)) {
        found.push_back(value);
      }
    }
    return found;
  }
  for (const SumLink& link : chain.links) {
    if (const NodeId residue = residue_in(graph, forms, link.added); residue != kUnknownNode) {
      found.push_back({std::uint64_t{graph[residue].step} + 1, residue});
    }
  }
  return found;
}

// The values of a sum that its home never held, and the step from which on the home holds something
// else.
void find_elsewhere(const Holder& holder, const SumChain& chain, FoundHome& found) {
  std::vector<NodeId> held;
  for (const HeldValue& value : holder.values()) {
    held.push_back(value.node);
  }
  std::ranges::sort(held);
  NodeId last = kUnknownNode;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    if (std::ranges::binary_search(held, chain.links[i].node)) {
      last = chain.links[i].node;
    } else {
      found.elsewhere.push_back({i, {}});
    }
  }
  const auto& values = holder.values();
  const auto reversed = std::find_if(values.rbegin(), values.rend(),
                                     [last](const HeldValue& v) { return v.node == last; });
  if (last != kUnknownNode && reversed != values.rbegin() && reversed != values.rend()) {
    found.until = reversed.base()->step;
  }
}

std::vector<std::uint64_t> landings(const ValueGraph& graph, const Holder& holder,
                                    const SumChain& chain) {
  std::unordered_map<NodeId, std::uint64_t> held;
  for (const HeldValue& value : holder.values()) {
    held.try_emplace(value.node, value.step);
  }
  std::vector<std::uint64_t> landed;
  for (const SumLink& link : chain.links) {
    const auto found = held.find(link.node);
    const std::uint64_t from =
        found != held.end() ? found->second : std::uint64_t{graph[link.node].step} + 1;
    landed.push_back(landed.empty() ? from : std::max(from, landed.back()));
  }
  return landed;
}

// The places that held those values.
void name_elsewhere(const std::vector<Holder>& holders, std::span<const HomeQuestion> questions,
                    std::vector<FoundHome>& found) {
  struct Place {
    std::size_t question = 0;
    std::size_t at = 0;  // in `elsewhere`
  };
  std::unordered_multimap<NodeId, Place> places;
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (std::size_t k = 0; k < found[q].elsewhere.size(); ++k) {
      places.emplace(questions[q].chain->links[found[q].elsewhere[k].link].node, Place{q, k});
    }
  }
  if (places.empty()) {
    return;
  }
  for (const Holder& holder : holders) {
    for (const HeldValue& value : holder.values()) {
      const auto [first, last] = places.equal_range(value.node);
      for (auto it = first; it != last; ++it) {
        SumHome& home = found[it->second.question].elsewhere[it->second.at].home;
        if (holder.thread == questions[it->second.question].thread && holder.of_kernel &&
            home.kind == SumHome::Kind::None && holder.home.kind == SumHome::Kind::Variable) {
          home = holder.home;
        }
      }
    }
  }
}

}  // namespace

std::vector<FoundHome> find_homes(const BlockFlow& flow, const LinearForms& forms,
                                  std::span<const HomeQuestion> questions) {
  const ValueGraph& graph = flow.graph();
  std::vector<Holder> holders;
  add_variables(flow, holders);
  add_local_cells(flow, holders);
  add_memory_cells(flow, holders);
  // Two groups for each question: the sum, and its compensation.
  Ballot ballot(holders, forms, graph.size(), 2 * questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    for (const SumLink& link : questions[q].chain->links) {
      ballot.add(link.node, questions[q].thread, 2 * q);
      const NodeId residue = residue_in(graph, forms, link.added);
      if (residue != kUnknownNode) {
        ballot.add(residue, questions[q].thread, 2 * q + 1);
      }
    }
  }
  ballot.count();
  std::vector<FoundHome> found(questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const SumChain& chain = *questions[q].chain;
    const Holder* holder = ballot.best(2 * q);
    found[q].assigned = holder != nullptr ? assigned_from(graph, *holder, chain)
                        : chain.links.empty()
                            ? questions[q].store->step
                            : std::uint64_t{graph[chain.links.front().node].step} + 1;
    // An element that is stored once is not the place where the sum grows.
    const bool grows = holder != nullptr &&
                       (holder->home.kind != SumHome::Kind::Buffer || holder->values().size() > 1);
    if (grows) {
      found[q].home = holder->home;
      find_elsewhere(*holder, chain, found[q]);
    } else if (const std::string name = register_name(flow.program(), *questions[q].store);
               !name.empty()) {
      found[q].home = {SumHome::Kind::Register, name, {}, 0};
    }
    const Holder* kept = ballot.best(2 * q + 1);
    found[q].compensation = kept != nullptr ? kept->home : SumHome{};
    found[q].residues = residues(graph, forms, chain, kept);
    if (grows && kept != nullptr) {
      found[q].landed = landings(graph, *holder, chain);
    }
  }
  name_elsewhere(holders, questions, found);
  return found;
}

}  // namespace tilestep::insight
