#include "clock/sm.h"

#include "clock/sm_machine.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

namespace tilestep::clock {
namespace detail {

SmRun Sm::run(const std::atomic<bool>* cancel) {
  constexpr std::uint32_t kRounds = 4096;  // between two looks at `cancel`
  for (std::uint32_t round = 1; done_ < blocks_ && !run_.is_stuck; ++round) {
    if (round % kRounds == 0 && cancel != nullptr && cancel->load()) {
      run_.is_cancelled = true;
      break;
    }
    take_events();
    start_blocks();
    if (run_.is_cancelled) {
      break;
    }
    enter(kShared);
    enter(kGlobal);
    for (std::size_t scheduler = 0; scheduler < kSchedulers; ++scheduler) {
      schedule(scheduler);
    }
    ++now_;
    skip();
  }
  run_.clocks = now_;
  run_.passes = static_cast<std::uint64_t>(passes_ / kTick);
  return std::move(run_);
}

void Sm::skip() {
  if (done_ == blocks_) {
    return;
  }
  const bool is_idle =
      std::ranges::all_of(candidates_, [](std::uint32_t c) { return c == 0; }) &&
      std::ranges::all_of(entries_, [](const Entry& entry) {
        return std::ranges::all_of(entry.queues, [](const auto& queue) { return queue.empty(); });
      });
  if (!is_idle) {
    return;
  }
  Clock next = later_.empty() ? now_ + static_cast<Clock>(kWheel) : later_.begin()->first;
  bool is_next_known = !later_.empty() || in_wheel_ > 0;
  for (const BlockPlace& place : places_) {
    if (place.trace == nullptr && next_block_ < blocks_) {
      next = std::min(next, std::max(place.starts, now_));
      is_next_known = true;
    }
  }
  run_.is_stuck = !is_next_known;
  if (in_wheel_ > 0) {
    for (Clock t = now_; t < next; ++t) {
      if (!wheel_[static_cast<std::size_t>(t) % kWheel].empty()) {
        next = t;
      }
    }
  }
  now_ = std::max(now_, next);
}

void Sm::take_events() {
  while (!later_.empty() && later_.begin()->first - now_ < static_cast<Clock>(kWheel)) {
    wheel_[static_cast<std::size_t>(std::max(later_.begin()->first, now_)) % kWheel].push_back(
        later_.begin()->second);
    ++in_wheel_;
    later_.erase(later_.begin());
  }
  auto& events = wheel_[static_cast<std::size_t>(now_) % kWheel];
  in_wheel_ -= events.size();
  for (const Event& event : events) {
    Warp& warp = warps_[event.slot];
    if (!warp.lives || warp.life != event.life) {
      continue;
    }
    switch (event.kind) {
      case EventKind::Board:
        --warp.boards[event.board];
        warp.long_boards[event.board] -= event.is_long ? 1 : 0;
        if (warp.state == WarpState::LongScoreboard || warp.state == WarpState::ShortScoreboard) {
          await_boards(event.slot);
        }
        break;
      case EventKind::Wake:
        await_boards(event.slot);
        break;
      case EventKind::Open:
        waits_at_[event.slot] = 0;
        if (warp.state == WarpState::Barrier) {
          await_boards(event.slot);
        }
        break;
    }
  }
  events.clear();
}

void Sm::await_boards(std::uint32_t slot) {
  Warp& warp = warps_[slot];
  const CodedInstruction& next = code_[warp.trace->steps[warp.position].instruction];
  if (waits_at_[slot] != 0 && waits_for_barrier(next.unit)) {
    set_state(slot, WarpState::Barrier);
    return;
  }
  bool is_held = false;
  bool is_long = false;
  if (next.unit == Unit::CopyWait) {
    is_held = is_long = warp.boards[0] > next.groups;
  } else {
    for (std::uint32_t rest = next.awaited_boards; rest != 0; rest &= rest - 1) {
      const auto board = static_cast<std::size_t>(std::countr_zero(rest));
      if (board < kBoards && warp.boards[board] > 0) {
        is_held = true;
        is_long = is_long || warp.long_boards[board] > 0;
      }
    }
  }
  if (is_held) {
    set_state(slot, is_long ? WarpState::LongScoreboard : WarpState::ShortScoreboard);
  } else {
    candidates_[slot % kSchedulers] |= 1U << (slot / kSchedulers);
    set_state(slot, WarpState::NotSelected);
  }
}

void Sm::end_state(std::uint32_t slot, Clock time) {
  Warp& warp = warps_[slot];
  const auto clocks = static_cast<std::uint64_t>(time - warp.since);
  const std::uint32_t instruction =
      warp.trace->steps[std::min(warp.position, warp.trace->steps.size() - 1)].instruction;
  run_.by_state[static_cast<std::size_t>(warp.state)] += clocks;
  run_.by_instruction[instruction][static_cast<std::size_t>(warp.state)] += clocks;
  run_.warp_clocks += clocks;
  warp.since = time;
}

void Sm::note(std::uint32_t slot, Clock time) {
  const Warp& warp = warps_[slot];
  if (!options_.records) {
    return;
  }
  std::vector<StateSpan>& spans = run_.lives[warp.life].spans;
  if (!spans.empty() && spans.back().start == time) {
    spans.pop_back();
  }
  spans.push_back({time, warp.trace->steps[warp.position].instruction, warp.state});
}

void Sm::start_blocks() {
  for (BlockPlace& place : places_) {
    if (place.trace != nullptr || next_block_ == blocks_ || place.starts > now_) {
      continue;
    }
    place.trace = source_(next_block_);
    if (place.trace == nullptr) {
      run_.is_cancelled = true;
      return;
    }
    place.living = place.trace->warps.size();
    place.arrived = {};
    place.slots.clear();
    std::uint32_t slot = 0;
    for (std::size_t w = 0; w < place.living; ++w) {
      while (warps_[slot].lives) {
        ++slot;
        assert(slot < kSlots && "occupancy allows no more warps than an SM has slots");
      }
      start_warp(slot, place, w);
    }
    ++next_block_;
  }
}

void Sm::start_warp(std::uint32_t slot, BlockPlace& place, std::size_t w) {
  Warp& warp = warps_[slot];
  warp = Warp{};
  warp.lives = true;
  warp.trace = &place.trace->warps[w];
  warp.place = static_cast<std::size_t>(&place - places_.data());
  warp.order = next_block_;
  warp.life = run_.lives.size();
  const Clock start = now_ + whole(static_cast<double>(w) * n_.warp_gap);
  run_.lives.push_back(
      {place.trace->block, static_cast<std::uint32_t>(w), slot, start, 0, {}, {}, {}});
  warp.since = now_;
  note(slot, now_);
  place.slots.push_back(slot);
  at(start, event(EventKind::Wake, slot));
}

WarpState Sm::hazard(std::size_t scheduler, Unit unit) const {
  if (dispatch_free_[scheduler] >= (now_ + 1) * kTick) {
    return WarpState::Dispatch;
  }
  if (is_math(unit)) {
    for (const std::int64_t free : ports_[scheduler].free) {
      if (free > now_ * kTick + ticks(n_.port_clocks)) {
        return WarpState::Dispatch;
      }
    }
  }
  const auto has_room = [&](std::size_t kind, double places) {
    return static_cast<double>(entries_[kind].queues[scheduler].size()) < places;
  };
  switch (unit) {
    case Unit::SharedLoad:
    case Unit::SharedStore:
    case Unit::Special:
      return has_room(kShared, n_.queue_places) ? WarpState::NotSelected : WarpState::MioThrottle;
    case Unit::GlobalLoad:
    case Unit::GlobalStore:
    case Unit::AsyncCopy:
      return has_room(kGlobal, n_.global_places) ? WarpState::NotSelected : WarpState::LgThrottle;
    case Unit::Fma: {
      const auto& free = fma_free_[scheduler];
      return std::min(free[0], free[1]) <= now_ ? WarpState::NotSelected : WarpState::MathPipe;
    }
    case Unit::FmaHeavy:
      return fma_free_[scheduler][0] <= now_ ? WarpState::NotSelected : WarpState::MathPipe;
    case Unit::Alu:
      return alu_free_[scheduler] <= now_ ? WarpState::NotSelected : WarpState::MathPipe;
    case Unit::Uniform:
      return uniform_free_[scheduler] <= now_ ? WarpState::NotSelected : WarpState::MathPipe;
    case Unit::Tensor:
      return tensor_free_[scheduler] < (now_ + 1) * kTick ? WarpState::NotSelected
                                                          : WarpState::MathPipe;
    default:
      return WarpState::NotSelected;
  }
}

void Sm::schedule(std::size_t scheduler) {
  std::uint32_t candidates = candidates_[scheduler];
  std::uint32_t chosen = kNoSlot;
  std::tuple<bool, std::size_t, bool> best{};  // block, not after the last one
  for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<std::uint32_t>(std::countr_zero(rest));
    const auto slot = static_cast<std::uint32_t>(k * kSchedulers + scheduler);
    const Warp& warp = warps_[slot];
    const Unit unit = code_[warp.trace->steps[warp.position].instruction].unit;
    const WarpState why = hazard(scheduler, unit);
    set_state(slot, why);
    if (why != WarpState::NotSelected) {
      continue;
    }
    const bool goes_on = slot == last_[scheduler] && !prefers_others_[scheduler];
    const std::tuple<bool, std::size_t, bool> rank{!goes_on, warp.order, slot <= last_[scheduler]};
    if (chosen == kNoSlot || rank < best) {
      chosen = slot;
      best = rank;
    }
  }
  if (chosen != kNoSlot) {
    candidates_[scheduler] &= ~(1U << (chosen / kSchedulers));
    last_[scheduler] = chosen;
    issue(scheduler, chosen);
  }
}

void Sm::issue(std::size_t scheduler, std::uint32_t slot) {
  Warp& warp = warps_[slot];
  const TraceStep step = warp.trace->steps[warp.position];
  const CodedInstruction& code = code_[step.instruction];
  set_state(slot, WarpState::Selected);
  ++run_.instructions;
  if (options_.records && code.reads_clock && step.is_executed) {
    run_.lives[warp.life].clock_reads.push_back({now_, step.instruction});
  }
  prefers_others_[scheduler] = code.prefers_others || !is_math(code.unit);
  occupy(scheduler, code.unit);
  if (is_math(code.unit)) {
    read_registers(scheduler, slot, code);
  }
  const double dispatch = is_global(code.unit)                          ? n_.global_dispatch
                          : code.unit == Unit::FmaHeavy && code.is_wide ? n_.wide_dispatch
                                                                        : 1.0;
  dispatch_free_[scheduler] = std::max(dispatch_free_[scheduler], now_ * kTick) + ticks(dispatch);
  hold(slot, code);
  if (code.unit == Unit::Special || is_memory(code.unit)) {
    const bool has_request = step.request != kNoRequest;
    entries_[is_global(code.unit) ? kGlobal : kShared].queues[scheduler].push_back(
        {slot, step.instruction, warp.life,
         has_request ? warp.trace->requests[step.request] : Request{}, has_request,
         options_.is_cold && warp.order < places_.size(), now_ + whole(n_.queue_delay)});
  } else {
    release(slot, code);
  }
  end_state(slot, now_ + 1);  // Selected lasts one clock
  if (warp.position + 1 == warp.trace->steps.size()) {
    exit(slot);
    return;
  }
  ++warp.position;
  warp.state = step.is_taken && n_.taken_branch > 0 ? WarpState::Branch : WarpState::Wait;
  note(slot, now_ + 1);
  Clock ready = now_ + std::max<Clock>(1, code.stall);
  if (step.is_taken) {
    ready += whole(n_.taken_branch);
  }
  if (code.unit == Unit::Barrier && step.is_executed) {
    arrive(slot, code.barrier);
  }
  at(ready, event(EventKind::Wake, slot));
}

void Sm::occupy(std::size_t scheduler, Unit unit) {
  auto& fma = fma_free_[scheduler];
  switch (unit) {
    case Unit::Fma:
      fma[fma[1] <= now_ ? 1 : 0] = now_ + 2;
      break;
    case Unit::FmaHeavy:
      fma[0] = now_ + 2;
      break;
    case Unit::Alu:
      alu_free_[scheduler] = now_ + 2;
      break;
    case Unit::Uniform:
      uniform_free_[scheduler] = now_ + 2;
      break;
    case Unit::Tensor:
      tensor_free_[scheduler] =
          std::max(tensor_free_[scheduler], now_ * kTick) + ticks(n_.tensor_clocks);
      break;
    default:
      break;
  }
}

void Sm::read_registers(std::size_t scheduler, std::uint32_t slot, const CodedInstruction& code) {
  Ports& ports = ports_[scheduler];
  for (std::size_t k = 0; k < code.sources.size(); ++k) {
    const std::uint8_t number = code.sources[k];
    if (number == ptx::kZeroRegister ||
        (ports.warp == slot && ports.kept[k] == number && ports.life == warps_[slot].life)) {
      continue;
    }
    std::int64_t& free = ports.free[number % 2];
    free = std::max(free, now_ * kTick) + kTick;
  }
  ports.warp = slot;
  ports.life = warps_[slot].life;
  for (std::size_t k = 0; k < code.sources.size(); ++k) {
    ports.kept[k] = (code.kept >> k & 1U) != 0 ? code.sources[k] : ptx::kZeroRegister;
  }
}

void Sm::hold(std::uint32_t slot, const CodedInstruction& code) {
  Warp& warp = warps_[slot];
  const auto add = [&](std::uint8_t board, bool is_long) {
    if (board < kBoards) {
      ++warp.boards[board];
      warp.long_boards[board] += is_long ? 1 : 0;
    }
  };
  const bool is_copy = code.unit == Unit::CopyGroup;
  add(is_copy ? copy_board(code) : code.result_board, is_copy || is_global(code.unit));
  add(code.operand_board, is_global(code.unit));
}

void Sm::release(std::uint32_t slot, const CodedInstruction& code) {
  double clocks = n_.variable;
  if (code.unit == Unit::Constant) {
    clocks = n_.constant_load;
  } else if (code.unit == Unit::Tensor) {
    clocks = n_.tensor_latency;
  }
  Clock end = now_ + whole(clocks);
  if (code.unit == Unit::CopyGroup) {
    end = std::max(end, copies_end(slot));
    at(end, event(EventKind::Board, slot, copy_board(code), true));
    return;
  }
  if (code.result_board < kBoards) {
    at(end, event(EventKind::Board, slot, code.result_board));
  }
  if (code.operand_board < kBoards) {
    at(now_ + whole(n_.variable), event(EventKind::Board, slot, code.operand_board));
  }
}

Clock Sm::copies_end(std::uint32_t slot) {
  const std::deque<Queued>& queue = entries_[kGlobal].queues[slot % kSchedulers];
  const auto waiting = std::ranges::count(queue, slot, &Queued::slot);
  return std::max(warps_[slot].copies_end,
                  waiting > 0 ? now_ + whole(n_.l2_hit + n_.queue_delay) : 0);
}

void Sm::arrive(std::uint32_t slot, std::size_t barrier) {
  BlockPlace& place = places_[warps_[slot].place];
  data_free_ = std::max(data_free_, now_ * kTick) + ticks(n_.barrier_gap);
  barrier_free_ = std::max(barrier_free_, now_ * kTick) + ticks(n_.barrier_arrival);
  waits_at_[slot] = static_cast<std::uint8_t>(barrier + 1);
  ++place.arrived[barrier];
  open_if_complete(place, barrier);
}

void Sm::open_if_complete(BlockPlace& place, std::size_t barrier) {
  if (place.arrived[barrier] < place.living || place.living == 0) {
    return;
  }
  place.arrived[barrier] = 0;
  const std::int64_t start = std::max(data_free_, now_ * kTick);
  note_busy(start, ticks(n_.barrier_passes));
  data_free_ = start + ticks(n_.barrier_passes);
  const Clock opens = std::max(barrier_free_ / kTick, now_) + whole(n_.barrier);
  for (const std::uint32_t slot : place.slots) {
    if (waits_at_[slot] == barrier + 1) {
      at(opens, event(EventKind::Open, slot));
    }
  }
}

void Sm::exit(std::uint32_t slot) {
  Warp& warp = warps_[slot];
  BlockPlace& place = places_[warp.place];
  warp.lives = false;
  run_.lives[warp.life].end = now_ + 1;
  std::erase(place.slots, slot);
  if (--place.living == 0) {
    place.trace = nullptr;
    place.starts = now_ + whole(n_.next_block);
    ++done_;
    return;
  }
  for (std::size_t barrier = 0; barrier < place.arrived.size(); ++barrier) {
    if (place.arrived[barrier] > 0) {
      open_if_complete(place, barrier);
    }
  }
}

}  // namespace detail

std::uint64_t all_clocks(const StateClocks& states) {
  return std::accumulate(states.begin(), states.end(), std::uint64_t{0});
}

std::vector<std::size_t> longest_instructions(const SmRun& run) {
  std::vector<std::size_t> order(run.by_instruction.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto clocks = [&](std::size_t i) { return all_clocks(run.by_instruction[i]); };
  std::erase_if(order, [&](std::size_t i) { return clocks(i) == 0; });
  std::ranges::stable_sort(order, std::greater{}, clocks);
  return order;
}

SmRun simulate(const std::vector<CodedInstruction>& code, const std::vector<RequestShape>& shapes,
               const BlockSource& source, std::size_t blocks, const SmTable& table,
               const SmOptions& options, const std::atomic<bool>* cancel) {
  const auto sm = std::make_unique<detail::Sm>(code, shapes, source, blocks, table, options);
  return sm->run(cancel);
}

}  // namespace tilestep::clock
