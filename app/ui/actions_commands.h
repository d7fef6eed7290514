// Functions that make the actions' commands, for the table in actions_table.cpp.
#pragma once

#include "course/practice.h"
#include "problem/language.h"
#include "state/scene.h"
#include "timing/dataset.h"
#include "ui/actions.h"
#include "ui/compare/compare.h"
#include "ui/lesson/lesson.h"
#include "ui/masked_context.h"
#include "ui/overlays.h"
#include "ui/stage/camera.h"
#include "ui/stage/stage_memory.h"
#include "ui/stage/stage_plan.h"
#include "ui/timing/timing.h"
#include "workspace/open_file.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ui::commands {

using state::AppState;
using state::TimingView;
using state::Unit;

inline constexpr float kScaleStep = 1.1F;
inline constexpr float kPaceStep = 1.5F;

// One command with fixed values.
template <class Command, auto... values>
Commands make(const Context&) {
  return {Command{values...}};
}
// A command that toggles a field of the state.
template <class Command, auto field>
Commands toggle(const Context& c) {
  return {Command{!(c.state.*field)}};
}

// A presenter's remote sends F5 to start a show; in a lecture F5 must not run to the end.
template <int direction>
Commands run(const Context& c) {
  return c.state.lecture ? Commands{} : Commands{state::RunToBreakpoint{direction}};
}
template <int direction>
Commands run_again(const Context& c) {
  return {state::RunToEvent{c.state.event, direction}};
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

// The focus thread's current line, to which F9 and Ctrl+F10 apply if nothing is under the pointer.
template <class Command>
Commands at_focus_line(const Context& c) {
  const state::Focus& focus = c.state.focus;
  return {Command{c.view.run.state == nullptr
                      ? 0
                      : static_cast<int>(c.view.run.state->line(focus.block, focus.thread))}};
}

// Moves the focus within the block: dx along x, dy along y; stays inside.
template <int dx, int dy>
Commands move_thread(const Context& c) {
  if (c.view.run.scene == nullptr) {
    return {};
  }
  const problem::Dim3 block = c.view.run.scene->launch.block;
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
  if (by > 0 && c.state.lecture) {  // a presenter's remote sends it for a black screen
    return {state::Blank{!c.state.blank}};
  }
  if (c.view.run.scene == nullptr) {
    return {};
  }
  const int count = static_cast<int>(c.view.run.scene->launch.grid.count());
  const int block = (static_cast<int>(c.state.focus.block) + by + count) % count;
  return {state::FocusThread{static_cast<std::uint32_t>(block), c.state.focus.thread}};
}

// Moves among the thread's sums; stays inside.
template <int by>
Commands move_sum(const Context& c) {
  if (c.view.run.sums == nullptr || !c.view.run.sum) {
    return {};
  }
  const insight::BlockSums::Range own = c.view.run.sums->of_thread(c.state.focus.thread);
  const auto count = static_cast<int>(own.size());
  const auto now = static_cast<int>(*c.view.run.sum - own.first);
  return {state::FocusSum{(now + by + count) % count}};
}

inline Commands hand_in(const Context& c) {
  state::ExportView view = c.state.exporting;
  view.of = state::ExportOf::Progress;
  return {state::SetExport{view}, state::ShowExport{true}};
}

inline Commands toggle_theme(const Context& c) {
  return {state::SetTheme{c.state.theme == state::Theme::Dark ? state::Theme::Light
                                                              : state::Theme::Dark}};
}
// Cycles through English and the shipped languages.
inline Commands next_language(const Context&) {
  const std::vector<Language> all = languages();
  const auto now = std::ranges::find(all, spoken_language(), &Language::tag);
  const bool is_last = now == all.end() || std::next(now) == all.end();
  return {state::SetLanguage{is_last ? all.front().tag : std::next(now)->tag}};
}

// True if there may be parts that are left out, which only large matrices have.
inline bool has_large_matrix(const Context& c) {
  return c.view.run.scene == nullptr ||
         std::ranges::any_of(c.view.run.scene->launch.buffers, [](const problem::Buffer& buffer) {
           return std::max(buffer.rows, buffer.cols) > kReadable;
         });
}
inline constexpr Message kAllInView =
    "All matrices are fully visible: none has more than 16 rows or columns. The Z key shows larger "
    "ones as a map.";
inline Commands toggle_whole(const Context& c) {
  if (!c.state.whole_map && !has_large_matrix(c)) {
    return {state::Say{kAllInView.text()}};
  }
  return {state::ShowWhole{!c.state.whole_map}};
}

inline constexpr Message kNoContrast =
    "No other kernel in the catalog differs from this one only in its memory layout.";
inline Commands toggle_contrast(const Context& c) {
  if (c.view.kernels.catalog->contrast_of(c.state.kernel) == nullptr) {
    return {state::Say{kNoContrast.text()}};
  }
  return {state::ShowMemory{!(c.state.show_memory && c.state.show_contrast), true}};
}

inline Commands toggle_volume(const Context& c) {
  state::VolumeView volume = c.state.volume;
  volume.large = !volume.large;
  return {state::SetVolume{volume}};
}
// Turns by a twelfth of a right angle.
template <int around, int above>
Commands turn_volume(const Context& c) {
  constexpr float kTurn = 0.131F;
  state::VolumeView volume = c.state.volume;
  volume.yaw += kTurn * static_cast<float>(around);
  volume.pitch += kTurn * static_cast<float>(above);
  return volume.large ? Commands{state::SetVolume{volume}} : Commands{};
}

// By a fifth of the stage, or by a notch of the wheel at its center.
template <int right, int down, int notches>
Commands move_camera(const Context& c) {
  constexpr float kShare = 0.2F;
  const auto& seen = c.memory.of<StageMemory>().seen;
  if (!seen || c.state.tab != state::Tab::Step) {
    return {};
  }
  const ImVec2 size = seen->area.size;
  const ImVec2 center(seen->area.from.x + 0.5F * size.x, seen->area.from.y + 0.5F * size.y);
  return {state::SetCamera{notches != 0
                               ? zoomed(seen->view, seen->arrangement, seen->area, center, notches)
                               : panned(seen->view, seen->area,
                                        {kShare * size.x * static_cast<float>(right),
                                         kShare * size.y * static_cast<float>(down)})}};
}

template <state::TimingPage page>
Commands show_timing(const Context& c) {
  return {state::SetTab{state::Tab::Timing}, timing_with(c, &TimingView::page, page)};
}
template <auto field>
Commands clear_timing(const Context& c) {
  TimingView view = c.state.timing;
  view.*field = {};
  return {state::SetTimingView{view}};
}
template <auto field>
Commands toggle_timing(const Context& c) {
  return {timing_with(c, field, !(c.state.timing.*field))};
}
// Opens the Timing tab; selects what is on the stage if nothing is selected.
inline Commands select_against(const Context& c, std::string kernel, int block_size) {
  TimingView view = c.state.timing;
  view.against = {std::move(kernel), block_size, ""};
  if (view.selected_kernel.empty()) {
    const problem::LaunchSpec* const spec = c.view.kernels.catalog->find(c.state.kernel);
    view.selected_kernel = c.state.kernel;
    view.selected_block_size =
        spec != nullptr && !spec->uses_block_size ? 0 : c.state.parameters.block_size;
  }
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

// Repeated use moves one further.
template <int by>
Commands compare_neighbour(const Context& c) {
  const TimingView& view = c.state.timing;
  const std::string kernel = view.selected_kernel.empty() ? c.state.kernel : view.selected_kernel;
  const int own =
      view.selected_kernel.empty() ? c.state.parameters.block_size : view.selected_block_size;
  if (own == 0) {
    return {};  // a kernel without BLOCK_SIZE has no neighbors
  }
  const int from = view.against.kernel == kernel ? view.against.block_size : own;
  int next = std::clamp(from + by, 1, problem::kLargestBlockSize);
  next = next == own ? std::clamp(own + by, 1, problem::kLargestBlockSize) : next;
  return next == own ? Commands{} : select_against(c, kernel, next);
}

inline Commands compare_naive(const Context& c) {
  const int size = c.state.timing.selected_block_size;
  return select_against(c, "naive", size > 0 ? size : c.state.parameters.block_size);
}

inline Commands compare_cublas(const Context& c) {
  return select_against(c, timing::kCublas, 0);
}
// A second use leaves it.
inline Commands guess_curve(const Context& c) {
  TimingView view = c.state.timing;
  const bool is_on = !view.guess.kernel.empty();
  view.guess = {};
  if (!is_on) {
    view.guess.kernel = c.state.kernel;
    view.page = state::TimingPage::BlockSize;
  }
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}
inline Commands reveal_curve(const Context& c) {
  TimingView view = c.state.timing;
  view.guess.shown = !view.guess.shown;
  return view.guess.kernel.empty() ? Commands{} : Commands{state::SetTimingView{view}};
}
inline Commands toggle_what_if(const Context& c) {
  TimingView view = c.state.timing;
  view.what_if_open = !view.what_if_open;
  if (view.what_if_open) {
    view.page = state::TimingPage::BlockSize;
  }
  return {state::SetTab{state::Tab::Timing}, state::SetTimingView{view}};
}

// Escape first closes overlays of the stage.
inline Commands leave_cell(const Context& c) {
  if (c.state.blank) {
    return {state::Blank{false}};
  }
  if (has_open_field(c.state) || c.state.show_keys || c.state.course.list) {
    return {};
  }
  if (c.state.volume.large) {
    return toggle_volume(c);
  }
  if (c.state.tab == state::Tab::Timing && !c.state.timing.against.kernel.empty()) {
    return clear_timing<&TimingView::against>(c);
  }
  if (!c.state.focus.cell_of.empty()) {
    return {state::FocusCell{}};
  }
  return c.state.inspector_open ? Commands{state::ShowInspector{false}} : Commands{};
}

inline Commands edit_source(const Context& c) {
  if (c.state.editing) {
    return {state::StopEditing{true}};
  }
  if (is_asked(c)) {
    return {};
  }
  // A lecture has no editor, so it ends.
  return c.state.lecture ? Commands{state::ShowLecture{false}, state::StartEditing{}}
                         : Commands{state::StartEditing{}};
}
// The catalog's kernels have no user file, so they are saved under a new name.
inline Commands save_source(const Context& c) {
  return c.view.source.file.path.empty() ? Commands{state::ShowSaveAs{true}}
                                         : Commands{state::SaveSource{}};
}
template <state::SourcePage page>
Commands toggle_page(const Context& c) {
  return {state::SetSourcePage{c.state.source_page == page ? state::SourcePage::Source : page}};
}

// Includes an own kernel's text if the link has room for it.
inline Commands copy_scene(const Context& c) {
  const auto own = workspace::own_kernel(c.view, c.state);
  std::string link = state::scene_link(c.state, own ? &*own : nullptr);
  const bool fits = link.size() <= state::kLongestLink;
  if (own && !fits) {
    link = state::scene_link(c.state);
  }
  ImGui::SetClipboardText(link.c_str());
  return {state::CopyScene{own.has_value(), fits}};
}

template <Pair pair>
Commands beside(const Context& c) {
  return compare_with(c, pair);
}
template <record::Alignment alignment>
Commands align_by(const Context& c) {
  state::Comparison comparison = c.state.comparison;
  comparison.alignment = alignment;
  return {state::Compare{std::move(comparison)}};
}

// A presenter's remote sends Page Down and Page Up.
template <int direction>
Commands walk_beats(const Context& c) {
  if (c.view.lesson != nullptr) {
    if (direction > 0 && has_recap(c)) {
      const std::string& next = c.view.lesson->next_lesson;
      return next.empty() ? Commands{state::ShowLessons{true}}
                          : Commands{state::OpenLesson{next, 0}};
    }
    return {state::GoToBeat{static_cast<int>(c.view.lesson->beat) + direction}};
  }
  return {state::Step{Unit::Phase, direction}};
}
inline bool walks_beats(const Context& c) {
  return c.view.lesson != nullptr && !c.state.editing;
}
// Returns to the lesson's scene if the user has left it; else to the previous place.
inline Commands go_back(const Context& c) {
  if (c.view.lesson == nullptr) {
    return {state::GoBack{}};
  }
  return c.view.lesson->has_wandered ? Commands{state::ReturnToBeat{}} : Commands{};
}
inline Commands show_lessons(const Context& c) {
  return {state::ShowLessons{!c.state.course.list}};
}
inline Commands close_lesson(const Context& c) {
  return c.state.course.lesson.empty() ? Commands{} : Commands{state::CloseLesson{}};
}
inline Commands grade_lab(const Context& c) {
  return has_lab(c) ? Commands{state::GradeLab{}} : Commands{};
}
inline Commands show_notes(const Context& c) {
  return c.view.lesson != nullptr ? Commands{state::ShowNotes{!c.state.course.notes}} : Commands{};
}
// Cycles through ring, spotlight and neither.
inline Commands show_ring(const Context& c) {
  return {state::ShowRing{!c.state.course.spotlight, c.state.course.ring}};
}
inline Commands ask_something(const Context& c) {
  return c.view.run.scene == nullptr ? Commands{}
                                     : Commands{state::OpenLesson{course::kPracticeId}};
}
inline bool always(const Context&) {
  return true;
}

}  // namespace tilestep::ui::commands
