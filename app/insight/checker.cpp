#include "insight/access_log.h"
#include "insight/barrier_scope.h"
#include "insight/finding.h"
#include "insight/sentences.h"
#include "insight/suspects.h"
#include "record/place_name.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tilestep::insight {
namespace {

template <class F>
void for_each_lane(std::uint32_t mask, F&& f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    f(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}

FindingKind finding_kind(simt::FaultKind kind) {
  switch (kind) {
    case simt::FaultKind::OutOfRange:
      return FindingKind::OutOfRange;
    case simt::FaultKind::Misaligned:
      return FindingKind::Misaligned;
    case simt::FaultKind::DivergentBarrier:
      return FindingKind::DivergentBarrier;
    case simt::FaultKind::BarrierDeadlock:
      return FindingKind::BarrierDeadlock;
    case simt::FaultKind::NotSimulated:
      return FindingKind::NotSimulated;
    case simt::FaultKind::Trap:
      return FindingKind::Trap;
    case simt::FaultKind::StackOverflow:
      return FindingKind::StackOverflow;
  }
  return FindingKind::Trap;
}

// Bits of the bytes of one word that [address, address + bytes) covers.
std::uint32_t byte_mask(std::uint64_t address, std::uint32_t bytes) {
  return bytes >= 4 ? 0xfU : ((1U << bytes) - 1) << (address % 4);
}

}  // namespace

struct Checker::Impl {
  Impl(const simt::Program& p, const Suspects* s);

  struct BlockState {
    explicit BlockState(std::uint32_t warps, std::size_t words)
        : order(warps), positions(warps, 0), lines(warps, 0), shared(words) {}

    BlockOrder order;
    std::vector<std::uint32_t> positions;  // by warp: steps in this interval
    std::vector<std::uint32_t> lines;      // by warp: the last source line it was at
    std::vector<WordLog> shared;
  };
  // Findings that differ in these are told apart; others are counted.
  using Key = std::tuple<FindingKind, std::string, std::uint32_t, std::uint32_t, int>;

