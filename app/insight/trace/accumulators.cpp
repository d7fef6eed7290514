#include "insight/trace/accumulators.h"

#include "insight/trace/flow_tracker.h"
#include "insight/trace/sums.h"
#include "insight/trace/value_roles.h"
#include "record/place_name.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tilestep::insight {
namespace {

using Kind = ValueNode::Kind;

auto order(const OwnedSum& sum) {
  return std::tuple(sum.thread, sum.at.launch_buffer, sum.at.row, sum.at.col);
}

// The last store of each thread to each element of a buffer.
class LastStores {
 public:
  struct Stored {
    OwnedSum sum;
    const StoredValue* store = nullptr;
  };

  LastStores(const BlockFlow& flow, const record::Recording& recording, std::uint32_t block)
      : flow_(flow) {
    for (const StoredValue& store : flow.tracker().stores()) {
      if (const auto buffer = flow.tables().buffer_at(store.address); buffer) {
        add(store, *buffer);
      }
    }
    const record::State end = recording.state_at(recording.step_count());
    for (Stored& stored : stored_) {
      const record::Writer last = end.buffer_writer(stored.sum.at.launch_buffer,
                                                    stored.store->address % simt::kWindowBytes / 4);
      stored.sum.overwritten =
          last.written && (last.block != block || last.thread != stored.sum.thread);
    }
    std::ranges::sort(stored_,
                      [](const Stored& x, const Stored& y) { return order(x.sum) < order(y.sum); });
  }

  [[nodiscard]] const std::vector<Stored>& stored() const { return stored_; }

 private:
  void add(const StoredValue& store, std::uint32_t buffer) {
    const auto [it, is_new] = of_.try_emplace({store.thread, store.address}, stored_.size());
    if (is_new) {
      const record::BufferElement at =
          record::buffer_element(flow_.program().launch().buffers[buffer],
                                 static_cast<std::int64_t>(store.address % simt::kWindowBytes));
      Stored stored;
      stored.sum.thread = store.thread;
      stored.sum.at = {buffer, static_cast<int>(at.row), static_cast<int>(at.col)};
      stored_.push_back(stored);
    }
    Stored& stored = stored_[it->second];
    stored.store = &store;
    stored.sum.stored = store.step;
    stored.sum.atomic = store.atomic;
  }

  const BlockFlow& flow_;
  std::vector<Stored> stored_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> of_;
};

}  // namespace

// Limit on the links of all parts of a block's sums together; a part of a sum counts as often as it
// is added.
constexpr std::size_t kMostPartLinks = std::size_t{1} << 21U;
constexpr std::size_t kMostParts = std::size_t{1} << 16U;

struct BlockSums::Impl {
  Impl(const record::Recording& recording, std::uint32_t the_block, std::size_t most_values,
       const std::atomic<bool>* cancel)
      : block(the_block),
        flow(recording, the_block, recording.step_count(), Settle::Exactly, most_values, cancel) {
    if (flow.is_cancelled()) {
      return;
    }
    forms = std::make_unique<LinearForms>(flow.graph());
    roles = ValueRoles(flow, *forms);
    if (flow.is_too_large()) {
      fallback_name = growing_variable();
    } else {
      find_sums(recording);
      find_brought();
    }
    forms.reset();
    flow.forget_stores();
  }

  void find_brought() {
    for (const StoredValue& store : flow.tracker().stores()) {
      const bool shared =
          store.address / simt::kWindowBytes == simt::kSharedWindow / simt::kWindowBytes;
      if (shared && flow.graph()[store.node].kind == Kind::Element) {
        brought.push_back({store.step, store.address, store.thread,
                           element_ref(flow.program(), flow.graph()[store.node])});
      }
    }
    std::ranges::stable_sort(brought, {}, &Brought::step);
  }

