// Notable places in a block's run: bank conflicts, uncoalesced accesses, branches that split a
// warp, barriers, races with an effect; and copies in flight to shared memory. Found by executing
// the block's part of the recording once, in portions per frame.
#pragma once

#include "narration/sentence.h"
#include "record/recording.h"
#include "workspace/generation.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tilestep::ui {

// In order of priority: of several marks at one place the first kind is drawn.
enum class MarkKind : std::uint8_t { Finding, Conflict, Uncoalesced, Divergence, Barrier };

// A notable place in a run.
struct RunMark {
  MarkKind kind = MarkKind::Barrier;
  std::uint64_t step = 0;
  std::uint32_t thread = 0;  // the first thread concerned
  std::uint32_t line = 0;
  // Finding: 0 if a race has an effect. Conflict: passes; Uncoalesced: sectors; `least`: the
  // minimum. Divergence: branching lanes, of all lanes.
  std::uint32_t cost = 0;
  std::uint32_t least = 0;
};

// A copy (cp.async) of 4 or more bytes to shared memory.
struct CopyFlight {
  std::uint64_t address = 0;  // generic
  std::uint32_t bytes = 0;
  std::uint64_t issued = 0;   // step
  std::uint64_t arrived = 0;  // ~0: not yet, as far as known
  [[nodiscard]] bool is_under_way(std::uint64_t step) const {
    return issued < step && step <= arrived;
  }
};

// Finds the marks of one block.
class RunMarks {
 public:
  RunMarks();
  ~RunMarks();
  RunMarks(const RunMarks&) = delete;
  RunMarks& operator=(const RunMarks&) = delete;
  RunMarks(RunMarks&&) = delete;
  RunMarks& operator=(RunMarks&&) = delete;

  // Clears everything if the recording or the block changed. Advances by at least `steps` steps, to
  // the end of a statement; returns true while there is more.
  bool advance(const record::Recording& recording, const workspace::Generation& generation,
               std::uint32_t block, std::uint64_t steps);

  [[nodiscard]] std::span<const RunMark> marks() const;  // by step
  [[nodiscard]] std::span<const CopyFlight> copies() const;
  // The steps before this one are marked.
  [[nodiscard]] std::uint64_t known_to() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "Line 26: 8 passes instead of 1 in the banks of shared memory."
[[nodiscard]] narration::Pieces mark_words(const RunMark& mark);
// The same, the number of further marks at its place, and the effect of a click.
[[nodiscard]] std::string mark_tooltip(const RunMark& mark, std::size_t count);

}  // namespace tilestep::ui
