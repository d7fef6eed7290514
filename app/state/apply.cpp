#include "state/apply.h"

#include "problem/launch/launch.h"
#include "problem/problem.h"
#include "problem/source/syntax_check.h"
#include "state/exporting.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilestep::state {

namespace {

constexpr int kMaxSize = 4096;
constexpr float kMinScale = 0.6F;
constexpr float kMaxScale = 3.0F;

// Commands that the workspace carries out.
using Jobs = CommandList<GoToDifference, PointAt, StartBench, CancelBench, CopyScene, Export,
                         CancelExport, Copied, SaveScene, CompletePath, OpenSession, OpenFile, Say,
                         SaveSource, AnswerDisk, SavePicture, CancelRecording, ReturnToBeat,
                         GradeLab, FollowLink, Quit, Undo, Redo, GoBack, GoForward>;

// One overload per command; each changes exactly what its name says.
class Applier {
 public:
  Applier(AppState& state, const Context& context) : s_(state), context_(context) {}

  template <class Job>
  requires(kIsIn<Job, Jobs>) void operator()(const Job&) {}
  template <auto kField>
  void operator()(const Set<kField>& c) {
    if constexpr (std::is_same_v<typename Set<kField>::Part, LessonView>) {
      s_.course.*kField = c.value;
    } else {
      s_.*kField = c.value;
    }
  }

  void operator()(const SelectKernel& c) {
    if (c.kernel == s_.kernel) {
      return;
    }
    take_default_parameters(c.kernel);
    s_.kernel = c.kernel;
    s_.edited_source.clear();
    (*this)(StopEditing{});
    s_.breakpoints.clear();
    s_.conditions.clear();
    s_.watch.clear();
    s_.playing = false;
    s_.focus = {};
    const problem::LaunchSpec* const spec =
        context_.catalog == nullptr ? nullptr : context_.catalog->find(c.kernel);
    s_.focus.thread = spec == nullptr ? 0 : spec->focus_thread;
  }
  void operator()(const SetParameters& c) {
    const problem::Problem was = std::exchange(s_.parameters, c.parameters).problem;
    if (s_.sizes_locked) {
      s_.parameters.problem = all_as_changed(was, s_.parameters.problem);
    }
    clamp_sizes(s_.parameters);
    (*this)(FocusCell{});
  }
  void operator()(const LockSizes& c) {
    s_.sizes_locked = false;
    if (c.on) {
      const int size = s_.parameters.problem.M;
      (*this)(SetParameters{{{size, size, size}, s_.parameters.block_size}});
    }
    s_.sizes_locked = c.on;
  }
  void operator()(const SetWarpSize& c) { s_.warp_size = std::clamp(c.warp_size, 1, 32); }
  // An empty text is stored as "\n", because "" means the file's own text.
  void operator()(const EditSource& c) { s_.edited_source = c.text.empty() ? "\n" : c.text; }
  void operator()(const StartEditing&) {
    s_.editing = true;
    s_.playing = false;
    if (s_.source_page == SourcePage::Difference) {
      s_.source_page = SourcePage::Source;
    }
  }
  void operator()(const StopEditing& c) {
    s_.editing = false;
    s_.show_find = false;
    if (!c.keep) {
      s_.edited_source.clear();
    }
  }
  void operator()(const ResetSource&) { s_.edited_source.clear(); }
  void operator()(const ShowFind& c) {
    if (c.on) {
      (*this)(StartEditing{});
    }
    s_.show_find = c.on;
  }
  void operator()(const SavedAs& c) {
    s_.kernel = c.kernel;
    s_.edited_source.clear();
    s_.show_save_as = false;
  }

