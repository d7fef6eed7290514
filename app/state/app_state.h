// Everything a user can change about what is on screen: one copyable, comparable struct.
//
// Panels read it and return commands, which apply() carries out. Undo, sessions, scenes of lessons,
// screenshots and tests are all AppStates.
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
// OpenDyslexic: letters that are heavier at the bottom, so that a mirrored or turned one differs.
enum class Typeface { Roboto, OpenDyslexic };
enum class Unit { Phase, Statement, Instruction };
enum class InspectorPage { Thread, Warp, Memory, Findings };
enum class SourcePage { Source, Ptx, Sass, Difference };
enum class TimingPage { BlockSize, Size, Ladder, Roofline, Occupancy, Counters, Sm };
[[nodiscard]] constexpr bool is_plot(TimingPage page) {
  return page != TimingPage::Occupancy && page != TimingPage::Counters && page != TimingPage::Sm;
}
enum class SpeedUnit { Gflops, OfCublas, OfPeak };
// How far a roofline is drawn: the memories' roofs, then that of the multiply-adds, then the
// kernels.
enum class RooflinePart { Memory, Arithmetic, Kernels };
// How numbers of the run are shown: in decimal, as their bits (hexadecimal, binary), or with every
// digit that the number has.
enum class NumberForm { Decimal, Hex, Binary, Exact };
// What the input field over the stage asks for.
enum class Asked { Nothing, Open, SaveScene, NewSession };

// What the stage and the inspector show.
struct Focus {
  std::uint32_t block = 0;   // linear
  std::uint32_t thread = 0;  // linear in the block
  // The clicked cell, by the name of its buffer or shared array; "": none.
  std::string cell_of;
  int cell_row = 0;
  int cell_col = 0;
  std::string cell_name;  // as the analyses name it: "As[1][2]"
  // The sum of the thread that is written out, counted from 0; beyond the last: the last; -1: the
  // sum that the statement on stage adds to, else the first.
  int sum = -1;

  friend bool operator==(const Focus&, const Focus&) = default;
};

// Pan and zoom of the stage (ui/stage/camera.h). zoom: height of a number of A in lines of text; 0:
// fit everything. x, y: the world point at the stage's center.
struct Camera {
  float zoom = 0.0F;
  float x = 0.0F;
  float y = 0.0F;

  friend bool operator==(const Camera&, const Camera&) = default;
};

// The products as cubes (key 8), and the direction of view in radians: around the vertical and
// above the horizon.
struct VolumeView {
  bool large = false;  // over the whole stage
  float yaw = 0.785F;
  float pitch = 0.55F;

  friend bool operator==(const VolumeView&, const VolumeView&) = default;
};

// F10 ends on a phase's last statement and shows the whole phase, until the next change of
// position.
struct PhaseView {
  bool done =
      false;  // the whole phase is shown; applies only if the focus block's phase ends at `step`
  // Step at which a row of F10 began with a single statement on stage: Shift+F10 returns there.
  std::uint64_t from = 0;

  friend bool operator==(const PhaseView&, const PhaseView&) = default;
};

// The point that another one is compared with, at the problem size of the plot.
struct TimedPoint {
  std::string kernel;   // catalog id, or "cublas"; "" for none
  int block_size = 0;   // 0: the kernel has none
  std::string dataset;  // in which it was measured; "" = the chosen one

  friend bool operator==(const TimedPoint&, const TimedPoint&) = default;
};

// Predict before seeing: a kernel's measured curve is hidden and the user draws a guess.
struct GuessView {
  std::string kernel;           // catalog id; "" for none
  std::map<int, float> gflops;  // drawn so far, by BLOCK_SIZE
  int at = 16;                  // the BLOCK_SIZE that the arrow keys change
  bool shown = false;           // the measured curve is shown

  [[nodiscard]] bool hides(const std::string& which) const {
    return !shown && !kernel.empty() && kernel == which;
  }
  friend bool operator==(const GuessView&, const GuessView&) = default;
};

