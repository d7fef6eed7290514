// What a phase did, in numbers: the sentence that stands over its end, and the card beside it.
#pragma once

#include "narration/sentence.h"

#include <cstdint>
#include <vector>

namespace tilestep::narration {

// One source line of the phase: what and how many, and what memory made of it.
struct PhaseLine {
  std::uint32_t line = 0;
  Pieces what;  // "16 loads of A and 16 stores to As"
  Pieces cost;  // "4 sectors", "16 passes", "1 barrier"; empty: nothing
};

struct PhaseSummary {
  Eyebrow eyebrow;  // "Phase 3 of 5, done"
  Eyebrow running;  // "Phase 3 of 5"
  Sentence sentence;
  Pieces barrier;  // what the barrier at its end makes safe; or nothing
  Pieces thread;   // what the focus thread has of it: "Thread (2,1) went from 0 to 44."; or nothing
  std::vector<PhaseLine> lines;
  // Global memory: whole sectors that were touched, and what the threads asked for.
  std::uint64_t bytes_moved = 0;
  std::uint64_t bytes_asked = 0;
  Pieces moved;  // "Global memory moved 256 bytes for 128 asked."; or nothing
};

}  // namespace tilestep::narration
