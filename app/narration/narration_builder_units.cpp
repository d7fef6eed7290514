// mbarriers and the TMA unit: arrivals, requests, and completed copies.
#include "narration/narration_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilestep::narration {
namespace {

using ptx::Mode;
using ptx::OperandKind;
using simt::AccessAgent;
using simt::AccessKind;

[[nodiscard]] bool is_address(const ptx::Operand& operand) {
  return operand.kind == OperandKind::Memory || operand.kind == OperandKind::MemoryVariable ||
         operand.kind == OperandKind::MemoryAbsolute;
}

[[nodiscard]] bool arrives_there(const UnitStep& step) {
  return step.is(ptx::Opcode::CpAsyncMbarrier) || ptx::arrives_at_mbarrier(step.instruction->mode);
}

}  // namespace

const BlockRun& NarrationBuilder::run_here() {
  if (narrated_.run.is_known()) {
    return narrated_.run;
  }
  if (!run_here_) {
    run_here_.emplace(narrated_.recording, narrated_.block, statement_.activity.first_step,
                      statement_.activity.last_step);
  }
  return *run_here_;
}

// For a copy that arrives: the step that waited for it.
const UnitStep* NarrationBuilder::unit_of(const record::Access& access) {
  return run_here().unit_at(access.step);
}

bool NarrationBuilder::is_of_mbarrier(const record::Access& access) {
  const UnitStep* const step = unit_of(access);
  return step != nullptr && step->is_mbarrier() && !access.event.is_arrival &&
         access.event.bytes == sizeof(std::uint64_t) && access.event.kind != AccessKind::Load;
}

std::optional<Sentence> NarrationBuilder::unit() {
  const std::uint32_t lane = own_lane();
  for (const UnitStep& step :
       run_here().units(statement_.activity.first_step, statement_.activity.last_step)) {
    if (step.warp == own_warp() && (step.mask >> lane & 1U) != 0) {
      if (std::optional<Sentence> s = unit(step)) {
        return s;
      }
    }
  }
  return std::nullopt;
}

std::optional<Sentence> NarrationBuilder::unit(const UnitStep& step) {
  using ptx::Opcode;
  const Places places{{"thread", who()},
                      {"threads", plain(counted(executed_count_, Noun::Thread))}};
  switch (step.instruction->op) {
    case Opcode::Mbarrier:
    case Opcode::CpAsyncMbarrier:
      return mbarrier(step);
    case Opcode::BulkCopy:
    case Opcode::BulkTensorCopy:
      return bulk_copy(step);
    case Opcode::BulkCommit:
      return say(Kind::CopyStart, "bulk_group", places);
    case Opcode::BulkWait:
      return say(Kind::CopyArrival, "bulk_wait", places);
    case Opcode::FenceProxy:
      return say(Kind::Barrier, "proxy_fence", places);
    case Opcode::MmaSync:
    case Opcode::WmmaMma:
      return warp_product(step);
    case Opcode::WgmmaMma:
      return warpgroup_product(step);
    case Opcode::WgmmaFence:
      return say(Kind::Product, "warpgroup_fence", places);
    case Opcode::WgmmaCommit:
    case Opcode::WgmmaWait:
      return products_done(step);
    default:
      return std::nullopt;
  }
}

std::span<const ptx::Operand> NarrationBuilder::operands(const UnitStep& step) const {
  const ptx::Function& function = program().module().functions[step.function];
  return std::span(function.operands)
      .subspan(step.instruction->first_operand, step.instruction->operand_count);
}

// In optimized code the register may hold another value by the end of the statement.
std::optional<std::uint64_t> NarrationBuilder::operand_value(const UnitStep& step,
                                                             const ptx::Operand& operand) const {
  if (operand.kind == OperandKind::Immediate || operand.kind == OperandKind::MemoryAbsolute) {
    return static_cast<std::uint64_t>(operand.value);
  }
  const bool has_register =
      operand.kind == OperandKind::Register || operand.kind == OperandKind::Memory;
  const simt::WarpId warp{narrated_.block, step.warp};
  const simt::Machine& machine = statement_.after.machine();
  if (!has_register || !program().module().is_debug || !machine.call(warp, step.frame)) {
    return std::nullopt;
  }
  const auto lane = static_cast<int>(own_lane());
  const std::uint64_t value = machine.register_lane(warp, operand.reg, lane, step.frame);
  return operand.kind == OperandKind::Memory ? value + static_cast<std::uint64_t>(operand.value)
                                             : value;
}

