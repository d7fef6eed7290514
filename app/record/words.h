// Words for the events that a run can be taken to, and for the alignment of two runs.
#pragma once

#include "problem/words.h"

#include <cstdint>

namespace tilestep::record {

// Alignment of two compared runs.

enum class Alignment {
  Statement,  // the same products and the same lines of the source
  Phase,      // the block's first phase, its second, …
  Product,    // only the products of the followed sum
};

// Events that a run can be taken to, forward and back.

enum class EventKind : std::uint8_t {
  Finding,       // of the check: a race, a fault, a read before any store, …
  Barrier,       // all threads have arrived
  BankConflict,  // an access of shared memory that takes more passes than necessary
  Uncoalesced,   // an access of global memory that touches more sectors than its bytes fill
  Divergence,    // a branch that some lanes of a warp take and others do not
  MaskedLane,    // a statement that lanes of a warp sit out although they have not exited
  Nan,           // an operation on numbers whose result is NaN
  Access,        // of a cell, an array or a variable
  Change,        // of a watched expression
};

}  // namespace tilestep::record

namespace tilestep {

template <>
inline constexpr auto kWords<record::EventKind> = std::to_array<Word<record::EventKind>>(
    {{record::EventKind::Finding, "finding", "finding", "A problem that the check finds."},
     {record::EventKind::Barrier, "barrier", "barrier", "A barrier lets its threads continue."},
     {record::EventKind::BankConflict, "bank_conflict", "bank conflict",
      "A shared memory access takes more passes than necessary."},
     {record::EventKind::Uncoalesced, "uncoalesced", "uncoalesced access",
      "A warp's access uses more sectors than its bytes need."},
     {record::EventKind::Divergence, "divergence", "divergence",
      "Some lanes of a warp take a branch and others do not."},
     {record::EventKind::MaskedLane, "masked_lane", "masked lane",
      "Some lanes of a warp skip a statement."},
     {record::EventKind::Nan, "nan", "NaN", "An operation on numbers produces NaN."},
     {record::EventKind::Access, "access", "access",
      "The chosen cell or the watched expression is read or stored."},
     {record::EventKind::Change, "change", "change", "The watched expression changes."}});

template <>
inline constexpr auto kWords<record::Alignment> = std::to_array<Word<record::Alignment>>(
    {{record::Alignment::Statement, "statement", "statement",
      "Both sides are at the same line or the same product."},
     {record::Alignment::Phase, "phase", "phase", "Both sides start each phase together."},
     {record::Alignment::Product, "product", "product",
      "Both sides add the same product to the focus thread's sum."}});

}  // namespace tilestep
