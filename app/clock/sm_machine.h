// The model of one SM (sm.h) while it runs; private to it (sm.cpp, sm_memory.cpp).
#pragma once

#include "clock/sm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tilestep::clock::detail {

using Clock = std::int64_t;

inline constexpr std::int64_t kTick = 64;  // of a clock
inline constexpr std::size_t kSlots = 64;
inline constexpr std::size_t kBoards = 6;
inline constexpr std::uint32_t kNoSlot = 0xffffffffU;

inline std::int64_t ticks(double clocks) {
  return std::llround(clocks * static_cast<double>(kTick));
}
inline Clock whole(double clocks) {
  return std::llround(clocks);
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

struct BlockPlace {
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

// BAR does not stop its warp: until the barrier opens, the warp goes on with instructions that
// neither branch nor access memory (docs/insight/clock.md).
constexpr bool waits_for_barrier(Unit unit) {
  return !is_math(unit) && unit != Unit::Uniform && unit != Unit::Other;
}

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

  SmRun run(const std::atomic<bool>* cancel);

 private:
  enum class EventKind : std::uint8_t { Wake, Board, Open };
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
  void skip();

  void take_events();

  // The warp's next instruction may start, unless one of its scoreboards is held.
  void await_boards(std::uint32_t slot);

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
  void end_state(std::uint32_t slot, Clock time);
  void note(std::uint32_t slot, Clock time);

  void start_blocks();
  void start_warp(std::uint32_t slot, BlockPlace& place, std::size_t w);

  // Each queue's instructions enter in their order, the four schedulers by turns: those of shared
  // memory at one rate, those of global memory at that of the tag stage.
  void enter(std::size_t kind);
  [[nodiscard]] std::int64_t entry_ticks(const Queued& entry, const CodedInstruction& code) const;

  void perform(const Queued& entry, const CodedInstruction& code);

  // Returns the clock of the result.
  Clock access(const Queued& entry, const CodedInstruction& code);

  Clock load(const Queued& entry, const RequestShape& shape, const CodedInstruction& code,
             std::int64_t start);
  // DRAM fills 64 bytes of L2 at once; later blocks find what others have loaded.
  Clock l2_clocks(std::uint64_t line, std::uint32_t sector, bool may_be_cold);
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
  void note_busy(std::int64_t start, std::int64_t taken);

  // Why a warp whose operands are there cannot issue; NotSelected: it can.
  [[nodiscard]] WarpState hazard(std::size_t scheduler, Unit unit) const;

  // The oldest block first, its warps by turns.
  void schedule(std::size_t scheduler);

  void issue(std::size_t scheduler, std::uint32_t slot);

  void occupy(std::size_t scheduler, Unit unit);
  // Each of the two register banks of a scheduler, even and odd numbers, gives one register a
  // clock. An operand that the previous instruction has kept is not read if that was of the same
  // warp.
  void read_registers(std::size_t scheduler, std::uint32_t slot, const CodedInstruction& code);
  void hold(std::uint32_t slot, const CodedInstruction& code);
  static std::uint8_t copy_board(const CodedInstruction& code) {
    return code.result_board < kBoards ? code.result_board : 0;
  }
  // Scoreboards of instructions that do not go through the queue.
  void release(std::uint32_t slot, const CodedInstruction& code);
  // Copies that still wait in the queue end later than those that have entered.
  Clock copies_end(std::uint32_t slot);

  void arrive(std::uint32_t slot, std::size_t barrier);
  void open_if_complete(BlockPlace& place, std::size_t barrier);

  void exit(std::uint32_t slot);

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
  MemoryLevel level_ = MemoryLevel::Shared;  // of the latest access
  L1Cache l1_;
  std::unordered_set<std::uint64_t> pieces_;  // of 64 bytes that DRAM has filled
  std::vector<BlockPlace> places_;
  std::size_t next_block_ = 0;
  std::size_t done_ = 0;
};

}  // namespace tilestep::clock::detail
