// The part of the window that each panel of the Step tab gets. Pure: sizes in, rectangles out.
//
// The stage is laid out first. As long as the numbers of a small launch would be smaller than a
// line of text, other panels yield, in the order of Yield; enlarging everything (Ctrl++) therefore
// enlarges the stage's numbers first. Where all of that would not be enough, no panel yields for
// numbers that are larger than need be. Sizes and BLOCK_SIZE move no panel: a larger launch is
// shown in part, and its matrices as a map (stage_plan.h).
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <imgui.h>

#include <cstdint>
#include <functional>

namespace tilestep::ui {

enum class Yield : std::uint8_t {
  Nothing,
  SourceNarrow,   // the column of source is cut to what one line of code needs
  OtherBlocks,    // the timeline shows the focus block alone
  SourceStrip,    // the lines of source around the current one are beside the sum
  ShortTimeline,  // one row with the button for the next phase
  ShortWords,     // one line of narration, in its short form; a short sum, three lines of source
  FewLabels,      // no row and column numbers, names beside the matrices
  OneLine,        // of source, and of the sum
};
inline constexpr int kYields = 8;

// Height of the numbers of the whole matrices and of the block's own arrays, in pixels; 0: there
// are none.
struct NumberSizes {
  float matrices = 0.0F;
  float block = 0.0F;
};

// Height of a line of text among the cells. In low windows it is smaller than elsewhere: numbers
// come first.
[[nodiscard]] float cell_font(const Box& cells, float font);
struct WindowPlan {
  Box source;  // a strip is left of the sum, within the stage's box
  Box stage;   // narration, matrices and sum
  Box timeline;
  Box instrument;  // above the timeline; empty where the kernel has no BLOCK_SIZE
  Box lesson;      // below the source, or in its place where that is a strip; empty: none is open
  Box drawer;      // the inspector, where it is open
  Box narration;   // parts of the stage
  Box cells;
  Box sum;
  Box dots;  // in a lecture: the phases, below everything
  bool is_lecture = false;
  bool leaves_words = false;    // of the narration, to a lesson's sentence
  bool hides_matrices = false;  // where the block has memory of its own
  bool drops_sum = false;       // of a side: its line belongs to the cells
  bool keeps_source = false;    // as PlanRequest
  bool lends_column = false;    // of source, to the lesson, where it has no room for both
  bool asks = false;            // likewise
  Yield yielded = Yield::Nothing;

  [[nodiscard]] bool has(Yield yield) const { return yielded >= yield; }
  // The source is a strip beside the sum.
  [[nodiscard]] bool has_strip() const {
    return (has(Yield::SourceStrip) || lends_column) && !keeps_source;
  }
};

struct PlanRequest {
  Box room;  // of the window, below the top bar
  float font = 18.0F;
  bool keeps_source = false;  // it is written, or read with its header or in PTX: it stays a column
  bool is_wide = false;       // … with another text beside it
  bool edits = false;         // its lines are written, and are not wrapped
  bool has_lesson = false;    // its panel is left of the stage, whatever yields
  bool asks = false;          // a question is in place of the sentence, larger
  float instrument = 0.0F;    // pixels, of the slider of BLOCK_SIZE above the timeline
  bool shows_drawer = false;  // a lesson has opened it: cells and sum are beside it, if they can
  // The numbers that the stage shows of a small launch under a plan.
  std::function<NumberSizes(const WindowPlan& plan)> numbers;
};
[[nodiscard]] WindowPlan plan_window(const PlanRequest& request);

// One of two stages that are side by side: words and sum become short, then the whole matrices go.
// Where not even then the block's numbers can be read, the sum goes too, whose value the sentence
// says. The source and the timeline have their places elsewhere.
[[nodiscard]] WindowPlan plan_side(const Box& stage, float font,
                                   const std::function<NumberSizes(const WindowPlan&)>& numbers);

// For a hall: the stage over all of the window, below it five lines of source and the sum. Text
// grows with the window; `font` is what a line of it then measures.
struct LecturePlan {
  WindowPlan plan;
  float font = 27.0F;
};
// With a lesson two lines of its words are above the stage; a question takes more room there.
[[nodiscard]] LecturePlan plan_lecture(const Box& window, bool has_lesson = false,
                                       bool asks = false, float instrument = 0.0F);

// A panel's window: a card at a fixed place, dimmed while it shows what is no longer asked for.

inline constexpr ImGuiWindowFlags kFixedWindow =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
    ImGuiWindowFlags_NoNavFocus;

struct PanelWindow {
  const char* window;
  Box box;
  bool shows_recording = true;
  bool is_ground = false;   // the source's strip and the drawer lie over it
  float said_above = 0.0F;  // where the sentence ends that says why the stage is an old one
};

// A card of its own; what `draw` draws belongs to it.
void draw_panel(const Context& context, const PanelWindow& panel,
                const std::function<void()>& draw);

// The one place for what is said of a command: what went wrong, what it did, where a run stopped.
// It never lies over the sentence or over numbers.

// In the lower right corner of `room`, as high as its text. What a command did leaves with the next
// key or click; what went wrong stays until the next good result.
[[nodiscard]] Commands draw_said(const Context& context, const Box& room);

}  // namespace tilestep::ui
