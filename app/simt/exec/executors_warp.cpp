// Warp-wide operations: shuffles, votes, matches, reductions (PTX ISA 9.0, 9.7.9.6, 9.7.13). All
// live lanes that the instruction names arrive first, on whichever path they are
// (control_paths.cpp).
#include "simt/exec/control.h"
#include "simt/exec/executors.h"

#include <bit>

namespace tilestep::simt {
namespace {

[[nodiscard]] bool has(Slot slot) {
  return !(slot == kNoSlot);
}

void put_predicate(const Context& c, Slot slot, std::uint32_t value) {
  if (has(slot)) {
    std::uint32_t& to = predicate(c, slot);
    to = (to & ~c.mask) | (value & c.mask);
  }
}

void put_words(const Context& c, Slot slot, const std::array<std::uint32_t, kLanes>& values) {
  if (!has(slot)) {
    return;
  }
  auto* const d = row<std::uint32_t>(c, slot);
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    d[lane] = values[lane];
  }
}

void put_word(const Context& c, Slot slot, std::uint32_t value) {
  std::array<std::uint32_t, kLanes> values{};
  values.fill(value);
  put_words(c, slot, values);
}

// Participating lanes, seen from one lane: the executing ones of its member mask.
[[nodiscard]] std::uint32_t members(const Context& c, Slot slot, std::uint32_t lane) {
  return has(slot) ? row<const std::uint32_t>(c, slot)[lane] & c.together : c.together;
}

// The first source operand of a lane on any path.
[[nodiscard]] std::uint32_t source_word(const Context& c, const Bound* i, std::uint32_t lane) {
  return c.exchanged != nullptr ? static_cast<std::uint32_t>(c.exchanged[lane])
                                : row<const std::uint32_t>(c, i->in[0])[lane];
}

[[nodiscard]] std::uint64_t source_long(const Context& c, const Bound* i, std::uint32_t lane) {
  return c.exchanged != nullptr ? c.exchanged[lane] : row<const std::uint64_t>(c, i->in[0])[lane];
}

// Predicates, one bit per lane.
[[nodiscard]] std::uint32_t source_votes(const Context& c, const Bound* i) {
  if (c.exchanged == nullptr) {
    return predicate(c, i->in[0]) ^ static_cast<std::uint32_t>(i->value);
  }
  std::uint32_t votes = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    votes |= c.exchanged[lane] != 0 ? 1U << lane : 0;
  }
  return votes;
}

[[nodiscard]] std::uint32_t reduce(const ptx::Instruction& i, const std::uint32_t* values,
                                   std::uint32_t lanes) {
  std::uint32_t result = values[std::countr_zero(lanes)];
  const bool is_signed = i.type == ptx::Type::S32;
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  };
  for (std::uint32_t left = lanes & (lanes - 1); left != 0; left &= left - 1) {
    const std::uint32_t v = values[std::countr_zero(left)];
    switch (i.mode) {
      case ptx::Mode::AtomAdd:
        result += v;
        break;
      case ptx::Mode::AtomMin:
        result = less(v, result) ? v : result;
        break;
      case ptx::Mode::AtomMax:
        result = less(result, v) ? v : result;
        break;
      case ptx::Mode::AtomAnd:
        result &= v;
        break;
      case ptx::Mode::AtomOr:
        result |= v;
        break;
      default:
        result ^= v;
    }
  }
  return result;
}

template <class T>
void match_lanes(Context& c, const Bound* i) {
  const auto a = [&](std::uint32_t lane) {
    return sizeof(T) == 8 ? source_long(c, i, lane) : source_word(c, i, lane);
  };
  std::array<std::uint32_t, kLanes> result{};
  std::uint32_t all_equal = 0;
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t group = members(c, i->in[1], lane);
    std::uint32_t same = 0;
    for (std::uint32_t others = group; others != 0; others &= others - 1) {
      const auto other = static_cast<std::uint32_t>(std::countr_zero(others));
      same |= a(other) == a(lane) ? 1U << other : 0U;
    }
    all_equal |= same == group ? 1U << lane : 0U;
    result[lane] = i->source->mode == ptx::Mode::Any ? same : same == group ? group : 0U;
  }
  put_words(c, i->d, result);
  put_predicate(c, i->in[2], all_equal);
}

const Bound* shuffle(Context& c, const Bound* i) {
  const auto* const b = row<const std::uint32_t>(c, i->in[1]);
  const auto* const clamp = row<const std::uint32_t>(c, i->in[2]);
  std::array<std::uint32_t, kLanes> result{};
  std::uint32_t in_range = 0;
  UndefinedShuffle undefined;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const ShuffleSource source = shuffle_source(i->source->mode, lane, b[lane], clamp[lane]);
    result[lane] = source_word(c, i, source.lane);
    in_range |= source.in_range ? 1U << lane : 0U;
    const std::uint32_t named = members(c, i->detail->members, lane);
    const bool is_stranger = (named >> lane & 1U) == 0;  // reported as such
    const bool takes_part = is_stranger || (named >> source.lane & 1U) != 0;
    undefined.mask |= takes_part ? 0U : 1U << lane;
    undefined.from[lane] = static_cast<std::uint8_t>(source.lane);
  }
  undefined.mask &= c.mask;
  if (undefined.mask != 0 && c.observer != nullptr) {
    c.observer->on_undefined_shuffle(step_info(c, i), undefined);
  }
  put_words(c, i->d, result);
  put_predicate(c, i->in[3], in_range);
  return i + 1;
}

