#include "workspace/workspace.h"

#include "state/apply.h"
#include "state/history.h"
#include "state/navigate.h"
#include "workspace/bench_runner.h"
#include "workspace/chart_request.h"
#include "workspace/event_runner.h"
#include "workspace/flow_follower.h"
#include "workspace/heap.h"
#include "workspace/jobs.h"
#include "workspace/pair.h"
#include "workspace/place.h"
#include "workspace/pool.h"
#include "workspace/scene_maker.h"
#include "workspace/storyteller.h"
#include "workspace/sum_follower.h"
#include "workspace/survey.h"
#include "workspace/surveyor.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {

struct Workspace::Impl {
  Impl(Paths paths_in, compile::Compiler& compiler_in);
  ~Impl();

  void request_scene(double now);
  // Whether it goes as far as the stage's place.
  bool take_scene(SceneResult result, const SceneKey& key);
  void request_analysis();
  void go_to_wanted_place();
  void apply(const state::Command& command);
  bool go_through_history(const state::Command& command);
  void read_csv(const std::string& path);
  void play(double now);
  void go_to_event(const insight::EventAnswer& answer);
  void follow_execution();
  void show_sums(std::uint64_t step);
  void refresh();
  void load_measurements();
  void show_timings();
  void survey();
  [[nodiscard]] const record::Recording* recording() const;
  [[nodiscard]] state::Context context() const { return {recording(), &catalog}; }

  Paths paths;
  problem::Catalog catalog;
  compile::Compiler& compiler;
  std::vector<timing::DataSet> datasets;
  std::optional<timing::CounterSet> counters;
  std::uint64_t timing_data = 1;  // grows with every change of these, of facts and of the catalog

  state::AppState state;
  std::shared_ptr<JobControl> analysis_control;

  std::optional<Scene> scene;
  SceneKey scene_key;
  std::uint32_t staged_block = 0;  // the last one in focus that the recording holds
  bool analysis_is_due = false;
  bool step_is_exact = false;  // `state.step` is one of the whole run of the scene to come
  std::uint64_t generation = 0;
  std::optional<Analysis> analysis;
  std::vector<compile::Diagnostic> diagnostics;

  // What the view was last made for.
  std::uint64_t viewed_generation = 0;
  std::uint64_t viewed_step = 0;
  state::Focus viewed_focus;
  std::optional<record::State> at;
  std::optional<record::State> before;  // at the start of `statement`
  record::Activity statement;
  std::optional<insight::Accumulation> accumulation;

  TimingKey shown_key;  // what view.timings was made for
  ShownTimings shown_timings;

  state::History history;
  double last_time = 0.0;
  bool was_playing = false;
  double statements_due = 0.0;
  std::uint64_t last_step = 0;
  state::OpenOnStage wanted_place;  // once the scene that was asked for is there

  bool looks_ahead = false;
  FrameView view;
  KeptAnswers kept{answer_options(paths)};
  Surveyor surveyor{pool, compiler, catalog, &kept};
  SceneMaker maker{pool, compiler, catalog, [this](SceneResult result, const SceneKey& key) {
                     return take_scene(std::move(result), key);
                   }};
  SumFollower follower{pool, [this](const auto& recording, auto first) {
                         if (scene && scene->recording == recording) {
                           take_first_sums(*scene, std::move(first));
                           scene->generation = ++generation;
                         }
                       }};
  Storyteller storyteller{pool};
  BenchRunner bench{pool, {paths, catalog, compiler, datasets, state, view.bench, timing_data}};
  FlowFollower flow{pool, compiler, catalog};
  EventRunner runner{pool, [this](const auto& answer) { go_to_event(answer); }};
  Pool pool{3};  // last: its threads end before what they use
};

Workspace::Impl::Impl(Paths paths_in, compile::Compiler& compiler_in)
    : paths(std::move(paths_in)), compiler(compiler_in) {
  auto loaded = problem::load_catalog(paths.kernels);
  if (loaded) {
    catalog = std::move(*loaded);
  } else {
    view.message = view.catalog_problem = loaded.error().message;
  }
  view.catalog = &catalog;
  view.datasets = &datasets;
  view.diagnostics = &diagnostics;
  load_measurements();
  pool.submit(
      [this]() -> Completion { return [this, status = probe_gpu()] { view.bench = status; }; });
}

