// The words for what a run can be taken to, and what two runs are aligned by.
#pragma once

#include "problem/words.h"

#include <cstdint>

namespace tilestep::record {

// What two runs that are compared are aligned by.

enum class Alignment {
  Statement,  // the same products and the same lines of the source
  Phase,      // the block's first phase, its second, …
  Product,    // the products of the followed sum alone
};

// What a run can be taken to, forward and back.

enum class EventKind : std::uint8_t {
  Finding,       // of the check: a race, a fault, a read before any store, …
  Barrier,       // everybody is there
  BankConflict,  // an access of shared memory that takes more passes than it had to
  Uncoalesced,   // an access of global memory that touches more sectors than its bytes fill
  Divergence,    // a branch that some lanes of a warp take and others do not
  MaskedLane,    // a statement that lanes of a warp sit out though they have not left the kernel
  Nan,           // an operation on numbers whose result is none
  Access,        // of a cell, an array or a variable
  Change,        // of a watched expression
};

}  // namespace tilestep::record

namespace tilestep {

template <>
inline constexpr auto kWords<record::EventKind> = std::to_array<Word<record::EventKind>>(
    {{record::EventKind::Finding, "finding", "finding", "What the check finds wrong."},
     {record::EventKind::Barrier, "barrier", "barrier", "Where a barrier lets threads go on."},
     {record::EventKind::BankConflict, "bank_conflict", "bank conflict",
      "Where shared memory needs more passes than it had to."},
     {record::EventKind::Uncoalesced, "uncoalesced", "uncoalesced access",
      "Where a warp touches more sectors than its bytes fill."},
     {record::EventKind::Divergence, "divergence", "divergence",
      "Where some lanes of a warp branch and others do not."},
     {record::EventKind::MaskedLane, "masked_lane", "masked lane",
      "Where lanes of a warp sit a statement out."},
     {record::EventKind::Nan, "nan", "NaN", "Where a NaN comes out of numbers."},
     {record::EventKind::Access, "access", "access",
      "Where the chosen cell, or what is watched, is read or stored."},
     {record::EventKind::Change, "change", "change", "Where what is watched gets another value."}});

template <>
inline constexpr auto kWords<record::Alignment> = std::to_array<Word<record::Alignment>>(
    {{record::Alignment::Statement, "statement", "statement",
      "Both stand at the same line, or at the same product."},
     {record::Alignment::Phase, "phase", "phase", "Both begin each phase together."},
     {record::Alignment::Product, "product", "product",
      "Both add the same product of the followed sum."}});

}  // namespace tilestep
