// What a run can be taken to, forward and back.
#pragma once

#include <cstdint>

namespace tilestep::record {

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
