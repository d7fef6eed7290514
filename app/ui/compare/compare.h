// Two runs side by side: pairs, layout, stages and their differences.
#pragma once

#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <array>
#include <optional>
#include <string>

namespace tilestep::ui {

// The differences of two runs: the first product that only one of them adds and its consequence,
// the cost of both, and the measured time of both. Requires a frame with a side 2.
[[nodiscard]] Commands draw_compare_card(const Context& context);

// The usual pairs of runs, and the schedule that shows a missing barrier. Pure: a state in, its
// counterpart out.

// The counterpart of side 1.
enum class Pair {
  RightKernel,     // the kernel that a broken one was derived from
  OwnText,         // the text as in the file
  WithoutBarrier,  // this text without its next barrier
  Naive,           // the plainest kernel
  BlockSize,       // twice the BLOCK_SIZE, or half of it
  FastBuild,       // the same text, optimized
  StepBuild,       // the same text, not optimized
  MachineCode,     // what ptxas makes of the same text
  Adversary,       // warp 0 runs ahead
};

struct PairRequest {
  const state::AppState& state;
  const problem::Catalog& catalog;
  std::string source;         // the text on screen
  int line = 0;               // of the focus thread; 0: unknown
  std::uint32_t threads = 0;  // per block
};
// Side 2 of a pair; nullopt if the kernel does not have such a pair.
[[nodiscard]] std::optional<state::Setup> pair_of(Pair pair, const PairRequest& request);
// The first useful pair.
[[nodiscard]] std::optional<state::Setup> first_pair(const PairRequest& request);

// Warp 0 runs as far as barriers allow before the others move. In a block of a single warp the warp
// size is reduced, so that there are other warps.
[[nodiscard]] state::Setup with_adversary(state::Setup setup, std::uint32_t threads);
[[nodiscard]] bool is_adversary(const state::Setup& setup);

// Opens side 2 as a pair of the frame's run; empty if there is no such pair.
[[nodiscard]] Commands compare_with(const Context& context, Pair pair);
// Compares with the last counterpart, or else the first useful pair; a second use shows side 1
// alone.
[[nodiscard]] Commands toggle_compare(const Context& context);
// Applies to both sides of a comparison; a second use restores lockstep.
[[nodiscard]] Commands toggle_adversary(const Context& context);

// The differences of side 2 from side 1, in a few words: "Tiled · BLOCK_SIZE 8 · run ahead".
[[nodiscard]] std::string difference_words(const state::Setup& one, const state::Setup& two,
                                           const problem::Catalog& catalog);
// A description of side 1: "Tiled · edited · fast build".
[[nodiscard]] std::string first_side_words(const state::Setup& one,
                                           const problem::Catalog& catalog);
[[nodiscard]] std::string title_of(const state::Setup& setup, const problem::Catalog& catalog);

// The boxes of two stages, their sources, the card between them and their timeline. Pure.

// The boxes of a comparison, in window pixels.
struct ComparePlan {
  std::array<Box, 2> sides;    // side by side; stacked in a high window
  std::array<Box, 2> sources;  // empty if there is no room; in narrow windows only side 2's
  Box card;                    // the differences; empty in low windows
  Box timeline;
  Box instrument;         // above the timeline
  bool is_short = false;  // the timeline has no row of buttons
};
// `edits`: side 1's text is being edited and needs lines. In a lecture the stages have the whole
// height except the phases.
[[nodiscard]] ComparePlan plan_compare(const Box& room, float font, bool edits,
                                       bool is_lecture = false, float instrument = 0.0F);

// Two runs side by side (key =): their stages, differences and sources, and one timeline.

// `room`: the window below the top bar. Requires a frame with a side 2.
[[nodiscard]] Commands draw_compared(const Context& context, const Box& room);

// Side 2 of a comparison as a panel's context.

// Requires FrameView::beside. Its panels have memories of their own.
[[nodiscard]] Context second_context(const Context& context);

}  // namespace tilestep::ui