std::optional<std::uint64_t> NarrationBuilder::amount(const UnitStep& step) const {
  const std::span<const ptx::Operand> all = operands(step);
  const auto address = std::ranges::find_if(all, is_address);
  if (address == all.end() || std::next(address) == all.end()) {
    return std::nullopt;
  }
  return operand_value(step, *std::next(address));
}

std::optional<std::uint64_t> NarrationBuilder::mbarrier_of(const UnitStep& step,
                                                           std::uint32_t lane) {
  for (const record::Access& a : statement_.activity.accesses) {
    if (a.step == step.step && a.warp == simt::WarpId{narrated_.block, step.warp} &&
        (a.event.mask >> lane & 1U) != 0 && a.event.agent == AccessAgent::Thread &&
        is_of_mbarrier(a)) {
      return a.event.addresses[lane];
    }
  }
  return std::nullopt;
}

std::optional<simt::MbarrierObject> NarrationBuilder::object_at(std::uint64_t address) const {
  const std::span<const std::byte> shared = statement_.after.machine().shared(narrated_.block);
  const std::uint64_t offset = address - simt::kSharedWindow;
  std::uint64_t word = 0;
  if (address < simt::kSharedWindow || offset + sizeof word > shared.size()) {
    return std::nullopt;
  }
  std::memcpy(&word, shared.data() + offset, sizeof word);
  return simt::MbarrierObject(word);
}

// "4,096 bytes and 1 arrival".
Pieces NarrationBuilder::missing(const simt::MbarrierObject& object) const {
  std::vector<Pieces> parts;
  if (object.bytes > 0) {
    parts.push_back(plain(counted(static_cast<std::uint64_t>(object.bytes), Noun::Byte)));
  }
  if (object.pending > 0) {
    parts.push_back(plain(counted(object.pending, Noun::Arrival)));
  }
  return listed(parts);
}

Pieces NarrationBuilder::place_at(std::uint64_t address, std::uint32_t bytes) const {
  const auto e = element_at(program(), address, bytes);
  return strong(place_text(program(), address, bytes), e ? hue(e->allocation) : Hue::None);
}

std::optional<Sentence> NarrationBuilder::mbarrier(const UnitStep& step) {
  const std::optional<std::uint64_t> address = mbarrier_of(step, own_lane());
  // Copies that arrive with the thread are more informative.
  if (!address || own(AccessKind::Store, true, false, true) != nullptr) {
    return std::nullopt;
  }
  if (arrives_there(step)) {
    return arrives(step, *address);
  }
  const std::uint64_t count = amount(step).value_or(0);
  const Places places{{"thread", who()},
                      {"barrier", place_at(*address, 8)},
                      {"arrivals", strong(counted(count, Noun::Arrival))},
                      {"bytes", strong(counted(count, Noun::Byte))}};
  switch (step.instruction->mode) {
    case Mode::MbarInit:
      return say(Kind::Barrier, "mbarrier_init", places);
    case Mode::MbarInval:
      return say(Kind::Barrier, "mbarrier_end", places);
    case Mode::MbarExpectTx:
      return say(Kind::Barrier, "mbarrier_announce", places);
    case Mode::MbarCompleteTx:
      return say(Kind::Barrier, "mbarrier_complete", places);
    case Mode::MbarTestWait:
    case Mode::MbarTryWait:
      return waits_for_phase(step, *address);
    default:
      return std::nullopt;
  }
}

