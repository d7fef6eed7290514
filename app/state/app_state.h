// Everything a user can change about what is on screen: one copyable, comparable struct.
//
// Panels read it and return commands; apply() is the only thing that changes it. Undo, sessions,
// scenes of lessons, screenshots and tests all are AppStates.
#pragma once

#include "problem/launch/launch.h"
#include "problem/values/inputs.h"
#include "record/words.h"
#include "simt/machine/schedule.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilestep::state {

enum class Tab { Step, Timing };
enum class Theme { Dark, Light };
enum class Unit { Phase, Statement, Instruction };
enum class InspectorPage { Thread, Warp, Memory, Findings };
enum class SourcePage { Source, Ptx, Sass, Difference };
enum class TimingPage { BlockSize, Size, Ladder, Roofline, Occupancy, Counters };
[[nodiscard]] constexpr bool is_plot(TimingPage page) {
  return page != TimingPage::Occupancy && page != TimingPage::Counters;
}
enum class SpeedUnit { Gflops, OfCublas, OfPeak };
// How numbers of the run are written: as people write them, as their bits (hexadecimal, binary), or
// with every digit that the number has.
enum class NumberForm { Decimal, Hex, Binary, Exact };
// What a field over the stage asks for.
enum class Asked { Nothing, Open, SaveScene, NewSession };

// What the stage and the inspector look at.
struct Focus {
  std::uint32_t block = 0;   // linear
  std::uint32_t thread = 0;  // linear in the block
  // A cell that was clicked: buffer or shared array by name; "" for none.
  std::string cell_of;
  int cell_row = 0;
  int cell_col = 0;
  std::string cell_name;  // as the analyses know it: "As[1][2]"
  // Which of the thread's sums is written out, counted from 0; beyond: the last; -1: the one that
  // the statement on stage adds to, else the first.
  int sum = -1;

  friend bool operator==(const Focus&, const Focus&) = default;
};

// Pan and zoom of the stage, in stage units (1 = one cell of A); zoom 0: fit everything.
struct Camera {
  float zoom = 0.0F;
  float x = 0.0F;
  float y = 0.0F;

  friend bool operator==(const Camera&, const Camera&) = default;
};

// The products as cubes (key 8), and from where they are looked at: radians, around the vertical
// and above the horizon.
struct VolumeView {
  bool large = false;  // over the whole stage
  float yaw = 0.785F;
  float pitch = 0.55F;

  friend bool operator==(const VolumeView&, const VolumeView&) = default;
};

// F10 ends on a phase's last statement and shows the whole phase, until anything else moves.
struct PhaseView {
  bool done = false;  // shown as a whole; counts where the focus block's phase ends at `step`
  // Where a row of F10 began with a single statement on stage: Shift+F10 goes back to it.
  std::uint64_t from = 0;

  friend bool operator==(const PhaseView&, const PhaseView&) = default;
};

// What a point is compared with: at the size on the plot.
struct TimedPoint {
  std::string kernel;   // catalog id, or "cublas"; "" for none
  int block_size = 0;   // 0: the kernel has none
  std::string dataset;  // it was measured in; "" = the chosen one

  friend bool operator==(const TimedPoint&, const TimedPoint&) = default;
};

// Predicting before seeing: the measured curve of a kernel is hidden, and one is drawn by hand.
struct GuessView {
  std::string kernel;           // catalog id; "" for none
  std::map<int, float> gflops;  // as drawn so far, by BLOCK_SIZE
  int at = 16;                  // the BLOCK_SIZE that arrow keys change
  bool shown = false;           // the measured curve has appeared

  [[nodiscard]] bool hides(const std::string& which) const {
    return !shown && !kernel.empty() && kernel == which;
  }
  friend bool operator==(const GuessView&, const GuessView&) = default;
};

// A GPU that nobody built: what differs from the chosen one. 0: as it is there.
struct WhatIf {
  int sms = 0;
  int clock_mhz = 0;
  int dram_gb_s = 0;
  int l2_gb_s = 0;
  int shared_kib = 0;  // shared memory of an SM
  int warps = 0;       // that an SM holds

  friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

struct TimingView {
  TimingPage page = TimingPage::BlockSize;
  SpeedUnit unit = SpeedUnit::Gflops;
  std::string dataset;             // file stem; "" = the first
  std::set<std::string> overlays;  // data sets that are drawn over it
  problem::Problem problem{4096, 4096, 4096};
  bool log_scale = true;
  bool every_kernel = false;        // else the ladder's and the stage's
  bool alone = false;               // the stage's only, on an axis that fits it
  bool predict = true;              // draw the model beside the measurement
  bool measure_all_kernels = true;  // what "measure here" takes: else the stage's alone
  bool measure_all_sizes = false;   // … at 256 to 4096: else at this size alone
  std::string gpu;                  // occupancy and prediction for; "" = the data set's
  std::string selected_kernel;      // the point whose story is told; "" for none
  int selected_block_size = 0;
  TimedPoint against;         // what that point is compared with
  GuessView guess;            // drawn before the curve is seen
  WhatIf what_if;             // the prediction is for
  bool what_if_open = false;  // its sliders
  bool method_open = false;   // how it was measured, unfolded

