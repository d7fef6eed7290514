#include "problem/text.h"
#include "problem/tr.h"
#include "simt/exec/executors.h"
#include "simt/exec/memory_access.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilestep::simt {
namespace {

// A copy of this size is written as cp.async.cg, which PTX allows for 16 bytes only. Libraries
// never use the other form, .ca, for it.
constexpr std::uint32_t kBytesPastL1 = 16;

void prepare_groups(Warp& warp) {
  if (warp.copy_groups.empty()) {
    warp.copy_groups.assign(kLanes, 0);
  }
}

// Lanes of `lanes` that read the same number of bytes as the first.
[[nodiscard]] std::uint32_t alike(const AsyncCopy& copy, std::uint32_t lanes) {
  const std::uint8_t given = copy.given[static_cast<std::size_t>(std::countr_zero(lanes))];
  std::uint32_t same = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    same |= copy.given[lane] == given ? 1U << lane : 0U;
  }
  return same;
}

// Reports the reads; returns the lanes whose source is accessible.
[[nodiscard]] std::uint32_t check_sources(Context& c, const Bound* i, AsyncCopy& copy) {
  const std::uint32_t lanes = c.mask;
  std::uint32_t good = 0;
  for (std::uint32_t left = lanes; left != 0; left &= ~c.mask) {
    c.mask = alike(copy, left);
    const std::uint32_t bytes = copy.given[static_cast<std::size_t>(std::countr_zero(c.mask))];
    good |= bytes == 0
                ? c.mask
                : check_lanes(c, i, AccessKind::Load, ptx::Space::Global, copy.from.data(), bytes);
  }
  c.mask = lanes;
  return good;
}

void arrive(Context& c, const Bound* i, const AsyncCopy& copy, std::uint32_t lanes) {
  if (c.observer != nullptr) {
    c.event.addresses.look_at(copy.to.data(), 0);
    c.event.shape = AccessShape::Any;
    c.event.is_arrival = true;
    emit_access(c, i, AccessKind::Store, ptx::Space::Shared, copy.bytes, lanes);
    c.event.is_arrival = false;
  }
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    std::array<std::byte, 16> bytes{};
    if (copy.given[lane] != 0) {
      std::memcpy(bytes.data(), lane_memory(c, copy.from[lane], false), copy.given[lane]);
    }
    std::memcpy(lane_memory(c, copy.to[lane], true), bytes.data(), copy.bytes);
  }
}

// Completes copies of the executing lanes, except those of their last `left` groups and, unless
// `open`, of the group that is not committed yet.
void finish(Context& c, const Bound* i, std::uint32_t left, bool open) {
  Warp& warp = c.warp;
  prepare_groups(warp);
  for (AsyncCopy& copy : warp.copies) {
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = copy.mask & c.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const bool done = open || copy.group[lane] + std::uint64_t{left} < warp.copy_groups[lane];
      lanes |= done ? 1U << lane : 0U;
    }
    if (lanes != 0) {
      arrive(c, i, copy, lanes);
      copy.mask &= ~lanes;
    }
  }
  std::erase_if(warp.copies, [](const AsyncCopy& copy) { return copy.mask == 0; });
}

using ptx::Mode;

using Object = MbarrierObject;

constexpr std::uint64_t kCountMask = Object::kCountMask;

void tell(const Context& c, const StepInfo& info, BarrierAction action, std::uint64_t address,
          std::uint32_t lanes) {
  if (c.observer != nullptr) {
    c.observer->on_barrier(info, {action, mbarrier_number(address), lanes, false, kNoThread});
  }
}

void tell(Context& c, const Bound* i, BarrierAction action, std::uint64_t address,
          std::uint32_t lanes) {
  tell(c, step_info(c, i), action, address, lanes);
}

[[nodiscard]] std::uint64_t count_operand(const Context& c, const Bound* i, std::uint32_t lane,
                                          std::uint64_t missing) {
  if (i->in[0] == kNoSlot) {
    return missing;
  }
  const bool is_state =
      ptx::asks_mbarrier(i->source->mode) && (i->source->flags & ptx::kParity) == 0;
  return is_state ? row<const std::uint64_t>(c, i->in[0])[lane]
                  : row<const std::uint32_t>(c, i->in[0])[lane];
}

