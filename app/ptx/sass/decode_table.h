// Private to app/ptx/sass: the table of instructions that decode.cpp reads and decode_text.cpp
// writes.
#pragma once

#include "ptx/sass/decode.h"

#include <cstdint>
#include <span>
#include <string>

namespace tilestep::ptx {

// How an immediate of 32 bits is written. Unknown: one makes the instruction unknown.
enum class Immediate : std::uint8_t { Signed, Unsigned, Float, Halves, Unknown };

// One kind of instruction; the first row that fits is used.
//
// `operands`, separated by spaces:
//   d             the destination register, bits 16–23
//   a b c         the sources; b and c depend on the form. `-`: may be negated; `|`: absolute too
//   v             the register at 32–39
//   D A X         the destination, the first source and the predicate at 87, of the other kind than
//                 the row's
//   p q           predicates: destinations, at 81 and 84
//   x y z         predicates: sources, at 87, 77 and 68. Z: uniform if bit 67 is set
//   m n           an address in shared or local memory, with a uniform register at 32 or 64
//   g h           an address in global memory, with the register of its descriptor at 32 or 64
//   e f           of an asynchronous copy: the addresses in shared and in global memory
//   k K           a place in a constant bank; K from 10.0 on
//   u             a uniform predicate at 24
//   s             a special register
//   l             the table of a function of three predicates
//   B S L P       convergence barrier, scoreboard, label, all predicates
//   first:count   a number
// After them, `?`: not written if it is PT or 0; `~`: never written.
//
// `fields`, separated by spaces: 73:3=.A,-,.C is a modifier, `-` none, an absent or empty name
// unknown; 9:3!4 a value that distinguishes the row.
struct Row {
  unsigned code = 0;  // bits 0–8
  const char* name = "";
  const char* operands = "";
  const char* fields = "";
  Immediate immediate = Immediate::Signed;
  bool is_uniform = false;  // its registers and predicates are the uniform ones
};

[[nodiscard]] std::span<const Row> sass_rows();

}  // namespace tilestep::ptx
