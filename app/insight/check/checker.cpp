#include "insight/check/checker.h"

#include "insight/check/order.h"
#include "insight/check/sentences.h"
#include "insight/check/stores.h"
#include "insight/check/suspects.h"
#include "insight/check/watchers.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "simt/state/event.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tilestep::insight {
namespace {

using simt::for_each_lane;

// Causes of a race between two accesses, the least informative first. SameValue: two unordered
// stores of the same bits. Order: no order between the two. Fence: an order that lacks a fence.
// Proxy: a unit need not see a thread's store. Copy: the earlier access is a copy that nobody has
// waited for.
enum class RaceCause { SameValue, Order, Fence, Proxy, Copy };

// Mask of the bytes of one word that [address, address + bytes) covers.
std::uint32_t byte_mask(std::uint64_t address, std::uint32_t bytes) {
  return bytes >= 4 ? 0xfU : ((1U << bytes) - 1) << (address % 4);
}

}  // namespace

struct Checker::Impl {
  Impl(const simt::Machine& m, const Suspects* s)
      : machine(m),
        program(m.program()),
        suspects(s),
        has_units(sets_units_to_work(program.module())),
        warp_lines(program),
        local(program),
        puts_back(program, CopyTo::Back),
        reserved_words(program.reserved_shared() / 4),
        blocks(program.block_count()) {
    const auto allocations = program.allocations();
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
      if (is_unset(program, allocations[i])) {
        unset.push_back(i);
      }
    }
  }

  struct BlockState {
    explicit BlockState(std::uint32_t warps, std::size_t words)
        : order(warps), positions(warps, 0), shared(words) {}

    BlockOrder order;
    ProxyOrder proxies;
    std::vector<std::uint32_t> positions;  // steps in this interval, by warp
    std::vector<WordLog> shared;
  };
  // Findings with different keys are separate; findings with the same key are counted. Kind,
  // variable, lines, how many of the two accesses store (for a fault: the access), cause of the
  // race.
  using Key = std::tuple<FindingKind, std::string, std::uint32_t, std::uint32_t, int, RaceCause>;

  BlockState& block(std::uint32_t index);
  void access(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void access_word(const simt::StepInfo& info, WordAccess& access, std::uint64_t address,
                   WordLog& log, bool shared);
  void report_race(const WordAccess& earlier, std::uint32_t lanes, const WordAccess& now,
                   std::uint64_t address, RaceCause cause);
  [[nodiscard]] RaceCause cause_of(const WordAccess& earlier, const WordAccess& now) const;
  [[nodiscard]] bool holds_nothing_at_start(std::uint64_t address) const;
  void access_local(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void report_uninitialised(const WordAccess& access, std::uint64_t address);
  void report_unset_local(const simt::StepInfo& info, std::uint32_t lane, std::uint64_t address);
  void name_mbarrier(Finding& finding, const simt::StepInfo& info, std::uint32_t lane) const;
  void report_fault(const simt::StepInfo& info, const simt::FaultEvent& event);
  std::uint32_t report_gaps(const simt::StepInfo& info, const simt::MemoryEvent& event);
  [[nodiscard]] bool is_in_gap(std::uint64_t address, std::uint32_t bytes) const;
  Finding* add(const Key& key, Finding&& finding);
  void name_place(Finding& finding, std::uint64_t address, std::uint32_t bytes) const;
  [[nodiscard]] Party party(const WordAccess& access, std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t thread(std::uint32_t warp, std::uint32_t lane) const {
    return warp * program.warp_size() + lane;
  }

  const simt::Machine& machine;
  const simt::Program& program;
  const Suspects* suspects;
  const bool has_units;  // some units (TMA unit, tensor cores) may read shared memory
  std::uint64_t step = 0;
  LaunchOrder launch_order;
  WarpLines warp_lines;
  LocalCells local;
  PlainCopies puts_back;             // a bit-field store first loads its whole word
  std::uint64_t reserved_words = 0;  // system-reserved words of shared memory, which are not
                                     // checked
  std::vector<std::uint32_t> unset;  // allocations that start uninitialised
  std::vector<std::unique_ptr<BlockState>> blocks;
  std::unordered_map<std::uint64_t, WordLog> global;  // by generic word address
  std::map<Key, Finding> findings;
};

Checker::Impl::BlockState& Checker::Impl::block(std::uint32_t index) {
  std::unique_ptr<BlockState>& state = blocks[index];
  if (state == nullptr) {
    state =
        std::make_unique<BlockState>(program.warps_per_block(), (program.shared_room() + 3) / 4);
  }
  return *state;
}

Party Checker::Impl::party(const WordAccess& access, std::uint32_t lane) const {
  return {program.block_index(access.block), program.thread_index(thread(access.warp, lane)),
          access.line, access.step, access.kind};
}

void Checker::Impl::name_place(Finding& finding, std::uint64_t address, std::uint32_t bytes) const {
  const simt::Place place = program.locate(address, bytes);
  if (place.allocation != simt::kNoAllocation) {
    finding.variable = record::variable_name(program, place.allocation);
    finding.element = record::place_name(program, place);
  }
}

Finding* Checker::Impl::add(const Key& key, Finding&& finding) {
  const auto [it, is_new] = findings.try_emplace(key, std::move(finding));
  if (!is_new) {
    ++it->second.occurrences;
    return nullptr;
  }
  return &it->second;
}

void Checker::Impl::access(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const bool shared = event.space == ptx::Space::Shared;
  const std::uint32_t outside = shared ? report_gaps(info, event) : 0;
  BlockState& state = block(info.id.block);
  WordAccess access;
  access.step = step;
  access.block = info.id.block;
  access.warp = info.id.warp;
  access.stamp = state.order.now(info.id.warp);
  access.line = warp_lines.line(info.id);
  access.position = state.positions[info.id.warp];
  access.kind = event.kind;
  access.agent = event.agent;
  access.copy = copy_part(info, event);
  access.initialises = info.instruction->mode == ptx::Mode::MbarInit;
  access.strong = shared ? state.order.access(info, event)
                         : launch_order.access(info, event, step, state.order);
  for_each_lane(event.mask & ~outside, [&](std::uint32_t lane) {
    access.lanes = 1U << lane;
    const std::uint64_t address = event.addresses[lane];
    access.bytes = byte_mask(address, event.bytes);
    for (std::uint64_t word = address / 4; word * 4 < address + event.bytes; ++word) {
      access.value = stored_word(machine, info, event, lane, word);
      if (shared) {
        const std::uint64_t index = word - simt::kSharedWindow / 4;
        if (index >= reserved_words && index < state.shared.size() &&
            (suspects == nullptr || suspects->has_shared(index))) {
          access_word(info, access, std::max(address, word * 4), state.shared[index], true);
        }
        continue;
      }
      const std::uint64_t window = (word * 4 - simt::kGlobalWindow) / simt::kWindowBytes;
      const std::uint64_t index = word % (simt::kWindowBytes / 4);
      if (suspects == nullptr || suspects->has_global(window, index)) {
        access_word(info, access, std::max(address, word * 4), global[word], false);
      }
    }
  });
}

void Checker::Impl::access_word(const simt::StepInfo& info, WordAccess& access,
                                std::uint64_t address, WordLog& log, bool shared) {
  const BlockOrder& order = blocks[access.block]->order;
  if (shared) {
    log.enter_interval(order.interval());
  }
  std::uint32_t lanes = 0;
  const WordAccess* const hidden =
      shared && has_units ? blocks[access.block]->proxies.access(access, address / 4) : nullptr;
  if (access.copy == CopyPart::Exit) {
    return;
  }
  if (access.copy == CopyPart::Arrival) {
    // An access that races with the copy has done so since the copy was issued.
  } else if (const WordAccess* copy = log.copy_under_way(access); copy != nullptr) {
    report_race(*copy, copy->lanes, access, address, cause_of(*copy, access));
  } else if (const WordAccess* earlier = log.find_race(access, order, launch_order, lanes);
             earlier != nullptr) {
    report_race(*earlier, lanes, access, address, cause_of(*earlier, access));
  } else if (hidden != nullptr) {
    report_race(*hidden, hidden->lanes, access, address, RaceCause::Proxy);
  } else if (access.kind != simt::AccessKind::Store && (access.bytes & ~log.written()) != 0 &&
             (shared || holds_nothing_at_start(address)) && !puts_back.has(info)) {
    report_uninitialised(access, address);
  }
  log.add(access);
}

// The cause is Copy if the last barrier between the two does not help because nobody waits for the
// copy there. Another barrier would not help either.
RaceCause Checker::Impl::cause_of(const WordAccess& earlier, const WordAccess& now) const {
  const BlockOrder& order = blocks[now.block]->order;
  const auto is_ordered = [&](Stamp issued) {
    return earlier.warp == now.warp ||
           order.unordered(issued, earlier.warp, earlier.lanes, now.warp, 0) == 0;
  };
  switch (earlier.copy) {
    case CopyPart::Issue:
      return is_ordered(earlier.stamp) ? RaceCause::Copy : RaceCause::Order;
    case CopyPart::Arrival:
      return now.position < earlier.position && is_ordered(earlier.issued) ? RaceCause::Copy
                                                                           : RaceCause::Order;
    default:
      if (earlier.block != now.block && launch_order.unordered(earlier, now, order, false) == 0) {
        return RaceCause::Fence;
      }
      return store_the_same(earlier, now) ? RaceCause::SameValue : RaceCause::Order;
  }
}

void Checker::Impl::report_race(const WordAccess& earlier, std::uint32_t lanes,
                                const WordAccess& now, std::uint64_t address, RaceCause cause) {
  const simt::Place place = program.locate(address, 1);
  const std::string variable = place.allocation == simt::kNoAllocation
                                   ? std::string()
                                   : record::variable_name(program, place.allocation);
  const FindingKind kind =
      address < simt::kGlobalWindow ? FindingKind::SharedRace : FindingKind::GlobalRace;
  const int stores = (earlier.kind != simt::AccessKind::Load ? 1 : 0) +
                     (now.kind != simt::AccessKind::Load ? 1 : 0);
  Finding* finding = add({kind, variable, std::min(earlier.line, now.line),
                          std::max(earlier.line, now.line), stores, cause},
                         {});
  if (finding == nullptr) {
    return;
  }
  finding->kind = kind;
  finding->same_value = cause == RaceCause::SameValue;
  name_place(*finding, address, 1);
  finding->parties = {party(earlier, static_cast<std::uint32_t>(std::countr_zero(lanes))),
                      party(now, static_cast<std::uint32_t>(std::countr_zero(now.lanes)))};
  RaceShape shape;
  shape.same_block = earlier.block == now.block;
  shape.same_warp = shape.same_block && earlier.warp == now.warp;
  shape.same_instruction = earlier.step == now.step;
  const WordAccess& reader = now.kind == simt::AccessKind::Load ? now : earlier;
  const WordAccess& writer = now.kind == simt::AccessKind::Load ? earlier : now;
  shape.read_comes_first = reader.position < writer.position;
  shape.missing_fence = cause == RaceCause::Fence;
  shape.copy_under_way = cause == RaceCause::Copy;
  shape.both_initialise = earlier.initialises && now.initialises;
  shape.has_copy = earlier.copy != CopyPart::None || now.copy != CopyPart::None;
  shape.hidden_from_unit = cause == RaceCause::Proxy;
  shape.agents = {earlier.agent, now.agent};
  finding->sentence = race_sentence(program, *finding, shape);
}

bool Checker::Impl::holds_nothing_at_start(std::uint64_t address) const {
  return std::ranges::find(unset, program.locate(address, 1).allocation) != unset.end();
}

void Checker::Impl::report_uninitialised(const WordAccess& access, std::uint64_t address) {
  Finding finding;
  finding.kind = FindingKind::UninitialisedRead;
  name_place(finding, address, 1);
  finding.parties = {party(access, static_cast<std::uint32_t>(std::countr_zero(access.lanes)))};
  const Key key{finding.kind, finding.variable, access.line, access.line, 0, RaceCause::Order};
  if (Finding* added = add(key, std::move(finding)); added != nullptr) {
    const std::uint32_t allocation = program.locate(address, 1).allocation;
    added->sentence = uninitialised_sentence(program, *added,
                                             allocation == simt::kNoAllocation
                                                 ? simt::AllocationKind::Shared
                                                 : program.allocations()[allocation].kind);
  }
}

void Checker::Impl::access_local(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const std::uint32_t empty = local.access(info, event);
  for_each_lane(empty,
                [&](std::uint32_t lane) { report_unset_local(info, lane, event.addresses[lane]); });
}

void Checker::Impl::report_unset_local(const simt::StepInfo& info, std::uint32_t lane,
                                       std::uint64_t address) {
  Finding finding;
  finding.kind = FindingKind::UninitialisedRead;
  const record::LocalPlaceName name =
      record::local_place_name(machine, info.id, static_cast<int>(lane), info.frame, address);
  finding.variable = name.variable;
  finding.element = name.element;
  const std::uint32_t line = warp_lines.line_of(info, machine);
  finding.parties = {{program.block_index(info.id.block),
                      program.thread_index(thread(info.id.warp, lane)), line, step,
                      simt::AccessKind::Load}};
  const Key key{finding.kind, finding.variable, line, line, 1, RaceCause::Order};
  if (Finding* added = add(key, std::move(finding)); added != nullptr) {
    added->sentence = uninitialised_sentence(program, *added, simt::AllocationKind::Local);
  }
}

// Gaps between two arrays in shared memory count as unallocated, whatever a GPU holds there.
// Returns the lanes that access a gap.
std::uint32_t Checker::Impl::report_gaps(const simt::StepInfo& info,
                                         const simt::MemoryEvent& event) {
  simt::FaultEvent fault;
  fault.kind = simt::FaultKind::OutOfRange;
  fault.access = event.kind;
  fault.bytes = event.bytes;
  for_each_lane(event.mask, [&](std::uint32_t lane) {
    if (is_in_gap(event.addresses[lane], event.bytes)) {
      fault.mask |= 1U << lane;
      fault.addresses[lane] = event.addresses[lane];
    }
  });
  if (fault.mask != 0) {
    fault.address = fault.addresses[static_cast<std::size_t>(std::countr_zero(fault.mask))];
    report_fault(info, fault);
  }
  return fault.mask;
}

bool Checker::Impl::is_in_gap(std::uint64_t address, std::uint32_t bytes) const {
  const std::uint64_t offset = address - simt::kSharedWindow;
  return std::ranges::any_of(program.shared_gaps(), [&](const simt::SharedGap& gap) {
    return offset < gap.offset + gap.bytes && gap.offset < offset + bytes;
  });
}

// Names the mbarrier that the lane waits for.
void Checker::Impl::name_mbarrier(Finding& finding, const simt::StepInfo& info,
                                  std::uint32_t lane) const {
  const ptx::Function& function = program.module().functions[info.function];
  const ptx::Operand& object =
      function.operands[info.instruction->first_operand + info.instruction->dest_count];
  auto address = static_cast<std::uint64_t>(object.value);
  if (object.kind == ptx::OperandKind::Memory) {
    address += machine.register_lane(info.id, object.reg, static_cast<int>(lane), info.frame);
  }
  if (object.kind == ptx::OperandKind::MemoryVariable) {
    finding.element = program.module().variables[object.index].name;
    return;
  }
  finding.element = tr("at 0x{:x}", address);
  name_place(finding, address | simt::kSharedWindow, sizeof(std::uint64_t));
}

void Checker::Impl::report_fault(const simt::StepInfo& info, const simt::FaultEvent& event) {
  const auto lane = static_cast<std::uint32_t>(event.mask == 0 ? 0 : std::countr_zero(event.mask));
  const bool memory =
      event.kind == simt::FaultKind::OutOfRange || event.kind == simt::FaultKind::Misaligned;
  Finding finding;
  finding.kind = finding_kind(event.kind);
  simt::Place place;
  if (memory) {
    place = program.locate(event.address, event.bytes);
    name_place(finding, event.address, event.bytes);
  }
  if (event.kind == simt::FaultKind::BarrierDeadlock &&
      info.instruction->op == ptx::Opcode::Mbarrier) {
    name_mbarrier(finding, info, lane);
  }
  WordAccess access;
  access.step = step;
  access.block = info.id.block;
  access.warp = info.id.warp;
  access.line = warp_lines.line_of(info, machine);
  access.kind = event.access;
  finding.parties = {party(access, lane)};
  if (!memory) {
    finding.parties.front().access.reset();
  }
  finding.sentence = fault_sentence(program, finding, event, place,
                                    ptx::opcode_text(program.module(), *info.instruction));
  const Key key{
      finding.kind,    finding.variable, access.line, access.line, static_cast<int>(event.access),
      RaceCause::Order};
  add(key, std::move(finding));
}

Checker::Checker(const simt::Machine& machine, const Suspects* suspects)
    : impl_(std::make_unique<Impl>(machine, suspects)) {}
Checker::~Checker() = default;

void Checker::before_step(const simt::StepInfo& info) {
  Impl::BlockState& state = impl_->block(info.id.block);
  impl_->warp_lines.enter(info);
  impl_->launch_order.before_step(info, impl_->step, state.order);
  state.order.before_step(info);
  state.proxies.before_step(info, impl_->step);
  ++state.positions[info.id.warp];
}

void Checker::after_step(const simt::StepInfo&) {
  ++impl_->step;
}

void Checker::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space == ptx::Space::Shared || event.space == ptx::Space::Global) {
    impl_->access(info, event);
  } else if (event.space == ptx::Space::Local) {
    impl_->access_local(info, event);
  }
}

