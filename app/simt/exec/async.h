// cp.async (PTX ISA 9.0, 9.7.9.25): copies from global to shared memory that a thread waits for.
//
// The bytes arrive where the thread waits for them and no earlier, so that reading them without
// waiting shows. Groups are counted for each lane.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

// Detail::addresses: to, from; value: bytes; in[0]: how many of them are read, or none;
// in[1]: a predicate, of the lanes that read nothing, or none.
const Bound* copy_async(Context& c, const Bound* i);
const Bound* commit_copies(Context& c, const Bound* i);
const Bound* await_copies(Context& c, const Bound* i);  // value: groups that may stay under way
const Bound* await_all_copies(Context& c, const Bound* i);

// All copies of the executing lanes arrive.
void finish_copies(Context& c, const Bound* i);

}  // namespace tilestep::simt
