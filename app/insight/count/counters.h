// Counters of a launch, counted from executed instructions. Definitions as in Nsight Compute
// (docs/insight/counters.md).
#pragma once

#include "insight/count/access_layout.h"
#include "simt/machine/machine.h"
#include "simt/state/event.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::insight {

struct AccessCounters {
  std::uint64_t requests = 0;    // warp-wide instructions with at least one active lane
  std::uint64_t elements = 0;    // per-lane accesses
  std::uint64_t sectors = 0;     // global: distinct 32-byte sectors, summed over requests
  std::uint64_t wavefronts = 0;  // shared: passes through the 32 banks, summed over requests
  std::uint64_t bytes = 0;
};

struct BufferCounters {
  std::uint64_t loads = 0;  // per-lane element accesses
  std::uint64_t stores = 0;
};

struct Counters {
  std::uint64_t warp_instructions = 0;
  AccessCounters global_loads, global_stores, global_atomics;
  AccessCounters shared_loads, shared_stores, shared_atomics;
  std::vector<BufferCounters> buffers;  // by launch buffer
};

// Attach it to any run of a launch. It does not see instructions: the caller sets
// warp_instructions.
class Counter : public simt::Observer {
 public:
  explicit Counter(const simt::Program& program);
  ~Counter() override;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  Counter(Counter&&) = delete;
  Counter& operator=(Counter&&) = delete;

  void on_memory(const simt::StepInfo&, const simt::MemoryEvent&) override;
  void on_load_run(const simt::StepInfo&, const simt::LoadRun&, simt::MemoryEvent&) override;
  [[nodiscard]] const Counters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Executes a launch to its end and counts. If cancelled: the counts so far.
[[nodiscard]] Counters count(const std::shared_ptr<const simt::Program>& program,
                             const std::atomic<bool>* cancel = nullptr);

// Distinct 32-byte sectors of one access.
[[nodiscard]] std::uint32_t count_sectors(const simt::MemoryEvent& event);

// Sectors of a copy that bypasses the L1 cache, counted from its store to shared memory. Nsight
// Compute counts the 32-byte pieces of shared memory that each eight lanes fill, not the sectors of
// global memory that they are loaded from (docs/reports/counters.md).
[[nodiscard]] std::uint32_t count_copy_sectors(const simt::MemoryEvent& event);

// The lanes that shared memory serves together, as masks. 64-bit accesses are served by half warps,
// 128-bit ones by quarters (CUDA C++ Programming Guide, "Shared Memory" of the compute
// capabilities). The two halves, or the two quarters of a half, are served together if each lane
// has the address of its neighbor (lane xor 1), or each the address of the next but one (xor 2).
// The last rule is not documented: with it the counts match those of Nsight Compute on an H200
// (docs/reports/counters.md).
[[nodiscard]] std::vector<std::uint32_t> lanes_served_together(const simt::MemoryEvent& event);
// Passes through the 32 banks of 4 bytes that these lanes need: the largest number of distinct
// words in one bank. Lanes that read the same word share a pass.
[[nodiscard]] std::uint32_t bank_passes(const simt::MemoryEvent& event, std::uint32_t lanes);
// Shared-memory wavefronts of one access: the passes of all its groups.
[[nodiscard]] std::uint32_t count_wavefronts(const simt::MemoryEvent& event);

// The cost of one warp-wide access, and the elements that it accesses.
//
// Nearly every time, an instruction repeats one of a few patterns at another address. A pattern is
// computed once and recognized by its lanes' distances. Shape in access_layout.h does the same for
// race checks; this one also has the minimum cost.

// Bytes [first, first + bytes) relative to the first lane's address, accessed by `lanes` lanes.
struct ByteRun {
  std::int64_t first = 0;
  std::uint32_t bytes = 0;
  std::uint32_t lanes = 0;
};

struct AccessPattern {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;  // per lane
  bool shared = false;
  std::uint32_t low = 0;               // first lane's address, modulo a word (banks are words)
  std::uint32_t ideal_sectors = 0;     // distinct bytes / 32, rounded up
  std::uint32_t wavefronts = 0;        // passes through the banks of shared memory
  std::uint32_t ideal_wavefronts = 0;  // distinct bytes / 128, rounded up
  std::uint32_t passes = 0;            // without any conflict: 1, or 2 and 4 for 64-bit and
                                       // 128-bit accesses
  std::uint32_t degree = 0;            // distinct words in one bank, in the worst pass
  bool one_window = true;              // all lanes access one buffer (simt/state/memory.h)
  std::array<std::uint8_t, kSectorBytes> sectors{};  // by the first lane's address modulo 32
  std::array<std::uint64_t, simt::kWarpSize> distance{};
  std::vector<ByteRun> runs;  // ascending, disjoint

