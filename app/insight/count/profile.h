// The cost of a launch in detail: by line, warp and access, with the minimum possible cost.
// Definitions are Nsight Compute's (docs/insight/counters.md).
//
// Exact for whole launches without executing every block: blocks that provably do the same, except
// for a shift of their addresses, are executed once, and of long loops only a few iterations
// (docs/insight/counters.md, "Representatives"). If there is no such proof and the blocks are too
// many to execute, a sample of them gives an estimate and its error. If a proof covers most of the
// blocks, only the others are sampled.
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
  std::uint64_t elements = 0;  // the same, counting a vector's elements (shared memory: its words)
  std::uint64_t bytes = 0;     // requested by lanes
  // The part of `bytes` that the TMA unit moves: no requests and no sectors of the load/store
  // unit.
  std::uint64_t copy_engine_bytes = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ideal_sectors = 0;  // per request: its distinct bytes / 32, rounded up
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;  // per request: its distinct bytes / 128, rounded up
  std::uint64_t conflicts = 0;         // wavefronts that only bank conflicts cause
  std::uint64_t degree = 0;            // of the worst request: words that it needs from one bank

  void add(const Traffic& other, std::uint64_t times = 1);
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// One instruction of one warp, by index of its function and its pc there.
struct Spot {
  std::uint32_t warp = 0;  // in its block
  std::uint32_t function = 0;
  std::uint32_t pc = 0;

  friend bool operator==(const Spot&, const Spot&) = default;
};

// All executions of a spot in a block.
struct Execution {
  Spot spot;
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t active = 0;        // sum over instructions of the threads on the path
  std::uint64_t threads = 0;       // sum over instructions of the threads whose guard is true

  friend bool operator==(const Execution&, const Execution&) = default;
};

inline constexpr std::uint32_t kSharedTarget = 0xfffffffeU;
inline constexpr std::uint32_t kOtherTarget = 0xffffffffU;  // global memory outside the buffers

struct Access {
  Spot spot;
  std::uint32_t target = kOtherTarget;  // a launch buffer, or one of the constants above
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
  std::map<std::uint64_t, std::uint64_t> elements_by_reads;  // includes 0 reads

  // 0: not computed.
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
  std::string why_full;  // why representatives were not enough; empty: they were
  double error = 0.0;    // Sample: relative error of the sums (block_sample.h)
  // Sample: number of blocks that are counted exactly, through representatives. The rest is
  // estimated.
  std::uint64_t blocks_proved = 0;
  // Sample: line of an atomic operation whose result depends on other blocks. Each block ran alone,
  // so the sample's shares may be wrong too. 0: none.
  std::uint32_t atomic_line = 0;
  bool is_counted = true;  // QuickProof, ProvedSample: false if there is no proof, and nothing
                           // was counted
  std::uint64_t blocks = 0;
  std::uint64_t blocks_executed = 0;
  std::uint64_t steps_executed = 0;  // Representatives: warp instructions; loops are cut short
  std::vector<BlockClass> classes;   // no two of them have the same profile
  std::vector<Reuse> reuse;          // by launch buffer
  bool cancelled = false;
  // QuickProof that is not counted: the part that is proved, if it covers most blocks; otherwise
  // null.
  std::shared_ptr<const PartialProof> partial;
};

// Warp instructions of the whole launch.
[[nodiscard]] std::uint64_t instructions_of(const Profile& profile);

enum class MethodChoice {
  RepresentativesIfTheyHold,  // otherwise all blocks
  AlwaysFull,
  QuickProof,  // representatives, within about a second; also for buffers without contents
  // A sample, if all blocks would take more than about a second and the counts of the sampled
  // blocks provably do not depend on memory contents. Otherwise nothing is counted.
  ProvedSample,
  WithoutProof,  // all blocks if that takes about a second, otherwise a sample
};

// `known` is the result of a QuickProof of the same launch: ProvedSample and WithoutProof sample
// the rest.
[[nodiscard]] Profile profile(const std::shared_ptr<const simt::Program>& program,
                              MethodChoice choice = MethodChoice::RepresentativesIfTheyHold,
                              const std::atomic<bool>* cancel = nullptr,
                              const PartialProof* known = nullptr);

// Collects blocks with the same profile into classes.

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

// The coordinates that distinguish blocks.
//
// Initially they are x, y and z of blockIdx. A kernel may divide one of them: blockIdx.x / n and
// blockIdx.x % n jump along x. Split into b % n and b / n, two axes, both are linear.

class BlockAxes {
 public:
  explicit BlockAxes(const problem::Dim3& grid);

  // Splits an axis into one of `period` blocks and one of whole periods. False: there is no room
  // for more axes, or its blocks are not a whole number of periods (a dimension's highest axis may
  // be cut off).
  [[nodiscard]] bool split(std::size_t axis, std::uint32_t period);

  [[nodiscard]] problem::Dim3 block_at(const AxisPoint& point) const;
  // The form of blockIdx.x, y or z (0, 1, 2).
  [[nodiscard]] Form form_of(std::size_t dimension) const;
  // The whole grid.
  [[nodiscard]] std::vector<BlockRange> ranges() const;
  // Every steps[i]-th block of a range along each axis, starting with its first, as sets of
  // blockIdx.
  [[nodiscard]] std::vector<BlockSet> sets(const BlockRange& range, const AxisPoint& steps) const;

 private:
  struct Axis {
    std::size_t dimension = 0;
    std::uint32_t stride = 1;  // blocks of the dimension from one index to the next
    std::uint32_t extent = 1;  // a dimension's last axis may be partial
  };
  std::array<std::uint32_t, 3> grid_;
  std::vector<Axis> axes_;
};

}  // namespace tilestep::insight
