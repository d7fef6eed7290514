#include "clock/sm.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace tilestep::clock {
namespace {

using Clock = std::int64_t;

constexpr std::int64_t kTick = 64;  // of a clock
constexpr std::size_t kSchedulers = 4;
constexpr std::size_t kSlots = 64;
constexpr std::size_t kBoards = 6;
constexpr std::uint32_t kNoSlot = 0xffffffffU;

std::int64_t ticks(double clocks) {
  return static_cast<std::int64_t>(clocks * static_cast<double>(kTick) + 0.5);
}
Clock whole(double clocks) {
  return static_cast<Clock>(clocks + 0.5);
}

// L1: sets of 16 lines by a hash of the address, least recently used first out.
class L1Cache {
 public:
  explicit L1Cache(double kib)
      : sets_(std::max<std::size_t>(1, static_cast<std::size_t>(kib * 1024 / 128) / kWays)),
        lines_(sets_ * kWays) {}

  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    Clock used = -1;
    std::array<Clock, 4> ready{-1, -1, -1, -1};  // by sector; -1: not requested
  };
  Line& find(std::uint64_t tag, Clock now) {
    const std::size_t set = (tag * 0x9E3779B97F4A7C15ULL >> 40) % sets_;
    const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(set * kWays);
    const auto last = first + kWays;
    auto at = std::find_if(first, last, [&](const Line& line) { return line.tag == tag; });
    if (at == last) {
      at = std::min_element(first, last,
                            [](const Line& a, const Line& b) { return a.used < b.used; });
      *at = Line{};
      at->tag = tag;
    }
    at->used = now;
    return *at;
  }

 private:
  static constexpr std::ptrdiff_t kWays = 16;
  std::size_t sets_;
  std::vector<Line> lines_;
};

struct Warp {
  bool lives = false;
  const WarpTrace* trace = nullptr;
  std::size_t position = 0;  // in trace->steps
  std::size_t place = 0;     // of its block
  std::size_t order = 0;     // of its block: index in the source
  std::size_t life = 0;
  std::array<int, kBoards> boards{};
  std::array<int, kBoards> long_boards{};  // of `boards`: held by global memory
  Clock copies_end = 0;                    // of the asynchronous copies so far
  WarpState state = WarpState::Wait;
  Clock since = 0;
};

struct Place {  // of a block
  std::shared_ptr<const BlockTrace> trace;
  std::size_t living = 0;
  std::array<std::size_t, 16> arrived{};  // by barrier
  std::vector<std::uint32_t> slots;
  Clock starts = 0;
};

struct Queued {
  std::uint32_t slot = 0;
  std::uint32_t instruction = 0;
  std::size_t life = 0;
  Request request;
  bool has_request = false;
  bool may_be_cold = false;  // its block is one of the first
  Clock at = 0;
};