  [[nodiscard]] bool matches(const simt::MemoryEvent& event) const;
};

[[nodiscard]] AccessPattern make_pattern(const simt::MemoryEvent& event);
// Passes through shared memory, or sectors of global memory, above the minimum.
[[nodiscard]] std::uint64_t waste_of(const AccessPattern& pattern, const simt::MemoryEvent& event);

// The latest patterns of every instruction; `place` is the instruction's index. A warp usually
// repeats its last pattern.
class PatternCache {
 public:
  explicit PatternCache(std::size_t places) : places_(places) {}

  // Valid until the next call.
  [[nodiscard]] const AccessPattern& find(std::size_t place, std::uint32_t warp,
                                          const simt::MemoryEvent& event);

 private:
  static constexpr std::uint32_t kWays = 64;
  struct Entry {
    std::vector<AccessPattern> ways;
    std::array<std::uint8_t, 32> latest{};  // by warp, of a block of up to 1024 threads
    std::uint32_t oldest = 0;
  };
  std::vector<Entry> places_;
};

// A launch's counters from its accesses.
//
// Most accesses have a shape that was seen before. They are only counted here, by shape, and added
// up on request.

[[nodiscard]] std::vector<std::uint32_t> buffer_element_bytes(const simt::Program& program);

class AccessTally {
 public:
  explicit AccessTally(const simt::Program& program);
  ~AccessTally() = default;
  AccessTally(const AccessTally&) = delete;
  AccessTally& operator=(const AccessTally&) = delete;
  AccessTally(AccessTally&&) = delete;
  AccessTally& operator=(AccessTally&&) = delete;

  // Counts a global or shared access. The returned shape is valid until the next call.
  Shape& note(const simt::StepInfo& info, const simt::MemoryEvent& event) {
    Shape& shape = shapes_.find(info, event);
    const bool shared = event.space == ptx::Space::Shared;
    if (!shape.one_window || event.is_arrival || event.agent != simt::AccessAgent::Thread ||
        ptx::is_mbarrier(*info.instruction)) [[unlikely]] {
      note_apart(info, event, shape);
    } else if (shared && !shape.skips_l1) {
      ++shape.uses[0];
    } else {
      const std::uint32_t sectors = ShapeCache::sectors(shape, event);
      ++shape.uses[first_address(event) / 4 % 8];
      // A copy that only stores zeros loads nothing, but add() will count its sectors: subtract
      // them.
      counters_.global_loads.sectors -= shared && !copy_loads_ ? sectors : 0;
    }
    copy_loads_ = event.skips_l1 && !shared;
    return shape;
  }

  // Counts `count` loads of a run through one register: they have the shape of the first one, at a
  // constant distance in whole words (see is_word_groups). Shared memory only.
  Shape& note_run(const simt::StepInfo& info, const simt::MemoryEvent& first, std::uint64_t count) {
    Shape& shape = shapes_.find(info, first);
    shape.uses[0] += count;
    return shape;
  }

  // Adds up. A word of several elements counts as all of them. Does not set warp_instructions.
  [[nodiscard]] const Counters& counters() {
    shapes_.for_each([this](Shape& shape) { add(shape); });
    return counters_;
  }

 private:
  // Special accesses: lanes that access several buffers, through pointers that differ by lane;
  // arriving copies; accesses of units; and mbarriers. From compute capability 9.0 on mbarriers do
  // not use the load/store unit: Nsight Compute counts neither a request nor a wavefront for them
  // (docs/reports/counters.md).
  void note_apart(const simt::StepInfo& info, const simt::MemoryEvent& event, Shape& shape);
  void add(Shape& shape);
  void add_elements(simt::AccessKind kind, std::uint64_t window, std::uint32_t bytes,
                    std::uint64_t accesses);

  ShapeCache shapes_;
  std::vector<std::uint32_t> element_bytes_;  // by launch buffer
  Counters counters_;
  bool copy_loads_ = false;  // the previous access was the load of a copy that bypasses the L1
                             // cache
};

}  // namespace tilestep::insight
