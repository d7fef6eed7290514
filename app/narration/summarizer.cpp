#include "narration/summarizer.h"

#include "insight/count/counters.h"
#include "insight/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

namespace tilestep::narration {

using simt::AccessKind;

Summarizer::Summarizer(const NarratedBlock& narrated, const record::Phase& phase,
                       std::uint32_t thread)
    : narrated_(narrated),
      phase_(phase),
      thread_(thread),
      products_(program().threads_per_block(), 0) {
  const record::Activity activity = narrated.recording.activity(phase.first_step, phase.last_step);
  const auto lanes = program().warp_size();
  std::vector<bool> there(program().threads_per_block(), false);
  for (const record::Activity::Executed& e : activity.executed) {
    for (std::uint32_t rest = e.warp.block == narrated.block ? e.mask : 0; rest != 0;
         rest &= rest - 1) {
      there[e.warp.warp * lanes + static_cast<std::uint32_t>(std::countr_zero(rest))] = true;
    }
  }
  threads_ = static_cast<std::uint32_t>(std::ranges::count(there, true));
  const BlockRun own = narrated.run.is_known() ? BlockRun()
                                               : BlockRun(narrated.recording, narrated.block,
                                                          phase.first_step, phase.last_step);
  const BlockRun& run = narrated.run.is_known() ? narrated.run : own;
  for (const record::Access& a : activity.accesses) {
    if (a.warp.block == narrated.block && !a.event.is_arrival) {
      add(a, run);
    }
  }
  for (const Traffic* t : of(AccessKind::Store, false)) {
    const auto count =
        t->by_thread.size() - static_cast<std::size_t>(std::ranges::count(t->by_thread, 0U));
    storing_ = std::max(storing_, static_cast<std::uint32_t>(count));
  }
  for (const record::Activity::Fault& f : activity.faults) {
    const bool is_read = f.event.access == AccessKind::Load;
    if (f.warp.block == narrated.block && f.event.kind == simt::FaultKind::OutOfRange && is_read) {
      outside_ += static_cast<std::uint64_t>(std::popcount(f.event.mask));
    }
  }
  for (const record::Activity::Barrier& b : activity.barriers) {
    const bool release = b.event.action == simt::BarrierAction::Release;
    if (b.warp.block == narrated.block && release && b.event.id < simt::kFirstMbarrier) {
      ++by_line_[b.line].barriers;
    }
    if (b.warp.block == narrated.block && b.event.action == simt::BarrierAction::Arrive &&
        b.event.id < simt::kFirstMbarrier) {
      note_waiting(b);
    }
  }
  add_products(run);
}

void Summarizer::add_products(const BlockRun& run) {
  const auto lanes = program().warp_size();
  for (const ProductStep& p : run.products(phase_.first_step, phase_.last_step)) {
    by_line_[p.line].products += p.products();
    if (p.is_tensor()) {
      tensor_.push_back(p);
      continue;
    }
    for (std::uint32_t rest = p.mask; rest != 0; rest &= rest - 1) {
      ++products_[p.warp * lanes + static_cast<std::uint32_t>(std::countr_zero(rest))];
    }
  }
}

void Summarizer::add(const record::Access& access, const BlockRun& run) {
  const bool shared = access.event.space == ptx::Space::Shared;
  if (!shared && access.event.space != ptx::Space::Global) {
    return;
  }
  const UnitStep* const step = run.unit_at(access.step);
  if (step != nullptr && step->is(ptx::Opcode::Mbarrier)) {
    add_mbarrier(access, *step);
    return;
  }
  copies_ = copies_ || access.event.is_issue;
  add_to(traffic_, access, shared);
  add_to(by_line_[access.line].traffic, access, shared);
  if (!shared && access.event.agent == simt::AccessAgent::TmaUnit) {
    moved_ += access.event.bytes;  // its pieces are contiguous
    asked_ += access.event.bytes;
  } else if (!shared) {
    const insight::AccessPattern pattern = insight::make_pattern(access.event);
    moved_ += 32ULL * pattern.sectors[insight::first_address(access.event) % 32];
    for (const insight::ByteRun& bytes : pattern.runs) {  // lanes that request the same bytes
                                                          // share them
      asked_ += bytes.bytes;
    }
  }
}

void Summarizer::add_to(std::vector<Traffic>& all, const record::Access& access,
                        bool shared) const {
  const simt::MemoryEvent& event = access.event;
  const std::uint64_t first = insight::first_address(event);
  const std::uint32_t allocation = program().locate_array(first, event.bytes).allocation;
  if (allocation == simt::kNoAllocation) {
    return;
  }
  auto found = std::ranges::find_if(all, [&](const Traffic& t) {
    return t.allocation == allocation && t.kind == event.kind && t.agent == event.agent;
  });
  if (found == all.end()) {
    Traffic traffic;
    traffic.allocation = allocation;
    traffic.kind = event.kind;
    traffic.agent = event.agent;
    traffic.by_thread.resize(program().threads_per_block(), 0);
    all.push_back(std::move(traffic));
    found = std::prev(all.end());
  }
  const bool by_thread = event.agent == simt::AccessAgent::Thread;
  if (by_thread) {  // units make no requests
    const insight::AccessPattern pattern = insight::make_pattern(event);
    found->passes += shared ? pattern.wavefronts : 0;
    found->sectors += shared ? 0 : pattern.sectors[first % 32];
  }
  const std::uint32_t size = std::max(1U, element_bytes(program(), program().arrays()[allocation]));
  const std::uint32_t count = std::max(1U, event.bytes / size);
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    found->numbers += count;
    ++found->accesses;
    found->by_thread[program().thread_of(access.warp, lane)] += by_thread ? count : 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t at = event.addresses[lane] + std::uint64_t{i} * size;
      found->places[at] = true;
      if (const auto e = element_at(program(), at, size)) {
        found->box.add(e->row, e->col);
      }
    }
  }
}

