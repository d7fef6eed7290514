// f16, bf16 and their pairs: arithmetic and comparisons, lane by lane (PTX ISA 9.0, 9.7.4, 9.7.7).
#pragma once

#include "simt/exec/isa.h"

namespace tilestep::simt {

[[nodiscard]] std::optional<LaneExecutor> find_half(const ptx::Instruction& i);

}  // namespace tilestep::simt
