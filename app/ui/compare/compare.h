// Two runs side by side: pairs, places, the stages, what differs between them.
#pragma once

#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <array>
#include <optional>
#include <string>

namespace tilestep::ui {

// What differs between two runs: the first product that only one of them adds and what becomes of
// it, what both cost, and how long both took where they were measured.
// Needs a frame with a side 2.
[[nodiscard]] Commands draw_compare_card(const Context& context);

// The usual pairs of runs, and the schedule that shows a missing barrier. Pure: a state in, what to
// compare it with out.

enum class Pair {
  RightKernel,     // the kernel that a broken one was made from
  OwnText,         // the text as it is in the file
  WithoutBarrier,  // this text without its next barrier
  Naive,           // the plainest kernel
  BlockSize,       // twice the BLOCK_SIZE, or half of it
  FastBuild,       // the same text, optimised
  StepBuild,       // … and not
  Adversary,       // warp 0 runs ahead
};

struct PairRequest {
  const state::AppState& state;
  const problem::Catalog& catalog;
  std::string source;         // the text on screen
  int line = 0;               // of the focus thread; 0: it is not known
  std::uint32_t threads = 0;  // in a block
};
// Side 2 of a pair; nothing where the kernel has none of it.
[[nodiscard]] std::optional<state::Setup> pair_of(Pair pair, const PairRequest& request);
// The first that is worth looking at.
[[nodiscard]] std::optional<state::Setup> first_pair(const PairRequest& request);

// Warp 0 runs as far as barriers let it before the others move. In a block of a single warp warps
// are made smaller: there have to be others.
[[nodiscard]] state::Setup with_adversary(state::Setup setup, std::uint32_t threads);
[[nodiscard]] bool is_adversary(const state::Setup& setup);

// Opens side 2 as a pair of the frame's run; nothing where there is no such pair.
[[nodiscard]] Commands compare_with(const Context& context, Pair pair);
// What was compared last, or else the first pair that is worth looking at; again: side 1 alone.
[[nodiscard]] Commands toggle_compare(const Context& context);
// On both sides, where two are there; again: lockstep.
[[nodiscard]] Commands toggle_adversary(const Context& context);

// How side 2 differs from side 1, in a few words: "Tiled · BLOCK_SIZE 8 · run ahead".
[[nodiscard]] std::string difference_words(const state::Setup& one, const state::Setup& two,
                                           const problem::Catalog& catalog);
// What side 1 is: "Tiled · edited · fast build".
[[nodiscard]] std::string first_side_words(const state::Setup& one,
                                           const problem::Catalog& catalog);
[[nodiscard]] std::string title_of(const state::Setup& setup, const problem::Catalog& catalog);

// Where two stages, their sources, the card between them and their timeline are. Pure.

struct ComparePlan {
  std::array<Box, 2> sides;    // side by side; one above the other in a high window
  std::array<Box, 2> sources;  // empty where there is no room; of side 2 alone in narrow windows
  Box card;                    // what differs; empty in low windows
  Box timeline;
  Box instrument;         // above the timeline
  bool is_short = false;  // the timeline has no row of buttons
};
// `edits`: side 1's text is being written and needs lines. In a lecture the stages have all of the
// height but for the phases.
[[nodiscard]] ComparePlan plan_compare(const Box& room, float font, bool edits,
                                       bool is_lecture = false, float instrument = 0.0F);

// Two runs side by side (key =): their stages, what differs, their sources, one timeline.

// `room`: of the window, below the top bar. Of a frame with a side 2.
[[nodiscard]] Commands draw_compared(const Context& context, const Box& room);

// Side 2 of a comparison, as a panel's context.

// Needs FrameView::beside. Its panels have memories of their own.
[[nodiscard]] Context second_context(const Context& context);

}  // namespace tilestep::ui
