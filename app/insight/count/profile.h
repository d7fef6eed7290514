// What a launch costs, in detail: by line, warp and access, with the least it could have cost.
// Definitions are Nsight Compute's (docs/insight/counters.md).
//
// Exact for whole launches without executing every block: blocks that provably do the same, but
// for a shift of their addresses, are executed once, and of long loops only a few iterations
// (docs/insight/counters.md, "Representatives"). Where there is no such proof and all blocks are
// too many to execute, a sample of them gives an estimate and its error. A proof for most of the
// blocks leaves only the others to be sampled.
#pragma once

#include "insight/count/block_domain.h"
#include "problem/problem.h"
#include "simt/machine/machine.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::insight {

// Accesses of one kind. Sectors are counted for global memory, wavefronts for shared memory.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t threads = 0;   // accesses of single lanes
  std::uint64_t elements = 0;  // the same, a vector as its elements (shared memory: as its words)
  std::uint64_t bytes = 0;     // that lanes asked for
  // Of them, what the copy engine moves: no requests and no sectors of the load/store unit.
  std::uint64_t engine_bytes = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ideal_sectors = 0;  // of a request: its distinct bytes / 32, rounded up
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;  // of a request: its distinct bytes / 128, rounded up
  std::uint64_t conflicts = 0;         // wavefronts that only bank conflicts made necessary
  std::uint64_t degree = 0;            // the worst request's: words that it wants from one bank

  void add(const Traffic& other, std::uint64_t times = 1);
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// One instruction of one warp, by number of its function and its place there.
struct Spot {
  std::uint32_t warp = 0;  // in its block
  std::uint32_t function = 0;
  std::uint32_t pc = 0;

  friend bool operator==(const Spot&, const Spot&) = default;
};

// What a spot did, in all its executions in a block.
struct Execution {
  Spot spot;
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t active = 0;        // threads on the path, summed over them
  std::uint64_t threads = 0;       // threads whose guard held

  friend bool operator==(const Execution&, const Execution&) = default;
};

inline constexpr std::uint32_t kSharedTarget = 0xfffffffeU;
inline constexpr std::uint32_t kOtherTarget = 0xffffffffU;  // global memory that is no buffer

struct Access {
  Spot spot;
  std::uint32_t target = kOtherTarget;  // a launch buffer, or one of the above
  simt::AccessKind kind = simt::AccessKind::Load;
  Traffic traffic;

  friend bool operator==(const Access&, const Access&) = default;
};

// A block's cost, sorted: equal blocks have equal profiles.
struct BlockProfile {
  std::uint64_t barriers = 0;  // of the whole block
  std::vector<Execution> executions;
  std::vector<Access> accesses;

  friend bool operator==(const BlockProfile&, const BlockProfile&) = default;
};

// first[i], first[i] + step[i], … : count[i] of them, in x, y and z.
struct BlockSet {
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 3> step{1, 1, 1};
  std::array<std::uint32_t, 3> count{1, 1, 1};

  [[nodiscard]] std::uint64_t blocks() const {
    return std::uint64_t{count[0]} * count[1] * count[2];
  }
  friend bool operator==(const BlockSet&, const BlockSet&) = default;
};

struct BlockClass {
  std::vector<BlockSet> where;
  std::uint64_t blocks = 0;
  BlockProfile profile;
};

// How often the elements of a buffer are read from global memory (loads and atomics, by lane).
struct Reuse {
  std::map<std::uint64_t, std::uint64_t> elements_by_reads;  // 0 among them

  // 0: it was not worked out.
  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] std::uint64_t reads() const;
  [[nodiscard]] std::uint64_t least() const;
  [[nodiscard]] std::uint64_t most() const;
  [[nodiscard]] double mean() const;
};

enum class Method { Representatives, Full, Sample };

struct PartialProof;  // representatives.h

struct Profile {
  Method method = Method::Full;
  std::string why_full;  // what kept representatives from being enough; empty: nothing did
  double error = 0.0;    // Sample: of the sums, relative (block_sample.h)
  // Sample: so many blocks are counted exactly, represented by others; the rest is estimated.
  std::uint64_t blocks_proved = 0;
  // Sample: each block ran alone, and the atomic operation of this line told it something about
  // others, so that its share may be of the wrong kind, too. 0: none did.
  std::uint32_t atomic_line = 0;
  bool is_counted = true;  // QuickProof, ProvedSample: false where there is no proof, and nothing
                           // was counted
  std::uint64_t blocks = 0;
  std::uint64_t blocks_executed = 0;
  std::uint64_t steps_executed = 0;  // Representatives: warp instructions; loops are cut short
  std::vector<BlockClass> classes;   // no two of them have the same profile
  std::vector<Reuse> reuse;          // by launch buffer
  bool cancelled = false;
  // QuickProof that is not counted: what was proved of most blocks; null: less than that.
  std::shared_ptr<const PartialProof> partial;
};

// Warp instructions of the whole launch.
[[nodiscard]] std::uint64_t instructions_of(const Profile& profile);

enum class MethodChoice {
  RepresentativesIfTheyHold,  // otherwise all blocks
  AlwaysFull,
  QuickProof,  // representatives, within a second or so; good for buffers without contents too
  // A sample, where all blocks would take more than a second or so and those of the sample provably
  // count the same for all contents of memory; otherwise nothing is counted.
  ProvedSample,
  WithoutProof,  // all blocks where that takes a second or so, otherwise a sample
};

// `known` is of a QuickProof of the same launch: ProvedSample and WithoutProof sample the rest.
[[nodiscard]] Profile profile(const std::shared_ptr<const simt::Program>& program,
                              MethodChoice choice = MethodChoice::RepresentativesIfTheyHold,
                              const std::atomic<bool>* cancel = nullptr,
                              const PartialProof* known = nullptr);

// Classes of blocks with the same profile, as they are found.

class ProfileClasses {
 public:
  void add(BlockProfile profile, const std::vector<BlockSet>& where);
  // In the order of their first blocks.
  [[nodiscard]] std::vector<BlockClass> take();

 private:
  [[nodiscard]] BlockClass& class_of(BlockProfile profile);

  std::vector<BlockClass> classes_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};

// The coordinates in which blocks are told apart.
//
// At first they are x, y and z of blockIdx. A kernel may take one of them apart: blockIdx.x / n and
// blockIdx.x % n change by leaps along x. Split into b % n and b / n, two axes, both are linear.

class BlockAxes {
 public:
  explicit BlockAxes(const problem::Dim3& grid);

  // An axis of `period` blocks, and one of whole periods. False: there is no room for more axes, or
  // its blocks are no whole number of periods (a dimension's highest axis may be cut off).
  [[nodiscard]] bool split(std::size_t axis, std::uint32_t period);

  [[nodiscard]] problem::Dim3 block_at(const AxisPoint& point) const;
  // Of blockIdx.x, y or z (0, 1, 2).
  [[nodiscard]] Form form_of(std::size_t dimension) const;
  // The whole grid.
  [[nodiscard]] std::vector<BlockRange> ranges() const;
  // Every steps[i]-th block of a range along each axis, from its first, as sets of blockIdx.
  [[nodiscard]] std::vector<BlockSet> sets(const BlockRange& range, const AxisPoint& steps) const;

 private:
  struct Axis {
    std::size_t dimension = 0;
    std::uint32_t stride = 1;  // blocks of the dimension from one to the next
    std::uint32_t extent = 1;  // the last of a dimension may be cut off within
  };
  std::array<std::uint32_t, 3> grid_;
  std::vector<Axis> axes_;
};

}  // namespace tilestep::insight
