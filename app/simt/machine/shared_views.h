// What a kernel makes of its dynamic shared memory: `extern __shared__ float4 tiles[]` is one row
// of memory, and the arrays in it are pointers, `auto As =
// reinterpret_cast<float(*)[8][68]>(tiles)`.
#pragma once

#include "simt/machine/program.h"

#include <memory>
#include <vector>

namespace tilestep::simt {

// Found by executing the first block, or its beginning: a view is a pointer variable of the kernel
// that has the same value in all threads, gets it before the block's first barrier, and keeps it.
// Its elements have the pointer's type, and reach to the next view. By address; none overlap, none
// reach out of their allocation. Empty where no debug information declares such variables.
[[nodiscard]] std::vector<Array> find_shared_views(const std::shared_ptr<const Program>& program);

}  // namespace tilestep::simt