// A hypothetical GPU: what differs from the chosen one. 0: as in the chosen GPU.
struct WhatIf {
  int sms = 0;
  int clock_mhz = 0;
  int dram_gb_s = 0;
  int l2_gb_s = 0;
  int shared_kib = 0;  // per SM
  int warps = 0;       // resident warps per SM

  friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

// The page that shows one SM in time.
struct SmView {
  bool stage = false;         // the launch on the stage, executed by one SM; else the timed one
  bool stamps = false;        // what a GPU measured of the launch, above the estimate
  int blocks = 0;             // at once; 0: as many as fit
  std::int64_t first = 0;     // the part of the run on screen, in clocks …
  std::int64_t clocks = 0;    // … 0: all of it
  bool by_scheduler = false;  // rows are grouped by scheduler; else by block
  int instruction = -1;       // index in the machine code whose executions are marked; -1: none

  friend bool operator==(const SmView&, const SmView&) = default;
};

// The settings of the Timing tab.
struct TimingView {
  TimingPage page = TimingPage::BlockSize;
  SpeedUnit unit = SpeedUnit::Gflops;
  std::string dataset;             // file stem; "" = the first
  std::set<std::string> overlays;  // further data sets in the same plot
  problem::Problem problem{4096, 4096, 4096};
  bool log_scale = true;
  bool every_kernel = false;  // else the ladder's and the one on stage
  bool alone = false;         // only the kernel on stage, on axes that fit it
  bool predict = true;        // draw the model beside the measurement
  bool measure_all_kernels =
      true;  // "measure here" measures every kernel; else only the one on stage
  bool measure_all_sizes = false;  // "measure here" measures 256 to 4096; else only this size
  std::string gpu;                 // for occupancy and prediction; "" = the data set's
  std::string selected_kernel;     // the point that is explained; "" for none
  int selected_block_size = 0;
  TimedPoint against;                             // compared with the selected point
  GuessView guess;                                // a curve drawn before the measured one is shown
  WhatIf what_if;                                 // the GPU of the prediction
  bool what_if_open = false;                      // its sliders are shown
  bool method_open = false;                       // the description of the measurement is unfolded
  RooflinePart roofline = RooflinePart::Kernels;  // the last part that is drawn
  SmView sm;

  friend bool operator==(const TimingView&, const TimingView&) = default;
};

// Everything that decides what is executed: two runs with equal Setups are the same run.
struct Setup {
  std::string kernel = "tiled";  // catalog id, or path of the user's .cu file
  std::string edited_source;     // edited text; "" = the file's own text
  problem::Parameters parameters{{8, 8, 8}, 4};
  problem::InputSpec input = problem::input_of(problem::Pattern::SmallIntegers);
  simt::Schedule schedule;
  int warp_size = 32;  // smaller: a teaching warp, labelled as such
  problem::Build build = problem::Build::Step;

  friend bool operator==(const Setup&, const Setup&) = default;
};

// A second run beside the open one: side 2 beside side 1.
struct Comparison {
  bool on = false;
  Setup second;
  record::Alignment alignment = record::Alignment::Statement;

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// What is exported, and its file format.
enum class ExportOf { Stage, Window, Plot, Trace, Variables, Counters, Findings, Film, Progress };
enum class ExportFormat { Png, Svg, Csv, Json, Gif, Mp4 };

// The settings of the export panel.
struct ExportView {
  ExportOf of = ExportOf::Stage;
  ExportFormat format =
      ExportFormat::Png;  // last choice; export_format() returns the one that applies
  int scale = 2;          // of a PNG: pixels per window pixel
  // Film only: its first and last place, as `render --at` writes them, and its unit of stepping.
  std::string film_from = "start";
  std::string film_to = "end";
  Unit film_by = Unit::Phase;
  float film_pace = 0.5F;    // places per second
  int film_height = 720;     // in pixels; the picture is 16:9
  bool film_caption = true;  // a line below the picture: kernel, sizes, place
  bool film_lecture = true;  // uses the layout for lecture halls

