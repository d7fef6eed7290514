// Remarkable places in a block's run: bank conflicts, uncoalesced accesses, branches that split a
// warp, barriers, races that strike; and copies on their way into shared memory. Found by executing
// the block's stretch of the recording once, a part a frame.
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

// The first of those that share a place is drawn.
enum class MarkKind : std::uint8_t { Finding, Conflict, Uncoalesced, Divergence, Barrier };

struct RunMark {
  MarkKind kind = MarkKind::Barrier;
  std::uint64_t step = 0;
  std::uint32_t thread = 0;  // the first it is about
  std::uint32_t line = 0;
  // Finding: 0 where a race strikes. Conflict: passes; Uncoalesced: sectors; and the least.
  // Divergence: lanes that branch, of all.
  std::uint32_t cost = 0;
  std::uint32_t least = 0;
};

// A copy (cp.async) of 4 or more bytes to shared memory.
struct CopyFlight {
  std::uint64_t address = 0;  // generic
  std::uint32_t bytes = 0;
  std::uint64_t issued = 0;   // step
  std::uint64_t arrived = 0;  // ~0: not as far as is known
  [[nodiscard]] bool is_under_way(std::uint64_t step) const {
    return issued < step && step <= arrived;
  }
};

class RunMarks {
 public:
  RunMarks();
  ~RunMarks();
  RunMarks(const RunMarks&) = delete;
  RunMarks& operator=(const RunMarks&) = delete;
  RunMarks(RunMarks&&) = delete;
  RunMarks& operator=(RunMarks&&) = delete;

  // Forgets everything when the recording or the block is another one. Goes on by at least `steps`
  // steps, to the end of a statement; true while there is more.
  bool advance(const record::Recording& recording, const workspace::Generation& generation,
               std::uint32_t block, std::uint64_t steps);

  [[nodiscard]] std::span<const RunMark> marks() const;  // by step
  [[nodiscard]] std::span<const CopyFlight> copies() const;
  // The step that it has come to.
  [[nodiscard]] std::uint64_t known_to() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "Line 26: 8 passes instead of 1 in the banks of shared memory."
[[nodiscard]] narration::Pieces mark_words(const RunMark& mark);
// The same, how many more there are at its place, and what a click does.
[[nodiscard]] std::string mark_tooltip(const RunMark& mark, std::size_t count);

}  // namespace tilestep::ui
