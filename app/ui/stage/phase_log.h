// The executed accesses of one block in one of its phases.
//
// The recording is replayed once per phase; BlockLog caches the result while scene, block and
// thread are the same.
#pragma once

#include "insight/trace/accumulators.h"
#include "record/activity.h"
#include "record/recording.h"
#include "ui/stage/shape.h"
#include "workspace/generation.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilestep::ui {

// One cell that one thread loaded or stored.
struct LoggedAccess {
  std::uint64_t step = 0;
  std::uint32_t thread = 0;
  std::uint32_t line = 0;
  SheetPlace place;
  bool is_store = false;
  bool is_arrival = false;  // of an asynchronous copy, which was reported at its issue
  bool is_update = false;   // atomic
};

// The block's accesses to one cell of a sheet.
struct CellTouch {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  int sheet = kNoSheet;
  std::size_t cell = 0;               // cell_index()
  std::uint64_t first_read = kNever;  // in steps, as the next two
  std::uint64_t last_read = kNever;
  std::uint64_t last_write = kNever;
  std::uint32_t reads = 0;  // by all threads
  bool by_focus_thread = false;

  [[nodiscard]] bool is_read() const { return reads > 0; }
  [[nodiscard]] bool is_written() const { return last_write != kNever; }
};

// The accesses of one block in one phase.
struct PhaseLog {
  // In execution order: all accesses of the block to buffers, its stores to shared memory, and the
  // focus thread's loads from shared memory.
  std::vector<LoggedAccess> accesses;
  // Every cell that the block read or stored, by sheet and cell.
  std::vector<CellTouch> touches;
  std::vector<std::uint64_t> steps;  // steps with accesses, each once
  std::vector<bool> took_part;       // threads with accesses
  // For each instruction of the focus thread's warp, its most wasteful access, or else the first:
  // these represent all memory accesses of the warp.
  record::Activity requests;
};

// A value that was copied from a buffer to a shared array. If the block's values are not followed:
// the storing thread's last load of a buffer since its previous store.
struct Transfer {
  std::uint64_t step = 0;  // of the store
  std::uint32_t thread = 0;
  SheetPlace from;
  SheetPlace to;
};
[[nodiscard]] std::vector<Transfer> transfers(const PhaseLog& log, const StageShape& shape);

// The phase logs of one block, computed on request.
class BlockLog {
 public:
  // Clears the cache if any of these differs from the last call. `sums`: of the block, once its
  // values have been followed; its copies are taken over.
  void use(const record::Recording& recording, const StageShape& shape,
           const workspace::Generation& generation, std::uint32_t block, std::uint32_t thread,
           const insight::BlockSums* sums = nullptr);
  // `phase`: index into recording.phases_of(block).
  [[nodiscard]] const PhaseLog& phase(std::size_t phase);
  [[nodiscard]] const std::vector<Transfer>& transfers_of(std::size_t phase);
  // Index of the phase that executed step k - 1 (the first one if k is 0).
  [[nodiscard]] std::size_t phase_before(std::uint64_t k) const;
  [[nodiscard]] std::size_t phase_count() const;

 private:
  [[nodiscard]] std::vector<Transfer> followed_transfers(const record::Phase& phase) const;

  const record::Recording* recording_ = nullptr;
  const StageShape* shape_ = nullptr;
  workspace::Generation generation_;
  std::uint32_t block_ = 0;
  std::uint32_t thread_ = 0;
  std::map<std::size_t, PhaseLog> phases_;
  std::map<std::size_t, std::vector<Transfer>> transfers_;
  std::vector<insight::BlockSums::Brought> brought_;
  bool is_followed_ = false;
};

// The thread and block that stored an output cell last in the whole run.
struct Owner {
  std::uint32_t block = kNoThread;
  std::uint32_t thread = kNoThread;
  [[nodiscard]] bool known() const { return block != kNoThread; }
  friend bool operator==(const Owner&, const Owner&) = default;
};
// The last storing thread of every output cell.
struct Ownership {
  // By sheet; empty for sheets without stores. Parallel to the sheet's cells.
  std::vector<std::vector<Owner>> cells;
};
// `end`: the recording's last state.
[[nodiscard]] Ownership find_owners(const record::Recording& recording, const record::State& end,
                                    const StageShape& shape);

}  // namespace tilestep::ui