  friend bool operator==(const ExportView&, const ExportView&) = default;
};

// State of a question: asked, answered, or the correct answer was shown without an answer.
enum class Answering { Asked, Given, Shown };

// The open lesson and the position in it.
struct LessonView {
  std::string lesson = {};                 // id or path of the file; "": no lesson is open
  int beat = 0;                            // counted from 0
  bool list = false;                       // the list of lessons is open
  bool notes = false;                      // the lecturer's window is open
  bool ring = false;                       // a ring is drawn around the mouse pointer
  Answering answering = Answering::Asked;  // of the beat's question
  // The chosen or given answer as answers are written: "389", "A[1][2]", "(2,1)", "29", "yes", a
  // choice's number from 1; "": none.
  std::string given = {};
  // The first answer, if it was wrong: the question is asked a second time; "": none.
  std::string missed = {};
  bool hint = false;            // the question's hint is shown
  bool film = false;            // plays by itself until a key or click stops it
  bool spotlight = false;       // dims everything except the surroundings of the mouse pointer
  std::vector<int> votes = {};  // counted hands per choice of the beat's question

  friend bool operator==(const LessonView&, const LessonView&) = default;
};

// How a run is viewed: every field of AppState that is not in Setup.
struct View {
  bool sizes_locked = false;  // M = N = K: one slider moves all three
  Comparison comparison;

  // Position in the run.
  std::uint64_t step = 0;
  std::uint64_t second_step = 0;  // side 2's part of a stop of the joint timeline
  PhaseView phase;
  bool playing = false;
  float pace = 2.0F;  // statements per second
  Focus focus;
  std::set<int> breakpoints;              // source lines, 1-based
  std::map<int, std::string> conditions;  // by source line; not every breakpoint has one
  record::EventKind event = record::EventKind::Finding;  // kind of the last "run to"
  std::string watch;  // an expression; "run to" stops where its value changes

  // Appearance.
  Tab tab = Tab::Step;
  Theme theme = Theme::Dark;
  Typeface typeface = Typeface::Roboto;
  std::string language;  // tag, "zh" (problem/language.h); "": taken from the environment
  float scale = 1.0F;    // Ctrl +/-/0
  Camera camera;
  InspectorPage inspector = InspectorPage::Thread;
  bool inspector_open = false;  // a drawer over the right edge of the stage
  bool show_memory = false;     // sectors and banks, over the whole stage
  bool show_contrast = false;   // the same for this access in the contrasting kernels
  bool show_costs = true;       // sectors and banks on the stage, and the strip of BLOCK_SIZE
  VolumeView volume;
  SourcePage source_page = SourcePage::Source;
  bool header_open = false;  // the source's opening comment is unfolded
  bool lecture = false;      // lecture layout: only the stage, a few lines and the sum
  bool whole_map = false;    // large matrices as a whole, without numbers
  bool editing = false;
  bool animate = true;  // else nothing moves by itself: pictures change at once
  NumberForm number_form = NumberForm::Decimal;
  bool blank = false;      // black screen for a lecture
  bool show_keys = false;  // the '?' sheet
  bool show_palette = false;
  bool show_go_to = false;
  bool show_export = false;
  bool controls_by_key = false;  // Tab and the arrow keys move among the controls
  Asked asked = Asked::Nothing;
  bool show_find = false;  // the search field of the editor is open
  bool show_save_as = false;
  int condition_line = 0;  // line of the breakpoint whose condition is being edited; 0: none
  TimingView timing;
  ExportView exporting;
  LessonView course;

  friend bool operator==(const View&, const View&) = default;
};

// The whole state. It has no fields of its own, so a list of its fields is the lists of the two
// parts.
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