// Applies an operation to an object.
void change(Object& object, Mode mode, std::uint64_t value) {
  switch (mode) {
    case Mode::MbarInit:
      object = Object(0);
      object.pending = value & kCountMask;
      object.expected = object.pending;
      break;
    case Mode::MbarInval:
      object = Object(0);
      break;
    case Mode::MbarArrive:
      object.pending -= value;
      break;
    case Mode::MbarArriveDrop:
      object.pending -= value;
      object.expected -= value;
      break;
    case Mode::MbarArriveExpectTx:
      object.bytes += static_cast<std::int64_t>(value);
      --object.pending;
      break;
    case Mode::MbarExpectTx:
      object.bytes += static_cast<std::int64_t>(value);
      break;
    default:
      object.bytes -= static_cast<std::int64_t>(value);  // complete_tx
  }
}

// Ends the phase if no arrival and no byte is pending.
[[nodiscard]] bool end_phase(Object& object, Mode mode) {
  const bool may_end = ptx::arrives_at_mbarrier(mode) || mode == Mode::MbarCompleteTx;
  if (!may_end || (object.pending & kCountMask) != 0 || object.bytes != 0) {
    return false;
  }
  object.phase ^= 1;
  object.pending = object.expected;
  return true;
}

void update(Context& c, const Bound* i, std::uint32_t lane, std::uint64_t address, Mode mode,
            std::uint64_t value) {
  std::byte* const cell = lane_memory(c, address, true);
  std::uint64_t word = 0;
  std::memcpy(&word, cell, sizeof word);
  if (!(i->d == kNoSlot)) {
    row<std::uint64_t>(c, i->d)[lane] = word;
  }
  Object object(word);
  change(object, mode, value);
  if (ptx::arrives_at_mbarrier(mode)) {
    tell(c, i, BarrierAction::Arrive, address, 1U << lane);
  }
  if (end_phase(object, mode)) {
    tell(c, i, BarrierAction::Release, address, 0);
  }
  word = object.word();
  std::memcpy(cell, &word, sizeof word);
}

[[nodiscard]] std::array<std::uint64_t, kLanes> object_addresses(const Context& c, const Bound* i) {
  std::array<std::uint64_t, kLanes> addresses{};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = lane_address(c, i->detail->addresses[0], lane) | kSharedWindow;
  }
  return addresses;
}

// "65 arrivals, and 64 have come": for the phase that the first lane waits for.
[[nodiscard]] std::string wait_for_phase(Context& c, const Bound* i) {
  const std::uint64_t address =
      object_addresses(c, i)[static_cast<std::size_t>(std::countr_zero(c.mask))];
  std::uint64_t word = 0;
  std::memcpy(&word, lane_memory(c, address, false), sizeof word);
  const Object object(word);
  const std::uint64_t came = object.expected - object.pending;
  std::string text =
      came == 1 ? tr("{}, of which {} has happened", plural(object.expected, "arrival"), came)
                : tr("{}, of which {} have happened", plural(object.expected, "arrival"), came);
  if (object.bytes != 0) {
    text += tr("; still missing: {}", plural(object.bytes, "byte"));
  }
  return text;
}

// Lanes whose phase is over.
[[nodiscard]] std::uint32_t test(Context& c, const Bound* i, std::uint32_t lanes,
                                 const std::array<std::uint64_t, kLanes>& addresses) {
  std::uint32_t over = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    std::uint64_t word = 0;
    std::memcpy(&word, lane_memory(c, addresses[lane], false), sizeof word);
    const std::uint64_t value = count_operand(c, i, lane, 0);
    const bool by_parity = (i->source->flags & ptx::kParity) != 0;
    const std::uint64_t asked = by_parity ? value & 1U : value >> 63;
    over |= word >> 63 != asked ? 1U << lane : 0U;
  }
  return over;
}

const Bound* wait(Context& c, const Bound* i, std::uint32_t lanes,
                  const std::array<std::uint64_t, kLanes>& addresses) {
  if (!c.block.bulk_copies.empty()) {
    for_each_lane(lanes, [&](std::uint32_t lane) { arrive_bulk_copies(c, addresses[lane]); });
  }
  const std::uint32_t over = test(c, i, lanes, addresses);
  std::uint32_t& to = predicate(c, i->d);
  to = (to & ~c.mask) | over;
  if (over != 0) {
    tell(c, i, BarrierAction::Acquire, addresses[static_cast<std::size_t>(std::countr_zero(over))],
         over);
    end_polling(c.warp);
    return i + 1;
  }
  return poll(c, i, 0, wait_for_phase);
}

}  // namespace

