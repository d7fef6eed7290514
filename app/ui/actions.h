// Everything that can be done without pointing: one table for keys, buttons, tooltips, the sheet of
// keys and the command palette. A test checks that every action has a label, a tooltip and a key or
// a palette entry, and that no chord is used twice.
#pragma once

#include "problem/words.h"
#include "record/words.h"
#include "ui/panel.h"

#include <span>
#include <string>

namespace tilestep::ui {

enum class ActionGroup { Stepping, Running, Looking, Comparing, Arranging, Working };
[[nodiscard]] const char* name(ActionGroup group);

enum class ActionId {
  NextPhase,
  PreviousPhase,
  NextBeat,
  PreviousBeat,
  NextStatement,
  PreviousStatement,
  NextInstruction,
  PreviousInstruction,
  GoToStart,
  GoToEnd,
  TogglePlay,
  PlayFaster,
  PlaySlower,
  RunForward,
  RunBackward,
  ToggleBreakpoint,
  RunToCursor,
  EditCondition,
  GoToPlace,
  NextEvent,
  LastEvent,
  NextFinding,
  LastFinding,
  NextBarrier,
  LastBarrier,
  NextBankConflict,
  LastBankConflict,
  NextUncoalesced,
  LastUncoalesced,
  NextDivergence,
  LastDivergence,
  NextMaskedLane,
  LastMaskedLane,
  NextNan,
  LastNan,
  NextAccess,
  LastAccess,
  NextChange,
  LastChange,
  NextThread,
  PreviousThread,
  ThreadBelow,
  ThreadAbove,
  NextSum,
  PreviousSum,
  NextBlock,
  PreviousBlock,
  LeaveCell,
  FitStage,
  ToggleWhole,
  ToggleHeader,
  ToggleInspector,
  ToggleMemory,
  ToggleContrast,
  ToggleVolume,
  TurnVolumeLeft,
  TurnVolumeRight,
  TurnVolumeUp,
  TurnVolumeDown,
  ThreadPage,
  WarpPage,
  MemoryPage,
  FindingsPage,
  StepTab,
  TimingTab,
  TimingByBlockSize,
  TimingBySize,
  TimingLadder,
  TimingRoofline,
  TimingOccupancy,
  TimingCounters,
  TimingSm,
  CompareNext,
  CompareLast,
  CompareNaive,
  CompareCublas,
  EndComparison,
  GuessCurve,
  RevealCurve,
  ToggleWhatIf,
  ResetWhatIf,
  ToggleMethod,
  ToggleLecture,
  ToggleTheme,
  NextLanguage,
  Larger,
  Smaller,
  DefaultSize,
  ToggleAnimation,
  MoveAmongControls,
  ZoomIn,
  ZoomOut,
  StageLeft,
  StageRight,
  StageUp,
  StageDown,
  ShowKeys,
  ShowPalette,
  ShowLessons,
  CloseLesson,
  GradeLab,
  ShowRing,
  ShowNotes,
  Undo,
  Redo,
  GoBack,
  GoForward,
  EditSource,
  FindInSource,
  SaveSource,
  SaveSourceAs,
  ResetSource,
  ShowDifference,
  TogglePtx,
  ShowSass,
  StartBench,
  CancelBench,
  ShowExport,
  CancelExport,
  HandIn,
  CopyThis,
  CopyScene,
  ToggleCompare,
  SwapSides,
  OpenSecond,
  NextDifference,
  LastDifference,
  BesideRight,
  BesideOwnText,
  BesideBarrier,
  BesideNaive,
  BesideBlockSize,
  BesideFastBuild,
  BesideStepBuild,
  BesideMachineCode,
  BesideAdversary,
  AlignByStatement,
  AlignByPhase,
  AlignByProduct,
  Adversary,
  OpenFile,
  SaveScene,
  NewSession,
  BlankScreen,
  AskSomething,
  LockSizes,
  SavePicture,
  Quit,
};

// Whether an action's key works while text is typed.
enum class Typing {
  ByKey,    // function keys and Ctrl+letter work; arrows and the rest move the caret
  InALine,  // also while one line is being typed, but not in the editor
  Works,
  Never,
};

// A row of the table: an action with its label, keys and commands.
struct Action {
  ActionId id;
  ActionGroup group;
  Message label;    // "Next phase"
  Message tooltip;  // one sentence
  Commands (*commands)(const Context&) = nullptr;
  ImGuiKeyChord key = 0;        // 0: palette only
  ImGuiKeyChord other_key = 0;  // an alternative: arrows, a presenter's remote
  bool repeats = false;         // while the key is held down
  Typing typing = Typing::ByKey;
  // Whether the window takes the key although the focused item uses it too; null: never.
  bool (*goes_first)(const Context&) = nullptr;
};

[[nodiscard]] std::span<const Action> actions();
[[nodiscard]] const Action& action(ActionId id);
// The action that runs to the next event of a kind, or to the previous one for direction < 0.
[[nodiscard]] const Action& event_action(record::EventKind kind, int direction);

// "F10", "Shift+F11", "Ctrl++", "?"; empty for 0.
[[nodiscard]] std::string key_name(ImGuiKeyChord chord);
// "Next phase  (F10)" and the sentence below it.
[[nodiscard]] std::string tooltip_text(const Action& action);

// The commands of every action whose key was pressed in this frame. A focused text field keeps the
// keys it uses.
[[nodiscard]] Commands pressed_actions(const Context& context);

}  // namespace tilestep::ui
