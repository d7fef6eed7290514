// The cards below the source and in the stage's corner: a phase, a warp, a thread.
#pragma once

#include "insight/trace/accumulators.h"
#include "narration/sentence.h"
#include "narration/source_map.h"
#include "record/recording.h"
#include "ui/panel.h"
#include "ui/stage/paint.h"
#include "ui/sum_text.h"
#include "ui/window_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// The card below the source: what the focus block's latest phase did, by line.

// Takes the card's box from the foot of the source column if the source keeps enough room;
// otherwise returns an empty box. The card is the first to give way.
[[nodiscard]] Box take_card(WindowPlan& plan, float font);

// The same counts as `counters --by line --build step`, of this block's phase.
void draw_phase_card(const Context& context);

// The card below the source at a statement: the focus thread's warp, lane by lane.

// A click on a lane follows its thread.
Commands draw_warp_card(const Context& context);

// The focus thread's warp at a statement: which lanes executed it, and the value of one variable in
// each. Pure.

// What a lane did in the latest statement.
enum class LaneState : std::uint8_t {
  Executing,  // executed the statement
  Idle,       // another warp executed it
  Off,        // only other lanes of the warp executed it
  Ended,
  Absent  // no thread: beyond the block's end
};

// The content of the warp's card.
struct WarpLanes {
  struct Lane {
    LaneState state = LaneState::Absent;
    std::string value;  // empty: none
  };
  std::string title;                                   // "thread (2,1) of block (1,0)"
  std::string place;                                   // "warp 0 of 2, lane 6"
  std::vector<Lane> lanes;                             // one per lane of the warp
  std::uint32_t first = 0;                             // linear index of lane 0's thread
  std::uint32_t focus = 0;                             // lane of the focus thread
  std::string variable;                                // whose values are shown; empty: none
  insight::ValueRole role = insight::ValueRole::None;  // of the variable
  narration::Pieces note;  // "acc in every lane. Lanes 16 to 31 have no thread."
};

// The inputs of the warp's card.
struct WarpQuestion {
  const record::Recording& recording;
  const record::State& state;
  const record::Activity& statement;  // the latest statement
  const narration::SourceMap& source;
  const insight::BlockSums* sums = nullptr;
  std::optional<std::size_t> sum = std::nullopt;  // of the focus thread: the one that is shown
  std::string accumulator;                        // shown if the statement assigns no variable
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};
[[nodiscard]] WarpLanes warp_lanes(const WarpQuestion& question);

// The focus thread's latest change of its sum, in the free corner of the block's L.

// `thread`: "thread (2,1)". Returns false and paints nothing if the statement added no product to
// the chosen sum or there is no room.
bool paint_thread_card(const StagePicture& picture, const std::string& thread,
                       const SumStory& story);

// All pieces in bold.
[[nodiscard]] narration::Pieces all_bold(narration::Pieces pieces);

}  // namespace tilestep::ui
