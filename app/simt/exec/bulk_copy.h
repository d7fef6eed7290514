// cp.async.bulk and cp.async.bulk.tensor (PTX ISA 9.0, 9.7.9.25.4 and .5): copies that the copy
// engine performs by itself, 16 bytes at a time.
//
// To shared memory: the bytes arrive where a thread asks for the mbarrier that they are told to,
// and no earlier, so that reading them without waiting shows. To global memory: where the thread
// waits for its group, or exits.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

// Detail::addresses: shared memory, global memory, mbarrier; in[0]: bytes; value: 1 to shared
// memory.
const Bound* copy_bulk(Context& c, const Bound* i);
// Detail::addresses: shared memory, tensor map, mbarrier; Detail::slots: column, row.
const Bound* copy_bulk_tensor(Context& c, const Bound* i);
const Bound* commit_bulk_copies(Context& c, const Bound* i);
const Bound* await_bulk_copies(Context& c, const Bound* i);  // value: groups that may be under way

// What tells its bytes to the mbarrier at that (generic) address arrives.
void arrive_bulk_copies(Context& c, std::uint64_t mbarrier);
// Those to global memory of lanes that exit.
void finish_bulk_copies(Context& c, std::uint32_t lanes);

}  // namespace tilestep::simt
