// The part of the window for each panel of the Step tab. Pure: sizes in, rectangles out.
//
// The stage is laid out first. While the numbers of a small launch would be smaller than a line of
// text, other panels give way, in the order of Yield; so enlarging everything (Ctrl++) enlarges the
// stage's numbers first. If all of that is not enough, no panel gives way for numbers that are
// larger than necessary. Sizes and BLOCK_SIZE move no panel: a larger launch is shown in part, and
// its matrices as a map (stage_plan.h).
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <imgui.h>

#include <cstdint>
#include <functional>

namespace tilestep::ui {

// What gives way for the stage, in this order.
enum class Yield : std::uint8_t {
  Nothing,
  SourceNarrow,   // the source column is only as wide as one line of code needs
  OtherBlocks,    // the timeline shows only the focus block
  SourceStrip,    // the source lines around the current one are beside the sum
  ShortTimeline,  // one row with the button for the next phase
  ShortWords,     // one line of narration in its short form; a short sum; three lines of source
  FewLabels,      // no row and column numbers, names beside the matrices
  OneLine,        // one line of source, and of the sum
};
inline constexpr int kYields = 8;

// Height in pixels of the numbers of the whole matrices and of the block's own arrays; 0: none.
struct NumberSizes {
  float matrices = 0.0F;
  float block = 0.0F;
};

// Height of a line of text among the cells. Smaller in low windows, because numbers have priority.
[[nodiscard]] float cell_font(const Box& cells, float font);
// The boxes of the Step tab's panels, in window pixels.
struct WindowPlan {
  Box source;  // a strip is left of the sum, inside the stage's box
  Box stage;   // narration, matrices and sum
  Box timeline;
  Box instrument;  // above the timeline; empty if the kernel has no BLOCK_SIZE
  Box lesson;      // below the source, or in its place if that is a strip; empty: no lesson is open
  Box drawer;      // the inspector, if open
  Box narration;   // parts of the stage
  Box cells;
  Box sum;
  Box dots;  // in a lecture: the phases, below everything
  bool is_lecture = false;
  bool leaves_words = false;    // the narration's place is for a lesson's sentence
  bool hides_matrices = false;  // if the block has memory of its own
  bool drops_sum = false;       // of one of two sides: the cells use its line
  bool keeps_source = false;    // as PlanRequest, or for a lab
  bool lends_column = false;    // the lesson gets the source column, which has no room for both
  bool asks = false;            // as PlanRequest
  Yield yielded = Yield::Nothing;

  [[nodiscard]] bool has(Yield yield) const { return yielded >= yield; }
  // The source is a strip beside the sum.
  [[nodiscard]] bool has_strip() const {
    return (has(Yield::SourceStrip) || lends_column) && !keeps_source;
  }
};

// The inputs of plan_window().
struct PlanRequest {
  Box room;  // of the window, below the top bar
  float font = 18.0F;
  // It is being edited, or read with its header or in PTX, so it stays a column.
  bool keeps_source = false;
  bool is_wide = false;     // with another text beside it
  bool edits = false;       // its lines are being edited and do not wrap
  bool has_lesson = false;  // its panel is always left of the stage
  // Its source keeps its column too; without room for both, only while it is edited.
  bool has_lab = false;
  bool asks = false;          // a question replaces the sentence, larger
  float instrument = 0.0F;    // height in pixels of the BLOCK_SIZE slider above the timeline
  bool shows_drawer = false;  // a lesson has opened it: cells and sum are beside it if possible
  bool is_embedded = false;   // no source, no sum, and the timeline in one row
  // The sizes of the stage's numbers for a small launch under a plan.
  std::function<NumberSizes(const WindowPlan& plan)> numbers;
};
[[nodiscard]] WindowPlan plan_window(const PlanRequest& request);

// The plan of one of two stages side by side: words and sum become short, then the whole matrices
// are dropped. If the block's numbers are still unreadable, the sum is dropped too, because the
// sentence has its value. The source and the timeline are elsewhere.
[[nodiscard]] WindowPlan plan_side(const Box& stage, float font,
                                   const std::function<NumberSizes(const WindowPlan&)>& numbers);

// The foot of a lecture's stage: five lines of source and the sum; the current line; nothing.
enum class Foot : std::uint8_t { LinesAndSum, OneLine, Nothing };

// The plan for lectures: the stage fills the window, with its foot below it. Text grows with the
// window; `font` is the resulting line height.
struct LecturePlan {
  WindowPlan plan;
  float font = 27.0F;
};
// Leaves two lines above the stage for a lesson's words, and more for a question. `words`: so many
// lines instead; 0: as said.
struct LectureRequest {
  Box window;
  bool has_lesson = false;
  bool asks = false;
  float instrument = 0.0F;  // as in PlanRequest
  float words = 0.0F;
  Foot foot = Foot::LinesAndSum;
};
[[nodiscard]] LecturePlan plan_lecture(const LectureRequest& request);

// The plan of a stage above a page of a lecture: only the block, because the hall has other words.
[[nodiscard]] WindowPlan plan_band(const Box& stage, float font);

// A panel's window: a card at a fixed place, dimmed while its content is outdated.

inline constexpr ImGuiWindowFlags kFixedWindow =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
    ImGuiWindowFlags_NoNavFocus;

struct PanelWindow {
  const char* window;
  Box box;
  bool shows_recording = true;
  bool is_ground = false;   // the source's strip and the drawer are over it
  float said_above = 0.0F;  // end of the sentence that explains why the stage is outdated
};

// A card of its own; `draw` draws its content.
void draw_panel(const Context& context, const PanelWindow& panel,
                const std::function<void()>& draw);

// The only place for messages about commands: an error, an effect, the reason why a run stopped. It
// never covers the sentence or numbers.

// Draws in the lower right corner of `room`, as high as its text. An effect disappears at the next
// key or click; an error stays until the next success.
[[nodiscard]] Commands draw_said(const Context& context, const Box& room);

}  // namespace tilestep::ui