void Checker::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  Impl::BlockState& state = impl_->block(info.id.block);
  const bool whole = event.whole_block;
  if (event.action == simt::BarrierAction::WarpSync) {
    state.order.sync_lanes(info.id.warp, event.mask);
  } else if (event.action == simt::BarrierAction::Acquire) {
    state.order.acquire(info.id.warp, event.mask, event.id);
  } else if (event.id >= simt::kFirstMbarrier) {
    if (event.action == simt::BarrierAction::Arrive) {
      state.order.arrive(info.id.warp, event.id, false);
    } else {
      state.order.end_phase(event.id);
    }
  } else if (whole && event.action == simt::BarrierAction::Release) {
    state.order.sync_block();
    std::ranges::fill(state.positions, 0);
  } else if (!whole && event.action == simt::BarrierAction::Arrive) {
    state.order.arrive(info.id.warp, event.id, info.instruction->mode != ptx::Mode::BarArrive);
  } else if (!whole) {
    state.order.release(event.id);
  }
}

void Checker::on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) {
  impl_->report_fault(info, event);
}

void Checker::on_local_frame(const simt::StepInfo& info, std::uint64_t address,
                             std::uint32_t bytes) {
  impl_->local.start_frame(info, address, bytes);
}

void Checker::on_allocation(const simt::StepInfo& /*info*/, std::uint64_t address,
                            std::uint64_t bytes) {
  for (std::uint64_t word = address / 4; word * 4 < address + bytes; ++word) {
    impl_->global.erase(word);
  }
}

void Checker::on_block_start(std::uint32_t block) {
  impl_->blocks[block].reset();
  impl_->local.start_block(block);
}
void Checker::on_block_end(std::uint32_t block) {
  impl_->blocks[block].reset();
}

std::vector<Finding> Checker::findings() const {
  std::vector<Finding> result;
  for (const auto& entry : impl_->findings) {
    const Finding& finding = entry.second;
    // Drops findings that another one explains. A read that races with the store it waits for may
    // precede it: the race is enough. A race of the same two lines with a more informative cause is
    // enough too.
    bool explained = false;
    for (const auto& [key, other] : impl_->findings) {
      Impl::Key like_it = key;
      std::get<RaceCause>(like_it) = std::get<RaceCause>(entry.first);
      explained =
          explained || (like_it == entry.first && key > entry.first) ||
          (finding.kind == FindingKind::UninitialisedRead &&
           (other.kind == FindingKind::SharedRace || other.kind == FindingKind::GlobalRace) &&
           other.variable == finding.variable);
    }
    if (!explained) {
      result.push_back(finding);
    }
  }
  std::ranges::stable_sort(result, [](const Finding& a, const Finding& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.parties.front().step < b.parties.front().step;
  });
  return result;
}

}  // namespace tilestep::insight