const Bound* copy_async(Context& c, const Bound* i) {
  prepare_groups(c.warp);
  AsyncCopy copy;
  copy.bytes = static_cast<std::uint32_t>(i->value);
  const std::uint32_t ignored = i->in[1] == kNoSlot ? 0 : row<const std::uint32_t>(c, i->in[1])[0];
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    copy.to[lane] = lane_address(c, i->detail->addresses[0], lane) | kSharedWindow;
    copy.from[lane] = lane_address(c, i->detail->addresses[1], lane);
    const std::uint32_t given = (ignored >> lane & 1U) != 0 ? 0
                                : i->in[0] == kNoSlot       ? copy.bytes
                                                      : row<const std::uint32_t>(c, i->in[0])[lane];
    copy.given[lane] = static_cast<std::uint8_t>(std::min(given, copy.bytes));
    copy.group[lane] = c.warp.copy_groups[lane];
  }
  c.event.skips_l1 = copy.bytes == kBytesPastL1;
  copy.mask = check_sources(c, i, copy);
  const std::uint32_t lanes = c.mask;
  c.mask = copy.mask;
  if (c.mask != 0) {
    c.event.is_issue = true;
    copy.mask =
        check_lanes(c, i, AccessKind::Store, ptx::Space::Shared, copy.to.data(), copy.bytes);
    c.event.is_issue = false;
  }
  c.event.skips_l1 = false;
  c.mask = lanes;
  if (copy.mask != 0) {
    c.warp.copies.push_back(copy);
  }
  return i + 1;
}

const Bound* commit_copies(Context& c, const Bound* i) {
  prepare_groups(c.warp);
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    ++c.warp.copy_groups[static_cast<std::size_t>(std::countr_zero(left))];
  }
  return i + 1;
}

const Bound* await_copies(Context& c, const Bound* i) {
  finish(c, i, static_cast<std::uint32_t>(i->value), false);
  return i + 1;
}

const Bound* await_all_copies(Context& c, const Bound* i) {
  finish_copies(c, i);
  return i + 1;
}

void finish_copies(Context& c, const Bound* i) {
  finish(c, i, 0, true);
}

const Bound* use_mbarrier(Context& c, const Bound* i) {
  const Mode mode = i->source->mode;
  std::array<std::uint64_t, kLanes> addresses = object_addresses(c, i);
  const AccessKind kind = mode == Mode::MbarInit ? AccessKind::Store : AccessKind::Atomic;
  const std::uint32_t good =
      check_lanes(c, i, kind, ptx::Space::Shared, addresses.data(), sizeof(std::uint64_t));
  if (ptx::asks_mbarrier(mode)) {
    return wait(c, i, good, addresses);
  }
  for (std::uint32_t left = good; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    update(c, i, lane, addresses[lane], mode, count_operand(c, i, lane, 1));
  }
  return i + 1;
}

const Bound* arrive_after_copies(Context& c, const Bound* i) {
  finish_copies(c, i);
  if ((i->source->flags & ptx::kNoIncrement) == 0) {
    return i + 1;  // the arrival that it adds is the one that it performs
  }
  std::array<std::uint64_t, kLanes> addresses = object_addresses(c, i);
  const std::uint32_t good = check_lanes(c, i, AccessKind::Atomic, ptx::Space::Shared,
                                         addresses.data(), sizeof(std::uint64_t));
  for (std::uint32_t left = good; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    update(c, i, lane, addresses[lane], Mode::MbarArrive, 1);
  }
  return i + 1;
}

void complete_bytes(Context& c, const StepInfo& issuer, std::uint64_t address,
                    std::uint32_t bytes) {
  std::byte* const cell = lane_memory(c, address, true);
  std::uint64_t word = 0;
  std::memcpy(&word, cell, sizeof word);
  Object object(word);
  change(object, Mode::MbarCompleteTx, bytes);
  tell(c, issuer, BarrierAction::Arrive, address, issuer.mask);
  if (end_phase(object, Mode::MbarCompleteTx)) {
    tell(c, issuer, BarrierAction::Release, address, 0);
  }
  word = object.word();
  std::memcpy(cell, &word, sizeof word);
}

const Bound* pending_count(Context& c, const Bound* i) {
  const auto* const states = row<const std::uint64_t>(c, i->in[0]);
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    row<std::uint32_t>(c, i->d)[lane] = static_cast<std::uint32_t>(Object(states[lane]).pending);
  }
  return i + 1;
}

}  // namespace tilestep::simt
