#include "simt/exec/poll.h"

#include "problem/tr.h"
#include "simt/exec/paths.h"

#include <bit>
#include <functional>
#include <string_view>

namespace tilestep::simt {
namespace {

// Rounds of a waiting loop after which nobody expects the next one to bring anything.
constexpr std::uint32_t kPatience = 32;

// FNV-1a, by words.
constexpr std::uint64_t kNoWords = 0xcbf29ce484222325ULL;
[[nodiscard]] std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x100000001b3ULL;
}

// Vain yields in a row after which a warp is taken to wait for something that may never come.
constexpr std::uint32_t kStuck = 1024;
// … where it stands as it stood before: it goes round in a circle, and counts no attempts.
constexpr std::uint32_t kInCircle = 16;
constexpr std::size_t kMostCompared = 1 << 18;  // bytes of registers and local memory

// Of everything that the warp would go on from, whichever of its paths runs next.
[[nodiscard]] std::uint64_t standing(const Context& c) {
  if (c.block.warp_bytes() > kMostCompared) {
    return c.warp.standing + 1;  // too long to look at: it may have moved
  }
  const std::string_view own(reinterpret_cast<const char*>(c.block.stack(c.id.warp)),
                             c.block.warp_bytes());
  std::uint64_t all = std::hash<std::string_view>{}(own);
  for (const Path& path : c.warp.paths) {
    all += mix(mix(kNoWords, path.pc), std::uint64_t{path.frame} << 32 | path.mask);
  }
  return all;
}

[[nodiscard]] bool is_stuck(const Warp& warp) {
  return warp.vain_yields >= kStuck || warp.same_yields >= kInCircle;
}

// It has nothing to do but poll; true: so may all others, and it is time to look.
[[nodiscard]] bool note_yield(Context& c) {
  Warp& warp = c.warp;
  const std::uint64_t now = standing(c);
  warp.same_yields = now == warp.standing ? warp.same_yields + 1 : 0;
  warp.standing = now;
  ++warp.vain_yields;
  return warp.vain_yields % kStuck == 0 ||
         (warp.same_yields != 0 && warp.same_yields % kInCircle == 0);
}

// What a load read, and where: a loop that reads its way through an array polls nothing.
[[nodiscard]] std::uint64_t loaded_values(const Context& c, const Bound* i) {
  std::uint64_t hash = kNoWords;
  if (!(i->in[0] == kNoSlot) && i->detail->narrow == kNoSlot) {
    hash = mix(hash, row<const std::uint64_t>(c, i->in[0])[std::countr_zero(c.mask)]);
  }
  for (std::uint32_t e = 0; e < i->elements; ++e) {
    const Slot slot = i->elements == 1 ? i->d : i->detail->slots[e];
    if (slot == kNoSlot) {
      continue;
    }
    const bool is_long = ptx::byte_size(i->source->type) == 8;
    for (std::uint32_t left = c.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      hash = mix(hash, is_long ? row<const std::uint64_t>(c, slot)[lane]
                               : row<const std::uint32_t>(c, slot)[lane]);
    }
  }
  return hash;
}

// Everybody who could still move waits in vain: nobody is left to end it.
[[nodiscard]] bool all_stuck(const MachineState& machine) {
  for (std::uint32_t b = machine.statuses.part().first; b < machine.statuses.part().last; ++b) {
    if (machine.statuses[b] == BlockStatus::NotStarted) {
      return false;  // those that wait for it do not keep it out (residents.h)
    }
    if (machine.statuses[b] != BlockStatus::Running) {
      continue;
    }
    for (const Warp& warp : machine.blocks[b]->warps) {
      if (warp.status == WarpStatus::Ready && !is_stuck(warp)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::string wait_for_value(Context&, const Bound*) {
  return tr("it waits for a value that no thread will store");
}

const Bound* poll(Context& c, const Bound* i, std::uint64_t seen, DescribeWait describe) {
  Warp& warp = c.warp;
  // By the first lane, too: paths of one warp that poll at the same place find nothing new of each
  // other's.
  const std::uint64_t key = mix(seen, std::uint64_t{i->pc} << 32 | c.mask);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(c.mask));
  std::uint64_t& before = warp.polled[(i->pc + first) % warp.polled.size()];
  if (key != before) {
    before = key;
    end_polling(warp);
  }
  ++warp.polls;
  if (warp.polls < kPatience) {
    return i + 1;
  }
  warp.paths.back().pc = i->pc;
  if (note_yield(c) && all_stuck(c.machine)) {
    return stop_warp(c, i, FaultKind::BarrierDeadlock, describe(c, i));
  }
  return give_way(c, i);
}

void end_polling(Warp& warp) {
  warp.polls = 0;
  warp.vain_yields = 0;
  warp.same_yields = 0;
}

const Bound* polling_load(Context& c, const Bound* i) {
  const std::uint32_t variant = (c.variant & kObserved) | (c.mask == c.existing ? 0 : kPartial);
  const Bound* const next = i->detail->polled[variant](c, i);
  return next == i + 1 ? poll(c, i, loaded_values(c, i)) : next;
}

}  // namespace tilestep::simt
