// Where a step leads: pure functions of a recording. apply() uses them; so do tests and scenes.
#pragma once

#include "record/recording.h"
#include "state/app_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace tilestep::state {

// The step after moving once by `unit` from `from`; stays at an end. A phase ends where the focus
// block's does, rounded up to the end of the statement (under lockstep all resident
// blocks finish the round).
[[nodiscard]] std::uint64_t step_from(const record::Recording& recording, std::uint64_t from,
                                      Unit unit, int direction, std::uint32_t focus_block);

// The focus block's latest phase that is over at a step: an index into Recording::phases_of().
[[nodiscard]] std::optional<std::size_t> phase_over(const record::Recording& recording,
                                                    std::uint64_t step, std::uint32_t focus_block);
// The one that ends just there, which AppState::phase shows as a whole.
[[nodiscard]] std::optional<std::size_t> phase_ended(const record::Recording& recording,
                                                     std::uint64_t step, std::uint32_t focus_block);

// The next (previous) statement start at which some warp is about to execute one of `lines`, or
// which follows a fault; the end (start) of the run if there is none.
[[nodiscard]] std::uint64_t run_from(const record::Recording& recording, std::uint64_t from,
                                     const std::set<int>& lines, int direction);

}  // namespace tilestep::state