  void operator()(const Step& c) {
    s_.playing = false;
    if (context_.recording == nullptr) {
      return;
    }
    const bool is_joint = s_.comparison.on && context_.joint != nullptr;
    if (is_joint && c.unit == Unit::Statement) {
      step_joint(c.direction);
    } else if (c.unit == Unit::Phase) {
      step_phase(c.direction);
    } else {
      s_.step = step_from(*context_.recording, s_.step, c.unit, c.direction, s_.focus.block);
      s_.phase = {};
    }
    if (is_joint && c.unit != Unit::Statement) {
      // At the end of a phase of side 1, side 2 finishes what it does meanwhile.
      const auto stretch = context_.joint->of_first(s_.step);
      s_.second_step =
          context_.joint->stops()[c.unit == Unit::Phase ? stretch.to : stretch.from].second;
    }
  }
  void operator()(const SeekStep& c) {
    s_.step = clamp_step(c.step);
    s_.second_step = c.second.value_or(s_.second_step);
  }
  void operator()(const SeekStart&) {
    s_.step = 0;
    s_.playing = false;
  }
  void operator()(const SeekEnd&) {
    s_.step = clamp_step(~std::uint64_t{0});
    s_.second_step = ~std::uint64_t{0};
    s_.playing = false;
  }
  void operator()(const Play& c) { play(c.on); }
  void operator()(const TogglePlay&) { play(!s_.playing); }
  void operator()(const SetPace& c) { s_.pace = std::clamp(c.pace, kMinPace, kMaxPace); }
  void operator()(const RunToBreakpoint&) { s_.playing = false; }
  void operator()(const RunToLine& c) {
    s_.playing = false;
    if (context_.recording != nullptr) {
      s_.step = run_from(*context_.recording, s_.step, {c.line}, +1);
    }
  }
  void operator()(const ToggleBreakpoint& c) {
    if (c.line > 0 && s_.breakpoints.erase(c.line) == 0) {
      s_.breakpoints.insert(c.line);
    }
    s_.conditions.erase(c.line);
  }
  void operator()(const SetCondition& c) {
    if (c.line <= 0) {
      return;
    }
    s_.breakpoints.insert(c.line);
    s_.conditions[c.line] = c.text;
    if (c.text.empty()) {
      s_.conditions.erase(c.line);
    }
  }
  void operator()(const EditCondition& c) { s_.condition_line = std::max(c.line, 0); }
  void operator()(const RunToEvent& c) {
    s_.playing = false;
    s_.event = c.kind;
  }

  void operator()(const Compare& c) {
    s_.comparison = c.comparison;
    clamp_sizes(s_.comparison.second.parameters);
  }
  void operator()(const SwapSides&) {
    if (s_.comparison.on) {
      const Setup first = setup_of(s_);
      take_setup(s_, s_.comparison.second);
      s_.comparison.second = first;
      const auto [M, N, K] = s_.parameters.problem;
      s_.sizes_locked = s_.sizes_locked && M == N && N == K;
      std::swap(s_.step, s_.second_step);
      forget_text();
    }
  }
  void operator()(const OpenSecond&) {
    if (s_.comparison.on) {
      (*this)(SwapSides{});
      s_.comparison.on = false;
    }
  }
  void operator()(const ToggleBarrier& c) {
    const std::string own = own_text();
    auto text = problem::toggle_barrier(s_.edited_source.empty() ? own : s_.edited_source, c.line);
    if (text) {
      s_.edited_source = *text == own ? std::string() : std::move(*text);
    }
  }

  void operator()(const FocusThread& c) {
    s_.focus.block = c.block;
    s_.focus.thread = c.thread;
    if (context_.recording != nullptr) {
      s_.focus = within(std::move(s_.focus), *context_.recording);
    }
  }
  void operator()(const FocusCell& c) {
    s_.focus.cell_of = c.of;
    s_.focus.cell_row = c.row;
    s_.focus.cell_col = c.col;
    s_.focus.cell_name = c.name;
  }
  void operator()(const FocusSum& c) { s_.focus.sum = std::max(c.sum, 0); }

