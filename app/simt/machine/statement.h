// Where a warp's statements end (schedule.h says when they do).
#pragma once

#include "simt/state/machine_state.h"

#include <cstdint>

namespace tilestep::simt {

// Where a warp is, as far as statements are concerned.
struct At {
  WarpStatus status = WarpStatus::Ready;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t depth = 0;
};

[[nodiscard]] At place_of(const MachineState& machine, WarpId id);

// `before`: of a warp's last step, `after`: where it stands now.
[[nodiscard]] bool ends_at(const ProgramData& program, const At& before, const At& after);

// Fills in what BoundFunction knows about lines and statements.
void find_statements(ProgramData& program);

}  // namespace tilestep::simt
