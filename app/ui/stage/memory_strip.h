// What the focus thread's warp asked of memory in the statement on stage: one entry for each
// access, laid out as counters count it. Pure; painted by memory_paint.h.
#pragma once

#include "insight/count/access_layout.h"
#include "insight/trace/accumulators.h"
#include "narration/sentence.h"
#include "record/activity.h"
#include "ui/stage/shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

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

}  // namespace tilestep::ui