Sentence NarrationBuilder::arrives(const UnitStep& step, std::uint64_t address) {
  std::uint32_t threads = 0;
  for (const UnitStep& other :
       run_here().units(statement_.activity.first_step, statement_.activity.last_step)) {
    for (std::uint32_t rest = other.is_mbarrier() && arrives_there(other) ? other.mask : 0;
         rest != 0; rest &= rest - 1) {
      threads +=
          mbarrier_of(other, static_cast<std::uint32_t>(std::countr_zero(rest))) == address ? 1 : 0;
    }
  }
  const std::uint32_t number = simt::mbarrier_number(address);
  const bool is_over = ends_phase(number);
  Places places{{"thread", who()},
                {"threads", plain(counted(threads, Noun::Thread))},
                {"barrier", place_at(address, 8)},
                {"phase", phase_text(number, statement_.activity.last_step - 1, 0)}};
  if (is_over) {
    return say(Kind::Barrier, threads > 1 ? Say("arrives_over") : Say("arrives_over_alone"),
               places);
  }
  const std::optional<std::uint64_t> bytes =
      step.instruction->mode == Mode::MbarArriveExpectTx ? amount(step) : std::nullopt;
  if (bytes) {
    places.emplace_back("bytes", strong(counted(*bytes, Noun::Byte)));
    return say(Kind::Barrier, "arrives_announcing", places);
  }
  const std::optional<simt::MbarrierObject> object = object_at(address);
  places.emplace_back("missing", object ? missing(*object) : plain("?"));
  return say(Kind::Barrier, threads > 1 ? Say("arrives") : Say("arrives_alone"), places);
}

// The last phase that was over at a step, or one that is `behind` it.
Pieces NarrationBuilder::phase_text(std::uint32_t mbarrier, std::uint64_t step,
                                    std::uint64_t behind) const {
  return narrated_.run.is_known()
             ? part("phase_number",
                    {{"number", plain(fmt::format(
                                    "{}", narrated_.run.phases_over(mbarrier, step) + behind))}})
             : part("phase_of_it", {});
}

Sentence NarrationBuilder::waits_for_phase(const UnitStep& step, std::uint64_t address) {
  const std::uint32_t number = simt::mbarrier_number(address);
  const std::uint32_t lane = own_lane();
  const bool is_over = std::ranges::any_of(statement_.activity.barriers, [&](const auto& b) {
    return b.warp == simt::WarpId{narrated_.block, step.warp} &&
           b.event.action == simt::BarrierAction::Acquire && b.event.id == number &&
           (b.event.mask >> lane & 1U) != 0;
  });
  Places places{{"thread", who()},
                {"barrier", place_at(address, 8)},
                {"phase", phase_text(number, step.step, is_over ? 0 : 1)}};
  if (is_over) {
    const bool is_first =
        narrated_.run.is_known() && narrated_.run.phases_over(number, step.step) == 0;
    return say(Kind::Barrier, is_first ? Say("phase_before_first") : Say("phase_over"), places);
  }
  const std::optional<simt::MbarrierObject> object = object_at(address);
  const Pieces what = object ? missing(*object) : Pieces{};
  if (what.empty() || ends_phase(number)) {  // another thread ended it, after this thread has asked
    return say(Kind::Barrier, "phase_not_over", places);
  }
  places.emplace_back("missing", what);
  return say(Kind::Barrier, asks_again(step) ? Say("phase_waits_again") : Say("phase_waits"),
             places);
}

bool NarrationBuilder::ends_phase(std::uint32_t mbarrier) const {
  return std::ranges::any_of(statement_.activity.barriers, [&](const auto& b) {
    return b.warp.block == narrated_.block && b.event.action == simt::BarrierAction::Release &&
           b.event.id == mbarrier;
  });
}

bool NarrationBuilder::asks_again(const UnitStep& step) const {
  const std::span<const UnitStep> later = narrated_.run.units(step.step + 1, ~std::uint64_t{0});
  const auto next = std::ranges::find(later, step.warp, &UnitStep::warp);
  return next != later.end() && next->instruction == step.instruction;
}