Pieces Summarizer::name(std::uint32_t allocation) const {
  const std::string& text = program().arrays()[allocation].name;
  return strong(text, narrated_.roles.hue(text));
}

void Summarizer::note_waiting(const record::Activity::Barrier& barrier) {
  by_line_[barrier.line].lanes[barrier.warp.warp] |= barrier.event.mask;
}

std::uint64_t Summarizer::OfLine::waiting() const {
  std::uint64_t threads = 0;
  for (const auto& [warp, mask] : lanes) {
    threads += static_cast<std::uint64_t>(std::popcount(mask));
  }
  return threads;
}

bool Summarizer::is_shared(const Traffic& t) const {
  return program().arrays()[t.allocation].kind == simt::AllocationKind::Shared;
}

std::vector<const Summarizer::Traffic*> Summarizer::of(AccessKind kind, bool shared) const {
  std::vector<const Traffic*> found;
  for (const Traffic& t : traffic_) {
    if (t.kind == kind && is_shared(t) == shared) {
      found.push_back(&t);
    }
  }
  return found;
}

PhaseSummary Summarizer::summary() const {
  PhaseSummary all;
  all.sentence = sentence();
  all.thread = own();
  all.barrier = made_safe();
  all.lines = lines();
  if (moved_ > 0) {
    all.moved = part(
        moved_ == asked_ ? Say("moved_all") : Say("moved"),
        {{"block",
          capital(plain(insight::block_name(program().block_index(narrated_.block), launch())))},
         {"moved", strong(counted(moved_, Noun::Byte))},
         {"asked", strong(fmt::format("{}", asked_))}});
  }
  return all;
}

Sentence Summarizer::sentence() const {
  const bool multiplies =
      !tensor_.empty() || std::ranges::any_of(products_, [](std::uint32_t n) { return n > 0; });
  std::optional<Sentence> s;
  switch (phase_.kind) {
    case record::PhaseKind::Load:
      s = load();
      break;
    case record::PhaseKind::WriteBack:
      s = write_back();
      break;
    default:
      s = multiplies ? multiply() : std::nullopt;
      break;
  }
  return s ? std::move(*s) : other();
}

