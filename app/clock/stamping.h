// A kernel's text with stamps: instructions that note the SM's clock at the start and the end of
// the kernel, and directly before and after every __syncthreads().
//
// Lane 0 of each warp writes a record of 8 bytes for the start, each barrier that it passes, and
// the end. A stamp of the text is a site (StampSite); their numbers begin with 1.
//
//   word 0  %clock; of a barrier directly before it
//   word 1  bits 24–31 the number of the site, 0: nothing was written; bits 0–23: of the start
//           %smid, of a barrier the clocks until directly after it
//
// Record k of warp w is at (k · warps of the launch + w) · 8 bytes; w = block · warps of a block +
// warp. The kernel gets four further parameters for them. Lines keep their numbers, so what is
// known of lines holds for the stamped text too.
//
// Pure: text in, text out.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::clock {

enum class StampKind : std::uint8_t { Start, Barrier, End };
struct StampSite {
  StampKind kind = StampKind::Start;
  std::uint32_t line = 0;  // of the text

  friend bool operator==(const StampSite&, const StampSite&) = default;
};
inline constexpr std::uint32_t kStampWords = 2;  // of a record

struct StampedText {
  std::string text;
  std::vector<StampSite> sites;  // by number - 1
};
// Fails with a sentence if the kernel is not in the text, a barrier is where no stamp can be (in
// another function, or in a macro), or there are more than 255 sites. `bounds` is written before
// the kernel's type unless it has __launch_bounds__; empty: nothing.
[[nodiscard]] Result<StampedText> stamped_text(const std::string& source,
                                               const std::string& source_name,
                                               const std::string& kernel,
                                               const std::string& bounds = "");

struct StampOptions {
  // Records of a warp for which there is room; further ones are not written. 1: each record
  // overwrites the last one, which is enough for an estimate of time.
  std::uint32_t records = 1;
  std::uint32_t sm = 0xffffffffU;  // that writes; all others do not. 0xffffffff: all write
  // Blocks of an SM for which the compiler has to leave registers, so that stamps do not change
  // how many there are at once. 0: as it likes.
  int blocks_at_once = 0;
};

// Largest buffer of records, in bytes.
inline constexpr std::uint64_t kMostStampBytes = 1ULL << 30;

struct StampedLaunch {
  problem::Launch launch;  // its last buffer, "tilestep_stamps", has the records
  std::vector<StampSite> sites;
};
// Fails as stamped_text, or with a sentence if the records need more than kMostStampBytes.
[[nodiscard]] Result<StampedLaunch> stamped_launch(problem::Launch launch,
                                                   const StampOptions& options);
// The launch with the same code that writes nothing.
[[nodiscard]] problem::Launch without_room(const StampedLaunch& stamped);

// The number of warps, the last one included if it is not full.
[[nodiscard]] std::uint32_t warps_of_block(const problem::Launch& launch);

}  // namespace tilestep::clock
