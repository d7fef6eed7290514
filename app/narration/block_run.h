// One block's run, executed once more alone: the lines of its warps, what they read and stored and
// when, and what each barrier makes safe. Built from events only.
#pragma once

#include "narration/element.h"
#include "record/recording.h"
#include "record/tables.h"
#include "simt/exec/matrix.h"

#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace tilestep::narration {

struct Box {
  std::int64_t row0 = 0, row1 = -1, col0 = 0, col1 = -1;
  void add(std::int64_t row, std::int64_t col);
  void add(const Box& other);
  [[nodiscard]] bool empty() const { return row1 < row0; }
};

// One warp's access.
struct Touch {
  std::uint64_t step = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  std::uint32_t line = 0;
  std::uint32_t allocation = simt::kNoAllocation;
  std::uint32_t bytes = 4;  // per lane
  simt::AccessKind kind = simt::AccessKind::Load;
  simt::AccessAgent agent = simt::AccessAgent::Thread;
  bool is_issue = false;  // of an asynchronous copy
  bool is_arrival = false;
  bool is_flat = false;  // its array has one index
  Box box;
};

// The start of a line by a warp.
struct Visit {
  std::uint64_t step = 0;
  std::uint32_t line = 0;
  std::uint32_t mask = 0;
};

// A multiplication: a product per lane, or a tensor unit's product for the whole warp. Each warp
// has its own part of a warpgroup's product.
struct ProductStep {
  std::uint64_t step = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  std::uint32_t line = 0;
  simt::TileShape piece{};  // of a tensor unit: m×k by k×n; zeros: one product per lane
  bool of_warpgroup = false;

  [[nodiscard]] bool is_tensor() const { return piece.m != 0; }
  // Number of products of all lanes together.
  [[nodiscard]] std::uint64_t products() const {
    return is_tensor() ? std::uint64_t{piece.m} * piece.n * piece.k
                       : static_cast<std::uint64_t>(std::popcount(mask));
  }
};

// An instruction that starts a unit that works concurrently with the threads, or waits for one:
// mbarriers, bulk copies, products on tensor cores.
struct UnitStep {
  std::uint64_t step = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  std::uint32_t function = 0;
  std::uint32_t frame = 0;  // its call (Machine::call)
  const ptx::Instruction* instruction = nullptr;

  [[nodiscard]] bool is(ptx::Opcode op) const { return instruction->op == op; }
  [[nodiscard]] bool is_mbarrier() const { return ptx::is_mbarrier(*instruction); }
};

// A barrier of the whole block. completes: arrays that are stored before and read after it by other
// threads; frees: arrays that are read before and stored after it by other threads (by name).
struct Meeting {
  std::uint64_t step = 0;  // of the last warp's arrival
  std::set<std::string> completes;
  std::set<std::string> frees;
};

// Words that a phase stored in an array, and how often each is read before it is stored again.
struct Reuse {
  std::uint64_t words = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

class BlockRun {
 public:
  BlockRun() = default;  // an unknown run
  BlockRun(const record::Recording& recording, std::uint32_t block);
  // Only steps [first, last): their products, and nothing before or after them.
  BlockRun(const record::Recording& recording, std::uint32_t block, std::uint64_t first,
           std::uint64_t last);
  [[nodiscard]] bool is_known() const { return !visits_.empty(); }

  [[nodiscard]] std::span<const Touch> touches() const { return touches_; }
  [[nodiscard]] std::span<const Touch> touches(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] std::span<const Visit> visits(std::uint32_t warp) const {
    return warp < visits_.size() ? std::span<const Visit>(visits_[warp]) : std::span<const Visit>();
  }
  [[nodiscard]] std::span<const ProductStep> products(std::uint64_t first,
                                                      std::uint64_t last) const;
  [[nodiscard]] std::span<const UnitStep> units() const { return units_; }
  [[nodiscard]] std::span<const UnitStep> units(std::uint64_t first, std::uint64_t last) const;
  // The unit step at a step; nullptr: none.
  [[nodiscard]] const UnitStep* unit_at(std::uint64_t step) const;
  // Number of phases of an mbarrier (by its number) that were over after a step, since its
  // initialization. Only if the whole run is known.
  [[nodiscard]] std::uint64_t phases_over(std::uint32_t mbarrier, std::uint64_t step) const;
  // The barrier at which the block met in steps [first, last).
  [[nodiscard]] const Meeting* meeting(std::uint64_t first, std::uint64_t last) const;
  // Reuse of what was stored in an array before meeting number `interval`.
  [[nodiscard]] const Reuse* reuse(std::size_t interval, std::uint32_t allocation) const;
  // Number of meetings before a step.
  [[nodiscard]] std::size_t interval_of(std::uint64_t step) const;

  // Whether a line waits for asynchronous copies; whether one was issued before a step.
  [[nodiscard]] bool waits_for_copies(std::uint32_t line) const {
    return wait_lines_.contains(line);
  }
  [[nodiscard]] bool has_copies_before(std::uint64_t step) const;

  // Elements that a thread stores to buffers in the whole run: each once, in order.
  struct Result {
    std::uint64_t step = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 4;
  };
  [[nodiscard]] std::span<const Result> results(std::uint32_t thread) const {
    return thread < results_.size() ? std::span<const Result>(results_[thread])
                                    : std::span<const Result>();
  }
  // A thread's reads and stores of buffers.
  struct Global {
    std::uint64_t step = 0;
    std::uint64_t address = 0;
    std::uint32_t line = 0;
  };
  [[nodiscard]] std::span<const Global> globals(std::uint32_t thread) const {
    return thread < globals_.size() ? std::span<const Global>(globals_[thread])
                                    : std::span<const Global>();
  }

 private:
  friend class BlockWatcher;
  // The initialization of an mbarrier, or the end of one of its phases.
  struct PhaseMark {
    std::uint64_t step = 0;
    std::uint32_t mbarrier = 0;
    bool is_end = false;
  };
  std::vector<Touch> touches_;
  std::vector<UnitStep> units_;
  std::vector<PhaseMark> phase_marks_;
  std::vector<std::vector<Visit>> visits_;
  std::vector<ProductStep> products_;
  std::vector<Meeting> meetings_;
  std::map<std::pair<std::size_t, std::uint32_t>, Reuse> reuse_;
  std::vector<std::vector<Result>> results_;
  std::vector<std::vector<Global>> globals_;
  std::set<std::uint32_t> wait_lines_;
};

}  // namespace tilestep::narration