  void find_sums(const record::Recording& recording) {
    const LastStores last(flow, recording, block);
    std::vector<HomeQuestion> questions;
    chains.reserve(last.stored().size());
    for (const LastStores::Stored& stored : last.stored()) {
      if (flow.is_cancelled()) {
        sums.clear();
        return;
      }
      sums.push_back(stored.sum);
      // Integers are also moved as words, but their bits are no numbers of these sums.
      const problem::ElementType type =
          recording.program().launch().buffers[stored.sum.at.launch_buffer].type;
      const bool is_followed =
          type == problem::ElementType::F32 || type == problem::ElementType::F64;
      chains.push_back(follow_sum(flow.graph(), *forms,
                                  is_followed ? stored.store->node : kUnknownNode,
                                  stored.sum.thread));
      sums.back().kind = kind_of(chains.back());
      questions.push_back({&chains.back(), stored.sum.thread, stored.store});
    }
    follow_parts();
    homes = find_homes(flow, *forms, questions);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i].home = homes[i].home;
      sums[i].compensation = homes[i].compensation;
    }
  }

  [[nodiscard]] SumKind kind_of(const SumChain& chain) const {
    const NodeId root = moved_sum(flow.graph(), chain.root);
    if (root == kUnknownNode) {
      return SumKind::Untraced;
    }
    const auto multiplies = [this](const SumLink& link) {
      return (*forms)[link.node].products != 0 && (*forms)[link.node].mix != 0;
    };
    return std::ranges::any_of(chain.links, multiplies) ? SumKind::Products : SumKind::Other;
  }

  // Parts may have parts: a shuffle adds sums that earlier shuffles have computed.
  void follow_parts() {
    const ValueGraph& graph = flow.graph();
    std::vector<NodeId> wanted;
    const auto want = [&](const SumChain& chain) {
      for (const SumLink& link : chain.links) {
        if (link.joins) {
          wanted.push_back(link.added);
        }
      }
    };
    std::ranges::for_each(chains, want);
    std::size_t links = 0;
    while (!wanted.empty()) {
      const NodeId added = wanted.back();
      wanted.pop_back();
      if (parts.contains(added)) {
        continue;
      }
      const std::uint32_t thread = graph[moved_sum(graph, added)].thread;
      const SumChain& part =
          parts.emplace(added, follow_sum(graph, *forms, added, thread)).first->second;
      links += part.links.size();
      if (links > kMostPartLinks || flow.is_cancelled()) {
        forget_parts();
        return;
      }
      want(part);
    }
  }

  // A kernel that adds its own sums to themselves in each round has an endless number of parts:
  // report none.
  void forget_parts() {
    knows_parts = false;
    parts.clear();
    for (SumChain& chain : chains) {
      for (SumLink& link : chain.links) {
        link.joins = false;
      }
    }
  }

  // The step at which a sum got the value of a link.
  [[nodiscard]] std::uint64_t step_of(std::size_t sum, const SumLink& link) const {
    const auto& landed = homes[sum].landed;
    return landed.empty() ? flow.graph()[link.node].step
                          : landed[static_cast<std::size_t>(&link - chains[sum].links.data())] - 1;
  }

  // Index of the newest value at a step; empty before the first one.
  [[nodiscard]] std::optional<std::size_t> newest(std::size_t sum, std::uint64_t step) const {
    const auto& links = chains[sum].links;
    const auto after = std::ranges::partition_point(
        links, [&](const SumLink& link) { return step_of(sum, link) < step; });
    return after == links.begin()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(after - links.begin()) - 1);
  }

  // The product that a link adds; empty if it adds something else.
  [[nodiscard]] std::optional<Term> product_of(const SumLink& link) const {
    if (link.product == kUnknownNode) {
      return std::nullopt;
    }
    Accumulation one = read_linear(flow.program(), flow.graph(), link.product);
    if (one.terms.size() != 1) {
      return std::nullopt;
    }
    Term term = std::move(one.terms.front());
    term.times = link.subtracts ? -term.times : term.times;
    term.step = flow.graph()[link.node].step;
    return term;
  }

  [[nodiscard]] std::optional<float> residue(std::size_t sum, std::uint64_t step) const {
    const auto& values = homes[sum].residues;
    const auto after = std::partition_point(
        values.begin(), values.end(), [step](const HeldValue& held) { return held.step <= step; });
    return after == values.begin() ? std::nullopt
                                   : std::optional(flow.graph()[std::prev(after)->node].value);
  }

  // The final stores are unknown here. Returns the kernel's variable that has held most sums of
  // products so far.
  [[nodiscard]] std::string growing_variable() const {
    std::map<std::string, std::size_t> counts;
    for (const FlowTracker::History& history : flow.tracker().histories()) {
      for (const HeldValue& held : history.lanes.front()) {
        const bool grows = history.function == flow.tables().entry &&
                           forms->classify(held.node) == LinearForms::Class::Sum &&
                           (*forms)[held.node].products != 0;
        counts[flow.source(history).name] += grows ? 1U : 0U;
      }
    }
    for (const LocalValue& held : flow.tracker().local_stores()) {
      const bool grows = held.thread == 0 &&
                         forms->classify(held.node) == LinearForms::Class::Sum &&
                         (*forms)[held.node].products != 0;
      counts[flow.tracker().local_cells()[held.cell].variable] += grows ? 1U : 0U;
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
    return most == counts.end() || most->second == 0 ? std::string() : most->first;
  }

  std::uint32_t block;
  BlockFlow flow;
  std::unique_ptr<LinearForms> forms;  // as large as the graph; released when the sums are found
  ValueRoles roles;
  std::vector<Brought> brought;
  std::string fallback_name;
  std::vector<OwnedSum> sums;
  std::vector<SumChain> chains;  // parallel to sums
  std::vector<FoundHome> homes;  // parallel to sums
  bool knows_parts = true;
  std::unordered_map<NodeId, SumChain> parts;  // sums that are added to another, by their values
};

