// Everything a user can do. Keys, buttons, the palette, scenes and tests produce commands.
#pragma once

#include "problem/describe/catalog.h"
#include "record/recording.h"
#include "state/app_state.h"

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>

namespace tilestep::state {

// Sets one field of the state.
template <auto kField>
struct Set;
template <class Of, class Value, Value Of::*kField>
struct Set<kField> {
  using Part = Of;        // View, Setup or LessonView
  Value value = usual();  // a switch: on; else the first or the empty value

  static Value usual() {
    if constexpr (std::is_same_v<Value, bool>) {
      return true;
    } else {
      return {};
    }
  }
};

struct SelectKernel {
  std::string kernel;
};
struct SetParameters {
  problem::Parameters parameters;
};
// M = N = K from now on: N and K get the value of M.
struct LockSizes {
  bool on = true;
};
using SetInput = Set<&Setup::input>;
using SetSchedule = Set<&Setup::schedule>;
struct SetWarpSize {
  int warp_size = 32;
};
// The build of side 1.
using SetBuild = Set<&Setup::build>;
struct EditSource {
  std::string text;
};
struct StartEditing {};
struct StopEditing {
  bool keep = true;
};
// Drops the changes; the editor stays open.
struct ResetSource {};
struct ShowFind {
  bool on = true;
};
using ShowSaveAs = Set<&View::show_save_as>;

struct Step {
  Unit unit = Unit::Statement;
  int direction = +1;
};
struct SeekStep {
  std::uint64_t step = 0;
  std::optional<std::uint64_t> second = std::nullopt;  // step of side 2 in a comparison
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
// Sets the breakpoint, too. With an empty text it has no condition.
struct SetCondition {
  int line = 0;
  std::string text;
};
// Opens the input field for it; 0 closes it.
struct EditCondition {
  int line = 0;
};
using ShowGoTo = Set<&View::show_go_to>;
// Opens the input field that asks for it; Nothing closes it.
using Ask = Set<&View::asked>;
// Goes to the next or previous event of the kind; the workspace looks for it.
struct RunToEvent {
  record::EventKind kind = record::EventKind::Finding;
  int direction = +1;
};
using SetWatch = Set<&View::watch>;

// Starts, changes or ends the comparison with a second run.
struct Compare {
  Comparison comparison;
};
// Side 2 becomes side 1, and side 1 becomes side 2.
struct SwapSides {};
// Opens side 2 alone.
struct OpenSecond {};
// Both runs to the first product that they do not share, of the next (previous) sum that differs;
// the workspace knows these.
struct GoToDifference {
  int direction = +1;
};
// Comments a barrier of the source out, or in again (problem/source/syntax_check.h).
struct ToggleBarrier {
  int line = 0;  // 1-based
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
// Chooses which of the focus thread's sums is written out.
struct FocusSum {
  int sum = 0;
};
using SetCamera = Set<&View::camera>;

using SetTab = Set<&View::tab>;
using SetTheme = Set<&View::theme>;
using SetLanguage = Set<&View::language>;
struct SetScale {
  float scale = 1.0F;
};
// Opens the drawer, too.
struct SetInspector {
  InspectorPage page = InspectorPage::Thread;
};
using ShowInspector = Set<&View::inspector_open>;
struct ShowMemory {
  bool on = true;
  bool contrast = false;  // of the contrasting kernels
};
struct SetVolume {
  VolumeView volume;
};
struct SetSourcePage {
  SourcePage page = SourcePage::Source;
};
// Unfolds the comment that the source begins with.
using ShowHeader = Set<&View::header_open>;
using ShowLecture = Set<&View::lecture>;
// Shows large matrices as a whole instead of the part around the tiles.
using ShowWhole = Set<&View::whole_map>;
using SetAnimate = Set<&View::animate>;
using SetTypeface = Set<&View::typeface>;
using SetNumberForm = Set<&View::number_form>;
// A black screen, as a presenter's remote requests it.
using Blank = Set<&View::blank>;
// The reason why a command changes nothing.
struct Say {
  std::string sentence;
};
using ShowKeys = Set<&View::show_keys>;
using MoveAmongControls = Set<&View::controls_by_key>;
using ShowPalette = Set<&View::show_palette>;
// A new problem on the plot sets the stage to its miniature (problem::miniature).
struct SetTimingView {
  TimingView view;
};
// The plot's slider sets the BLOCK_SIZE of the stage. A miniature stays a miniature.
struct SetTimedBlockSize {
  int block_size = 1;
};
// What opens beside or over the stage.
enum class Beside { Nothing, Memory, Warp, Ptx };

// Opens a clicked timing point, or the cause that makes it slow.
struct OpenOnStage {
  std::string kernel;
  int block_size = 0;
  int line = 0;  // destination: the focus block's first statement on it; 0: the start
  std::optional<record::EventKind> event{};  // … and from there to the first event of this kind
  std::optional<std::uint32_t> thread{};     // the new focus; nullopt: unchanged
  Beside beside = Beside::Nothing;
};
// The mouse pointer is over a cell, "A[1][6]", or over none. The workspace looks up what is known
// of its value.
struct PointAt {
  std::string cell;
};

// Undo and redo changes, and move between places (history.h); the workspace carries them out.
struct Undo {};
struct Redo {};
struct GoBack {};
struct GoForward {};

// Jobs: they do not change an AppState by themselves; the workspace carries them out.
struct StartBench {};
struct CancelBench {};
struct ShowExport {
  bool on = true;
};
struct SetExport {
  ExportView view;
};
// Exports what AppState::exporting says. The loop that owns the window carries it out. It replaces
// an existing file only if `replace` says so.
struct Export {
  std::string path;
  bool replace = false;
  std::string student = {};  // of a progress that is handed in: who the answers are from
};
struct CancelExport {};  // only a film can be cancelled
struct Copied {
  std::string what;     // "Copied: …"
};                      // reports that the text is in the clipboard
struct SavePicture {};  // exports the window at once; the loop that owns it carries this out
// Reports that the scene's link is in the clipboard. `holds_kernel`: the link contains an own
// kernel's text; otherwise only its file name.
struct CopyScene {
  bool is_of_own_kernel = false;
  bool holds_kernel = false;
};
// Writes the state with an own kernel's text, description and data. A name without a folder is put
// into the user's documents.
struct SaveScene {
  std::string path;
};
// Looks for files whose paths begin with `begin` (FilesView::matches).
struct CompletePath {
  std::string begin;
};
// Saves the session and opens another one by its name ("": the unnamed one). A new name begins as a
// first start does. The loop that owns the window carries it out.
struct OpenSession {
  std::string name;
};
// Saves the text in a file. "": its own.
struct SaveSource {
  std::string path;
  bool replace = false;  // overwrite an existing file
};
// The text was saved under another name, which is now the kernel.
struct SavedAs {
  std::string kernel;
};
// Another program changed the file: its text replaces the one on screen, or not.
struct AnswerDisk {
  bool take = true;
};
struct CancelRecording {};
// Opens a kernel, description, scene, lesson, data set or matrix, depending on the kind of file.
struct OpenFile {
  std::string path;
};
// Opens the list of lessons.
using ShowLessons = Set<&LessonView::list>;
// Opens the lecturer's window.
using ShowNotes = Set<&LessonView::notes>;
// Shows a large audience where the mouse points: a ring around the pointer, or everything else
// dimmed.
struct ShowRing {
  bool on = true;
  bool spotlight = false;  // instead of the ring
};
// Adds counted hands for a choice of the question; 0 is the first choice.
struct Vote {
  int choice = 0;
  int hands = 1;
};
// Opens a lesson by its id, its number or the path of its file.
struct OpenLesson {
  std::string lesson;
  int beat = 0;
};
struct CloseLesson {};
// Shows a beat of the open lesson at its place. Values out of range are clamped.
struct GoToBeat {
  int beat = 0;
};
// Shows the beat's own state again after the user has left it.
struct ReturnToBeat {};
// A link in a lesson's text: "#kernel=naive&thread=1".
struct FollowLink {
  std::string target;
};
// Selects an answer without submitting it.
using ChooseAnswer = Set<&LessonView::given>;
struct GiveAnswer {
  std::string given;
};
struct ShowAnswer {};  // without an answer of the user's
struct AskAgain {};
struct ShowHint {};  // the question's hint
// Grades the user's kernel for the lesson's lab by running it.
struct GradeLab {};
struct Quit {};

template <class... Ts>
struct CommandList {};
using EveryCommand = CommandList<
    SelectKernel, SetParameters, SetInput, SetSchedule, SetWarpSize, SetBuild, EditSource,
    StartEditing, StopEditing, ResetSource, ShowFind, ShowSaveAs, SaveSource, SavedAs, AnswerDisk,
    Step, SeekStep, SeekStart, SeekEnd, Play, TogglePlay, SetPace, RunToBreakpoint, RunToLine,
    ToggleBreakpoint, SetCondition, EditCondition, ShowGoTo, Ask, Blank, Say, LockSizes,
    SetNumberForm, SaveScene, CompletePath, OpenSession, RunToEvent, SetWatch, PointAt, FocusThread,
    FocusCell, FocusSum, SetCamera, SetTab, SetTheme, SetLanguage, SetScale, SetInspector,
    ShowInspector, ShowMemory, SetVolume, SetSourcePage, ShowHeader, ShowLecture, ShowWhole,
    SetAnimate, SetTypeface, ShowKeys, MoveAmongControls, ShowPalette, SetTimingView,
    SetTimedBlockSize, OpenOnStage, StartBench, CancelBench, ShowExport, SetExport, Export,
    CancelExport, Copied, SavePicture, CancelRecording, OpenFile, Quit, CopyScene, Undo, Redo,
    GoBack, GoForward, Compare, SwapSides, OpenSecond, GoToDifference, ToggleBarrier, ShowLessons,
    ShowNotes, ShowRing, Vote, OpenLesson, CloseLesson, GoToBeat, ReturnToBeat, FollowLink,
    ChooseAnswer, GiveAnswer, ShowAnswer, AskAgain, ShowHint, GradeLab>;

template <class T, class List>
inline constexpr bool kIsIn = false;
template <class T, class... Ts>
inline constexpr bool kIsIn<T, CommandList<Ts...>> = (std::is_same_v<T, Ts> || ...);

// Any one command. A std::variant of so many types costs six seconds of compile time in each source
// that copies one; std::any does not.
class Command {
 public:
  template <class T>
  requires(kIsIn<T, EveryCommand>) Command(T command) : value_(std::move(command)) {}

  template <class T>
  [[nodiscard]] const T* as() const {  // null if it holds another type
    return std::any_cast<T>(&value_);
  }
  template <class T>
  [[nodiscard]] bool is() const {
    return as<T>() != nullptr;
  }
  [[nodiscard]] std::type_index type() const { return value_.type(); }

 private:
  std::any value_;
};

// Calls `visitor` with the command that `command` holds. The visitor has an overload for every
// command.
template <class Visitor>
void visit(Visitor&& visitor, const Command& command) {
  const auto call = [&visitor](const auto* is) { return is != nullptr && (visitor(*is), true); };
  [&]<class... Ts>(CommandList<Ts...>) {
    static_cast<void>((call(command.as<Ts>()) || ...));
  }(EveryCommand());
}

}  // namespace tilestep::state
