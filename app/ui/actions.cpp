#include "ui/actions.h"

#include "state/words.h"
#include "ui/compare_actions.h"
#include "ui/edit_actions.h"
#include "ui/event_actions.h"
#include "ui/export_actions.h"
#include "ui/history_actions.h"
#include "ui/lab_panel.h"
#include "ui/lesson_actions.h"
#include "ui/opening_field.h"
#include "ui/overlay_actions.h"
#include "ui/practice_actions.h"
#include "ui/question_card.h"
#include "ui/setting_actions.h"
#include "ui/timing_actions.h"
#include "ui/veiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>

namespace tilestep::ui {
namespace {

using state::Unit;

constexpr float kScaleStep = 1.1F;
constexpr float kPaceStep = 1.5F;

template <Unit unit, int direction>
Commands step(const Context&) {
  return {state::Step{unit, direction}};
}

// A presenter's remote sends F5 to start a show; in a lecture it must not run to the end.
template <int direction>
Commands run(const Context& c) {
  return c.state.lecture ? Commands{} : Commands{state::RunToBreakpoint{direction}};
}

Commands toggle_inspector(const Context& c) {
  return {state::ShowInspector{!c.state.inspector_open}};
}

template <state::InspectorPage page>
Commands inspect(const Context&) {
  return {state::SetInspector{page}};
}

template <state::Tab tab>
Commands show_tab(const Context&) {
  return {state::SetTab{tab}};
}

template <state::TimingPage page>
Commands show_timing(const Context& c) {
  state::TimingView view = c.state.timing;
  view.page = page;
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

template <int sign>
Commands change_pace(const Context& c) {
  return {state::SetPace{sign > 0 ? c.state.pace * kPaceStep : c.state.pace / kPaceStep}};
}

template <int sign>
Commands change_scale(const Context& c) {
  return {state::SetScale{sign == 0  ? 1.0F
                          : sign > 0 ? c.state.scale * kScaleStep
                                     : c.state.scale / kScaleStep}};
}

// The focus thread's current line: where F9 and Ctrl+F10 apply when nothing is under the pointer.
int focus_line(const Context& c) {
  return c.view.state == nullptr
             ? 0
             : static_cast<int>(c.view.state->line(c.state.focus.block, c.state.focus.thread));
}

Commands toggle_breakpoint(const Context& c) {
  return {state::ToggleBreakpoint{focus_line(c)}};
}
Commands edit_condition(const Context& c) {
  return {state::EditCondition{focus_line(c)}};
}
Commands go_to_place(const Context& c) {
  return {state::ShowGoTo{!c.state.show_go_to}};
}
Commands run_to_cursor(const Context& c) {
  return {state::RunToLine{focus_line(c)}};
}

// Moves in the block's shape: dx along x, dy along y; stays inside.
template <int dx, int dy>
Commands move_thread(const Context& c) {
  if (c.view.scene == nullptr) {
    return {};
  }
  const problem::Dim3 block = c.view.scene->launch.block;
  problem::Dim3 thread = block.at(c.state.focus.thread);
  const auto moved = [](std::uint32_t at, int by, std::uint32_t count) {
    return static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(at) + by, 0, static_cast<int>(count) - 1));
  };
  thread.x = moved(thread.x, dx, block.x);
  thread.y = moved(thread.y, dy, block.y);
  return {
      state::FocusThread{c.state.focus.block, static_cast<std::uint32_t>(block.linear(thread))}};
}

template <int by>
Commands move_block(const Context& c) {
  if (by > 0 && c.state.lecture) {
    return blank_screen(c);  // what a presenter's remote sends
  }
  if (c.view.scene == nullptr) {
    return {};
  }
  const int count = static_cast<int>(c.view.scene->launch.grid.count());
  const int block = (static_cast<int>(c.state.focus.block) + by + count) % count;
  return {state::FocusThread{static_cast<std::uint32_t>(block), c.state.focus.thread}};
}

Commands toggle_header(const Context& c) {
  return {state::ShowHeader{!c.state.header_open}};
}
Commands toggle_lecture(const Context& c) {
  return {state::ShowLecture{!c.state.lecture}};
}

// From the thread's last sum to its first.
template <int by>
Commands move_sum(const Context& c) {
  if (c.view.sums == nullptr || !c.view.sum) {
    return {};
  }
  const insight::BlockSums::Range own = c.view.sums->of_thread(c.state.focus.thread);
  const auto count = static_cast<int>(own.size());
  const auto now = static_cast<int>(*c.view.sum - own.first);
  return {state::FocusSum{(now + by + count) % count}};
}

// Escape first closes what lies over the stage.
Commands leave_cell(const Context& c) {
  const bool is_covered = has_open_field(c.state) || c.state.show_keys || c.state.course.list;
  if (c.state.blank) {
    return {state::Blank{false}};
  }
  if (!is_covered && c.state.volume.large) {
    return toggle_volume(c);
  }
  if (is_covered) {
    return {};
  }
  if (c.state.tab == state::Tab::Timing && !c.state.timing.against.kernel.empty()) {
    return end_comparison(c);
  }
  if (!c.state.focus.cell_of.empty()) {
    return {state::FocusCell{}};
  }
  return c.state.inspector_open ? toggle_inspector(c) : Commands{};
}

Commands fit_stage(const Context&) {
  return {state::SetCamera{}};
}

Commands toggle_theme(const Context& c) {
  return {state::SetTheme{c.state.theme == state::Theme::Dark ? state::Theme::Light
                                                              : state::Theme::Dark}};
}

Commands toggle_animation(const Context& c) {
  return {state::SetAnimate{!c.state.animate}};
}
Commands show_keys(const Context& c) {
  return {state::ShowKeys{!c.state.show_keys}};
}
Commands show_palette(const Context& c) {
  return {state::ShowPalette{!c.state.show_palette}};
}

Commands edit_source(const Context& c) {
  if (c.state.editing) {
    return {state::StopEditing{true}};
  }
  if (is_asked(c)) {
    return {};
  }
  // A lecture has no editor.
  return c.state.lecture ? Commands{state::ShowLecture{false}, state::StartEditing{}}
                         : Commands{state::StartEditing{}};
}

// In a text field only function keys and Ctrl+letter are commands; arrows and the rest move the
// caret.
bool works_while_typing(ImGuiKeyChord chord) {
  const int key = chord & ~ImGuiMod_Mask_;
  const bool function_key = key >= ImGuiKey_F1 && key <= ImGuiKey_F24;
  const bool letter_or_digit = key >= ImGuiKey_0 && key <= ImGuiKey_Z;
  const bool sign = key == ImGuiKey_Equal || key == ImGuiKey_Minus;
  return function_key || ((chord & ImGuiMod_Ctrl) != 0 && (letter_or_digit || sign));
}

constexpr ImGuiKeyChord kShift = ImGuiMod_Shift;
constexpr ImGuiKeyChord kCtrl = ImGuiMod_Ctrl;
constexpr ImGuiKeyChord kAlt = ImGuiMod_Alt;

using enum ActionGroup;
using Id = ActionId;

constexpr std::array kOwnActions{
    Action{Id::NextPhase, Stepping, "Next phase",
           "Plays the focus block to its next barrier and shows what it did.", ImGuiKey_F10, 0,
           true, step<Unit::Phase, +1>},
    Action{Id::PreviousPhase, Stepping, "Previous phase", "Undoes F10: back to the barrier before.",
           kShift | ImGuiKey_F10, 0, true, step<Unit::Phase, -1>},
    Action{Id::NextStatement, Stepping, "Next statement",
           "Executes the current source line (lockstep: in all resident blocks).", ImGuiKey_F11,
           ImGuiKey_RightArrow, true, step<Unit::Statement, +1>},
    Action{Id::PreviousStatement, Stepping, "Previous statement", "Undoes the last source line.",
           kShift | ImGuiKey_F11, ImGuiKey_LeftArrow, true, step<Unit::Statement, -1>},
    Action{Id::NextInstruction, Stepping, "Next instruction",
           "Executes one PTX instruction of one warp.", kCtrl | ImGuiKey_F11,
           kCtrl | ImGuiKey_RightArrow, true, step<Unit::Instruction, +1>},
    Action{Id::PreviousInstruction, Stepping, "Previous instruction", "Undoes one PTX instruction.",
           kCtrl | kShift | ImGuiKey_F11, kCtrl | ImGuiKey_LeftArrow, true,
           step<Unit::Instruction, -1>},
    Action{Id::GoToStart, Stepping, "Go to the start", "Goes to before the first instruction.",
           ImGuiKey_Home, 0, false, just<state::SeekStart>},
    Action{Id::GoToEnd, Stepping, "Go to the end", "Goes to after the last instruction.",
           ImGuiKey_End, 0, false, just<state::SeekEnd>},

    Action{Id::TogglePlay, Running, "Play or pause", "Plays statements at the chosen speed.",
           ImGuiKey_Space, 0, false, just<state::TogglePlay>},
    Action{Id::PlayFaster, Running, "Play faster", "Plays more statements per second.",
           ImGuiKey_RightBracket, 0, true, change_pace<+1>},
    Action{Id::PlaySlower, Running, "Play slower", "Plays fewer statements per second.",
           ImGuiKey_LeftBracket, 0, true, change_pace<-1>},
    Action{Id::RunForward, Running, "Run to the next breakpoint",
           "Runs to the next breakpoint, finding or fault, or to the end.", ImGuiKey_F5, 0, false,
           run<+1>},
    Action{Id::RunBackward, Running, "Run back to a breakpoint",
           "Runs back to the previous breakpoint, finding or fault, or to the start.",
           kShift | ImGuiKey_F5, 0, false, run<-1>},
    Action{Id::ToggleBreakpoint, Running, "Breakpoint on this line",
           "Sets or removes a breakpoint on the focus thread's line.", ImGuiKey_F9, 0, false,
           toggle_breakpoint},
    Action{Id::RunToCursor, Running, "Run to this line again",
           "Runs until a warp reaches the focus thread's line again.", kCtrl | ImGuiKey_F10, 0,
           false, run_to_cursor},

    Action{Id::EditCondition, Running, "Condition of the breakpoint",
           "The breakpoint on the focus thread's line stops only where it holds.",
           kShift | ImGuiKey_F9, 0, false, edit_condition},
    Action{Id::GoToPlace, Running, "Go to", "Goes to a cell, a line or a step: As[1][2], line 29.",
           kCtrl | ImGuiKey_G, 0, false, go_to_place},

    Action{Id::NextThread, Looking, "Thread to the right", "Focuses the next thread along x.",
           kAlt | ImGuiKey_RightArrow, 0, true, move_thread<+1, 0>},
    Action{Id::PreviousThread, Looking, "Thread to the left",
           "Focuses the previous thread along x.", kAlt | ImGuiKey_LeftArrow, 0, true,
           move_thread<-1, 0>},
    Action{Id::ThreadBelow, Looking, "Thread below", "Focuses the next thread along y.",
           kAlt | ImGuiKey_DownArrow, 0, true, move_thread<0, +1>},
    Action{Id::ThreadAbove, Looking, "Thread above", "Focuses the previous thread along y.",
           kAlt | ImGuiKey_UpArrow, 0, true, move_thread<0, -1>},
    Action{Id::NextSum, Looking, "Next sum", "Writes out the next of the thread's sums.",
           ImGuiKey_DownArrow, 0, true, move_sum<+1>},
    Action{Id::PreviousSum, Looking, "Previous sum",
           "Writes out the previous of the thread's sums.", ImGuiKey_UpArrow, 0, true,
           move_sum<-1>},
    Action{Id::NextBlock, Looking, "Next block", "Focuses the next block of the grid.",
           ImGuiKey_Period, 0, true, move_block<+1>},
    Action{Id::PreviousBlock, Looking, "Previous block", "Focuses the previous block of the grid.",
           ImGuiKey_Comma, 0, true, move_block<-1>},
    Action{Id::LeaveCell, Looking, "Leave the chosen cell",
           "Ends showing where its value goes; closes the volume.", ImGuiKey_Escape, 0, false,
           leave_cell},
    Action{Id::FitStage, Looking, "Fit the stage", "Zooms out until everything is visible.",
           ImGuiKey_F, 0, false, fit_stage},
    Action{Id::ToggleWhole, Looking, "Whole matrices",
           "Shows all of large matrices as a map; again: the part around the tiles.", ImGuiKey_Z, 0,
           false, toggle_whole},
    Action{Id::ToggleHeader, Looking, "Header of the source",
           "Unfolds the comment that the source begins with; again folds it.", ImGuiKey_H, 0, false,
           toggle_header},
    Action{Id::ToggleInspector, Looking, "Inspector",
           "Every variable, the warp, memory and findings; again closes it.", ImGuiKey_I, 0, false,
           toggle_inspector},
    Action{Id::ThreadPage, Looking, "Inspect the thread",
           word_of(state::InspectorPage::Thread).tooltip, ImGuiKey_1, 0, false,
           inspect<state::InspectorPage::Thread>},
    Action{Id::WarpPage, Looking, "Inspect the warp", word_of(state::InspectorPage::Warp).tooltip,
           ImGuiKey_2, 0, false, inspect<state::InspectorPage::Warp>},
    Action{Id::MemoryPage, Looking, "Inspect memory", word_of(state::InspectorPage::Memory).tooltip,
           ImGuiKey_3, 0, false, inspect<state::InspectorPage::Memory>},
    Action{Id::FindingsPage, Looking, "Show findings",
           word_of(state::InspectorPage::Findings).tooltip, ImGuiKey_4, 0, false,
           inspect<state::InspectorPage::Findings>},

    Action{Id::StepTab, Arranging, "Show the stage", word_of(state::Tab::Step).tooltip,
           kCtrl | ImGuiKey_1, 0, false, show_tab<state::Tab::Step>},
    Action{Id::TimingTab, Arranging, "Show timings", word_of(state::Tab::Timing).tooltip,
           kCtrl | ImGuiKey_2, 0, false, show_tab<state::Tab::Timing>},
    Action{Id::TimingByBlockSize, Arranging, "Timings by BLOCK_SIZE",
           word_of(state::TimingPage::BlockSize).tooltip, kCtrl | ImGuiKey_3, 0, false,
           show_timing<state::TimingPage::BlockSize>},
    Action{Id::TimingBySize, Arranging, "Timings by size", word_of(state::TimingPage::Size).tooltip,
           kCtrl | ImGuiKey_4, 0, false, show_timing<state::TimingPage::Size>},
    Action{Id::TimingLadder, Arranging, "Timings by kernel",
           word_of(state::TimingPage::Ladder).tooltip, kCtrl | ImGuiKey_5, 0, false,
           show_timing<state::TimingPage::Ladder>},
    Action{Id::TimingRoofline, Arranging, "Roofline", word_of(state::TimingPage::Roofline).tooltip,
           kCtrl | ImGuiKey_6, 0, false, show_timing<state::TimingPage::Roofline>},
    Action{Id::TimingOccupancy, Arranging, "Occupancy",
           word_of(state::TimingPage::Occupancy).tooltip, kCtrl | ImGuiKey_7, 0, false,
           show_timing<state::TimingPage::Occupancy>},
    Action{Id::TimingCounters, Arranging, "Counters", word_of(state::TimingPage::Counters).tooltip,
           kCtrl | ImGuiKey_8, 0, false, show_timing<state::TimingPage::Counters>},
    Action{Id::ToggleLecture, Arranging, "Lecture",
           "Shows a hall the stage, the current lines and the sum; again, or Esc, leaves it.",
           ImGuiKey_L, 0, false, toggle_lecture},
    Action{Id::ToggleTheme, Arranging, "Dark or light", "Switches between dark and light colours.",
           kCtrl | ImGuiKey_T, 0, false, toggle_theme},
    Action{Id::Larger, Arranging, "Larger", "Makes text and controls larger.",
           kCtrl | ImGuiKey_Equal, kCtrl | ImGuiKey_KeypadAdd, true, change_scale<+1>},
    Action{Id::Smaller, Arranging, "Smaller", "Makes text and controls smaller.",
           kCtrl | ImGuiKey_Minus, kCtrl | ImGuiKey_KeypadSubtract, true, change_scale<-1>},
    Action{Id::DefaultSize, Arranging, "Default size", "Resets the size of text and controls.",
           kCtrl | ImGuiKey_0, kCtrl | ImGuiKey_Keypad0, false, change_scale<0>},
    Action{Id::ToggleAnimation, Arranging, "Animation on or off",
           "Elements move from A to As, or appear at once.", kCtrl | ImGuiKey_M, 0, false,
           toggle_animation},
    Action{Id::ShowKeys, Arranging, "All keys", "Shows or hides this list of keys.",
           kShift | ImGuiKey_Slash, ImGuiKey_F1, false, show_keys},
    Action{Id::ShowPalette, Arranging, "Command palette", "Finds a command by its name.",
           kCtrl | kShift | ImGuiKey_P, kCtrl | ImGuiKey_K, false, show_palette},

    Action{Id::EditSource, Working, "Edit the kernel",
           "Edits the source; Tilestep recompiles as you type.", kCtrl | ImGuiKey_E, 0, false,
           edit_source},
    Action{Id::StartBench, Working, "Measure on this GPU", "Times every kernel at the chosen size.",
           0, 0, false, just<state::StartBench>},
    Action{Id::CancelBench, Working, "Stop measuring",
           "Stops, and keeps the points measured so far.", 0, 0, false, just<state::CancelBench>},
    Action{Id::Quit, Working, "Quit", "Closes the window.", kCtrl | ImGuiKey_Q, 0, false,
           just<state::Quit>},
};

template <class... Arrays>
constexpr auto joined(const Arrays&... arrays) {
  std::array<Action, (std::tuple_size_v<Arrays> + ...)> all{};
  auto at = all.begin();
  ((at = std::copy(arrays.begin(), arrays.end(), at)), ...);
  return all;
}
constexpr auto kActions = joined(kOwnActions, kEditActions, kEventActions, kHistoryActions,
                                 kCompareActions, kExportActions, kOverlayActions, kTimingActions,
                                 kSettingActions, kLessonActions, kPracticeActions);

}  // namespace