// From what the TMA unit reads and its destination, 16 bytes at a time.
std::optional<Sentence> NarrationBuilder::bulk_copy(const UnitStep& step) {
  const std::uint32_t lane = own_lane();
  Box box;
  std::uint64_t from = ~std::uint64_t{0};
  std::uint64_t to = ~std::uint64_t{0};
  std::uint64_t read = 0;
  std::uint64_t stored = 0;
  for (const record::Access& a : statement_.activity.accesses) {
    if (a.step != step.step || a.event.agent != AccessAgent::TmaUnit ||
        (a.event.mask >> lane & 1U) == 0 || a.event.is_arrival) {
      continue;
    }
    const std::uint64_t address = a.event.addresses[lane];
    if (a.event.kind != AccessKind::Load) {
      to = std::min(to, address);
      stored += a.event.bytes;
      continue;
    }
    from = std::min(from, address);
    read += a.event.bytes;
    if (const auto e = element_at(program(), address, a.event.bytes)) {
      const std::uint32_t size = element_bytes(program(), program().arrays()[e->allocation]);
      box.add(e->row, e->col);
      box.add(e->row, e->col + a.event.bytes / std::max(size, 1U) - 1);
    }
  }
  if (read == 0 && stored == 0) {
    return std::nullopt;
  }
  const auto name = [&](std::uint64_t address) {
    const auto e = element_at(program(), address, 1);
    return e ? strong(array_text(program(), *e), hue(e->allocation)) : plain("?");
  };
  const bool to_shared = stored != 0;
  const ptx::Operand& last = operands(step).back();
  const std::optional<std::uint64_t> address =
      to_shared && is_address(last) ? operand_value(step, last) : std::nullopt;
  Places places{{"thread", who()},
                {"bytes", strong(counted(to_shared ? stored : read, Noun::Byte))},
                {"barrier", address ? place_at((*address & 0xffffffffU) | simt::kSharedWindow, 8)
                                    : part("some_mbarrier", {})}};
  if (!to_shared) {
    places.emplace_back("array", name(from));
    return say(Kind::CopyStart, "bulk_store", places);
  }
  places.emplace_back("to", name(to));
  if (read == 0) {
    return say(Kind::CopyStart, "bulk_zeros", places);
  }
  places.emplace_back("source", place_at(from, 1));
  places.emplace_back("array", name(from));
  places.emplace_back("rows", plain(fmt::format("{}", box.row1 - box.row0 + 1)));
  places.emplace_back("columns", plain(fmt::format("{}", box.col1 - box.col0 + 1)));
  if (step.is(ptx::Opcode::BulkCopy)) {
    return say(Kind::CopyStart, "bulk_row", places);
  }
  return say(Kind::CopyStart, read < stored ? Say("bulk_box_part") : Say("bulk_box"), places);
}

// The copies of the TMA unit that arrived in this statement, whichever thread waited for them.
std::vector<Sentence> NarrationBuilder::landed() {
  struct Arrival {
    std::string array;
    std::uint32_t allocation = simt::kNoAllocation;
    std::uint32_t asker = 0;
    bool to_shared = true;
    const UnitStep* waits = nullptr;
    std::uint64_t bytes = 0;
  };
  std::vector<Arrival> all;
  for (const record::Access& a : statement_.activity.accesses) {
    if (a.warp.block != narrated_.block || a.event.agent != AccessAgent::TmaUnit ||
        a.event.kind != AccessKind::Store || a.event.is_issue || a.event.mask == 0) {
      continue;
    }
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(a.event.mask));
    const auto e = element_at(program(), a.event.addresses[lane], a.event.bytes);
    Arrival one{e ? array_text(program(), *e) : "?",
                e ? e->allocation : simt::kNoAllocation,
                program().thread_of(a.warp, lane),
                a.event.space == ptx::Space::Shared,
                unit_of(a),
                0};
    auto found = std::ranges::find_if(all, [&](const Arrival& other) {
      return other.array == one.array && other.asker == one.asker && other.waits == one.waits;
    });
    found = found == all.end() ? all.insert(found, std::move(one)) : found;
    found->bytes += a.event.bytes;
  }
  std::vector<Sentence> sentences;
  for (const Arrival& one : all) {
    Places places{{"bytes", strong(counted(one.bytes, Noun::Byte))},
                  {"to", strong(one.array, hue(one.allocation))},
                  {"asker", thread_name(one.asker)}};
    const auto address =
        one.waits != nullptr && one.to_shared
            ? mbarrier_of(*one.waits, static_cast<std::uint32_t>(std::countr_zero(one.waits->mask)))
            : std::nullopt;
    const auto object = address ? object_at(*address) : std::nullopt;
    if (!object) {
      sentences.push_back(say(Kind::CopyArrival, "landed_stored", places));
      continue;
    }
    const std::uint32_t number = simt::mbarrier_number(*address);
    const bool is_over = ends_phase(number);
    places.emplace_back("barrier", place_at(*address, 8));
    places.emplace_back("phase", phase_text(number, statement_.activity.last_step - 1, 0));
    places.emplace_back("missing", missing(*object));
    sentences.push_back(
        say(Kind::CopyArrival, is_over ? Say("landed_over") : Say("landed_more"), places));
  }
  return sentences;
}

}  // namespace tilestep::narration