  friend bool operator==(const TimingView&, const TimingView&) = default;
};

// All that decides what is executed: two runs with the same set-up are the same run.
struct Setup {
  std::string kernel = "tiled";  // catalog id, or the path of a user's .cu
  std::string edited_source;     // live edit; "" = the file's own text
  problem::Parameters parameters{{8, 8, 8}, 4};
  problem::InputSpec input = problem::input_of(problem::Pattern::SmallIntegers);
  simt::Schedule schedule;
  int warp_size = 32;  // smaller: teaching warp, labelled
  problem::Build build = problem::Build::Step;

  friend bool operator==(const Setup&, const Setup&) = default;
};

// A second run beside the one that is open: side 2 and side 1.
struct Comparison {
  bool on = false;
  Setup second;
  record::Alignment alignment = record::Alignment::Statement;

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// What leaves the window as a file, and as which kind of file.
enum class ExportOf { Stage, Window, Plot, Trace, Variables, Counters, Findings, Film };
enum class ExportFormat { Png, Svg, Csv, Json, Gif, Mp4 };

// How the export panel is set.
struct ExportView {
  ExportOf of = ExportOf::Stage;
  ExportFormat format = ExportFormat::Png;  // as chosen last; export_format() says what it means
  int scale = 2;                            // of a PNG: pixels for each pixel of the window
  // Of a film: places of the run as `render --at` writes them, and how it goes from one to the
  // other.
  std::string film_from = "start";
  std::string film_to = "end";
  Unit film_by = Unit::Phase;
  float film_pace = 0.5F;    // places a second
  int film_height = 720;     // pixels; 16:9
  bool film_caption = true;  // a line below the picture: kernel, sizes, place
  bool film_lecture = true;  // the layout for a hall

  friend bool operator==(const ExportView&, const ExportView&) = default;
};

// How far one is with a question: it is asked, an answer was given, or the right one was shown
// without any.
enum class Answering { Asked, Given, Shown };

// The lesson that is open, and where in it one is.
struct LessonView {
  std::string lesson = {};                 // its id, or the path of its file; "": none is open
  int beat = 0;                            // counted from 0
  bool list = false;                       // the list of lessons is open
  bool notes = false;                      // the lecturer's window is open
  bool ring = false;                       // around the mouse pointer
  Answering answering = Answering::Asked;  // of the beat's question
  // What is chosen or was answered, as answers are written: "389", "A[1][2]", "(2,1)", "29", "yes",
  // a choice's number from 1; "": nothing.
  std::string given = {};
  bool hint = false;            // the question's is shown
  bool film = false;            // it plays by itself, until a key or a click takes the controls
  bool spotlight = false;       // everything is dim but what is near the mouse pointer
  std::vector<int> votes = {};  // hands that were counted for each choice of the beat's question

  friend bool operator==(const LessonView&, const LessonView&) = default;
};

// How a run is looked at: all of an AppState that is not its set-up.
struct View {
  bool sizes_locked = false;  // M = N = K: one slider moves all three
  Comparison comparison;

  // where we are
  std::uint64_t step = 0;
  std::uint64_t second_step = 0;  // of side 2: its part of a stop of the joint timeline
  PhaseView phase;
  bool playing = false;
  float pace = 2.0F;  // statements a second
  Focus focus;
  std::set<int> breakpoints;                             // source lines, 1-based
  std::map<int, std::string> conditions;                 // of some of them
  record::EventKind event = record::EventKind::Finding;  // what was run to last
  std::string watch;  // an expression whose changes can be run to

  // how it is shown
  Tab tab = Tab::Step;
  Theme theme = Theme::Dark;
  std::string language;  // its tag, "zh" (problem/language.h); "": as the environment says
  float scale = 1.0F;    // Ctrl +/-/0
  Camera camera;
  InspectorPage inspector = InspectorPage::Thread;
  bool inspector_open = false;  // a drawer over the right edge of the stage
  bool show_memory = false;     // sectors and banks over the whole stage
  bool show_contrast = false;   // … of the same access in the kernels of a contrast
  VolumeView volume;
  SourcePage source_page = SourcePage::Source;
  bool header_open = false;  // of the source: the comment it begins with
  bool lecture = false;      // for a hall: the stage, a few lines and the sum, nothing else
  bool whole_map = false;    // all of large matrices, without numbers
  bool editing = false;
  bool animate = true;
  NumberForm number_form = NumberForm::Decimal;
  bool blank = false;      // a lecture's black screen
  bool show_keys = false;  // the '?' sheet
  bool show_palette = false;
  bool show_go_to = false;
  bool show_export = false;
  Asked asked = Asked::Nothing;
  bool show_find = false;  // in the text that is edited
  bool show_save_as = false;
  int condition_line = 0;  // of the breakpoint whose condition is being written; 0: none
  TimingView timing;
  ExportView exporting;
  LessonView course;

  friend bool operator==(const View&, const View&) = default;
};

// What is open, and how. It has no fields of its own: lists of fields are made of the two parts'.
struct AppState : Setup, View {
  friend bool operator==(const AppState&, const AppState&) = default;
};

[[nodiscard]] inline const Setup& setup_of(const AppState& state) {
  return state;
}
inline void take_setup(AppState& state, const Setup& setup) {
  static_cast<Setup&>(state) = setup;
}

}  // namespace tilestep::state