const Bound* vote(Context& c, const Bound* i) {
  const std::uint32_t votes = source_votes(c, i);
  std::array<std::uint32_t, kLanes> ballots{};
  std::uint32_t holds = 0;
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t group = members(c, i->in[1], lane);
    const std::uint32_t yes = votes & group;
    const bool truth = i->source->mode == ptx::Mode::All   ? yes == group
                       : i->source->mode == ptx::Mode::Any ? yes != 0
                                                           : yes == group || yes == 0;
    ballots[lane] = yes;
    holds |= truth ? 1U << lane : 0U;
  }
  if (i->source->mode == ptx::Mode::Ballot) {
    put_words(c, i->d, ballots);
  } else {
    put_predicate(c, i->d, holds);
  }
  return i + 1;
}

const Bound* match(Context& c, const Bound* i) {
  if (i->source->type == ptx::Type::B64) {
    match_lanes<std::uint64_t>(c, i);
  } else {
    match_lanes<std::uint32_t>(c, i);
  }
  return i + 1;
}

const Bound* reduce_warp(Context& c, const Bound* i) {
  std::array<std::uint32_t, kLanes> values{};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    values[lane] = source_word(c, i, lane);
  }
  std::array<std::uint32_t, kLanes> result{};
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t group = members(c, i->in[1], lane) | 1U << lane;
    result[lane] = reduce(*i->source, values.data(), group);
  }
  put_words(c, i->d, result);
  return i + 1;
}

// A lane that its own mask does not name waits for others, and nobody for it.
void report_strangers(Context& c, const Bound* i) {
  const auto* const named = row<const std::uint32_t>(c, i->detail->members);
  FaultEvent fault;
  for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    fault.mask |= ~named[lane] & 1U << lane;
  }
  if (fault.mask != 0) {
    fault.kind = FaultKind::NotInMask;
    fault.detail = std::string(ptx::instruction_text(*c.program.module, *i->source));
    report_fault(c, i, fault);
  }
}

const Bound* elect(Context& c, const Bound* i) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(c.together));
  put_word(c, i->d, leader);
  put_predicate(c, i->in[3], 1U << leader);
  return i + 1;
}

// Only threads that name the same lanes wait for each other (PTX ISA 9.0, "bar.warp.sync"): one
// event for each such group. Reported once for all paths that meet.
const Bound* warp_barrier(Context& c, const Bound* i) {
  if (c.observer == nullptr) {
    return i + 1;
  }
  const auto* const named = row<const std::uint32_t>(c, i->detail->members);
  for (std::uint32_t left = c.mask; left != 0;) {
    const std::uint32_t mask = named[std::countr_zero(left)];
    std::uint32_t group = 0;
    for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      group |= named[lane] == mask ? 1U << lane : 0U;
    }
    left &= ~group;
    group |= c.together & ~c.mask & mask;  // of other paths
    if ((c.mask & group & (0 - group)) != 0) {
      c.observer->on_barrier(step_info(c, i),
                             {BarrierAction::WarpSync, 0, group, false, kNoThread});
    }
  }
  return i + 1;
}

}  // namespace

const Bound* active_mask(Context& c, const Bound* i) {
  put_word(c, i->d, c.mask);
  return i + 1;
}

const Bound* exchange(Context& c, const Bound* i) {
  if (c.observer != nullptr) {
    report_strangers(c, i);
  }
  switch (i->source->op) {
    case ptx::Opcode::Shfl:
      return shuffle(c, i);
    case ptx::Opcode::Vote:
      return vote(c, i);
    case ptx::Opcode::Match:
      return match(c, i);
    case ptx::Opcode::Redux:
      return reduce_warp(c, i);
    case ptx::Opcode::Elect:
      return elect(c, i);
    default:
      return warp_barrier(c, i);
  }
}

void bring_operand(const Context& c, const Bound* i, std::array<std::uint64_t, kLanes>& values) {
  const bool votes = i->source->op == ptx::Opcode::Vote;
  const bool is_long = i->source->op == ptx::Opcode::Match && ptx::byte_size(i->source->type) == 8;
  for (std::uint32_t left = c.mask; left != 0 && has(i->in[0]); left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    values[lane] = votes     ? source_votes(c, i) >> lane & 1U
                   : is_long ? source_long(c, i, lane)
                             : source_word(c, i, lane);
  }
}

const Bound* meet(Context& c, const Bound* i) {
  std::uint32_t wanted = 0;
  if (c.mask != c.warp.live) {
    const auto* const named = row<const std::uint32_t>(c, i->detail->members);
    for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
      wanted |= named[std::countr_zero(left)];
    }
  }
  c.together = c.mask;
  if ((wanted & c.warp.live & ~c.mask) == 0) {
    return exchange(c, i);
  }
  Path& path = c.warp.paths.back();
  path.pc = i->pc;
  path.wait = PathWait::Warp;
  path.arrived = c.mask;
  path.members = wanted;
  return next_path(c);
}

}  // namespace tilestep::simt