BlockSums::BlockSums(const record::Recording& recording, std::uint32_t block,
                     std::size_t most_values, const std::atomic<bool>* cancel)
    : impl_(std::make_unique<Impl>(recording, block, most_values, cancel)) {}
BlockSums::~BlockSums() = default;
BlockSums::BlockSums(BlockSums&&) noexcept = default;
BlockSums& BlockSums::operator=(BlockSums&&) noexcept = default;

std::uint32_t BlockSums::block() const {
  return impl_->block;
}

bool BlockSums::is_too_large() const {
  return impl_->flow.is_too_large();
}

std::span<const OwnedSum> BlockSums::sums() const {
  return impl_->sums;
}

BlockSums::Range BlockSums::of_thread(std::uint32_t thread) const {
  const auto& sums = impl_->sums;
  const auto [first, last] = std::ranges::equal_range(sums, thread, {}, &OwnedSum::thread);
  return {static_cast<std::size_t>(first - sums.begin()),
          static_cast<std::size_t>(last - sums.begin())};
}

std::optional<std::size_t> BlockSums::of_thread(std::uint32_t thread, int number) const {
  const Range own = of_thread(thread);
  return own.size() == 0
             ? std::nullopt
             : std::optional(own.first + std::min(static_cast<std::size_t>(std::max(number, 0)),
                                                  own.size() - 1));
}

SumHome BlockSums::home(std::size_t sum, std::uint64_t step) const {
  const FoundHome& found = impl_->homes[sum];
  if (step >= found.until) {
    return {};
  }
  const auto newest = impl_->newest(sum, step);
  if (!newest) {
    return found.home;
  }
  if (found.home.kind == SumHome::Kind::Register) {
    return *newest + 1 == impl_->chains[sum].links.size() ? found.home : SumHome{};
  }
  const auto elsewhere =
      std::ranges::lower_bound(found.elsewhere, *newest, {}, &FoundHome::Elsewhere::link);
  return elsewhere != found.elsewhere.end() && elsewhere->link == *newest ? elsewhere->home
                                                                          : found.home;
}

std::string BlockSums::name(std::size_t sum, std::uint64_t step) const {
  const SumHome home = this->home(sum, step);
  const bool named = home.kind != SumHome::Kind::None && home.kind != SumHome::Kind::Register;
  // A kernel's variable may be called "sum" without being this sum.
  return named ? home.name : sums()[sum].kind == SumKind::Products ? "sum" : "result";
}

SumNow BlockSums::now(std::size_t sum, std::uint64_t step) const {
  SumNow now;
  const SumChain& chain = impl_->chains[sum];
  const auto newest = impl_->newest(sum, step);
  if (newest) {
    const SumLink& link = chain.links[*newest];
    now.assigned = true;
    now.value = impl_->flow.graph()[link.node].value;
    now.step = impl_->step_of(sum, link);
    now.thread = impl_->flow.graph()[link.node].thread;
    now.values = *newest + 1;
    now.grown = now.values == chain.links.size();
  } else {
    const std::uint64_t from = impl_->homes[sum].assigned;
    now.assigned = chain.root != kUnknownNode && step >= from;
    now.value = impl_->flow.graph()[chain.start].value;
    now.step = from == 0 ? 0 : from - 1;
    now.thread = impl_->sums[sum].thread;
    now.grown = now.assigned && chain.links.empty();
  }
  now.stored = now.grown && step > impl_->sums[sum].stored;
  now.compensation = impl_->residue(sum, step);
  return now;
}

