// Cuts each block's run at its barriers and names the pieces by what they did.
#pragma once

#include "record/recording.h"
#include "record/tables.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tilestep::record {

class PhaseBuilder {
 public:
  PhaseBuilder(const Tables& tables, simt::BlockPart part);

  // `step` is the number of the step that is executing.
  void on_step(const simt::StepInfo& info, std::uint64_t step);
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event);
  // A barrier that all live threads of the block have reached ends the phase.
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event,
                  const simt::Machine& machine, std::uint64_t step);

  // The block's last phase is over, if it has made a step since the one before.
  void on_block_end(std::uint32_t block);

  struct Phases {
    simt::BlockTable<std::vector<Phase>> of_block;  // by time
    std::set<std::string> names;
  };
  // Closes what is still open.
  [[nodiscard]] Phases finish();

 private:
  // What happened in a phase, and in which order it first happened.
  struct Work {
    std::uint32_t order = 0;  // counts up as parts of the work first appear
    std::uint32_t global_load = 0;
    std::uint32_t global_store = 0;
    std::uint32_t shared_load = 0;
    std::uint32_t shared_store = 0;
    std::uint32_t product = 0;
    std::uint64_t stored_arrays = 0;  // shared arrays written, one bit each
  };
  struct Block {
    std::vector<Phase> done;
    Work work;
    std::uint64_t first_step = 0;
    std::uint64_t last_step = 0;
    bool running = false;
    std::uint32_t arrived = 0;
    bool has_loaded = false;        // from a buffer, since shared memory was last stored to
    int loads = 0;                  // tiles loaded so far
    int multiplies = 0;             // tiles multiplied so far
    std::uint64_t load_arrays = 0;  // arrays that the previous phase filled, if it only loaded
  };

  static void note(Work& work, std::uint32_t& part);
  void close(std::uint32_t block, bool at_barrier);
  // The name of a phase; fills in its kind and tile.
  static std::string name(Block& block, Phase& phase);

  const Tables& tables_;
  simt::BlockTable<Block> blocks_;
  std::set<std::string> names_;
  std::vector<std::uint64_t> array_bases_;
};

}  // namespace tilestep::record
