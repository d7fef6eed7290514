// What the narration says: sentences in pieces that know whose number they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::narration {

// Whose number a piece is. Views give it their colour.
enum class Hue : std::uint8_t { None, FromA, FromB, Sum, Good, Fault };

struct Piece {
  std::string text;
  Hue hue = Hue::None;
  bool strong = false;

  friend bool operator==(const Piece&, const Piece&) = default;
};
using Pieces = std::vector<Piece>;

// What a sentence is about.
enum class Kind : std::uint8_t {
  Start,     // nothing has run
  Enter,     // a function's arguments
  Index,     // whole numbers: places, bounds, counters
  Value,     // any other assignment
  LoopPass,  // a loop's head, going in
  LoopEnd,   // a loop's head, for the last time
  Load,      // from global memory, or into registers
  SharedStore,
  Barrier,
  Product,     // one or more products added to a sum
  Compensate,  // what a compensated sum keeps of its error
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
  Goes,     // control went on; nothing was computed
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
  std::string pass;   // "product 3 of 4"; empty: in no loop
  std::string block;  // "block (1,0)"
  std::string lanes;  // "13 of 16 lanes off"; empty: none is
};

// A variable that has just come to mean a row or a column.
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
  std::vector<Sentence> notes;  // what memory made of it; what others did
  Eyebrow eyebrow;
  std::vector<Guide> guides;
};

// What a phase did, in numbers: the sentence that stands over its end, and the card beside it.

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