// How often the words that the phase stored are read before they are stored again.
std::optional<Reuse> Summarizer::reuse() const {
  std::optional<Reuse> all;
  const std::size_t interval = narrated_.run.interval_of(phase_.first_step);
  for (const Traffic* t : of(AccessKind::Store, true)) {
    const Reuse* one = narrated_.run.reuse(interval, t->allocation);
    if (one == nullptr) {
      return std::nullopt;
    }
    if (!all) {
      all = *one;
    }
    all->least = std::min(all->least, one->least);
    all->most = std::max(all->most, one->most);
  }
  return all;
}

std::optional<Sentence> Summarizer::load() const {
  const std::vector<const Traffic*> loads = of(AccessKind::Load, false);
  const std::vector<const Traffic*> stores = of(AccessKind::Store, true);
  if (loads.empty() || stores.empty()) {
    return std::nullopt;
  }
  std::uint64_t fetched = 0;
  bool one_each = true;
  std::vector<bool> fetching(program().threads_per_block(), false);
  std::vector<Pieces> counts;
  for (const Traffic* t : loads) {
    fetched += t->numbers;
    counts.push_back(part(
        "numbers_of", {{"numbers", strong(counted(t->numbers, Noun::Number),
                                          narrated_.roles.hue(plain_text(name(t->allocation))))},
                       {"array", name(t->allocation)}}));
    for (std::size_t thread = 0; thread < fetching.size(); ++thread) {
      fetching[thread] = fetching[thread] || t->by_thread[thread] > 0;
    }
    one_each =
        one_each && std::ranges::all_of(t->by_thread, [](std::uint32_t n) { return n == 1; });
  }
  const auto threads = static_cast<std::uint64_t>(std::ranges::count(fetching, true));
  std::uint64_t stored = 0;
  for (const Traffic* t : stores) {  // threads' stores beside the TMA unit belong to another tile
    const bool is_other = threads == 0 && t->agent != simt::AccessAgent::TmaUnit;
    stored += is_other ? 0 : t->numbers;
  }
  const std::optional<Reuse> again = reuse();
  Places places{{"threads", plain(counted(threads, Noun::Thread))},
                {"numbers", listed(counts)},
                {"outside", plain(counted(outside_, Noun::Read))},
                {"stored", stored_after()},
                {"zeros", plain(counted(stored > fetched ? stored - fetched : 0, Noun::Zero))}};
  if (loads.size() == 2) {
    const auto amount = [&](const Traffic* t) {
      return strong(fmt::format("{}", t->numbers),
                    narrated_.roles.hue(plain_text(name(t->allocation))));
    };
    places.emplace_back("first", amount(loads[0]));
    places.emplace_back("second", amount(loads[1]));
  }
  const bool even = again && again->least == again->most;
  places.emplace_back("times", strong(counted(again ? again->most : 0, Noun::Time)));
  places.emplace_back("least", strong(fmt::format("{}", again ? again->least : 0)));
  if (outside_ > 0) {
    return say(Kind::Summary, Say("sum_load_outside"), places);
  }
  if (threads == 0) {
    return say(Kind::Summary,
               stored > fetched ? Say("sum_load_engine_zeros") : Say("sum_load_engine"), places);
  }
  if (!again || again->most == 0) {  // read by other threads, or not at all
    return say(Kind::Summary,
               stored > fetched ? Say("sum_load_plain_zeros") : Say("sum_load_plain"), places);
  }
  if (stored > fetched) {
    return say(Kind::Summary, even ? Say("sum_load_zeros") : Say("sum_load_zeros_uneven"), places);
  }
  if (loads.size() == 2 && even) {
    return say(Kind::Summary, one_each ? Say("sum_load_one") : Say("sum_load_two"), places);
  }
  return say(Kind::Summary, even ? Say("sum_load") : Say("sum_load_uneven"), places);
}

// Assumes that all pieces have the shape of the first one: no known kernel mixes shapes.
Sentence Summarizer::multiply_in_units() const {
  std::uint64_t products = 0;
  for (const ProductStep& step : tensor_) {
    products += step.products();
  }
  simt::TileShape piece = tensor_.front().piece;
  std::uint64_t pieces = tensor_.size();
  if (tensor_.front().of_warpgroup) {  // each of its four warps has a part
    piece.m *= 4;
    pieces /= 4;
  }
  return say(Kind::Summary, Say("sum_tensor"),
             {{"pieces", plain(counted(pieces, Noun::Piece))},
              {"left", plain(fmt::format("{}×{}", piece.m, piece.k))},
              {"right", plain(fmt::format("{}×{}", piece.k, piece.n))},
              {"all", strong(counted(products, Noun::Product), Hue::Sum)},
              {"stored", stored_after()}});
}

