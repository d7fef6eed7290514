// Destinations of steps: pure functions of a recording, used by apply(), tests and scenes.
#pragma once

#include "record/recording.h"
#include "state/app_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace tilestep::state {

// The step after one move by `unit` from `from`; stays at an end. Phases are those of the focus
// block; a phase's end is rounded up to the end of the statement (in lockstep all resident blocks
// finish the round).
[[nodiscard]] std::uint64_t step_from(const record::Recording& recording, std::uint64_t from,
                                      Unit unit, int direction, std::uint32_t focus_block);

// The focus block's latest phase that has ended at a step: an index into Recording::phases_of().
[[nodiscard]] std::optional<std::size_t> phase_over(const record::Recording& recording,
                                                    std::uint64_t step, std::uint32_t focus_block);
// The phase that ends exactly at the step, which AppState::phase shows as a whole.
[[nodiscard]] std::optional<std::size_t> phase_ended(const record::Recording& recording,
                                                     std::uint64_t step, std::uint32_t focus_block);

// The next (previous) statement start at which a warp is about to execute one of `lines`, or which
// follows a fault; the end (start) of the run if there is none.
[[nodiscard]] std::uint64_t run_from(const record::Recording& recording, std::uint64_t from,
                                     const std::set<int>& lines, int direction);

}  // namespace tilestep::state