  void operator()(const SetScale& c) { s_.scale = std::clamp(c.scale, kMinScale, kMaxScale); }
  void operator()(const SetInspector& c) {
    s_.inspector = c.page;
    s_.inspector_open = true;
  }
  // Only one of the two overlays can be over the stage.
  void operator()(const ShowMemory& c) {
    s_.show_memory = c.on;
    s_.show_contrast = c.on && c.contrast;
    s_.volume.large = s_.volume.large && !c.on;
  }
  void operator()(const SetVolume& c) {
    s_.volume = c.volume;
    s_.volume.pitch = std::clamp(c.volume.pitch, -1.5F, 1.5F);
    s_.show_memory = s_.show_memory && !c.volume.large;
  }
  // A difference cannot be edited.
  void operator()(const SetSourcePage& c) {
    s_.source_page = c.page;
    if (c.page == SourcePage::Difference) {
      (*this)(StopEditing{});
    }
  }
  // The default export is what the open tab shows: its plot or the stage.
  void operator()(const ShowExport& c) {
    s_.show_export = c.on;
    const bool has_plot = s_.tab == Tab::Timing && is_plot(s_.timing.page);
    if (c.on && (s_.exporting.of == ExportOf::Stage || s_.exporting.of == ExportOf::Plot)) {
      s_.exporting.of = has_plot ? ExportOf::Plot : ExportOf::Stage;
    }
  }
  void operator()(const SetExport& c) { s_.exporting = within_limits(c.view); }
  void operator()(const SetTimingView& c) {
    const bool moved = c.view.problem != s_.timing.problem;
    s_.timing = c.view;
    if (moved) {
      show_miniature(s_.parameters.block_size);
    }
  }
  void operator()(const SetTimedBlockSize& c) {
    const problem::Parameters now = s_.parameters;
    if (now.problem == problem::miniature(s_.timing.problem, now.block_size)) {
      show_miniature(c.block_size);
    } else {
      (*this)(SetParameters{{now.problem, c.block_size}});
    }
  }
  void operator()(const OpenOnStage& c) {
    (*this)(SelectKernel{c.kernel});
    show_miniature(c.block_size);
    s_.tab = Tab::Step;
    s_.step = 0;
    open_beside(c.beside);
  }
  void operator()(const ShowRing& c) {
    s_.course.ring = c.on && !c.spotlight;
    s_.course.spotlight = c.on && c.spotlight;
  }
  void operator()(const Vote& c) {
    std::vector<int>& votes = s_.course.votes;
    const auto choice = static_cast<std::size_t>(std::max(0, c.choice));
    votes.resize(std::max(votes.size(), choice + 1));
    votes[choice] = std::max(0, votes[choice] + c.hands);
  }
  // The workspace shows the beat.
  void operator()(const OpenLesson& c) { go_to_beat(c.lesson, c.beat); }
  void operator()(const CloseLesson&) {
    s_.course = {.ring = s_.course.ring, .spotlight = s_.course.spotlight};
    s_.show_costs = true;  // a lesson may have hidden these two
    s_.timing.roofline = RooflinePart::Kernels;
  }
  void operator()(const GoToBeat& c) { go_to_beat(s_.course.lesson, c.beat); }
  void operator()(const GiveAnswer& c) {
    s_.course.given = c.given;
    s_.course.answering = Answering::Given;
  }
  void operator()(const ShowAnswer&) { s_.course.answering = Answering::Shown; }
  void operator()(const AskAgain&) {
    s_.course.answering = Answering::Asked;
    s_.course.given.clear();
    s_.course.missed.clear();
    s_.course.votes.clear();
  }
  void operator()(const ShowHint&) { s_.course.hint = true; }

  // Applies to the problem of the plot. Sizes that the user has chosen are kept. A kernel's own
  // defaults show what it is about: the bank-conflict kernel needs wider blocks than 4, register
  // tiles need larger matrices than 8×8.
  void take_default_parameters(const std::string& kernel) {
    if (context_.catalog == nullptr) {
      return;
    }
    const problem::LaunchSpec* const from = context_.catalog->find(s_.kernel);
    const problem::LaunchSpec* const to = context_.catalog->find(kernel);
    if (from != nullptr && to != nullptr && s_.parameters == problem::default_parameters(*from)) {
      s_.parameters = problem::default_parameters(*to);
      const auto [M, N, K] = s_.parameters.problem;
      s_.sizes_locked = s_.sizes_locked && M == N && N == K;
    }
  }
  static void clamp_sizes(problem::Parameters& p) {
    p.problem.M = std::clamp(p.problem.M, 1, kMaxSize);
    p.problem.N = std::clamp(p.problem.N, 1, kMaxSize);
    p.problem.K = std::clamp(p.problem.K, 1, kMaxSize);
    p.block_size = std::clamp(p.block_size, 1, problem::kLargestBlockSize);
  }
  // Drops what refers to lines of a text that is no longer open.
  void forget_text() {
    s_.editing = false;
    s_.breakpoints.clear();
    s_.conditions.clear();
    s_.watch.clear();
    s_.phase = {};
  }
  [[nodiscard]] std::string own_text() const {
    const problem::LaunchSpec* const spec =
        context_.catalog == nullptr ? nullptr : context_.catalog->find(s_.kernel);
    return spec != nullptr                 ? spec->source
           : context_.recording != nullptr ? context_.recording->program().launch().source
                                           : std::string();
  }
  void show_miniature(int block_size) {
    s_.sizes_locked = false;
    const int size = std::clamp(block_size, 1, problem::kLargestBlockSize);
    (*this)(SetParameters{{problem::miniature(s_.timing.problem, size), size}});
  }

