#include "insight/trace/sum_homes.h"

#include "record/place_name.h"

#include <algorithm>
#include <tuple>

namespace tilestep::insight {
namespace {

// Something that held values of one thread: a variable, or a place in memory.
struct Holder {
  SumHome home;
  std::uint32_t thread = 0;
  bool of_kernel = true;   // a variable of the kernel itself, not of a function it called
  std::uint32_t line = 0;  // where a variable is declared
  std::vector<HeldValue> values;
};

std::vector<Holder> variables(const BlockFlow& flow) {
  std::vector<Holder> holders;
  for (const FlowTracker::History& history : flow.tracker().histories()) {
    const ptx::SourceVariable& source = flow.source(history);
    for (std::uint32_t thread = 0; thread < history.lanes.size(); ++thread) {
      if (!history.lanes[thread].empty()) {
        holders.push_back({{SumHome::Kind::Variable, source.name, source.name, 0},
                           thread,
                           history.function == flow.tables().entry,
                           source.decl_line,
                           history.lanes[thread]});
      }
    }
  }
  return holders;
}

void add_local_cells(const BlockFlow& flow, std::vector<Holder>& holders) {
  const auto cells = flow.tracker().local_cells();
  std::unordered_map<std::uint64_t, std::size_t> of_cell;
  for (const LocalValue& store : flow.tracker().local_stores()) {
    const std::uint64_t key = std::uint64_t{store.thread} << 32 | store.cell;
    const auto [it, is_new] = of_cell.try_emplace(key, holders.size());
    if (is_new) {
      const record::LocalPlaceName& name = cells[store.cell];
      holders.push_back({{SumHome::Kind::Variable, name.element, name.variable, name.offset},
                         store.thread,
                         true,
                         0,
                         {}});
    }
    holders[it->second].values.push_back({store.step + 1, store.node});
  }
}

void add_memory_cells(const BlockFlow& flow, std::vector<Holder>& holders) {
  std::unordered_map<std::uint64_t, std::size_t> of_cell;
  for (const StoredValue& store : flow.tracker().stores()) {
    const std::uint64_t key = store.address ^ std::uint64_t{store.thread} << 48;
    const auto [it, is_new] = of_cell.try_emplace(key, holders.size());
    if (is_new) {
      const bool shared =
          store.address / simt::kWindowBytes == simt::kSharedWindow / simt::kWindowBytes;
      const simt::Program& program = flow.program();
      holders.push_back({{shared ? SumHome::Kind::Shared : SumHome::Kind::Buffer,
                          record::place_name(program, program.locate(store.address, 4)),
                          {},
                          0},
                         store.thread,
                         true,
                         0,
                         {}});
    }
    holders[it->second].values.push_back({store.step + 1, store.node});
  }
}

// A variable before memory, one of the kernel before others, what is declared first before others.
using Preference = std::tuple<std::size_t, int, bool, std::int64_t>;
Preference preference(const Holder& holder, std::size_t held) {
  const bool is_variable = holder.home.kind == SumHome::Kind::Variable;
  const int kind = is_variable ? 2 : holder.home.kind == SumHome::Kind::Shared ? 1 : 0;
  return {held, kind, holder.of_kernel, -std::int64_t{holder.line}};
}

// Which holder held most of the nodes of each group.
class Ballot {
 public:
  Ballot(const std::vector<Holder>& holders, std::size_t groups)
      : holders_(holders), best_(groups) {}

  void add(NodeId node, std::uint32_t thread, std::size_t group) {
    groups_of_[std::uint64_t{thread} << 32 | node].push_back(static_cast<std::uint32_t>(group));
  }