const char* name(ActionGroup group) {
  constexpr std::array kNames{Message("Stepping"),  Message("Running"), Message("Looking"),
                              Message("Comparing"), Message("Window"),  Message("Working")};
  return kNames[static_cast<std::size_t>(group)];
}

std::span<const Action> actions() {
  return kActions;
}

const Action& action(ActionId id) {
  const auto found =
      std::find_if(kActions.begin(), kActions.end(), [id](const Action& a) { return a.id == id; });
  assert(found != kActions.end());
  return *found;
}

std::string key_name(ImGuiKeyChord chord) {
  if (chord == 0) {
    return {};
  }
  if (chord == (kShift | ImGuiKey_Slash)) {
    return "?";
  }
  std::string text;
  text += (chord & kCtrl) != 0 ? "Ctrl+" : "";
  text += (chord & kAlt) != 0 ? "Alt+" : "";
  text += (chord & kShift) != 0 ? "Shift+" : "";
  switch (const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_)) {
    case ImGuiKey_Equal:  // Ctrl++ reads as what it does
      return text + ((chord & kCtrl) != 0 ? "+" : "=");
    case ImGuiKey_Minus:
      return text + "-";
    case ImGuiKey_LeftArrow:
      return text + "←";
    case ImGuiKey_RightArrow:
      return text + "→";
    case ImGuiKey_UpArrow:
      return text + "↑";
    case ImGuiKey_DownArrow:
      return text + "↓";
    case ImGuiKey_Period:
      return text + ".";
    case ImGuiKey_Comma:
      return text + ",";
    case ImGuiKey_LeftBracket:
      return text + "[";
    case ImGuiKey_RightBracket:
      return text + "]";
    default:
      return text + ImGui::GetKeyName(key);
  }
}

