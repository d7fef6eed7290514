// Everything a user can do. Keys, buttons, the palette, scenes and tests all produce commands.
#pragma once

#include "problem/describe/catalog.h"
#include "record/recording.h"
#include "state/app_state.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace tilestep::state {

struct SelectKernel {
  std::string kernel;
};
struct SetParameters {
  problem::Parameters parameters;
};
struct SetInput {
  problem::InputSpec input;
};
struct SetSchedule {
  simt::Schedule schedule;
};
struct SetWarpSize {
  int warp_size = 32;
};
struct EditSource {
  std::string text;
};
struct StartEditing {};
struct StopEditing {
  bool keep = true;
};

struct Step {
  Unit unit = Unit::Statement;
  int direction = +1;
};
struct SeekStep {
  std::uint64_t step = 0;
};
struct SeekStart {};
struct SeekEnd {};
struct Play {
  bool on = true;
};
struct TogglePlay {};
inline constexpr float kMinPace = 0.25F;
inline constexpr float kMaxPace = 240.0F;
struct SetPace {
  float pace = 2.0F;
};
struct RunToBreakpoint {
  int direction = +1;
};  // to the next breakpoint, finding, fault or end; the workspace looks for it
struct RunToLine {
  int line = 0;
};
struct ToggleBreakpoint {
  int line = 0;
};
// Sets the breakpoint, too. An empty text: it holds always.
struct SetCondition {
  int line = 0;
  std::string text;
};
// Opens the field for it; 0 closes it.
struct EditCondition {
  int line = 0;
};
struct ShowGoTo {
  bool on = true;
};
// To where something happens next, or happened last; the workspace looks for it.
struct RunToEvent {
  record::EventKind kind = record::EventKind::Finding;
  int direction = +1;
};
struct SetWatch {
  std::string expression;
};

struct FocusThread {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};
struct FocusCell {
  std::string of;
  int row = 0;  // as drawn
  int col = 0;
  std::string name;  // "As[1][2]"
};
// Which of the focus thread's sums is written out.
struct FocusSum {
  int sum = 0;
};
struct SetCamera {
  Camera camera;
};

struct SetTab {
  Tab tab = Tab::Step;
};
struct SetTheme {
  Theme theme = Theme::Dark;
};
struct SetScale {
  float scale = 1.0F;
};
// Opens the drawer, too.
struct SetInspector {
  InspectorPage page = InspectorPage::Thread;
};
struct ShowInspector {
  bool on = true;
};
struct ShowMemory {
  bool on = true;
};
struct SetVolume {
  VolumeView volume;
};
struct SetSourcePage {
  SourcePage page = SourcePage::Source;
};
// The comment that the source begins with.
struct ShowHeader {
  bool on = true;
};
struct ShowLecture {
  bool on = true;
};
// All of large matrices instead of what is around the tiles.
struct ShowWhole {
  bool on = true;
};
struct SetAnimate {
  bool on = true;
};
struct ShowKeys {
  bool on = true;
};
struct ShowPalette {
  bool on = true;
};
// Another problem on the plot brings its miniature onto the stage (problem/miniature.h).
struct SetTimingView {
  TimingView view;
};
// The plot's slider: the stage's BLOCK_SIZE. A miniature stays one.
struct SetTimedBlockSize {
  int block_size = 1;
};
// What is opened beside the stage, or over it.
enum class Beside { Nothing, Memory, Warp, Ptx };

// A clicked timing point, or a cause that makes it slow.
struct OpenOnStage {
  std::string kernel;
  int block_size = 0;
  int line = 0;  // where to: the focus block's first statement there; 0: the start
  std::optional<record::EventKind> event{};  // … and from there to the first of these
  std::optional<std::uint32_t> thread{};     // in focus; nothing: the one that is
  Beside beside = Beside::Nothing;
};
enum class ChartFormat { Svg, Csv };

// The pointer is over a cell, "A[1][6]", or over none: what of its value is known is looked for.
struct PointAt {
  std::string cell;
};

// Of what was changed, and of where one was (history.h); the workspace carries them out.
struct Undo {};
struct Redo {};
struct GoBack {};
struct GoForward {};

// Jobs: they change no AppState by themselves; the workspace carries them out.
struct StartBench {};
struct CancelBench {};
struct ExportChart {
  ChartFormat format = ChartFormat::Svg;
};
struct CopyScene {};    // its link is in the clipboard: says so
struct SavePicture {};  // of the window; the loop that owns it carries it out
struct CancelRecording {};
struct OpenFile {
  std::string path;
};
struct Quit {};

using Command =
    std::variant<SelectKernel, SetParameters, SetInput, SetSchedule, SetWarpSize, EditSource,
                 StartEditing, StopEditing, Step, SeekStep, SeekStart, SeekEnd, Play, TogglePlay,
                 SetPace, RunToBreakpoint, RunToLine, ToggleBreakpoint, SetCondition, EditCondition,
                 ShowGoTo, RunToEvent, SetWatch, PointAt, FocusThread, FocusCell, FocusSum,
                 SetCamera, SetTab, SetTheme, SetScale, SetInspector, ShowInspector, ShowMemory,
                 SetVolume, SetSourcePage, ShowHeader, ShowLecture, ShowWhole, SetAnimate, ShowKeys,
                 ShowPalette, SetTimingView, SetTimedBlockSize, OpenOnStage, StartBench,
                 CancelBench, ExportChart, SavePicture, CancelRecording, OpenFile, Quit, CopyScene,
                 Undo, Redo, GoBack, GoForward>;

}  // namespace tilestep::state
