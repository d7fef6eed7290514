// Where in a run one is, in terms that outlive the run.
#pragma once

#include "record/recording.h"
#include "state/app_state.h"
#include "state/apply.h"
#include "state/command.h"

#include <cstddef>
#include <cstdint>

namespace tilestep::workspace {

// A place in a run that survives a change of size, text or data: the phase of the focus block, and
// how many statements into it.
struct RelativePlace {
  std::size_t phase = 0;
  std::size_t statement = 0;
  bool at_end = false;
};

[[nodiscard]] RelativePlace relative_place(const record::Recording& recording, std::uint64_t step,
                                           std::uint32_t block);
[[nodiscard]] std::uint64_t step_at(const record::Recording& recording, const RelativePlace& place,
                                    std::uint32_t block);

// Whether the recording goes as far as this place: one of a start may not.
[[nodiscard]] bool holds(const record::Recording& recording, const RelativePlace& place,
                         std::uint32_t block);

// The block whose place is kept when the recording on stage has not the focus block: `last`, the
// one that was, or else the first of the part.
[[nodiscard]] inline std::uint32_t staged(simt::BlockPart part, std::uint32_t focus,
                                          std::uint32_t last) {
  return part.holds(focus) ? focus : part.holds(last) ? last : part.first;
}

// Where blocks run one after the other, or in waves, the focus goes along with those that move:
// otherwise a step would change nothing on stage. The block in focus after `statement`.
[[nodiscard]] std::uint32_t block_that_moved(const record::Recording& recording,
                                             const state::AppState& state,
                                             const record::Activity& statement);
// The state that a command has left, once the scene that it asked for is there: its thread in
// focus, at the focus block's first statement on its line. Where memory or a warp is to be seen,
// after it: accesses and values are shown once they are made.
[[nodiscard]] state::AppState arrived(state::AppState state, const state::OpenOnStage& to,
                                      const state::Context& context);

}  // namespace tilestep::workspace
