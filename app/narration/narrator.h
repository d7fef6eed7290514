// One sentence for every statement of a block's run, with this run's numbers.
//
// Built from executed events and debug information. The source determines the form of an equation,
// the machine its numbers, and an equation that does not hold is not printed. All words are in
// english.h.
#pragma once

#include "insight/check/finding.h"
#include "insight/trace/accumulators.h"
#include "narration/sentence.h"
#include "record/recording.h"

#include <cstdint>
#include <memory>
#include <span>

namespace tilestep::narration {

// A step of a recording at the end of a statement.
struct Moment {
  const record::State* before = nullptr;  // at the statement's start
  const record::State& after;
  const record::Activity* statement = nullptr;  // just executed; null: nothing has run
  std::uint32_t thread = 0;                     // focus, linear in the block
  // The block's sums; null: nothing has a hue, and no value is called a sum.
  const insight::BlockSums* sums = nullptr;
  std::span<const insight::Finding> findings;  // with steps of this run
};

// Without following the block a sentence lacks what is before and after its statement: counts of
// passes, and what a barrier makes safe.
enum class Follow { Nothing, Block };

// Executes the block once, then answers for every statement and thread of it.
class Narrator {
 public:
  // The recording must outlive it.
  Narrator(const record::Recording& recording, std::uint32_t block, Follow follow = Follow::Block);
  ~Narrator();
  Narrator(Narrator&&) noexcept;
  Narrator& operator=(Narrator&&) noexcept;
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  [[nodiscard]] Narration narrate(const Moment& moment) const;
  // For a phase that is over: an index into Recording::phases_of(block()).
  [[nodiscard]] PhaseSummary summarise(std::size_t phase, std::uint32_t thread,
                                       const insight::BlockSums* sums) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilestep::narration