  BlockState& block(std::uint32_t index);
  void access(const simt::StepInfo& info, const simt::MemoryEvent& event);
  void access_word(WordAccess& access, std::uint64_t address, WordLog& log, bool shared);
  void report_race(const WordAccess& earlier, std::uint32_t lanes, const WordAccess& now,
                   std::uint64_t address, bool shared);
  void report_uninitialised(const WordAccess& access, std::uint64_t address);
  void report_fault(const simt::StepInfo& info, const simt::FaultEvent& event);
  Finding* add(const Key& key, Finding&& finding);
  void name_place(Finding& finding, std::uint64_t address, std::uint32_t bytes) const;
  [[nodiscard]] Party party(const WordAccess& access, std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t thread(std::uint32_t warp, std::uint32_t lane) const {
    return warp * static_cast<std::uint32_t>(program.warp_size()) + lane;
  }

  const simt::Program& program;
  const Suspects* suspects;
  std::uint64_t step = 0;
  std::vector<std::vector<std::uint32_t>> line_of;  // by function and pc
  std::vector<std::unique_ptr<BlockState>> blocks;
  std::unordered_map<std::uint64_t, WordLog> global;  // by generic word address
  std::map<Key, Finding> findings;
};

Checker::Impl::Impl(const simt::Program& p, const Suspects* s)
    : program(p), suspects(s), blocks(p.block_count()) {
  for (const ptx::Function& function : program.module().functions) {
    std::vector<std::uint32_t> lines(function.instructions.size());
    for (std::uint32_t pc = 0; pc < lines.size(); ++pc) {
      lines[pc] = ptx::statement_line(function, pc);
    }
    line_of.push_back(std::move(lines));
  }
}

Checker::Impl::BlockState& Checker::Impl::block(std::uint32_t index) {
  std::unique_ptr<BlockState>& state = blocks[index];
  if (state == nullptr) {
    state =
        std::make_unique<BlockState>(program.warps_per_block(), (program.shared_bytes() + 3) / 4);
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
    finding.variable = program.allocations()[place.allocation].name;
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
  BlockState& state = block(info.id.block);
  WordAccess access;
  access.step = step;
  access.block = info.id.block;
  access.warp = info.id.warp;
  access.stamp = state.order.now(info.id.warp);
  access.line = state.lines[info.id.warp];
  access.position = state.positions[info.id.warp];
  access.kind = event.kind;
  for_each_lane(event.mask, [&](std::uint32_t lane) {
    access.lanes = 1U << lane;
    const std::uint64_t address = event.addresses[lane];
    access.bytes = byte_mask(address, event.bytes);
    for (std::uint64_t word = address / 4; word * 4 < address + event.bytes; ++word) {
      if (shared) {
        const std::uint64_t index = word - simt::kSharedWindow / 4;
        if (index < state.shared.size() && (suspects == nullptr || suspects->has_shared(index))) {
          access_word(access, std::max(address, word * 4), state.shared[index], true);
        }
        continue;
      }
      const std::uint64_t window = (word * 4 - simt::kGlobalWindow) / simt::kWindowBytes;
      const std::uint64_t index = word % (simt::kWindowBytes / 4);
      if (suspects == nullptr || suspects->has_global(window, index)) {
        access_word(access, std::max(address, word * 4), global[word], false);
      }
    }
  });
}

void Checker::Impl::access_word(WordAccess& access, std::uint64_t address, WordLog& log,
                                bool shared) {
  const BlockOrder& order = blocks[access.block]->order;
  if (shared) {
    log.enter_interval(order.interval());
  }
  std::uint32_t lanes = 0;
  if (const WordAccess* earlier = log.find_race(access, order, lanes); earlier != nullptr) {
    report_race(*earlier, lanes, access, address, shared);
  } else if (shared && access.kind != simt::AccessKind::Store &&
             (access.bytes & ~log.written()) != 0) {
    report_uninitialised(access, address);
  }
  log.add(access);
}

void Checker::Impl::report_race(const WordAccess& earlier, std::uint32_t lanes,
                                const WordAccess& now, std::uint64_t address, bool shared) {
  const simt::Place place = program.locate(address, 1);
  const std::string variable = place.allocation == simt::kNoAllocation
                                   ? std::string()
                                   : program.allocations()[place.allocation].name;
  const FindingKind kind = shared ? FindingKind::SharedRace : FindingKind::GlobalRace;
  const int stores = (earlier.kind != simt::AccessKind::Load ? 1 : 0) +
                     (now.kind != simt::AccessKind::Load ? 1 : 0);
  Finding* finding = add(
      {kind, variable, std::min(earlier.line, now.line), std::max(earlier.line, now.line), stores},
      {});
  if (finding == nullptr) {
    return;
  }
  finding->kind = kind;
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
  finding->sentence = race_sentence(program, *finding, shape);
}

void Checker::Impl::report_uninitialised(const WordAccess& access, std::uint64_t address) {
  Finding finding;
  finding.kind = FindingKind::UninitialisedRead;
  name_place(finding, address, 1);
  finding.parties = {party(access, static_cast<std::uint32_t>(std::countr_zero(access.lanes)))};
  const Key key{finding.kind, finding.variable, access.line, access.line, 0};
  if (Finding* added = add(key, std::move(finding)); added != nullptr) {
    added->sentence = uninitialised_sentence(program, *added);
  }
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
  WordAccess access;
  access.step = step;
  access.block = info.id.block;
  access.warp = info.id.warp;
  access.line = block(info.id.block).lines[info.id.warp];
  access.kind = event.access;
  finding.parties = {party(access, lane)};
  finding.sentence = fault_sentence(program, finding, event, place);
  const Key key{finding.kind, finding.variable, access.line, access.line,
                static_cast<int>(event.access)};
  add(key, std::move(finding));
}

Checker::Checker(const simt::Program& program) : Checker(program, nullptr) {}
Checker::Checker(const simt::Program& program, const Suspects* suspects)
    : impl_(std::make_unique<Impl>(program, suspects)) {}
Checker::~Checker() = default;

void Checker::before_step(const simt::StepInfo& info) {
  Impl::BlockState& state = impl_->block(info.id.block);
  if (const std::uint32_t line = impl_->line_of[info.function][info.pc]; line != 0) {
    state.lines[info.id.warp] = line;
  }
  ++state.positions[info.id.warp];
  if (info.instruction->op == ptx::Opcode::BarWarp && info.mask != 0) {
    state.order.sync_lanes(info.id.warp, info.mask);
  }
}

void Checker::after_step(const simt::StepInfo&) {
  ++impl_->step;
}

void Checker::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  if (event.space == ptx::Space::Shared || event.space == ptx::Space::Global) {
    impl_->access(info, event);
  }
}

void Checker::on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) {
  if (info.instruction == nullptr || info.instruction->op != ptx::Opcode::Bar) {
    return;
  }
  Impl::BlockState& state = impl_->block(info.id.block);
  const bool whole = is_whole_block_barrier(impl_->program, info);
  if (whole && event.action == simt::BarrierAction::Release) {
    state.order.sync_block();
    std::fill(state.positions.begin(), state.positions.end(), 0);
  } else if (!whole && event.action == simt::BarrierAction::Arrive) {
    state.order.arrive(info.id.warp, event.id, info.instruction->mode != ptx::Mode::BarArrive);
  } else if (!whole) {
    state.order.release(event.id);
  }
}

void Checker::on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) {
  impl_->report_fault(info, event);
}

void Checker::on_block_start(std::uint32_t block) {
  impl_->blocks[block].reset();
}
void Checker::on_block_end(std::uint32_t block) {
  impl_->blocks[block].reset();
}

std::vector<Finding> Checker::findings() const {
  std::vector<Finding> result;
  for (const auto& entry : impl_->findings) {
    const Finding& finding = entry.second;
    // A read that races with the store it waits for may come before it: the race says it all.
    const bool explained =
        finding.kind == FindingKind::UninitialisedRead &&
        std::any_of(impl_->findings.begin(), impl_->findings.end(), [&](const auto& other) {
          return other.second.kind == FindingKind::SharedRace &&
                 other.second.variable == finding.variable;
        });
    if (!explained) {
      result.push_back(finding);
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Finding& a, const Finding& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.parties.front().step < b.parties.front().step;
  });
  return result;
}

}  // namespace tilestep::insight
