// Clocks that the warps of one SM noted at their start, before and after each barrier, and at their
// end (stamping.h): measured on a GPU, or estimated for the same machine code. And the phases
// between them: what takes how many clocks.
#pragma once

#include "clock/estimate.h"
#include "clock/sm.h"
#include "clock/stamping.h"
#include "clock/trace.h"
#include "problem/problem.h"
#include "problem/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::clock {

enum class StampPlace : std::uint8_t { Start, BeforeBarrier, AfterBarrier, End };

struct Stamp {
  std::int64_t clock = 0;  // 0: the first stamp of the SM
  std::uint32_t line = 0;  // of the source: of the barrier, or of the kernel's brace or return
  StampPlace place = StampPlace::Start;

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// From Start to End, in the order of time.
struct StampedWarp {
  std::uint32_t block = 0;  // linear in the grid
  std::uint32_t warp = 0;   // of the block
  std::vector<Stamp> stamps;

  friend bool operator==(const StampedWarp&, const StampedWarp&) = default;
};

// A measured launch, or what is kept of it: blocks of one SM.
struct StampedRun {
  std::string gpu;  // "NVIDIA H200"
  std::string driver;
  std::string date;  // ISO 8601, UTC
  std::string kernel;
  problem::Problem problem;
  int block_size = 0;              // 0: the kernel has none
  int at_once = 0;                 // blocks of the SM
  bool is_warm = false;            // the matrices were in L2 at the start
  std::uint32_t sm = 0;            // its number
  double plain_ms = 0;             // median time of the launch without stamps
  double stamped_ms = 0;           // and with them
  std::vector<StampedWarp> warps;  // blocks in the order of their starts, complete

  friend bool operator==(const StampedRun&, const StampedRun&) = default;
};

struct RecordedShape {
  std::uint32_t warps_of_block = 0;
  std::uint32_t warps = 0;    // of the launch
  std::uint32_t records = 0;  // of a warp
};
// Words of the records of a launch (stamping.h; records · warps · kStampWords) → the stamps of one
// SM: the one that wrote, or that of the first block if all did. `blocks`: as many that started
// first, 0: all. Fails with a sentence if there are none, or a warp has no end: it passed more
// barriers than there was room for.
struct SmStamps {
  std::uint32_t sm = 0;  // its number
  std::vector<StampedWarp> warps;
};
[[nodiscard]] Result<SmStamps> read_records(std::span<const std::uint32_t> words,
                                            const RecordedShape& shape,
                                            const std::vector<StampSite>& sites,
                                            std::size_t blocks);

// The same of an estimate: the clock in which the model issues each instruction that reads the
// clock. `run`: of a stamped launch, with records; `blocks` as above. Fails with a sentence if the
// machine code has other reads of the clock.
[[nodiscard]] Result<std::vector<StampedWarp>> estimated_stamps(
    const SmRun& run, const std::vector<CodedInstruction>& code, std::size_t blocks);
// The model's run of a launch with stamps: as many blocks as were measured, under the same
// conditions. Fails as TimedLaunch::run and the above, or with a sentence if it is canceled.
struct StampedExtent {
  int at_once = 0;  // blocks; 0: as many as fit
  bool is_warm = false;
  std::size_t blocks = 0;  // 0: one wave
};
[[nodiscard]] StampedExtent extent_of(const StampedRun& measured);
[[nodiscard]] Result<std::vector<StampedWarp>> estimate_stamps(
    TimedLaunch& launch, const SmTable& table, const StampedExtent& extent,
    const std::atomic<bool>* cancel = nullptr);
[[nodiscard]] std::size_t count_blocks(std::span<const StampedWarp> warps);
// Records of the warp that has most of them.
[[nodiscard]] std::uint32_t most_records(std::span<const StampedWarp> warps);

// The time between two stamps of a warp that follow each other.
struct Phase {
  StampPlace from = StampPlace::Start;
  std::uint32_t from_line = 0;
  StampPlace to = StampPlace::End;
  std::uint32_t to_line = 0;

  friend auto operator<=>(const Phase&, const Phase&) = default;
};
// "at the barrier of line 24", "from the barrier of line 24 to that of line 28".
[[nodiscard]] std::string phase_name(const Phase& phase);

struct PhaseTime {
  Phase phase;
  std::size_t count = 0;  // of all warps
  double mean = 0;        // clocks
  double low = 0;         // a tenth of them take less
  double high = 0;        // … more

  friend bool operator==(const PhaseTime&, const PhaseTime&) = default;
};
// In the order in which the first warp has them; those that it does not have are at the end.
[[nodiscard]] std::vector<PhaseTime> phase_times(std::span<const StampedWarp> warps);

struct ComparedPhase {
  PhaseTime measured;
  std::optional<PhaseTime> estimated;

  // (estimated - measured) / measured; nullopt: not estimated, or nothing to divide by.
  [[nodiscard]] std::optional<double> error() const;
};
// Fails with a sentence if no phase is in both: the texts have other lines.
[[nodiscard]] Result<std::vector<ComparedPhase>> compare_phases(
    std::span<const StampedWarp> measured, std::span<const StampedWarp> estimated);

// JSON with the format "tilestep-stamps" (docs/formats/clock.md). Of all blocks those first ones
// that make at most `most_bytes`, at least one.
inline constexpr std::size_t kMostStampFile = 100'000;
[[nodiscard]] std::string to_json(const StampedRun& run, std::size_t most_bytes = kMostStampFile);
// Fails with a sentence. `name` begins it: the file.
[[nodiscard]] Result<StampedRun> parse_stamped_run(const std::string& json,
                                                   const std::string& name);
[[nodiscard]] Result<StampedRun> load_stamped_run(const std::filesystem::path& file);

// The name of the shipped file of a launch, "tiled_16_1024x1024x1024.json".
[[nodiscard]] std::string stamped_file_name(const std::string& kernel,
                                            const problem::Problem& problem, int block_size,
                                            bool is_warm);
// From the folder of tables: nullopt: this launch was not measured on this GPU. `block_size` as in
// StampedRun.
[[nodiscard]] std::optional<StampedRun> find_stamped_run(const std::filesystem::path& folder,
                                                         const std::string& gpu,
                                                         const std::string& kernel,
                                                         const problem::Problem& problem,
                                                         int block_size, bool is_warm = false);

}  // namespace tilestep::clock
