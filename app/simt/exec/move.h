// Executors of moves and logic that are not the same for every lane width.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

// Predicates are masks: and, or, xor, not, mov .pred. Bound::value inverts the sources (low word
// in[0], high word in[1]).
const Bound* predicate_and(Context& c, const Bound* i);
const Bound* predicate_or(Context& c, const Bound* i);
const Bound* predicate_xor(Context& c, const Bound* i);
const Bound* predicate_move(Context& c, const Bound* i);  // mov, and not (by inversion)

// mov.b64 d, {a, b} and back: Detail::slots are the parts, lowest first. Bound::value: bits a part.
const Bound* pack_word(Context& c, const Bound* i);  // into 32 bits
const Bound* pack_long(Context& c, const Bound* i);  // into 64 bits
const Bound* unpack_word(Context& c, const Bound* i);
const Bound* unpack_long(Context& c, const Bound* i);

const Bound* is_space(Context& c, const Bound* i);          // isspacep
const Bound* test_float(Context& c, const Bound* i);        // testp
const Bound* byte_differences(Context& c, const Bound* i);  // vabsdiff4

// add.cc, addc, sub.cc, subc, mad.cc, madc: 32 and 64 bits.
const Bound* carry_arithmetic(Context& c, const Bound* i);

}  // namespace tilestep::simt
