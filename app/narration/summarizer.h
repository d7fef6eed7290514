// Private to the room: sums up what one phase of a block did.
#pragma once

#include "narration/narration_builder.h"
#include "narration/sentence.h"

#include <map>
#include <optional>
#include <vector>

namespace tilestep::narration {

class Summarizer {
 public:
  Summarizer(const NarratedBlock& narrated, const record::Phase& phase, std::uint32_t thread);

  [[nodiscard]] PhaseSummary summary() const;

 private:
  // All accesses of a kind to an array.
  struct Traffic {
    std::uint32_t allocation = simt::kNoAllocation;
    simt::AccessKind kind = simt::AccessKind::Load;
    simt::AccessAgent agent = simt::AccessAgent::Thread;
    std::uint64_t numbers = 0;
    std::uint64_t accesses = 0;            // each of one thread
    std::uint64_t passes = 0;              // shared
    std::uint64_t sectors = 0;             // global
    std::vector<std::uint32_t> by_thread;  // empty for accesses of units
    std::map<std::uint64_t, bool> places;
    Box box;
  };
  // Operations on the mbarriers of an array.
  struct Mbarriers {
    std::uint64_t set_up = 0;
    std::uint64_t arrivals = 0;  // of threads
    std::uint64_t checks = 0;    // tests whether a phase is over
  };
  struct OfLine {
    std::vector<Traffic> traffic;
    std::map<std::uint32_t, Mbarriers> mbarriers;  // by allocation
    std::uint64_t products = 0;
    std::uint64_t barriers = 0;
    std::map<std::uint32_t, std::uint32_t> lanes;  // lanes that arrived there, by warp
    [[nodiscard]] std::uint64_t waiting() const;
  };

  void note_waiting(const record::Activity::Barrier& barrier);
  void add(const record::Access& access, const BlockRun& run);
  void add_mbarrier(const record::Access& access, const UnitStep& step);
  void add_products(const BlockRun& run);
  void add_to(std::vector<Traffic>& all, const record::Access& access, bool shared) const;
  [[nodiscard]] const simt::Program& program() const { return narrated_.recording.program(); }
  [[nodiscard]] const problem::Launch& launch() const { return program().launch(); }
  [[nodiscard]] Pieces name(std::uint32_t allocation) const;
  [[nodiscard]] bool is_shared(const Traffic& t) const;
  [[nodiscard]] std::vector<const Traffic*> of(simt::AccessKind kind, bool shared) const;
  [[nodiscard]] Sentence sentence() const;
  [[nodiscard]] std::optional<Sentence> load() const;
  [[nodiscard]] std::optional<Sentence> multiply() const;
  [[nodiscard]] Sentence multiply_in_units() const;
  [[nodiscard]] Pieces stored_after() const;
  // Stores to global memory; empty: none.
  [[nodiscard]] std::optional<Places> stores_of_phase() const;
  [[nodiscard]] std::optional<Sentence> write_back() const;
  [[nodiscard]] Sentence other() const;
  [[nodiscard]] Pieces traffic_part(const Traffic& t) const;
  [[nodiscard]] std::vector<Pieces> mbarrier_parts(
      const std::map<std::uint32_t, Mbarriers>& mbarriers) const;
  [[nodiscard]] Pieces own() const;
  [[nodiscard]] Pieces made_safe() const;
  [[nodiscard]] std::vector<PhaseLine> lines() const;
  [[nodiscard]] Pieces stored_part(const Traffic& t) const;
  [[nodiscard]] std::optional<Reuse> reuse() const;

  const NarratedBlock& narrated_;
  const record::Phase& phase_;
  std::uint32_t thread_;
  std::vector<Traffic> traffic_;
  std::map<std::uint32_t, Mbarriers> mbarriers_;  // by allocation
  std::map<std::uint32_t, OfLine> by_line_;
  std::vector<std::uint32_t> products_;  // by thread
  std::vector<ProductStep> tensor_;      // products of tensor units
  std::uint64_t moved_ = 0;
  std::uint64_t asked_ = 0;
  std::uint32_t threads_ = 0;  // participating threads
  std::uint32_t storing_ = 0;  // threads that stored to global memory
  bool copies_ = false;        // asynchronous copies were issued
  std::uint64_t outside_ = 0;  // reads outside the arrays
};

}  // namespace tilestep::narration
