// Where in a run one is, in terms that outlive the run.
#pragma once

#include "record/recording.h"
#include "state/app_state.h"
#include "state/apply.h"
#include "state/command.h"

#include <cstddef>
#include <cstdint>

namespace tilestep::workspace {

// A moment that other runs have, too: what kind of phase the focus block is in, of which tile, and
// how far into it. It survives a change of size, text, data or kernel.
struct Moment {
  enum class At : std::uint8_t { Start, Within, PhaseEnd, End };
  At at = At::Start;
  record::PhaseKind kind = record::PhaseKind::Other;
  int tile = -1;
  std::size_t part = 0;       // phases of this kind and tile before it
  std::size_t index = 0;      // all phases before it
  std::size_t statement = 0;  // statements into it: in the same kernel they add the same products
  double share = 0.0;         // … of all of its statements
};

[[nodiscard]] Moment moment_of(const record::Recording& recording, std::uint64_t step,
                               std::uint32_t block);
// The same moment. A run without this kind of phase has one that does similar work (a load that
// multiplies, too), one without this tile an earlier one. `same_kernel`: statements are alike.
[[nodiscard]] std::uint64_t step_at(const record::Recording& recording, const Moment& moment,
                                    std::uint32_t block, bool same_kernel = true);
// The end of the block's first load: there is something in its tiles. 0 where it loads no tile, and
// where the recording does not go as far.
[[nodiscard]] std::uint64_t first_load_end(const record::Recording& recording, std::uint32_t block);

// Whether the recording goes as far as this moment: one of a start may not.
[[nodiscard]] bool holds(const record::Recording& recording, const Moment& moment,
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