  void count() {
    std::unordered_map<std::uint32_t, std::size_t> votes;
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      const Holder& holder = holders_[h];
      votes.clear();
      NodeId last = kUnknownNode;
      for (const HeldValue& value : holder.values) {
        if (value.node == last) {
          continue;
        }
        last = value.node;
        const auto found = groups_of_.find(std::uint64_t{holder.thread} << 32 | value.node);
        if (value.node != kUnknownNode && found != groups_of_.end()) {
          for (const std::uint32_t group : found->second) {
            ++votes[group];
          }
        }
      }
      for (const auto& [group, held] : votes) {
        auto& best = best_[group];
        const Preference mine = preference(holder, held);
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
  const std::vector<Holder>& holders_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> groups_of_;
  std::vector<std::optional<std::pair<Preference, std::size_t>>> best_;
};

std::string register_name(const simt::Program& program, const StoredValue& store) {
  const ptx::Function& function = program.module().functions[store.function];
  const auto found = std::find(function.registers.begin(), function.registers.end(), store.reg);
  const auto at = static_cast<std::size_t>(found - function.registers.begin());
  return at < function.register_names.size() ? function.register_names[at] : std::string();
}

// The step from which on the start stood in the holder: what it held just before the first value.
std::uint64_t assigned_from(const Holder& holder, const SumChain& chain) {
  if (chain.links.empty()) {
    for (const HeldValue& value : holder.values) {
      if (value.node == chain.root) {
        return value.step;
      }
    }
    return ~std::uint64_t{0};
  }
  const NodeId first = chain.links.front().node;
  const auto at = std::find_if(holder.values.begin(), holder.values.end(),
                               [first](const HeldValue& value) { return value.node == first; });
  const bool has_start =
      at != holder.values.end() && at != holder.values.begin() &&
      (std::prev(at)->node == chain.start || std::prev(at)->node == kUnknownNode);
  return has_start ? std::prev(at)->step : std::uint64_t{chain.links.front().step} + 1;
}

}  // namespace

std::vector<FoundHome> find_homes(const BlockFlow& flow, const LinearForms& forms,
                                  std::span<const HomeQuestion> questions) {
  std::vector<Holder> holders = variables(flow);
  add_local_cells(flow, holders);
  add_memory_cells(flow, holders);
  // Two groups a question: the sum, and what compensates it.
  Ballot ballot(holders, 2 * questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const SumChain& chain = *questions[q].chain;
    for (const SumLink& link : chain.links) {
      ballot.add(link.node, questions[q].thread, 2 * q);
      if (link.other != kUnknownNode) {
        ballot.add(link.other, questions[q].thread, 2 * q + 1);
      }
    }
  }
  ballot.count();
  std::vector<FoundHome> found(questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const SumChain& chain = *questions[q].chain;
    const Holder* holder = ballot.best(2 * q);
    found[q].assigned = chain.links.empty() ? questions[q].store->step
                                            : std::uint64_t{chain.links.front().step} + 1;
    if (holder != nullptr) {
      found[q].assigned = assigned_from(*holder, chain);
      found[q].home = holder->home;
    }
    // An element that is stored once is no place where the sum grows.
    const bool grows = holder != nullptr &&
                       (holder->home.kind != SumHome::Kind::Buffer || holder->values.size() > 1);
    if (!grows) {
      const std::string name = register_name(flow.program(), *questions[q].store);
      found[q].home = name.empty() ? SumHome{} : SumHome{SumHome::Kind::Register, name, {}, 0};
    }
    if (const Holder* kept = ballot.best(2 * q + 1); kept != nullptr) {
      found[q].compensation = kept->home;
      for (const HeldValue& value : kept->values) {
        if (value.node != kUnknownNode &&
            (forms.classify(value.node) == LinearForms::Class::Residue ||
             forms.classify(value.node) == LinearForms::Class::Constant)) {
          found[q].residues.push_back(value);
        }
      }
    } else {
      for (const SumLink& link : chain.links) {
        if (link.other != kUnknownNode) {
          found[q].residues.push_back(
              {std::uint64_t{flow.graph()[link.other].step} + 1, link.other});
        }
      }
    }
  }
  return found;
}

}  // namespace tilestep::insight
