// What one warp-wide access costs, and which elements it names.
//
// An instruction repeats its few patterns nearly every time, only elsewhere. A pattern is worked
// out once and recognised by its lanes' distances (as Shape in access_shape.h, which is made for
// race checks; this one also knows the least an access could have cost).
#pragma once

#include "insight/count/access_shape.h"
#include "insight/count/counters.h"
#include "simt/state/event.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::insight {

// Bytes [first, first + bytes) from the first lane's address on, touched by `lanes` lanes.
struct ByteRun {
  std::int64_t first = 0;
  std::uint32_t bytes = 0;
  std::uint32_t lanes = 0;
};

struct AccessPattern {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;  // a lane
  bool shared = false;
  std::uint32_t low = 0;               // first lane's address, modulo a word (banks are words)
  std::uint32_t ideal_sectors = 0;     // distinct bytes / 32, rounded up
  std::uint32_t wavefronts = 0;        // passes through the banks of shared memory
  std::uint32_t ideal_wavefronts = 0;  // distinct bytes / 128, rounded up
  std::uint32_t passes = 0;            // without any conflict: 1, or 2, 4 for 64, 128-bit accesses
  std::uint32_t degree = 0;            // distinct words in one bank, in the worst of the passes
  bool one_window = true;              // all lanes reach one buffer (simt/memory.h)
  std::array<std::uint8_t, kSectorBytes> sectors{};  // by the first lane's address modulo 32
  std::array<std::uint64_t, simt::kWarpSize> distance{};
  std::vector<ByteRun> runs;  // ascending, disjoint

  [[nodiscard]] bool matches(const simt::MemoryEvent& event) const;
};

[[nodiscard]] AccessPattern make_pattern(const simt::MemoryEvent& event);
// Passes through shared memory, or sectors of global memory, beyond the least.
[[nodiscard]] std::uint64_t waste_of(const AccessPattern& pattern, const simt::MemoryEvent& event);

// The latest patterns of every instruction; `place` numbers the instruction. A warp repeats the
// pattern that it had last.
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

}  // namespace tilestep::insight
