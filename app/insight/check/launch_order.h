// What orders the threads of a launch, of one block or of several: one publishes on a word of
// global memory what it has done (a fence, and then an atomic or another strong access to the
// word), another sees the word there.
//
// PTX ISA, "Memory Consistency Model": a release pattern synchronizes with whoever observes its
// write. Observing is enough here: the CUDA C++ Programming Guide's example for memory fences has
// none behind its atomic either.
#pragma once

#include "insight/check/block_order.h"
#include "simt/state/event.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

struct WordAccess;

class LaunchOrder {
 public:
  // `step`: its number; `order`: of its block.
  void before_step(const simt::StepInfo& info, std::uint64_t step, const BlockOrder& order);
  // An access to global memory; whether it is a strong one.
  bool access(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint64_t step,
              const BlockOrder& order);

  // Of the lanes of `earlier`, those that are not ordered before what
  // one lane does now. `with_fences` false: as if everybody had fenced before publishing.
  [[nodiscard]] std::uint32_t unordered(const WordAccess& earlier, const WordAccess& now,
                                        const BlockOrder& order, bool with_fences = true) const;

 private:
  // A prefix of what was published on a word has been seen.
  struct Observation {
    Stamp stamp;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint64_t step = 0;
    std::size_t publications = 0;  // index into lists_
    std::size_t count = 0;
    bool is_fenced = true;  // in a publication: from what is published after it
  };
  using Fences = std::vector<std::shared_ptr<const Knowledge>>;
  struct Publication {
    Fences fences;                  // that precede it
    Knowledge known;                // at the publication itself
    std::vector<Observation> seen;  // on other words, by its block, before it
  };
  struct Publications {
    std::vector<Publication> all;
    std::multimap<std::uint32_t, std::size_t> of_block;
    std::vector<std::size_t> with_seen;  // those that have seen others
  };
  struct Block {
    Fences earlier;  // of the last interval before `current` in which there were any
    Fences current;
    std::vector<Observation> observations;
  };
  class Search;
  // Lanes of a warp, at a step.
  struct Actor {
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint64_t step = 0;
    const BlockOrder& order;
  };

  // `word`: generic address / 4. `replaces`: what others have published there is not seen any more
  // (a store, no atomic).
  void publish(const Actor& actor, std::uint64_t word, bool replaces);
  void observe(const Actor& actor, std::uint64_t word);
  void fence(const Actor& actor);

  std::unordered_map<std::uint32_t, Block> blocks_;  // that have done any of it
  std::vector<Publications> lists_;
  std::unordered_map<std::uint64_t, std::size_t> words_;  // to the list that stands there now
};

}  // namespace tilestep::insight
