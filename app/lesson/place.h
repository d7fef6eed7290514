// Places in a run, as a scene or `render --at` names them.
#pragma once

#include "problem/result.h"
#include "record/recording.h"
#include "state/app_state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilestep::lesson {

// The place of a scene in the run; resolved against the recording.
struct Place {
  enum class Kind { Start, End, Step, Statement, Phase, PhaseMiddle, PhaseEnd };
  Kind kind = Kind::Start;
  std::uint64_t number = 0;  // Step, Statement: index; Phase: index in the focus block
};

// "end", "start", "step:120", "statement:12", "phase:3", "phase-start:3", "phase-end:3": the
// argument of `render --at`. A phase means the statement nearest its middle that reads or writes
// memory, because it shows the phase's work. At a phase's end the whole phase is shown, as after
// F10.
[[nodiscard]] Result<Place> parse_place(const std::string& text);
// The step of a place in a recording; clamped to its end.
[[nodiscard]] std::uint64_t resolve(const Place& place, const record::Recording& recording,
                                    std::uint32_t focus_block);
// An error if the recording has no such place.
[[nodiscard]] std::optional<Error> beyond_end(const Place& place,
                                              const record::Recording& recording,
                                              std::uint32_t focus_block);
// Moves a state to the place, by its focus block.
void go_to(const Place& place, const record::Recording& recording, state::AppState& state);

// The window's initial state: the tiled kernel in the middle of its first tile, so that cells are
// highlighted, the sum has three terms and the next key has an effect.
struct FirstStart {
  state::AppState state;
  Place place;  // the third product of tile 0
};
[[nodiscard]] FirstStart first_start();

}  // namespace tilestep::lesson
