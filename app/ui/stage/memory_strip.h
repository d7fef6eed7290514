// What an access asks of memory, and the same access in kernels with another layout.
#pragma once

#include "insight/count/access_layout.h"
#include "insight/trace/accumulators.h"
#include "narration/sentence.h"
#include "record/activity.h"
#include "ui/stage/shape.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// What the focus thread's warp asked of memory in the statement on stage: one entry for each
// access, laid out as counters count it. Pure.
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

  // Passes, or sectors.
  [[nodiscard]] std::uint32_t cost() const {
    return is_shared ? layout.passes : static_cast<std::uint32_t>(layout.sectors.size());
  }
  [[nodiscard]] std::uint32_t least() const {
    return is_shared ? layout.ideal_passes : layout.ideal_sectors;
  }
  // The first of those with the most words, where there is a conflict.
  [[nodiscard]] std::optional<std::uint32_t> fullest_bank() const;
  [[nodiscard]] bool is_bad() const { return cost() > least(); }
  // By sector: beyond the least that the bytes would fit in; those with the fewest used words.
  [[nodiscard]] std::vector<bool> surplus() const;
};

struct MemoryStrip {
  std::uint32_t warp = 0;             // of the focus thread, in its block
  std::vector<StripAccess> accesses;  // in execution order
};
struct StripInputs {
  const simt::Program& program;
  const StageShape& shape;
  const record::Activity* statement;  // just executed; null: none
  std::uint32_t block = 0;            // focus
  std::uint32_t thread = 0;
  const insight::BlockSums* sums = nullptr;  // of the block; null: not known yet
};
[[nodiscard]] MemoryStrip make_memory_strip(const StripInputs& inputs);

// "8 passes", "6 sectors instead of 4".
[[nodiscard]] std::string cost_words(const StripAccess& access);
// "Load of A", "Store to As", in the array's hue.
[[nodiscard]] narration::Pieces access_title(const StripAccess& access);
// What it costs and why, in this access's numbers.
[[nodiscard]] narration::Pieces access_sentence(const StripAccess& access);

// The same access of the focus thread's warp in several kernels (Catalog::contrasts): what memory
// makes of each. Pure.

// Whose access a strip's is.
struct ContrastSide {
  std::string title;
  std::string code;  // the line of its source
  bool is_on_stage = false;
  const StageShape* shape = nullptr;
  const simt::Program* program = nullptr;
  std::vector<bool> is_padding;  // by cell of the array: the block never stores to it
};
struct Contrast {
  MemoryStrip strip;                // an access of each kernel
  std::vector<ContrastSide> sides;  // of each access
};

// A line of a source, counted from 1, without blanks around it and the comment at its end.
[[nodiscard]] std::string code_of_line(const std::string& source, std::uint32_t line);

// All accesses of every run, laid out once.
class ContrastMemory {
 public:
  using Runs = std::shared_ptr<const std::vector<workspace::ContrastRun>>;
  // The access of `strip` whose cost differs most among the runs, in each of them; empty where they
  // do not have it.
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
