// Where in memory one warp-wide access lies: the sectors of global memory and the banks of shared
// memory, with the lanes on every word. Counters count these (counters.h), pictures show them.
#pragma once

#include "simt/state/event.h"

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilestep::insight {

// A piece of a 128-byte line of global memory: the least that is moved.
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kBanks = 32;
inline constexpr std::uint32_t kBankBytes = 4;

// A sector that lanes touch.
struct TouchedSector {
  std::uint64_t address = 0;                                     // of its first byte
  std::array<std::uint32_t, kSectorBytes / kBankBytes> lanes{};  // by word: masks; 0: not used
};

// A word in a bank.
struct BankWord {
  std::uint64_t address = 0;  // of its first byte
  std::uint32_t bank = 0;
  std::uint32_t height = 0;  // how many other words of the bank lie below it
  std::uint32_t lanes = 0;   // mask
};

// What shared memory serves together, in as many passes as the highest stack has words.
struct BankStacks {
  std::uint32_t lanes = 0;
  std::vector<BankWord> words;  // by address, each once
  std::uint32_t passes = 0;
};

struct AccessLayout {
  std::uint32_t lanes = 0;             // how many
  std::uint32_t bytes = 0;             // distinct ones
  std::vector<TouchedSector> sectors;  // global memory: by address
  std::uint32_t ideal_sectors = 0;     // distinct bytes / 32, rounded up
  std::vector<BankStacks> stacks;      // shared memory: one after the other
  std::uint32_t passes = 0;            // of all stacks
  std::uint32_t ideal_passes = 0;      // one for each stack
};

[[nodiscard]] AccessLayout lay_out(const simt::MemoryEvent& event);

[[nodiscard]] std::vector<TouchedSector> touched_sectors(const simt::MemoryEvent& event);
[[nodiscard]] BankStacks bank_stacks(const simt::MemoryEvent& event, std::uint32_t lanes);

// The shape of one warp-wide access: which distinct words and sectors its lanes touch.
//
// One instruction touches memory in the same pattern nearly every time: only where the pattern
// starts moves. So the shape is worked out once and recognised by comparing the lanes' distances,
// which is what makes counters and race checks cheap.

// Consecutive words that lanes touch: word i belongs to lane first_lane + i / words_per_lane,
// unless several lanes touch each of them (`many`).
struct WordRun {
  std::int64_t first = 0;  // word, relative to the word of the access's first lane
  std::uint32_t count = 0;
  std::uint8_t first_lane = 0;
  bool many = false;
};

struct Shape {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;  // a lane
  simt::AccessKind kind = simt::AccessKind::Load;
  std::uint64_t window = 0;                           // high half of the first lane's address
  std::uint32_t low = 0;                              // first lane's address, modulo a word
  simt::AccessShape groups = simt::AccessShape::Any;  // what the machine said about the lanes
  std::uint32_t lanes = 0;                            // how many
  std::uint32_t words_per_lane = 1;
  std::uint32_t wavefronts = 0;  // passes through the 32 banks, if this is shared memory
  bool skips_l1 = false;         // of a copy: its store's place gives the load's sectors
  bool one_window = true;        // all lanes reach one buffer (simt/memory.h)
  // `groups` tells where the lanes are, and each accesses one word.
  bool is_word_groups = false;
  // Distinct 32-byte sectors, by where in a sector the first lane's word lies; 0: not counted yet.
  std::array<std::uint32_t, 8> sectors{};
  // Accesses of this shape that nobody has added up yet, by the same place.
  std::array<std::uint64_t, 8> uses{};
  std::array<std::uint64_t, simt::kWarpSize> distance{};  // from the first lane's address
  std::array<std::uint64_t, simt::kWarpSize> active{};    // all ones in the lanes of `mask`
  std::vector<WordRun> runs;                              // ascending, every word once

  [[nodiscard]] bool matches(const simt::MemoryEvent& event) const {
    if (event.mask != mask || event.bytes != bytes || event.kind != kind) {
      return false;
    }
    if (event.shape == simt::AccessShape::Any || event.shape != groups) {
      return matches_by_lane(event);
    }
    // All lanes take part, and the first of each group tells where the others are.
    const std::uint64_t base = event.addresses[0];
    std::uint64_t different = (base % 4 ^ low) | (base >> 32 ^ window);
    for (std::size_t lane = 8; lane < simt::kWarpSize; lane += 8) {
      different |= (event.addresses[lane] - base) ^ distance[lane];
    }
    return different == 0;
  }
  [[nodiscard]] bool matches_by_lane(const simt::MemoryEvent& event) const;
};

[[nodiscard]] inline std::uint64_t first_address(const simt::MemoryEvent& event) {
  return event.addresses[static_cast<std::size_t>(std::countr_zero(event.mask))];
}

[[nodiscard]] Shape make_shape(const simt::MemoryEvent& event);

// Shapes by instruction.
class ShapeCache {
 public:
  // `retire` is called with each shape that makes room for another.
  explicit ShapeCache(const ptx::Module& module, std::function<void(Shape&)> retire = {});

  // Valid until the next call.
  [[nodiscard]] Shape& find(const simt::StepInfo& info, const simt::MemoryEvent& event);
  // shape.sectors for where this access lies.
  [[nodiscard]] static std::uint32_t sectors(Shape& shape, const simt::MemoryEvent& event);
  // Calls f(Shape&) for all shapes there are.
  template <class F>
  void for_each(F&& f) {
    for (Entry& entry : entries_) {
      for (std::uint32_t way = 0; way < entry.used; ++way) {
        f(entry.ways[way]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kWays = 4;  // a tile's inside, its edges and its corner
  struct Entry {
    std::array<Shape, kWays> ways;
    std::uint32_t used = 0;
    std::uint32_t latest = 0;
  };

  [[nodiscard]] Shape& find_older(Entry& entry, const simt::MemoryEvent& event);

  std::vector<std::uint32_t> first_pc_;  // by function: index of its pc 0 in entry_of_
  std::vector<std::uint32_t> entry_of_;  // by instruction: 1 + index into entries_; 0: none yet
  std::vector<Entry> entries_;
  std::function<void(Shape&)> retire_;
};

}  // namespace tilestep::insight
