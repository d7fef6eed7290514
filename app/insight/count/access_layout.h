// The layout of one warp-wide access in memory: the sectors of global memory and the banks of
// shared memory, with the lanes on every word. Counters count these (counters.h), pictures show
// them.
#pragma once

#include "simt/state/event.h"

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilestep::insight {

// Size of a sector: the part of a 128-byte line of global memory that is the unit of transfer.
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kBanks = 32;
inline constexpr std::uint32_t kBankBytes = 4;

// A sector that lanes access.
struct TouchedSector {
  std::uint64_t address = 0;                                     // of its first byte
  std::array<std::uint32_t, kSectorBytes / kBankBytes> lanes{};  // lane mask of each word; 0: not
                                                                 // used
};

// A word in a bank.
struct BankWord {
  std::uint64_t address = 0;  // of its first byte
  std::uint32_t bank = 0;
  std::uint32_t height = 0;  // number of other words of the bank below it
  std::uint32_t lanes = 0;   // mask
};

// Lanes of an access that shared memory serves together, in as many passes as the fullest bank has
// words.
struct BankStacks {
  std::uint32_t lanes = 0;
  std::vector<BankWord> words;  // by address, each once
  std::uint32_t passes = 0;
};

struct AccessLayout {
  std::uint32_t lanes = 0;             // count
  std::uint32_t bytes = 0;             // distinct ones
  std::vector<TouchedSector> sectors;  // global memory: by address
  std::uint32_t ideal_sectors = 0;     // distinct bytes / 32, rounded up
  std::vector<BankStacks> stacks;      // shared memory: in order
  std::uint32_t passes = 0;            // of all stacks
  std::uint32_t ideal_passes = 0;      // one for each stack
};

[[nodiscard]] AccessLayout lay_out(const simt::MemoryEvent& event);

[[nodiscard]] std::vector<TouchedSector> touched_sectors(const simt::MemoryEvent& event);
[[nodiscard]] BankStacks bank_stacks(const simt::MemoryEvent& event, std::uint32_t lanes);

// The shape of one warp-wide access: the distinct words and sectors that its lanes access.
//
// One instruction has the same access pattern nearly every time: only its start address changes. So
// the shape is computed once and recognized by comparing the lanes' distances. This makes counters
// and race checks cheap.

// Consecutive words that lanes access: word i belongs to lane first_lane + i / words_per_lane,
// unless several lanes access each of them (`many`).
struct WordRun {
  std::int64_t first = 0;  // word, relative to the word of the access's first lane
  std::uint32_t count = 0;
  std::uint8_t first_lane = 0;
  bool many = false;
};

struct Shape {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;  // per lane
  simt::AccessKind kind = simt::AccessKind::Load;
  std::uint64_t window = 0;                           // high half of the first lane's address
  std::uint32_t low = 0;                              // first lane's address, modulo a word
  simt::AccessShape groups = simt::AccessShape::Any;  // as the machine reported it
  std::uint32_t lanes = 0;                            // count
  std::uint32_t words_per_lane = 1;
  std::uint32_t wavefronts = 0;  // passes through the 32 banks, for shared memory
  bool skips_l1 = false;         // a copy whose store address determines the load's sectors
  bool one_window = true;        // all lanes access one buffer (simt/state/memory.h)
  // `groups` determines the lanes' addresses, and each lane accesses one word.
  bool is_word_groups = false;
  // Distinct 32-byte sectors, by the position of the first lane's word in its sector; 0: not
  // counted yet.
  std::array<std::uint32_t, 8> sectors{};
  // Accesses of this shape that are not added up yet, by the same position.
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
    // All lanes take part, and the first lane of each group determines the addresses of the others.
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
  // `retire` is called with each shape that is evicted.
  explicit ShapeCache(const ptx::Module& module, std::function<void(Shape&)> retire = {});

  // Valid until the next call.
  [[nodiscard]] Shape& find(const simt::StepInfo& info, const simt::MemoryEvent& event);
  // The entry of shape.sectors for this access's position.
  [[nodiscard]] static std::uint32_t sectors(Shape& shape, const simt::MemoryEvent& event);
  // Calls f(Shape&) for every cached shape.
  template <class F>
  void for_each(F&& f) {
    for (Entry& entry : entries_) {
      for (std::uint32_t way = 0; way < entry.used; ++way) {
        f(entry.ways[way]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kWays = 4;  // inside, edges and corner of a tile
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