std::string tooltip_text(const Action& action) {
  const std::string key = key_name(action.key);
  return key.empty() ? fmt::format("{}\n{}", action.label, action.tooltip)
                     : fmt::format("{}  ({})\n{}", action.label, key, action.tooltip);
}

Commands pressed_actions(const Context& context) {
  Commands commands;
  const bool typing = context.state.editing || ImGui::GetIO().WantTextInput;
  for (const Action& a : kActions) {
    const bool walks = a.id == Id::NextBeat || a.id == Id::PreviousBeat;  // no use to one line
    const bool works =
        works_while_typing(a.key) || a.id == Id::GradeLab || (walks && !context.state.editing);
    if (typing && (!works || a.id == Id::CopyThis)) {
      continue;
    }
    const bool is_list = context.state.course.list;
    if (a.key == ImGuiKey_Enter ? is_list || context.state.show_keys
                                : is_list && a.key == ImGuiKey_Escape) {
      continue;  // the list of lessons or the sheet of keys takes it
    }
    const ImGuiInputFlags flags =
        ImGuiInputFlags_RouteGlobal | (a.repeats ? ImGuiInputFlags_Repeat : 0);
    // The editor's own meaning of these is not what the window says.
    const bool is_beat = walks && context.view.lesson != nullptr && !context.state.editing;
    const bool is_ours =
        a.id == Id::ShowLessons || is_beat || (a.id == Id::GradeLab && has_lab(context));
    const ImGuiInputFlags over = is_ours ? ImGuiInputFlags_RouteOverActive : 0;
    // Where "+" is Shift and "=".
    const bool is_plus = a.key == (kCtrl | ImGuiKey_Equal);
    const bool is_taken = a.key != 0 && question_takes(context, a.key);
    const bool other_is_taken = a.other_key != 0 && question_takes(context, a.other_key);
    const bool pressed =
        (a.key != 0 && !is_taken && ImGui::Shortcut(a.key, flags | over)) ||
        (is_plus && ImGui::Shortcut(kShift | a.key, flags)) ||
        (a.other_key != 0 && !other_is_taken && ImGui::Shortcut(a.other_key, flags));
    if (pressed) {
      const Commands made = a.commands(context);
      commands.insert(commands.end(), made.begin(), made.end());
    }
  }
  return commands;
}

}  // namespace tilestep::ui
