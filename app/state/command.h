// Everything a user can do. Keys, buttons, the palette, scenes and tests all produce commands.
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

// Sets one field of the state, whatever it was.
template <auto kField>
struct Set;
template <class Of, class Value, Value Of::*kField>
struct Set<kField> {
  using Part = Of;        // View, Setup or LessonView
  Value value = usual();  // a switch: on; else the first or empty one

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
// M = N = K from now on: N and K become M.
struct LockSizes {
  bool on = true;
};
using SetInput = Set<&Setup::input>;
using SetSchedule = Set<&Setup::schedule>;
struct SetWarpSize {
  int warp_size = 32;
};
// Of side 1.
using SetBuild = Set<&Setup::build>;
struct EditSource {
  std::string text;
};
struct StartEditing {};
struct StopEditing {
  bool keep = true;
};
// Drops the changes; nobody stops typing.
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
  std::optional<std::uint64_t> second = std::nullopt;  // of side 2, where one is compared
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
using ShowGoTo = Set<&View::show_go_to>;
// Opens the field that asks for it; Nothing closes it.
using Ask = Set<&View::asked>;
// To where something happens next, or happened last; the workspace looks for it.
struct RunToEvent {
  record::EventKind kind = record::EventKind::Finding;
  int direction = +1;
};
using SetWatch = Set<&View::watch>;

// A second run beside the one that is open, or none.
struct Compare {
  Comparison comparison;
};
// Side 2 becomes side 1, and the other way round.
struct SwapSides {};
// Side 2 alone.
struct OpenSecond {};
// Both runs to where the first product that they do not share is added, of the next (last) sum that
// differs; the workspace knows them.
struct GoToDifference {
  int direction = +1;
};
// Comments a barrier of the source out, or in (problem/source/syntax_check.h).
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
// Which of the focus thread's sums is written out.
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
  bool contrast = false;  // of the kernels that the one on stage is contrasted with
};
struct SetVolume {
  VolumeView volume;
};
struct SetSourcePage {
  SourcePage page = SourcePage::Source;
};
// The comment that the source begins with.
using ShowHeader = Set<&View::header_open>;
using ShowLecture = Set<&View::lecture>;
// All of large matrices instead of what is around the tiles.
using ShowWhole = Set<&View::whole_map>;
using SetAnimate = Set<&View::animate>;
using SetNumberForm = Set<&View::number_form>;
// A black screen, as a presenter's remote asks for one.
using Blank = Set<&View::blank>;
// Why a command changes nothing.
struct Say {
  std::string sentence;
};
using ShowKeys = Set<&View::show_keys>;
using ShowPalette = Set<&View::show_palette>;
// Another problem on the plot brings its miniature onto the stage (problem::miniature).
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
struct ShowExport {
  bool on = true;
};
struct SetExport {
  ExportView view;
};
// Of what AppState::exporting says; carried out by the loop that owns the window. An existing file
// is only replaced where that is wanted.
struct Export {
  std::string path;
  bool replace = false;
};
struct CancelExport {};  // of a film
struct Copied {
  std::string what;     // "Copied: …"
};                      // it is in the clipboard: says so
struct SavePicture {};  // of the window, at once; the loop that owns it carries it out
// Its link is in the clipboard: says so. `holds_kernel`: an own kernel's text is in it, else its
// file's name alone.
struct CopyScene {
  bool is_of_own_kernel = false;
  bool holds_kernel = false;
};
// Writes the state, with an own kernel's text, description and data. A name without a folder goes
// to the user's documents.
struct SaveScene {
  std::string path;
};
// Looks for the files whose paths begin so (FrameView::path_matches).
struct CompletePath {
  std::string begin;
};
// Keeps the session and goes on with another one, by its name ("": the one without); one that is
// not there yet begins as at the first start. The loop that owns the window carries it out.
struct OpenSession {
  std::string name;
};
// The text as a file. "": its own.
struct SaveSource {
  std::string path;
  bool replace = false;  // a file that is there
};
// It was saved under another name, which is the kernel from now on.
struct SavedAs {
  std::string kernel;
};
// Another program has changed the file: its text takes the place of the one on screen, or not.
struct AnswerDisk {
  bool take = true;
};
struct CancelRecording {};
// A kernel, a description, a scene, a lesson, a data set or a matrix, by what the file is.
struct OpenFile {
  std::string path;
};
// The list of lessons.
using ShowLessons = Set<&LessonView::list>;
// The lecturer's window.
using ShowNotes = Set<&LessonView::notes>;
// What shows the last row of a hall where the mouse points: a ring around it, or everything else
// dimmed.
struct ShowRing {
  bool on = true;
  bool spotlight = false;  // instead of the ring
};
// More hands for a choice of the question that is asked; 0 is the first.
struct Vote {
  int choice = 0;
  int hands = 1;
};
// By its id, its number or the path of its file.
struct OpenLesson {
  std::string lesson;
  int beat = 0;
};
struct CloseLesson {};
// Of the open lesson: shows its state and place. Beyond either end: the last, the first.
struct GoToBeat {
  int beat = 0;
};
// What the beat shows, after somebody has wandered off.
struct ReturnToBeat {};
// A link in a lesson's text: "#kernel=naive&thread=1".
struct FollowLink {
  std::string target;
};
// Framed, and not yet given.
using ChooseAnswer = Set<&LessonView::given>;
struct GiveAnswer {
  std::string given;
};
struct ShowAnswer {};  // without one
struct AskAgain {};
struct ShowHint {};  // of the question
// What is written for the lesson's lab, by running it.
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
    SetAnimate, ShowKeys, ShowPalette, SetTimingView, SetTimedBlockSize, OpenOnStage, StartBench,
    CancelBench, ShowExport, SetExport, Export, CancelExport, Copied, SavePicture, CancelRecording,
    OpenFile, Quit, CopyScene, Undo, Redo, GoBack, GoForward, Compare, SwapSides, OpenSecond,
    GoToDifference, ToggleBarrier, ShowLessons, ShowNotes, ShowRing, Vote, OpenLesson, CloseLesson,
    GoToBeat, ReturnToBeat, FollowLink, ChooseAnswer, GiveAnswer, ShowAnswer, AskAgain, ShowHint,
    GradeLab>;

template <class T, class List>
inline constexpr bool kIsIn = false;
template <class T, class... Ts>
inline constexpr bool kIsIn<T, CommandList<Ts...>> = (std::is_same_v<T, Ts> || ...);

// One of these. A std::variant of so many costs each source that copies one six seconds of compile
// time; this costs none.
class Command {
 public:
  template <class T>
  requires(kIsIn<T, EveryCommand>) Command(T command) : value_(std::move(command)) {}

  template <class T>
  [[nodiscard]] const T* as() const {  // null: another one
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

// Calls `visitor`, which takes every one of them, with what the command is.
template <class Visitor>
void visit(Visitor&& visitor, const Command& command) {
  const auto call = [&visitor](const auto* is) { return is != nullptr && (visitor(*is), true); };
  [&]<class... Ts>(CommandList<Ts...>) {
    static_cast<void>((call(command.as<Ts>()) || ...));
  }(EveryCommand());
}

}  // namespace tilestep::state
