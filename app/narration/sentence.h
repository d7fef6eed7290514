// Sentences of the narration, in pieces that carry the role of their number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::narration {

// The role of a piece's number. Views choose its color by it.
enum class Hue : std::uint8_t { None, FromA, FromB, Sum, Good, Fault };

struct Piece {
  std::string text;
  Hue hue = Hue::None;
  bool strong = false;

  friend bool operator==(const Piece&, const Piece&) = default;
};
using Pieces = std::vector<Piece>;

// The subject of a sentence.
enum class Kind : std::uint8_t {
  Start,     // nothing has run
  Enter,     // a function's arguments
  Index,     // whole numbers: places, bounds, counters
  Value,     // any other assignment
  LoopPass,  // a loop's head, going in
  LoopEnd,   // a loop's head, at its last evaluation
  Load,      // from global memory, or into registers
  SharedStore,
  Barrier,
  Product,     // one or more products added to a sum
  Compensate,  // the rounding error that a compensated sum keeps
  Guard,       // a condition
  Masked,      // the focus thread takes no part
  Store,       // to global memory
  CopyStart,
  CopyArrival,
  Atomic,
  Shuffle,
  Print,
  Return,
  Race,
  Finding,
  Fault,
  Conflict,
  Uncoalesced,
  Waits,    // the block did not move
  Goes,     // control continued; nothing was computed
  Summary,  // of a phase
  Result,   // of the whole run
};

struct Sentence {
  Kind kind = Kind::Goes;
  Pieces long_form;   // at most 95 characters in the usual cases
  Pieces short_form;  // at most 45
};

[[nodiscard]] std::string plain_text(const Pieces& pieces);

// The line above the sentence.
struct Eyebrow {
  std::string phase;  // "Phase 2 of 5"
  std::string name;   // "multiply tile 0"
  std::string pass;   // "product 3 of 4"; empty: not in a loop
  std::string block;  // "block (1,0)"
  std::string lanes;  // "13 of 16 lanes off"; empty: none is
};

// A variable that now represents a row or a column.
struct Guide {
  enum class Axis : std::uint8_t { Row, Column };
  std::string variable;
  Axis axis = Axis::Row;
  std::uint32_t launch_buffer = 0;
  std::int64_t value = 0;

  friend bool operator==(const Guide&, const Guide&) = default;
};

struct Narration {
  Sentence sentence;
  std::vector<Sentence> notes;  // its cost in memory; what other threads did
  Eyebrow eyebrow;
  std::vector<Guide> guides;
};

// What a phase did, in numbers: the sentence above its end, and the card next to it.

// One source line of the phase: operations, counts, and their cost in memory.
struct PhaseLine {
  std::uint32_t line = 0;
  Pieces what;  // "16 loads of A and 16 stores to As"
  Pieces cost;  // "4 sectors", "16 passes", "1 barrier"; empty: none
};

struct PhaseSummary {
  Eyebrow eyebrow;  // "Phase 3 of 5, done"
  Eyebrow running;  // "Phase 3 of 5"
  Sentence sentence;
  Pieces barrier;  // what the barrier at its end makes safe; may be empty
  Pieces thread;   // the focus thread's result: "Thread (2,1) went from 0 to 44."; may be empty
  std::vector<PhaseLine> lines;
  Pieces moved;  // "Global memory moved 256 bytes for 128 asked."; may be empty
};

}  // namespace tilestep::narration