std::optional<Accumulation> BlockSums::accumulation(std::size_t sum, std::uint64_t step) const {
  const auto newest = impl_->newest(sum, step);
  if (!newest) {
    return std::nullopt;
  }
  Accumulation read = read_linear(impl_->flow.program(), impl_->flow.graph(),
                                  impl_->chains[sum].links[*newest].node);
  read.variable = name(sum, step);
  return read;
}

std::optional<Term> BlockSums::latest(std::size_t sum, std::uint64_t step) const {
  const auto newest = impl_->newest(sum, step);
  return newest ? impl_->product_of(impl_->chains[sum].links[*newest]) : std::nullopt;
}

SumOperation BlockSums::operation(std::size_t sum, std::uint64_t step) const {
  SumOperation operation;
  const auto newest = impl_->newest(sum, step);
  if (!newest) {
    return operation;
  }
  const ValueGraph& graph = impl_->flow.graph();
  const ValueNode& node = graph[impl_->chains[sum].links[*newest].node];
  operation.value = node.value;
  operation.step = node.step;
  if (node.kind == Kind::Sum || node.kind == Kind::Difference || node.kind == Kind::Product) {
    operation.sign = node.kind == Kind::Sum ? '+' : node.kind == Kind::Product ? '*' : '-';
    operation.left = graph[node.a].value;
    operation.right = graph[node.b].value;
  } else {
    operation.sign = '-';
    operation.right = graph[node.a].value;
  }
  return operation;
}

std::vector<BlockSums::Part> BlockSums::parts(std::size_t sum, std::uint64_t step) const {
  std::vector<Part> parts;
  const ValueGraph& graph = impl_->flow.graph();
  for (const SumLink& link : impl_->chains[sum].links) {
    if (!link.joins || graph[link.node].step < step) {
      continue;
    }
    const SumChain& part = impl_->parts.at(link.added);
    const auto after = std::ranges::partition_point(
        part.links, [&](const SumLink& earlier) { return graph[earlier.node].step < step; });
    if (after != part.links.begin()) {
      const SumLink& last = *std::prev(after);
      const ValueNode& newest = graph[last.node];
      parts.push_back({newest.thread, newest.value, graph[link.node].step,
                       static_cast<std::size_t>(after - part.links.begin()), newest.step,
                       impl_->product_of(last)});
    }
  }
  return parts;
}

std::vector<BlockSums::Product> BlockSums::products(std::size_t sum) const {
  if (!impl_->knows_parts) {
    return {};  // some parts would be missing
  }
  const ValueGraph& graph = impl_->flow.graph();
  std::vector<Product> products;
  std::vector<const SumChain*> chains{&impl_->chains[sum]};
  for (std::size_t next = 0; next < chains.size(); ++next) {
    if (chains.size() > kMostParts) {
      return {};
    }
    for (const SumLink& link : chains[next]->links) {
      if (link.joins) {
        chains.push_back(&impl_->parts.at(link.added));
      }
      if (link.product == kUnknownNode) {
        continue;
      }
      const ValueNode& node = graph[moved_sum(graph, link.product)];
      if (node.kind != Kind::Product) {
        continue;
      }
      const NodeId a = loaded_element(graph, node.a);
      const NodeId b = loaded_element(graph, node.b);
      if (a != kUnknownNode && b != kUnknownNode) {
        products.push_back({element_ref(impl_->flow.program(), graph[a]),
                            element_ref(impl_->flow.program(), graph[b]), node.step});
      }
    }
  }
  return products;
}

std::string BlockSums::common_name() const {
  const bool multiplies = std::ranges::any_of(
      impl_->sums, [](const OwnedSum& sum) { return sum.kind == SumKind::Products; });
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < impl_->sums.size(); ++i) {
    const OwnedSum& sum = impl_->sums[i];
    const bool grows = multiplies ? sum.kind == SumKind::Products : !impl_->chains[i].links.empty();
    if (grows && sum.home.kind == SumHome::Kind::Variable) {
      ++counts[sum.home.variable];
    }
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
  return most == counts.end() ? impl_->fallback_name : most->first;
}

std::optional<BlockSums::Factors> BlockSums::factors() const {
  return impl_->roles.factors();
}

ValueRole BlockSums::role_of(const std::string& name) const {
  return impl_->roles.of(name);
}

std::span<const BlockSums::Brought> BlockSums::brought() const {
  return impl_->brought;
}

ValueRole BlockSums::role_of_shared(std::size_t word, std::uint64_t step) const {
  return impl_->roles.of_shared(word, step);
}

}  // namespace tilestep::insight