// Beside the first frames: a data set of megabytes takes longer to read than one of them.
void Workspace::Impl::load_measurements() {
  pool.submit([this]() -> Completion {
    auto loaded = std::make_shared<Measurements>(read_measurements(paths));
    return [this, loaded] {
      datasets = std::move(loaded->datasets);
      counters = std::move(loaded->counters);
      view.measured = counters ? &*counters : nullptr;
      ++timing_data;
      view.measurements_read = true;
      view.unread_files = loaded->problems;
    };
  });
}

Workspace::Impl::~Impl() {
  maker.cancel();
  follower.cancel();
  storyteller.cancel();
  runner.cancel();
  flow.cancel();
  bench.cancel();
  if (analysis_control) {
    analysis_control->cancel = true;
  }
  surveyor.cancel();
}

const record::Recording* Workspace::Impl::recording() const {
  return scene ? scene->recording.get() : nullptr;
}

void Workspace::Impl::request_scene(double now) {
  if (maker.request({SceneKey(state), state.focus.block, step_is_exact && state.step > 0, now})) {
    follower.cancel();  // the scene that comes needs the cores
  }
  step_is_exact = step_is_exact && (maker.is_busy() || maker.is_completing());
  if (scene && !maker.is_busy() && !scene->recording->part().holds(state.focus.block)) {
    maker.request_block(*scene, state.focus.block, now);
  }
}

bool Workspace::Impl::take_scene(SceneResult result, const SceneKey& key) {
  view.message = result.message;
  if (result.is_first) {
    diagnostics = std::move(result.diagnostics);
    if (!result.source.empty()) {
      view.source = result.source;
    }
  }
  if (!result.scene) {
    return true;
  }
  const bool same_kernel = scene && scene_key.kernel == key.kernel;
  const bool keeps_place = !std::exchange(step_is_exact, false) && same_kernel;
  const RelativePlace place =
      keeps_place ? relative_place(*scene->recording, state.step, staged_block) : RelativePlace{};
  analysis_is_due = analysis_is_due || result.is_first;
  if (!holds(*result.scene->recording, place, state.focus.block)) {
    return false;  // the start of a run: the old stage stays until the whole is there
  }
  at.reset();
  before.reset();
  scene = std::move(result.scene);
  scene->generation = ++generation;
  scene_key = key;
  state = state::apply(state, state::FocusThread{state.focus.block, state.focus.thread}, context());
  staged_block = staged(scene->recording->part(), state.focus.block, staged_block);
  if (keeps_place) {
    state.step = step_at(*scene->recording, place, staged_block);
  }
  state.step = std::min(state.step, scene->recording->step_count());
  go_to_wanted_place();
  last_step = state.step;
  if (std::exchange(analysis_is_due, false)) {
    request_analysis();
  }
  return true;
}

// An event is looked for from the start.
void Workspace::Impl::go_to_wanted_place() {
  const state::OpenOnStage to = std::exchange(wanted_place, {});
  if (scene && !to.kernel.empty()) {
    state = arrived(std::move(state), to, context());
  }
  if (scene && to.event) {
    apply(state::RunToEvent{*to.event});
  }
}

void Workspace::Impl::request_analysis() {
  if (analysis_control) {
    analysis_control->cancel = true;
  }
  analysis.reset();
  analysis_control = std::make_shared<JobControl>();
  pool.submit([this, program = scene->recording->shared_program(), key = scene_key,
               control = analysis_control]() -> Completion {
    if (control->cancel) {
      return {};
    }
    auto done = std::make_shared<Analysis>(analyse(program, key, compiler, *control));
    return [this, done, control] {
      if (!control->cancel) {
        analysis = std::move(*done);
      }
    };
  });
}

// Most frames change nothing of it.
void Workspace::Impl::show_timings() {
  if (!view.measurements_read) {
    return;
  }
  if (surveyor.is_due() || TimingKey(state, timing_data) != shown_key) {
    survey();
  }
  TimingKey key(state, timing_data);
  if (key == shown_key) {
    return;
  }
  shown_key = std::move(key);
  view.facts = surveyor.facts();
  view.timings = nullptr;
  if (state.tab == state::Tab::Timing) {
    shown_timings = workspace::show_timings(state, {&catalog, datasets, surveyor.facts()});
    view.timings = &shown_timings;
  }
}