class Sm {
 public:
  Sm(const std::vector<CodedInstruction>& code, const std::vector<RequestShape>& shapes,
     const BlockSource& source, std::size_t blocks, const SmTable& table, const SmOptions& options)
      : code_(code),
        shapes_(shapes),
        source_(source),
        blocks_(blocks),
        n_(table.numbers),
        options_(options),
        l1_(options.l1_kib),
        places_(options.blocks_at_once) {
    run_.by_instruction.resize(code.size());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      places_[k].starts = whole(static_cast<double>(k) * n_.block_gap);
    }
  }

  SmRun run(const std::atomic<bool>* cancel) {
    while (done_ < blocks_) {
      if ((now_ & 0xfff) == 0 && cancel != nullptr && cancel->load()) {
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

 private:
  enum class EventKind : std::uint8_t { Wake, Board, Stop };
  struct Event {
    EventKind kind = EventKind::Wake;
    std::uint8_t slot = 0;
    std::uint8_t board = 0;
    bool is_long = false;
    std::size_t life = 0;  // the slot may have another warp by then
  };
  [[nodiscard]] Event event(EventKind kind, std::uint32_t slot, std::uint8_t board = 0,
                            bool is_long = false) const {
    return {kind, static_cast<std::uint8_t>(slot), board, is_long, warps_[slot].life};
  }

  void at(Clock time, Event event) {
    time = std::max(time, now_ + 1);
    if (time - now_ < static_cast<Clock>(kWheel)) {
      wheel_[static_cast<std::size_t>(time) % kWheel].push_back(event);
      ++in_wheel_;
    } else {
      later_.emplace(time, event);
    }
  }

  // Advances to the next clock in which something may happen.
  void skip() {
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
    for (const Place& place : places_) {
      if (place.trace == nullptr && next_block_ < blocks_) {
        next = std::min(next, std::max(place.starts, now_));
      }
    }
    if (in_wheel_ > 0) {
      for (Clock t = now_; t < next; ++t) {
        if (!wheel_[static_cast<std::size_t>(t) % kWheel].empty()) {
          next = t;
        }
      }
    }
    now_ = std::max(now_, next);
  }

  void take_events() {
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
        case EventKind::Stop:
          set_state(event.slot, WarpState::Barrier);
          break;
      }
    }
    events.clear();
  }

  // The warp's next instruction may start, unless one of its scoreboards is held.
  void await_boards(std::uint32_t slot) {
    Warp& warp = warps_[slot];
    const CodedInstruction& next = code_[warp.trace->steps[warp.position].instruction];
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

  void set_state(std::uint32_t slot, WarpState state) {
    Warp& warp = warps_[slot];
    if (warp.state == state) {
      return;
    }
    end_state(slot, now_);
    warp.state = state;
    note(slot, now_);
  }
  // Adds the state's clocks until `time`.
  void end_state(std::uint32_t slot, Clock time) {
    Warp& warp = warps_[slot];
    const auto clocks = static_cast<std::uint64_t>(time - warp.since);
    const std::uint32_t instruction =
        warp.trace->steps[std::min(warp.position, warp.trace->steps.size() - 1)].instruction;
    run_.by_state[static_cast<std::size_t>(warp.state)] += clocks;
    run_.by_instruction[instruction][static_cast<std::size_t>(warp.state)] += clocks;
    run_.warp_clocks += clocks;
    warp.since = time;
  }
  void note(std::uint32_t slot, Clock time) {
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

  void start_blocks() {
    for (Place& place : places_) {
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
  void start_warp(std::uint32_t slot, Place& place, std::size_t w) {
    Warp& warp = warps_[slot];
    warp = Warp{};
    warp.lives = true;
    warp.trace = &place.trace->warps[w];
    warp.place = static_cast<std::size_t>(&place - places_.data());
    warp.order = next_block_;
    warp.life = run_.lives.size();
    const Clock start = now_ + whole(static_cast<double>(w) * n_.warp_gap);
    run_.lives.push_back({place.trace->block, static_cast<std::uint32_t>(w), slot, start, 0, {}, {}});
    warp.since = now_;
    note(slot, now_);
    place.slots.push_back(slot);
    at(start, event(EventKind::Wake, slot));
  }

  // Each queue's instructions enter in their order, the four schedulers by turns: those of shared
  // memory at one rate, those of global memory at that of the tag stage.
  void enter(std::size_t kind) {
    Entry& into = entries_[kind];
    if (into.free >= (now_ + 1) * kTick) {
      return;
    }
    for (std::size_t k = 0; k < kSchedulers; ++k) {
      const std::size_t scheduler = (into.turn + k) % kSchedulers;
      std::deque<Queued>& queue = into.queues[scheduler];
      if (queue.empty() || queue.front().at > now_ || into.queue_free[scheduler] > now_ * kTick) {
        continue;
      }
      const CodedInstruction& code = code_[queue.front().instruction];
      const double backlog = kind == kGlobal ? n_.global_backlog : n_.shared_backlog;
      if (is_memory(code.unit) && data_free_ - now_ * kTick > ticks(backlog)) {
        continue;
      }
      const Queued entry = queue.front();
      queue.pop_front();
      into.turn = scheduler + 1;
      const bool is_slow = kind == kGlobal || code.unit == Unit::SharedStore;
      into.queue_free[scheduler] =
          now_ * kTick + ticks(is_slow ? n_.scheduler_global_gap : n_.scheduler_shared_gap);
      if (is_memory(code.unit)) {
        into.free = std::max(into.free, now_ * kTick) + entry_ticks(entry, code);
      }
      perform(entry, code);
      return;
    }
  }
  [[nodiscard]] std::int64_t entry_ticks(const Queued& entry, const CodedInstruction& code) const {
    if (!is_global(code.unit)) {
      return ticks(n_.shared_gap);
    }
    if (!entry.has_request) {
      return ticks(n_.global_gap);
    }
    const RequestShape& shape = shapes_[entry.request.shape];
    const auto lines = static_cast<double>(shape.lines.size());
    double clocks = n_.global_gap + std::max(0.0, lines - 1.0) * n_.line_gap;
    if (code.is_wide && code.unit == Unit::GlobalLoad) {
      clocks = std::max(clocks, static_cast<double>(sectors_of(shape)) * n_.wide_sector_gap);
    }
    return ticks(clocks);
  }

  void perform(const Queued& entry, const CodedInstruction& code) {
    Clock end = now_ + whole(n_.special);
    if (is_memory(code.unit)) {
      end = entry.has_request ? access(entry, code) : now_ + 1;
    }
    if (!warps_[entry.slot].lives || warps_[entry.slot].life != entry.life) {
      return;
    }
    if (options_.records && code.result_board < kBoards && entry.has_request) {
      run_.lives[entry.life].loads.push_back({entry.instruction, level_, now_, end});
    }
    if (code.unit == Unit::AsyncCopy) {
      Warp& warp = warps_[entry.slot];
      warp.copies_end = std::max(warp.copies_end, end);
    }
    const bool is_long = is_global(code.unit);
    if (code.result_board < kBoards) {
      at(end, event(EventKind::Board, entry.slot, code.result_board, is_long));
    }
    if (code.operand_board < kBoards) {
      at(now_ + whole(n_.operands_read),
         event(EventKind::Board, entry.slot, code.operand_board, is_long));
    }
  }

  // Returns the clock of the result.
  Clock access(const Queued& entry, const CodedInstruction& code) {
    const RequestShape& shape = shapes_[entry.request.shape];
    const std::int64_t start = std::max(data_free_, now_ * kTick);
    const Clock first = start / kTick;
    const std::int64_t more = std::max<std::int64_t>(shape.passes, 1) - 1;
    level_ = MemoryLevel::Shared;
    std::int64_t taken = std::max<std::int64_t>(shape.passes + shape.stored_passes, 1) * kTick;
    if (code.unit == Unit::AsyncCopy) {
      taken += ticks(n_.copy_passes);
    } else if (code.unit == Unit::SharedStore) {
      taken += ticks(n_.store_passes);
    }
    note_busy(start, taken);
    Clock end = first + more;
    if (code.unit == Unit::SharedLoad) {
      end += whole(n_.shared_load);
    } else if (code.unit == Unit::SharedStore) {
      end += whole(n_.operands_read);
    } else if (code.unit == Unit::GlobalStore) {
      l2_free_ = std::max(l2_free_, start) + bytes_ticks(sectors_of(shape));
      end += whole(n_.operands_read);
    } else {
      end = load(entry, shape, code, start);
    }
    data_free_ = start + taken;
    return end;
  }

  Clock load(const Queued& entry, const RequestShape& shape, const CodedInstruction& code,
             std::int64_t start) {
    const Clock first = start / kTick;
    const std::int64_t more = std::max<std::int64_t>(shape.passes, 1) - 1;
    Clock end = first + whole(n_.l1_hit) + more;
    level_ = MemoryLevel::L1;
    for (const LineSectors& of : shape.lines) {
      const std::uint64_t number = entry.request.line + static_cast<std::uint64_t>(of.line);
      L1Cache::Line& line = l1_.find(number, first);
      bool is_missed = false;
      for (std::uint32_t sector = 0; sector < 4; ++sector) {
        if ((of.sectors >> sector & 1U) == 0) {
          continue;
        }
        ++run_.sectors;
        Clock& ready = line.ready[sector];
        if (ready >= 0 && !code.bypasses_l1) {
          ++run_.l1_hits;
          end = std::max(end, ready <= first ? first + whole(n_.l1_hit) : ready);
          continue;
        }
        if (!is_missed) {
          l2_free_ = std::max(l2_free_, start) + ticks(n_.l2_line);
          is_missed = true;
        }
        l2_free_ = std::max(l2_free_, start) + bytes_ticks(1);
        const Clock arrives = l2_free_ / kTick + l2_clocks(number, sector, entry.may_be_cold);
        if (!code.bypasses_l1) {
          ready = arrives;
        }
        end = std::max(end, arrives);
      }
    }
    // L1 returns loads in order.
    end = std::max(end, last_load_);
    last_load_ = end;
    return end;
  }
  // DRAM fills 64 bytes of L2 at once; later blocks find what others have loaded.
  Clock l2_clocks(std::uint64_t line, std::uint32_t sector, bool may_be_cold) {
    const bool is_first = may_be_cold && pieces_.insert(line * 2 + sector / 2).second;
    run_.dram_sectors += is_first ? 1 : 0;
    level_ = std::max(level_, is_first ? MemoryLevel::Dram : MemoryLevel::L2);
    return whole(n_.l2_hit) + (is_first ? whole(n_.dram) : 0);
  }
  static std::int64_t sectors_of(const RequestShape& shape) {
    std::int64_t sectors = 0;
    for (const LineSectors& of : shape.lines) {
      sectors += std::popcount(of.sectors);
    }
    return sectors;
  }
  [[nodiscard]] std::int64_t bytes_ticks(std::int64_t sectors) const {
    return ticks(static_cast<double>(sectors) * 32.0 / n_.l2_bytes);
  }
  void note_busy(std::int64_t start, std::int64_t taken) {
    passes_ += taken;
    if (!options_.records) {
      return;
    }
    for (std::int64_t t = start / kTick; t < (start + taken) / kTick; ++t) {
      const auto at = static_cast<std::size_t>(t / kBusyClocks);
      if (at >= run_.busy.size()) {
        run_.busy.resize(at + 1);
      }
      ++run_.busy[at];
    }
  }

  // Why a warp whose operands are there cannot issue; NotSelected: it can.
  [[nodiscard]] WarpState hazard(std::size_t scheduler, Unit unit) const {
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

  // The oldest block first, its warps by turns.
  void schedule(std::size_t scheduler) {
    std::uint32_t candidates = candidates_[scheduler];
    std::uint32_t chosen = kNoSlot;
    std::uint32_t ready = 0;
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
      ready |= 1U << k;
      const bool goes_on = slot == last_[scheduler] && !prefers_others_[scheduler];
      const std::tuple<bool, std::size_t, bool> rank{!goes_on, warp.order,
                                                     slot <= last_[scheduler]};
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

  void issue(std::size_t scheduler, std::uint32_t slot) {
    Warp& warp = warps_[slot];
    const TraceStep step = warp.trace->steps[warp.position];
    const CodedInstruction& code = code_[step.instruction];
    set_state(slot, WarpState::Selected);
    ++run_.instructions;
    prefers_others_[scheduler] = code.prefers_others;
    occupy(scheduler, code.unit, code.is_wide);
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
    } else {
      at(ready, event(EventKind::Wake, slot));
    }
  }

  void occupy(std::size_t scheduler, Unit unit, bool is_wide) {
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
        static_cast<void>(is_wide);
        break;
      default:
        break;
    }
  }
  // Each of the two register banks of a scheduler, even and odd numbers, gives one register a
  // clock. An operand that the previous instruction has kept is not read if that was of the same
  // warp.
  void read_registers(std::size_t scheduler, std::uint32_t slot, const CodedInstruction& code) {
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
  void hold(std::uint32_t slot, const CodedInstruction& code) {
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
  static std::uint8_t copy_board(const CodedInstruction& code) {
    return code.result_board < kBoards ? code.result_board : 0;
  }
  // Scoreboards of instructions that do not go through the queue.
  void release(std::uint32_t slot, const CodedInstruction& code) {
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
  // Copies that still wait in the queue end later than those that have entered.
  Clock copies_end(std::uint32_t slot) {
    const std::deque<Queued>& queue = entries_[kGlobal].queues[slot % kSchedulers];
    const auto waiting = std::ranges::count(queue, slot, &Queued::slot);
    return std::max(warps_[slot].copies_end,
                    waiting > 0 ? now_ + whole(n_.l2_hit + n_.queue_delay) : 0);
  }

  void arrive(std::uint32_t slot, std::size_t barrier) {
    Warp& warp = warps_[slot];
    Place& place = places_[warp.place];
    data_free_ = std::max(data_free_, now_ * kTick) + ticks(n_.barrier_gap);
    barrier_free_ = std::max(barrier_free_, now_ * kTick) + ticks(n_.barrier_arrival);
    waits_at_[slot] = static_cast<std::uint8_t>(barrier + 1);
    at(now_ + whole(n_.barrier_delay), event(EventKind::Stop, slot));
    ++place.arrived[barrier];
    open_if_complete(place, barrier);
  }
  void open_if_complete(Place& place, std::size_t barrier) {
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
        waits_at_[slot] = 0;
        at(opens, event(EventKind::Wake, slot));
      }
    }
  }

  void exit(std::uint32_t slot) {
    Warp& warp = warps_[slot];
    Place& place = places_[warp.place];
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

  static constexpr std::size_t kWheel = 1U << 12U;

  const std::vector<CodedInstruction>& code_;
  const std::vector<RequestShape>& shapes_;
  const BlockSource& source_;
  std::size_t blocks_;
  const SmNumbers& n_;
  SmOptions options_;
  SmRun run_;
  Clock now_ = 0;
  std::array<std::vector<Event>, kWheel> wheel_;
  std::multimap<Clock, Event> later_;
  std::size_t in_wheel_ = 0;
  std::array<Warp, kSlots> warps_;
  std::array<std::uint8_t, kSlots> waits_at_{};          // 1 + number of its barrier
  std::array<std::uint32_t, kSchedulers> candidates_{};  // a bit by slot / 4
  std::array<std::uint32_t, kSchedulers> last_{};
  std::array<bool, kSchedulers> prefers_others_{};
  struct Entry {  // of shared or of global memory
    std::array<std::deque<Queued>, kSchedulers> queues;
    std::array<std::int64_t, kSchedulers> queue_free{};  // ticks
    std::int64_t free = 0;                               // ticks
    std::size_t turn = 0;
  };
  struct Ports {                         // of the registers
    std::array<std::int64_t, 2> free{};  // ticks
    std::uint32_t warp = kNoSlot;
    std::size_t life = 0;
    std::array<std::uint8_t, 3> kept{ptx::kZeroRegister, ptx::kZeroRegister, ptx::kZeroRegister};
  };
  std::array<Ports, kSchedulers> ports_;
  std::array<std::int64_t, kSchedulers> dispatch_free_{};  // ticks
  static constexpr std::size_t kShared = 0;
  static constexpr std::size_t kGlobal = 1;
  std::array<Entry, 2> entries_;
  std::array<std::array<Clock, 2>, kSchedulers> fma_free_{};
  std::array<Clock, kSchedulers> alu_free_{};
  std::array<Clock, kSchedulers> uniform_free_{};
  std::array<std::int64_t, kSchedulers> tensor_free_{};  // ticks
  std::int64_t passes_ = 0;                              // ticks, as the following
  std::int64_t data_free_ = 0;
  std::int64_t l2_free_ = 0;
  std::int64_t barrier_free_ = 0;
  Clock last_load_ = 0;
  MemoryLevel level_ = MemoryLevel::Shared;  // of the latest access
  L1Cache l1_;
  std::unordered_set<std::uint64_t> pieces_;  // of 64 bytes that DRAM has filled
  std::vector<Place> places_;
  std::size_t next_block_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

SmRun simulate(const std::vector<CodedInstruction>& code, const std::vector<RequestShape>& shapes,
               const BlockSource& source, std::size_t blocks, const SmTable& table,
               const SmOptions& options, const std::atomic<bool>* cancel) {
  const auto sm = std::make_unique<Sm>(code, shapes, source, blocks, table, options);
  return sm->run(cancel);
}

}  // namespace tilestep::clock
