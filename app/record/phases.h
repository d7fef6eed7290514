// Splits each block's run at its barriers and names the parts by what they did.
//
// Warps with roles do not meet at barriers, but hand tiles to each other by mbarriers. There a
// phase lasts until an mbarrier's phase is over, and is named by what was waited for: bytes of the
// TMA unit (a tile is loaded), warps that have multiplied since their last arrival, or warps
// that have stored to shared memory (a tile is prepared).
#pragma once

#include "record/recording.h"
#include "record/tables.h"

#include <algorithm>
#include <cstdint>
#include <map>
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
  // A barrier that all live threads of the block have reached ends the phase, and so does an
  // mbarrier that hands on a tile.
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event,
                  const simt::Machine& machine, std::uint64_t step);

  // Ends the block's last phase, if it has made a step since the previous one.
  void on_block_end(std::uint32_t block);

  struct Phases {
    simt::BlockTable<std::vector<Phase>> of_block;  // by time
    std::set<std::string> names;
  };
  // Closes the open phases.
  [[nodiscard]] Phases finish();

 private:
  // What happened in a phase, and in which order it first happened.
  struct Work {
    std::uint32_t order = 0;  // increases as parts of the work first appear
    std::uint32_t global_load = 0;
    std::uint32_t global_store = 0;
    std::uint32_t shared_load = 0;
    std::uint32_t shared_store = 0;
    std::uint32_t product = 0;
    std::uint64_t stored_arrays = 0;  // shared arrays stored to, one bit each
    std::uint64_t stored_bytes = 0;   // bytes that loads into them stored
    bool copies = false;              // asynchronous
  };
  // What an mbarrier's phase waited for; the last one that applies.
  enum class Handover : std::uint8_t { None, Prepared, Multiplied, Loaded };
  // What a warp has done since its last arrival at an mbarrier.
  struct Role {
    Handover work = Handover::None;
    bool has_arrived = false;

    void note(Handover part) {
      work = has_arrived ? part : std::max(work, part);
      has_arrived = false;
    }
  };
  // Data for a phase's name, which is set once the block is over and its tiles are counted.
  struct Naming {
    std::uint32_t load = 0;  // as in Work; 0: no load
    std::uint32_t multiply = 0;
    std::uint32_t write_back = 0;
    bool is_copied = false;  // asynchronously
    bool computes = false;   // products, sums
    Handover handover = Handover::None;
    bool same_tile = false;  // it fills the rest of the previous tile
    std::uint64_t arrays = 0;
    std::uint64_t bytes = 0;
    std::string results;  // shared arrays that hold what it computes: "Ss"
    std::string other;    // if it neither loads nor multiplies
  };
  struct Block {
    std::vector<Phase> done;
    bool has_ended = false;  // false: it has more phases than were recorded
    Work work;
    std::uint64_t first_step = 0;
    std::uint64_t last_step = 0;
    bool running = false;
    std::uint32_t arrived = 0;
    bool has_loaded = false;        // from a buffer, since the last store to shared memory
    std::uint64_t load_arrays = 0;  // arrays that the previous phase filled, if it only loaded
    std::vector<Naming> namings;    // of `done`
    std::vector<Role> roles;        // by warp; empty: no mbarrier yet
    std::map<std::uint32_t, Handover> handovers;  // by mbarrier: of its current phase
  };

  static void note(Work& work, std::uint32_t& part);
  void on_mbarrier(const simt::StepInfo& info, const simt::BarrierEvent& event, std::uint64_t step);
  void end(std::uint32_t block, std::uint64_t step, Handover handover);
  void close(std::uint32_t block, bool at_barrier, Handover handover = Handover::None);
  // Sets the phase's kind.
  Naming describe(Block& block, Phase& phase) const;
  static std::string handover_text(Handover handover, int tile);
  // Numbers the tiles of a block that has ended.
  void finish(std::uint32_t index);
  void name_phases(Block& block);

  const Tables& tables_;
  simt::BlockTable<Block> blocks_;
  std::set<std::string> names_;
  std::map<std::uint64_t, std::string> arrays_;  // shared ones: names by address
};

}  // namespace tilestep::record
