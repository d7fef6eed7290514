// Counts what one block does while it is executed.
#pragma once

#include "insight/count/block_domain.h"
#include "insight/count/counters.h"
#include "insight/count/profile.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tilestep::insight {

// Elements of a buffer that a block reads (or stores): element first + i, `reads` times.
struct ElementRun {
  std::int64_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t reads = 0;
};
// In another block of the class, the elements are Σ shift · Δ further on. Each of the iterations
// that were counted at once (add_iterations) is shift[kIterations] further on.
using ElementShift = std::array<std::int64_t, kAxes>;
struct ElementMotion {
  ElementShift shift{};
  std::uint32_t iterations = 1;

  friend auto operator<=>(const ElementMotion&, const ElementMotion&) = default;
};

// A request's movement from block to block, relative to the representative.
struct Moving {
  std::array<std::int64_t, kAxes> bytes_per_block{};  // 0: shared memory, or not needed
};

class BlockMeter {
 public:
  explicit BlockMeter(const simt::Program& program);

  void clear();
  void on_step(const simt::StepInfo& info);
  // An access to global or shared memory.
  void on_access(const simt::StepInfo& info, const simt::MemoryEvent& event, const Moving& moving);
  void on_block_barrier() { ++barriers_; }
  // Adds what another meter saw of one iteration of a loop, for `iterations` of them: that one and
  // those that follow.
  void add_iterations(const BlockMeter& one, std::uint32_t iterations);

  // The profile of the block `distance` blocks (along each axis) from the executed one.
  [[nodiscard]] BlockProfile profile(const AxisPoint& distance = {}) const;
  // Distances along each axis, powers of two up to 32, at which a block has the same sectors.
  // Blocks at these distances have the same profile.
  [[nodiscard]] AxisPoint periods() const;

  using Footprint = std::map<ElementMotion, std::vector<ElementRun>>;
  // Reads by launch buffer.
  [[nodiscard]] std::span<const Footprint> footprints() const { return footprints_; }
  // Plain stores by launch buffer.
  [[nodiscard]] std::span<const Footprint> stored() const { return stored_; }
  // Whether there are atomics, or stores to global memory outside the buffers.
  [[nodiscard]] bool stores_otherwise() const { return stores_otherwise_; }
  // Whether some shift is not a whole number of elements.
  [[nodiscard]] bool splits_elements() const { return splits_elements_; }

 private:
  // All requests of one spot that go to one target and move alike.
  struct Tally {
    Spot spot;
    std::uint32_t target = kOtherTarget;
    simt::AccessKind kind = simt::AccessKind::Load;
    AxisPoint residue_per_block{};                      // bytes modulo 32
    Traffic traffic;                                    // without sectors
    std::array<std::uint64_t, kSectorBytes> sectors{};  // by movement, modulo 32
  };
  struct Count {
    std::uint64_t instructions = 0;
    std::uint64_t active = 0;
    std::uint64_t threads = 0;
    std::uint32_t latest = 0;  // 1 + index of the last used tally; 0: none
    std::vector<std::uint32_t> tallies;
  };

  [[nodiscard]] std::size_t place(const Spot& spot) const;
  [[nodiscard]] Tally& find_tally(const Spot& spot, std::uint32_t target, simt::AccessKind kind,
                                  const AxisPoint& residue);
  void add_request(const simt::StepInfo& info, const simt::MemoryEvent& event, const Moving& moving,
                   bool is_first);
  void add_copy_sectors(const simt::MemoryEvent& event);
  void note(std::vector<Footprint>& footprints, std::uint32_t buffer, std::uint64_t address,
            const AccessPattern& pattern, const Moving& moving);

  const simt::Program& program_;
  std::vector<std::uint32_t> first_pc_;  // by function
  std::size_t pcs_ = 0;
  std::vector<std::uint32_t> element_bytes_;
  PatternCache patterns_;
  std::vector<Count> counts_;  // by warp and pc
  std::vector<Tally> tallies_;
  std::vector<Footprint> footprints_;
  std::vector<Footprint> stored_;
  bool stores_otherwise_ = false;
  std::uint64_t barriers_ = 0;
  std::uint32_t copy_ = 0;  // 1 + index of the last copy's load tally
  bool splits_elements_ = false;
};

// Sorts and joins runs; overlapping parts are added up.
void merge_runs(std::vector<ElementRun>& runs);

}  // namespace tilestep::insight