  void open_beside(Beside beside) {
    switch (beside) {
      case Beside::Nothing:
        return;
      case Beside::Memory:
        (*this)(ShowMemory{true});
        s_.inspector_open = false;  // it would cover half of the banks
        return;
      case Beside::Warp:
        (*this)(SetInspector{InspectorPage::Warp});
        s_.show_memory = false;
        return;
      case Beside::Ptx:
        (*this)(SetSourcePage{SourcePage::Ptx});
        return;
    }
  }

 private:
  void go_to_beat(const std::string& lesson, int beat) {
    const LessonView& was = s_.course;
    s_.course = {.lesson = lesson,
                 .beat = std::max(0, beat),
                 .notes = was.notes,
                 .ring = was.ring,
                 .film = was.film && lesson == was.lesson,
                 .spotlight = was.spotlight};
  }
  [[nodiscard]] static problem::Problem all_as_changed(const problem::Problem& was,
                                                       const problem::Problem& now) {
    const int size = now.M != was.M ? now.M : now.N != was.N ? now.N : now.K;
    return {size, size, size};
  }
  [[nodiscard]] std::uint64_t clamp_step(std::uint64_t step) const {
    return context_.recording == nullptr ? step : std::min(step, context_.recording->step_count());
  }
  // Moves to the next stop of both runs, or to the last one.
  void step_joint(int direction) {
    const auto stops = context_.joint->stops();
    const record::JointTimeline::Stop now{s_.step, s_.second_step};
    const std::size_t at = context_.joint->at(now);
    const bool is_between = direction < 0 && stops[at] != now;
    const std::size_t next = is_between      ? at
                             : direction > 0 ? std::min(at + 1, stops.size() - 1)
                                             : std::max<std::size_t>(at, 1) - 1;
    s_.step = stops[next].first;
    s_.second_step = stops[next].second;
    s_.phase = {};
  }
  // Forward: ends a phase and shows it as a whole. Back: undoes that, and returns to the single
  // statement that was on stage if stepping began there.
  void step_phase(int direction) {
    const PhaseView before = s_.phase;
    const std::uint64_t from = s_.step;
    s_.step = step_from(*context_.recording, from, Unit::Phase, direction, s_.focus.block);
    if (direction > 0 && s_.step != from) {
      s_.phase = {true, before.done ? before.from : from};
    } else if (direction < 0) {
      const bool began_here = before.done && before.from < from && before.from >= s_.step;
      s_.step = began_here ? before.from : s_.step;
      s_.phase =
          began_here || s_.step == 0 ? PhaseView{} : PhaseView{true, before.done ? before.from : 0};
    }
  }
  // Play at the end starts over, as in every player.
  void play(bool on) {
    if (on && context_.recording != nullptr && s_.step >= context_.recording->step_count()) {
      s_.step = 0;
    }
    s_.playing = on;
  }

  AppState& s_;
  const Context& context_;
};

}  // namespace

Focus within(Focus focus, const record::Recording& run) {
  focus.block = std::min(focus.block, run.program().block_count() - 1);
  focus.thread = std::min(focus.thread, run.program().threads_per_block() - 1);
  return focus;
}

AppState apply(AppState state, const Command& command, const Context& context) {
  const std::uint64_t step = state.step;
  visit(Applier(state, context), command);
  const auto* const seek = command.as<SeekStep>();
  const bool both_move = (seek != nullptr && seek->second) || command.is<Step>() ||
                         command.is<SeekEnd>() || command.is<SwapSides>();
  if (context.joint != nullptr && state.comparison.on && state.step != step && !both_move) {
    state.second_step = context.joint->stops()[context.joint->of_first(state.step).from].second;
  }
  if (state.playing || (state.step != step && !command.is<Step>())) {
    state.phase = {};
  }
  return state;
}

}  // namespace tilestep::state
