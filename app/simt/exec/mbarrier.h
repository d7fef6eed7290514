// mbarrier objects in shared memory (PTX ISA 9.0, 9.7.13.15); their bits: mbarrier_object.h.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

// mbarrier.*: Detail::addresses[0]; in[0]: count, state or parity; d: state or predicate.
const Bound* use_mbarrier(Context& c, const Bound* i);
// cp.async.mbarrier.arrive: the executing lanes' copies arrive, then the lanes do.
const Bound* arrive_after_copies(Context& c, const Bound* i);
// Bytes that a bulk copy has brought, told to the object at that (generic) address.
void complete_bytes(Context& c, const StepInfo& issuer, std::uint64_t address, std::uint32_t bytes);
// mbarrier.pending_count: of a state that an arrival returned.
const Bound* pending_count(Context& c, const Bound* i);

}  // namespace tilestep::simt
