// An access as memory serves it, and the same access in kernels with another layout.
#pragma once

#include "insight/count/access_layout.h"
#include "insight/trace/accumulators.h"
#include "narration/sentence.h"
#include "record/activity.h"
#include "ui/stage/shape.h"
#include "workspace/frame_view.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// The memory accesses of the focus thread's warp in the statement on stage: one entry per access,
// laid out as the counters count it. Pure.
struct StripAccess {
  insight::AccessLayout layout;
  simt::AccessKind kind = simt::AccessKind::Load;
  bool is_shared = false;
  int sheet = kNoSheet;                                // of its first lane
  std::string array;                                   // "As"
  insight::ValueRole role = insight::ValueRole::None;  // of the array's numbers
  std::uint32_t line = 0;
  std::uint64_t step = 0;
  std::uint64_t base = 0;                 // address of the array
  std::vector<std::string> sector_names;  // by sector: "A[0][8..15]", of the words that are used

  // The cost in passes, or sectors.
  [[nodiscard]] std::uint32_t cost() const {
    return is_shared ? layout.passes : static_cast<std::uint32_t>(layout.sectors.size());
  }
  [[nodiscard]] std::uint32_t least() const {
    return is_shared ? layout.ideal_passes : layout.ideal_sectors;
  }
  // The first bank with the most words, if there is a conflict.
  [[nodiscard]] std::optional<std::uint32_t> fullest_bank() const;
  [[nodiscard]] bool is_bad() const { return cost() > least(); }
  // True for the sectors beyond the least number for these bytes; those with the fewest used words.
  [[nodiscard]] std::vector<bool> surplus() const;
};

// The accesses of one warp in one statement.
struct MemoryStrip {
  std::uint32_t warp = 0;             // of the focus thread, in its block
  std::vector<StripAccess> accesses;  // in execution order
};
struct StripInputs {
  const simt::Program& program;
  const StageShape& shape;
  const record::Activity* statement;  // the latest statement; may be null
  std::uint32_t block = 0;            // focus
  std::uint32_t thread = 0;
  const insight::BlockSums* sums = nullptr;  // of the block; null: unknown yet
};
[[nodiscard]] MemoryStrip make_memory_strip(const StripInputs& inputs);

// "8 passes", "6 sectors instead of 4".
[[nodiscard]] std::string cost_words(const StripAccess& access);
// "Load of A", "Store to As", in the array's hue.
[[nodiscard]] narration::Pieces access_title(const StripAccess& access);
// The cost and its cause, with this access's numbers.
[[nodiscard]] narration::Pieces access_sentence(const StripAccess& access);

// The same access of the focus thread's warp in several kernels (Catalog::contrasts), and its cost
// in each. Pure.

// The kernel to which a strip belongs.
struct ContrastSide {
  std::string title;
  std::string code;  // its source line
  bool is_on_stage = false;
  const StageShape* shape = nullptr;
  const simt::Program* program = nullptr;
  std::vector<bool> is_padding;  // by cell of the array: the block never stores to it
};
// One access in several kernels.
struct Contrast {
  MemoryStrip strip;                // one access per kernel
  std::vector<ContrastSide> sides;  // of each access
};

// A source line, counted from 1, without surrounding blanks and trailing comment.
[[nodiscard]] std::string code_of_line(const std::string& source, std::uint32_t line);

// Lays out all accesses of every run once.
class ContrastMemory {
 public:
  using Runs = std::shared_ptr<const std::vector<workspace::ContrastRun>>;
  // The access of `strip` whose cost differs most among the runs, in each of them; empty if they do
  // not have it.
  [[nodiscard]] Contrast find(const Runs& runs, const MemoryStrip& strip, std::uint32_t block,
                              std::uint32_t thread);

 private:
  struct Laid {
    StageShape shape;
    std::vector<std::vector<bool>> is_padding;  // by sheet and cell
    MemoryStrip strip;
  };
  void lay_out(const Runs& runs, std::uint32_t block, std::uint32_t thread);
  [[nodiscard]] std::vector<const StripAccess*> same_in_each(const StripAccess& access) const;

  Runs runs_;
  std::vector<Laid> laid_;  // of each run
};

}  // namespace tilestep::ui
