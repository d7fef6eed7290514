// Device functions that PTX calls but does not contain: vprintf and __assertfail.
#pragma once

#include "ptx/model/module.h"
#include "simt/exec/context.h"

namespace tilestep::simt {

// nullptr: a function this machine does not know.
const Bound* call_library(Context& c, const Bound* i, const ptx::Function& callee);

}  // namespace tilestep::simt