void Workspace::Impl::survey() {
  view.dataset = find_dataset(datasets, state.timing.dataset);
  const int own = shown_gpu(state, view.dataset).architecture;
  const SurveyContext context{&catalog, view.dataset, view.measured, own,
                              architecture_of_other(state.timing, datasets, own)};
  const auto ahead = looks_ahead ? likely_next(state, context) : std::vector<SurveyItem>{};
  timing_data += surveyor.pursue(wanted(state, context), ahead) ? 1 : 0;
  view.uncounted = surveyor.uncounted();
}

void Workspace::Impl::apply(const state::Command& command) {
  if (const auto* point = std::get_if<state::PointAt>(&command)) {
    flow.point_at(point->cell);
    return;
  }
  view.notice.clear();
  view.event.clear();
  if (std::holds_alternative<state::StartBench>(command)) {
    bench.start();
  } else if (std::holds_alternative<state::CancelBench>(command)) {
    bench.cancel();
  } else if (std::holds_alternative<state::CancelRecording>(command)) {
    maker.cancel();
    view.message = "Recording stopped. The stage keeps what was recorded.";
  } else if (std::holds_alternative<state::CopyScene>(command)) {
    view.notice = "A link to this scene is in the clipboard: tilestep open 'tilestep:…' opens it.";
  }
  if (const auto* wanted = std::get_if<state::ExportChart>(&command)) {
    view.notice = export_chart(
        analysis::make_chart(chart_request(state, {&catalog, datasets, surveyor.facts()})),
        wanted->format);
  }
  if (const auto* open = std::get_if<state::OpenOnStage>(&command)) {
    wanted_place = *open;
  }
  if (const auto* open = std::get_if<state::OpenFile>(&command); open && is_csv(open->path)) {
    read_csv(open->path);
    return;
  }
  if (go_through_history(command)) {
    return;
  }
  const state::AppState was = state;
  state = state::apply(std::move(state), command, context());
  history.note(was, state, command, last_time);
  runner.notice(command, state);
}

bool Workspace::Impl::go_through_history(const state::Command& command) {
  std::optional<state::History::Step> step = history.go(command, state);
  if (!step) {
    return false;
  }
  view.notice = std::move(step->sentence);
  if (step->state) {
    state = std::move(*step->state);
    state.playing = false;
    step_is_exact = true;
    last_step = state.step;
    runner.notice(command, state);
  }
  return true;
}

// A file that cannot be read leaves the old input standing.
void Workspace::Impl::read_csv(const std::string& path) {
  Result<problem::InputSpec> input = input_from_csv(path, state.input);
  if (input) {
    apply(state::SetInput{std::move(*input)});
  } else {
    view.message = input.error().message;
  }
}

void Workspace::Impl::play(double now) {
  // The time before play was pressed, and a long pause between two frames, are not played.
  const double elapsed = was_playing ? std::clamp(now - last_time, 0.0, 0.25) : 0.0;
  last_time = now;
  was_playing = state.playing;
  if (!state.playing || !scene) {
    statements_due = 0.0;
    return;
  }
  statements_due += elapsed * static_cast<double>(state.pace);
  const std::uint64_t from = state.step;
  for (; statements_due >= 1.0; statements_due -= 1.0) {
    state.step = state::step_from(*scene->recording, state.step, state::Unit::Statement, +1,
                                  state.focus.block);
  }
  go_to_event(finding_on_the_way(*scene->recording, from, state.step, view.check));
  if (state.step >= scene->recording->step_count()) {
    state.playing = false;
  }
}

// Not found: says why. A breakpoint stands before its statement, which the focus must not leave for
// the one that was executed.
void Workspace::Impl::go_to_event(const insight::EventAnswer& answer) {
  view.event = answer.sentence.empty() ? view.event : answer.sentence;
  if (answer.found) {
    const state::AppState was = state;
    state.playing = false;
    last_step = state.step = answer.stop;
    state.phase = {};
    state = state::apply(state, state::FocusThread{answer.block, answer.thread}, context());
    history.note(was, state, state::RunToEvent{}, last_time);
  }
}