// For a phase that multiplies and then stores results.
Pieces Summarizer::stored_after() const {
  const std::optional<Places> stored = stores_of_phase();
  return stored ? part(Say("and_stored"), *stored) : Pieces{};
}

std::optional<Sentence> Summarizer::multiply() const {
  if (!tensor_.empty()) {
    return multiply_in_units();
  }
  const auto [least, most] = std::minmax_element(products_.begin(), products_.end());
  const std::uint64_t all = std::accumulate(products_.begin(), products_.end(), std::uint64_t{0});
  std::uint64_t shared = 0;
  std::vector<Pieces> arrays;
  for (const Traffic* t : of(AccessKind::Load, true)) {
    shared += t->numbers;
    arrays.push_back(name(t->allocation));
  }
  std::uint64_t global = 0;
  std::vector<Pieces> buffers;
  for (const Traffic* t : of(AccessKind::Load, false)) {
    global += t->numbers;
    buffers.push_back(name(t->allocation));
  }
  Places places{{"products", strong(counted(*most, Noun::Product), Hue::Sum)},
                {"all", strong(counted(all, Noun::Product), Hue::Sum)},
                {"threads", plain(counted(static_cast<std::uint64_t>(std::ranges::count_if(
                                              products_, [](std::uint32_t n) { return n > 0; })),
                                          Noun::Thread))},
                {"reads", plain(counted(shared, Noun::Read))},
                {"arrays", listed(arrays)},
                {"loads", plain(counted(global, Noun::Read))},
                {"buffers", listed(buffers)},
                {"stored", stored_after()}};
  const bool even = *least == *most;
  if (shared > 0 && copies_ && global > 0) {
    places.emplace_back("copies", plain(counted(global, Noun::Number)));
    return say(Kind::Summary, even ? Say("sum_multiply_copies") : Say("sum_multiply_copies_some"),
               places);
  }
  if (shared > 0 && global == 0) {
    return say(Kind::Summary, even ? Say("sum_multiply") : Say("sum_multiply_some"), places);
  }
  if (shared > 0) {
    return say(Kind::Summary, even ? Say("sum_multiply_load") : Say("sum_multiply_load_some"),
               places);
  }
  if (global > 0) {
    return say(Kind::Summary, even ? Say("sum_global") : Say("sum_global_some"), places);
  }
  return std::nullopt;
}

// "C[0..3][4..7]" if the whole box was stored, otherwise "4 numbers of C".
Pieces Summarizer::stored_part(const Traffic& t) const {
  const auto area =
      static_cast<std::uint64_t>((t.box.row1 - t.box.row0 + 1) * (t.box.col1 - t.box.col0 + 1));
  const auto range = [](std::int64_t from, std::int64_t to) {
    return from == to ? fmt::format("[{}]", from) : fmt::format("[{}..{}]", from, to);
  };
  const std::string array = program().arrays()[t.allocation].name;
  if (t.places.size() == area) {
    const bool flat = launch().buffers[program().arrays()[t.allocation].launch_buffer].rows == 1;
    return strong(array + (flat ? std::string{} : range(t.box.row0, t.box.row1)) +
                      range(t.box.col0, t.box.col1),
                  narrated_.roles.hue(array));
  }
  return part("numbers_of", {{"numbers", plain(counted(t.places.size(), Noun::Number))},
                             {"array", name(t.allocation)}});
}

