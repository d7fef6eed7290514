// The usual pairs of runs, and the schedule that shows a missing barrier. Pure: a state in, what to
// compare it with out.
#pragma once

#include "problem/describe/catalog.h"
#include "state/app_state.h"

#include <optional>
#include <string>

namespace tilestep::ui {

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

// How side 2 differs from side 1, in a few words: "Tiled · BLOCK_SIZE 8 · run ahead".
[[nodiscard]] std::string difference_words(const state::Setup& one, const state::Setup& two,
                                           const problem::Catalog& catalog);
// What side 1 is: "Tiled · edited · fast build".
[[nodiscard]] std::string first_side_words(const state::Setup& one,
                                           const problem::Catalog& catalog);
[[nodiscard]] std::string title_of(const state::Setup& setup, const problem::Catalog& catalog);

}  // namespace tilestep::ui