// Where blocks run one after the other, or in waves, the focus goes along with those that move:
// otherwise a step would change nothing on stage.
void Workspace::Impl::follow_execution() {
  if (state.step == last_step) {
    return;
  }
  last_step = state.step;
  if (!scene || statement.executed.empty()) {
    return;
  }
  const bool all_together =
      state.schedule.kind == simt::ScheduleKind::Lockstep &&
      scene->recording->part().count() <= simt::resident_blocks(scene->recording->program());
  if (all_together) {
    return;
  }
  const bool moved = std::any_of(
      statement.executed.begin(), statement.executed.end(),
      [&](const record::Activity::Executed& e) { return e.warp.block == state.focus.block; });
  if (!moved) {
    state.focus.block = statement.executed.back().warp.block;
  }
}

// The stage is drawn without sums until they are there.
void Workspace::Impl::show_sums(std::uint64_t step) {
  view.sums = follower.follow(*scene, state.focus.block);
  view.sum = view.sums != nullptr
                 ? chosen_sum(*view.sums, state.focus, {statement.first_step, step})
                 : std::nullopt;
  accumulation = view.sum ? view.sums->accumulation(*view.sum, step) : std::nullopt;
}

void Workspace::Impl::refresh() {
  view.busy = maker.is_busy();
  view.busy_since = maker.busy_since();
  view.completing = maker.is_completing();
  view.recorded_steps = maker.recorded_steps();
  runner.pursue(scene ? scene->recording : nullptr,
                analysis && analysis->check ? &*analysis->check : nullptr);
  view.looking_for = runner.looking_for();
  if (!scene) {
    return;
  }
  staged_block = staged(scene->recording->part(), state.focus.block, staged_block);
  const record::Recording& run = *scene->recording;
  // The state may ask for a step of a scene to come.
  const std::uint64_t step = std::min(state.step, run.step_count());
  const bool moved = !at || viewed_generation != generation || viewed_step != step;
  if (moved) {  // the way from a keyframe is gone once
    const std::uint64_t from = step == 0 ? 0 : run.statement_starts()[run.statement_of(step - 1)];
    const record::State* const hint = at && at->step() <= from ? &*at : before ? &*before : nullptr;
    before = hint != nullptr ? run.state_at(from, *hint) : run.state_at(from);
    at = *before;
    statement = run.advance(*at, step);
    follow_execution();
  }
  if (moved || viewed_focus != state.focus) {
    show_sums(step);
  }
  storyteller.tell(*scene, state, step, follower.shared(), view);
  viewed_generation = generation;
  viewed_step = step;
  viewed_focus = state.focus;

  view.flow = flow.follow(*scene, state);
  view.scene = &*scene;
  view.state = &*at;
  view.before = &*before;
  view.statement = &statement;
  view.accumulation = accumulation ? &*accumulation : nullptr;
  view.check = analysis && analysis->check ? &*analysis->check : nullptr;
  view.counters = analysis && analysis->counters ? &*analysis->counters : nullptr;
}

Workspace::Workspace(Paths paths, compile::Compiler& compiler) {
  share_one_heap();  // before there are threads
  impl_ = std::make_unique<Impl>(std::move(paths), compiler);
}
Workspace::~Workspace() = default;

bool Workspace::update(const std::vector<state::Command>& commands, double now) {
  const bool results = impl_->pool.apply_results();
  for (const state::Command& command : commands) {
    impl_->apply(command);
  }
  impl_->play(now);
  impl_->request_scene(now);
  if (!impl_->maker.is_busy()) {
    impl_->go_to_wanted_place();  // of the scene that is there already
  }
  impl_->refresh();
  impl_->show_timings();
  return results || !commands.empty() || impl_->state.playing;
}

void Workspace::settle() {
  update({}, impl_->last_time);
  while (impl_->pool.pending() > 0) {
    impl_->pool.wait_for_result();
    update({}, impl_->last_time);
  }
}

void Workspace::look_ahead() {
  impl_->looks_ahead = true;
  impl_->maker.refine();
}

void Workspace::set_notice(std::string sentence) {
  impl_->view.notice = std::move(sentence);
}

void Workspace::add_kernel(problem::LaunchSpec spec) {
  impl_->catalog.kernels.push_back(std::move(spec));
  ++impl_->timing_data;
}

const state::AppState& Workspace::state() const {
  return impl_->state;
}

void Workspace::set_state(state::AppState state) {
  impl_->state = std::move(state);
  impl_->step_is_exact = true;
  impl_->last_step = impl_->state.step;
}

const FrameView& Workspace::view() const {
  return impl_->view;
}

void Workspace::on_result(void (*wake)()) {
  impl_->pool.on_result(wake);
}

}  // namespace tilestep::workspace