std::optional<Places> Summarizer::stores_of_phase() const {
  const std::vector<const Traffic*> stores = of(AccessKind::Store, false);
  if (stores.empty()) {
    return std::nullopt;
  }
  std::vector<Pieces> parts;
  for (const Traffic* t : stores) {
    const auto threads = static_cast<std::uint32_t>(
        std::ranges::count_if(t->by_thread, [](std::uint32_t accesses) { return accesses > 0; }));
    parts.push_back(threads == storing_
                        ? stored_part(*t)
                        : part("stored_by", {{"part", stored_part(*t)},
                                             {"threads", plain(counted(threads, Noun::Thread))}}));
  }
  return Places{{"threads", plain(counted(storing_, Noun::Thread))},
                {"parts", listed(parts)},
                {"idle", plain(counted(threads_ - std::min(storing_, threads_), Noun::Thread))}};
}

std::optional<Sentence> Summarizer::write_back() const {
  const std::optional<Places> stored = stores_of_phase();
  if (!stored) {
    return std::nullopt;
  }
  return say(Kind::Summary, storing_ < threads_ ? Say("sum_write_some") : Say("sum_write"),
             *stored);
}

Sentence Summarizer::other() const {
  std::vector<Pieces> parts;
  for (const Traffic& t : traffic_) {
    parts.push_back(traffic_part(t));
  }
  std::vector<Pieces> mbarriers = mbarrier_parts(mbarriers_);
  if (parts.empty() && !mbarriers.empty()) {
    return say(Kind::Summary, Say("sum_mbarriers"), {{"parts", listed(mbarriers)}});
  }
  std::ranges::move(mbarriers, std::back_inserter(parts));
  // Threads that only wait do not take part.
  std::uint64_t threads = 0;
  for (std::size_t t = 0; t < products_.size(); ++t) {
    threads +=
        std::ranges::any_of(traffic_, [t](const Traffic& one) { return one.by_thread[t] > 0; }) ? 1
                                                                                                : 0;
  }
  const Places places{{"threads", plain(counted(parts.empty() ? threads_ : threads, Noun::Thread))},
                      {"parts", listed(parts)}};
  return say(Kind::Summary, parts.empty() ? Say("sum_nothing") : Say("sum_other"), places);
}

// The focus thread's result: the growth of its sum, or the element it stored.
Pieces Summarizer::own() const {
  const Pieces who =
      capital(plain(insight::thread_name(program().thread_index(thread_), launch())));
  const std::optional<Roles::Growth> growth =
      narrated_.roles.growth(thread_, phase_.first_step, phase_.last_step);
  const bool in_unit = !tensor_.empty();
  if ((products_[thread_] > 0 || in_unit) && growth) {
    // Sums of a unit are not always followed; a sum that was scaled is one product.
    const bool is_unknown = growth->products <= growth->products_before;
    if (is_unknown && !growth->stored && growth->before == growth->after) {
      return {};  // it is in the unit, or in another variable
    }
    const Say stored = is_unknown ? Say("own_stored_in_unit") : Say("own_stored");
    const Say grown = is_unknown ? Say("own_growth_in_unit") : Say("own_growth");
    return part(
        growth->stored ? stored : grown,
        {{"thread", who},
         {"element", strong(growth->element, Hue::Sum)},
         {"before", strong(number_text(real_number(growth->before)), Hue::Sum)},
         {"after", strong(number_text(real_number(growth->after)), Hue::Sum)},
         {"products", plain(counted(growth->products - growth->products_before, Noun::Product))}});
  }
  if (growth && growth->stored && growth->products > 0) {
    return part("own_result", {{"element", strong(growth->element, Hue::Sum)},
                               {"after", strong(number_text(real_number(growth->after)), Hue::Sum)},
                               {"products", plain(counted(growth->products, Noun::Product))}});
  }
  return {};
}

Pieces Summarizer::made_safe() const {
  const Meeting* meeting =
      phase_.ends_at_barrier ? narrated_.run.meeting(phase_.first_step, phase_.last_step) : nullptr;
  if (meeting == nullptr || (meeting->completes.empty() && meeting->frees.empty())) {
    return {};
  }
  return part(meeting->frees.empty()       ? Say("made_complete")
              : meeting->completes.empty() ? Say("made_free")
                                           : Say("made_both"),
              {{"complete", narrated_.roles.arrays(meeting->completes)},
               {"free", narrated_.roles.arrays(meeting->frees)}});
}

}  // namespace tilestep::narration
