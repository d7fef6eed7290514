#include "workspace/workspace.h"

#include "problem/language.h"
#include "state/apply.h"
#include "workspace/scene_maker.h"
#include "workspace/survey.h"
#include "workspace/workspace_impl.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {

Workspace::Impl::Impl(Paths paths_in, compile::Compiler& compiler_in, Role role_in)
    : paths(std::move(paths_in)), compiler(compiler_in), role(role_in) {
  auto loaded = problem::load_catalog(paths.kernels, "", problem::Expressions::Known);
  catalog = std::make_shared<problem::Catalog>(loaded ? std::move(*loaded) : problem::Catalog{});
  view.kernels.shipped = catalog->kernels.size();
  if (!loaded) {
    view.messages.error = view.kernels.mistake = loaded.error().message;
  }
  view.kernels.catalog = catalog;
  if (role == Role::SecondSide) {
    return;
  }
  load_measurements();
  pool.submit([this]() -> Completion {
    return [this, status = probe_gpu(paths.libraries)] { view.timing.bench = status; };
  });
}

// Runs in the background: reading a data set of megabytes takes longer than a frame.
void Workspace::Impl::load_measurements() {
  pool.submit([this]() -> Completion {
    return [this, loaded = read_measurements(paths)] {
      view.timing.datasets = loaded.datasets;
      view.timing.counters = loaded.counters;
      ++view.timing.version;
      view.timing.is_read = true;
      view.timing.unread_files = loaded.problems;
    };
  });
}

Workspace::Impl::~Impl() {
  maker.cancel();
  follower.cancel();
  narration.cancel();
  runner.cancel();
  flow.cancel();
  contrast.cancel();
  bench.cancel();
  if (analysis_control) {
    analysis_control->cancel = true;
  }
  count_scheduler.cancel();
  second.cancel();
  lessons.cancel();
}

void Workspace::Impl::request_scene(double now) {
  if (maker.request({wanted_scene(), state.focus.block, step_is_exact && state.step > 0, now})) {
    follower.cancel();  // the next scene needs the cores
  }
  step_is_exact = step_is_exact && (maker.is_busy() || maker.is_completing());
  if (scene && !maker.is_busy() && !scene->recording->part().holds(state.focus.block)) {
    maker.request_block(*scene, state.focus.block, now);
  }
}

const SceneKey& Workspace::Impl::wanted_scene() {
  if (!wanted_key.is_of(setup_of(state), file.view())) {
    wanted_key = SceneKey(setup_of(state), file.view());
  }
  return wanted_key;
}

// Prepares the likeliest values of BLOCK_SIZE and N while the user views the stage.
void Workspace::Impl::prepare_neighbours() {
  if (!looks_ahead || !scene || maker.is_busy() || state.tab != state::Tab::Step || state.playing) {
    return;
  }
  const bool shares = role == Role::SecondSide || state.comparison.on;
  if (expected_after != wanted_scene() || shares_room != shares) {
    expected_after = wanted_scene();
    shares_room = shares;
    std::vector<SceneKey> ahead;
    for (const problem::Parameters& next :
         likely_parameters(state.parameters, scene->spec.uses_block_size)) {
      ahead.push_back(expected_after);
      ahead.back().parameters = next;
    }
    maker.expect(std::move(ahead), shares ? kKeptBytes / 2 : kKeptBytes);
  }
  maker.prepare(state.focus.block);
}

bool Workspace::Impl::take_scene(SceneResult result, const SceneKey& key) {
  view.messages.error = result.message;
  if (result.is_first) {
    view.source.diagnostics = std::move(result.diagnostics);
    if (!result.source.empty()) {
      view.source.text = result.source;
    }
  }
  if (!result.scene) {
    return true;
  }
  const bool same_kernel = scene && scene_key.kernel == key.kernel;
  const bool same_run = same_kernel && scene_key.parameters == key.parameters;
  view.timing.version +=
      scene_key.edited_source != key.edited_source ? 1 : 0;  // its text is counted, too
  const bool keeps_place = !std::exchange(step_is_exact, false) && scene;
  const Moment moment =
      keeps_place ? moment_of(*scene->recording, state.step, staged_block) : Moment{};
  analysis_is_due = analysis_is_due || result.is_first;
  if (!holds(*result.scene->recording, moment, state.focus.block)) {
    return false;  // the start of a run: the old stage stays until the whole is ready
  }
  view.run.state.reset();
  view.run.before.reset();
  result.scene->generation = Generation::next();
  scene = std::make_shared<const Scene>(std::move(*result.scene));
  scene_key = key;
  if (focus_to_come && state.focus == focus_to_come->meanwhile) {
    state.focus = focus_to_come->focus;
  }
  focus_to_come.reset();
  keep_focus_on_stage();
  staged_block = staged(scene->recording->part(), state.focus.block, staged_block);
  if (keeps_place) {
    take_moment(moment, same_kernel, same_run);
  }
  state.step = std::min(state.step, scene->recording->step_count());
  if (key == wanted_scene()) {  // otherwise the wanted one is still to follow
    go_to_wanted_place();
  }
  last_step = state.step;
  if (std::exchange(analysis_is_due, false)) {
    request_analysis();
  }
  return true;
}

// Shows the first load instead of empty tiles, with other sizes at the start of a run.
void Workspace::Impl::take_moment(const Moment& moment, bool same_kernel, bool same_run) {
  const record::Recording& run = *scene->recording;
  const bool is_start = moment.at == Moment::At::Start;
  if (!same_run) {
    state.phase.from = 0;
    wants_first_load = is_start;
  }
  if (is_start && wants_first_load) {
    state.step = first_load_end(run, staged_block);
    state.phase = {state.step > 0, 0};
  } else {
    state.step = step_at(run, moment, staged_block, same_kernel);
  }
  wants_first_load = wants_first_load && is_start && !run.is_complete();
}

void Workspace::Impl::keep_focus_on_stage() {
  const state::Focus held = state::within(state.focus, *scene->recording);
  if (held == state.focus) {
    return;
  }
  if (scene_key != wanted_scene()) {
    focus_to_come = FocusToCome{state.focus, held};
  }
  state.focus = held;
}

void Workspace::Impl::request_analysis() {
  if (analysis_control) {
    analysis_control->cancel = true;
  }
  analysis = {};
  analysis_control = std::make_shared<JobControl>();
  pool.submit(
      [this, program = scene->recording->shared_program(), schedule = scene->recording->schedule(),
       control = analysis_control]() -> Completion {
        if (control->cancel) {
          return {};
        }
        return [this, done = analyse(program, schedule, compiler, *control), control] {
          if (!control->cancel) {
            analysis = done;
          }
        };
      },
      Urgency::Later);
}

// Most frames do not change it.
void Workspace::Impl::show_timings() {
  if (!view.timing.is_read) {
    return;
  }
  if (count_scheduler.is_due() || TimingKey(state, view.timing.version) != shown_key) {
    survey();
  }
  TimingKey key(state, view.timing.version);
  if (key == shown_key) {
    return;
  }
  shown_key = std::move(key);
  view.timing.shown.reset();
  if (state.tab == state::Tab::Timing) {
    auto shown = std::make_shared<ShownTimings>(
        workspace::show_timings(state, {catalog.get(), *view.timing.datasets, *view.timing.facts}));
    shown->owners = {view.timing.datasets, view.timing.facts};
    view.timing.shown = std::move(shown);
  }
}

// Whether the page explains a point whose launch is counted and is that of the stage: the waits on
// an SM are among the reasons.
bool Workspace::Impl::explains_point() const {
  const analysis::ChartRequest& request = view.timing.shown->request;
  const state::TimingView& timing = state.timing;
  return timing.selected_kernel == state.kernel && state.edited_source.empty() &&
         (timing.selected_block_size == state.parameters.block_size ||
          timing.selected_block_size == 0) &&
         analysis::find_facts(request.facts, state.kernel,
                              {request.view.problem, timing.selected_block_size},
                              request.gpu.architecture) != nullptr;
}

void Workspace::Impl::show_sm() {
  const bool is_page = state.timing.page == state::TimingPage::Sm;
  const bool is_shown = state.tab == state::Tab::Timing && view.timing.shown != nullptr;
  if (!is_shown || !(is_page || explains_point())) {
    sm.cancel();
    sm_against.cancel();
    view.timing.sm = nullptr;
    view.timing.sm_places = nullptr;
    view.timing.sm_against = nullptr;
    return;
  }
  const bool is_of_stage = is_page && state.timing.sm.stage;
  SmQuestion question{wanted_scene(), state.timing.sm.blocks, view.timing.shown->request.gpu.name,
                      is_of_stage, !is_page};
  if (!is_of_stage) {
    question.key.parameters.problem = view.timing.shown->request.view.problem;
  }
  question.key.build = problem::Build::Machine;
  question.key.warp_size = simt::kWarpSize;
  question.key.schedule = {};
  view.timing.sm = sm.follow(question);
  const bool has_stage = scene && scene_key == wanted_scene() && scene->recording->is_whole() &&
                         scene->recording->is_complete() && state.warp_size == simt::kWarpSize;
  view.timing.sm_places = sm.follow_places(is_of_stage && has_stage ? scene->recording : nullptr);
  const state::TimedPoint& against = state.timing.against;
  if (!is_page || catalog->find(against.kernel) == nullptr) {
    sm_against.cancel();
    view.timing.sm_against = nullptr;
    return;
  }
  if (against.kernel != question.key.kernel) {
    question.key.kernel = against.kernel;
    question.key.edited_source.clear();
    question.key.file_source.clear();
  }
  question.key.parameters.block_size =
      against.block_size > 0 ? against.block_size : state.parameters.block_size;
  view.timing.sm_against = sm_against.follow(question);
}

void Workspace::Impl::survey() {
  const auto& datasets = view.timing.datasets;
  const timing::DataSet* const dataset = find_dataset(*datasets, state.timing.dataset);
  view.timing.dataset = {datasets, dataset};
  const int own = shown_gpu(state, dataset).architecture;
  const SurveyContext context{catalog.get(), dataset, view.timing.counters.get(), own,
                              architecture_of_other(state.timing, *datasets, own)};
  const auto ahead = looks_ahead ? likely_next(state, context) : std::vector<SurveyItem>{};
  if (count_scheduler.pursue(wanted(state, context), ahead)) {
    take_facts();
  }
  view.timing.uncounted = count_scheduler.uncounted();
  view.timing.counting.clear();
  for (const SurveyItem& item : count_scheduler.counting()) {
    const problem::LaunchSpec* const spec = catalog->find(item.kernel);
    view.timing.counting.push_back(spec == nullptr ? item.kernel : tr(spec->title.c_str()));
  }
}

void Workspace::Impl::take_facts() {
  view.timing.facts =
      std::make_shared<const std::vector<analysis::LaunchFacts>>(count_scheduler.facts());
  ++view.timing.version;
}

// The stage is drawn without sums until they are ready.
void Workspace::Impl::show_sums(std::uint64_t step) {
  RunView& run = view.run;
  run.sums = follower.follow(*scene, state.focus.block);
  run.sum = run.sums ? chosen_sum(*run.sums, state.focus, {run.statement->first_step, step})
                     : std::nullopt;
  auto terms = run.sum ? run.sums->accumulation(*run.sum, step) : std::nullopt;
  run.accumulation =
      terms ? std::make_shared<const insight::Accumulation>(std::move(*terms)) : nullptr;
}

// Side 2 has side 1's language. If a language is no longer available, the previous one stays.
void Workspace::Impl::follow_language() {
  if (role == Role::SecondSide || language == state.language) {
    return;
  }
  language = state.language;
  const std::string before_it = spoken_language();
  if (const Result<void> spoken = speak(language); !spoken) {
    view.messages.error = spoken.error().message;
  }
  if (spoken_language() != before_it) {
    retranslate();
  }
}

// The recording has names of phases, the check findings, and the survey reasons not to count.
void Workspace::Impl::retranslate() {
  maker.forget();
  narration.forget();
  flow.forget();
  contrast.cancel();
  count_scheduler.retranslate();
  take_facts();
  view.timing.shown = nullptr;
  second.retranslate();
}

void Workspace::Impl::refresh() {
  view.source.file = file.view();
  view.jobs = {.busy = maker.is_busy(),
               .busy_since = maker.busy_since(),
               .completing = maker.is_completing(),
               .recorded_steps = maker.recorded_steps(),
               .kept_bytes = maker.kept_bytes(),
               .looking_for = ""};
  runner.pursue(scene ? scene->recording : nullptr, analysis.check.get());
  view.jobs.looking_for = runner.looking_for();
  RunView& shown = view.run;
  shown.is_old = scene && !view.jobs.busy && scene_key != wanted_scene();
  if (!scene) {
    return;
  }
  keep_focus_on_stage();
  staged_block = staged(scene->recording->part(), state.focus.block, staged_block);
  const record::Recording& run = *scene->recording;
  // The state may request a step of a scene that is not ready.
  const std::uint64_t step = std::min(state.step, run.step_count());
  const bool moved = !shown.state || viewed_generation != scene->generation || viewed_step != step;
  if (moved) {  // replays once from a keyframe
    const std::uint64_t from = step == 0 ? 0 : run.statement_starts()[run.statement_of(step - 1)];
    const auto& hint = shown.state && shown.state->step() <= from ? shown.state : shown.before;
    shown.before = std::make_shared<const record::State>(hint ? run.state_at(from, *hint)
                                                              : run.state_at(from));
    shown.state.reset();  // two states at a time: one may have megabytes
    auto at = std::make_shared<record::State>(*shown.before);
    shown.statement = std::make_shared<const record::Activity>(run.advance(*at, step));
    shown.state = std::move(at);
    follow_execution();
  }
  if (moved || viewed_focus != state.focus) {
    show_sums(step);
  }
  view.narration = narration.follow(*scene, state, step, shown.sums);
  viewed_generation = scene->generation;
  viewed_step = step;
  viewed_focus = state.focus;

  shown.scene = scene;
  shown.check = analysis.check;
  shown.counters = analysis.counters;
  shown.flow = flow.follow(*scene, state);
  shown.contrast = contrast.follow(*scene, state, scene_key);
  const timing::DataSet* const dataset = find_dataset(*view.timing.datasets, state.timing.dataset);
  view.source.sass = disassembler.follow(*scene, state, shown_gpu(state, dataset).architecture);
}

Workspace::Workspace(Paths paths, compile::Compiler& compiler, Role role) {
  share_one_heap();  // before there are threads
  impl_ = std::make_unique<Impl>(std::move(paths), compiler, role);
}
Workspace::~Workspace() = default;

bool Workspace::update(const std::vector<state::Command>& commands, double now) {
  const bool results = impl_->pool.apply_results(impl_->urgency_now(!commands.empty(), now));
  impl_->lessons.pass_time(now);
  for (const state::Command& command : commands) {
    impl_->apply(command);
  }
  impl_->follow_language();
  const bool played = impl_->play(now);
  const bool film_moved = impl_->lessons.play(now, impl_->is_moving());
  const bool file_changed = impl_->file.follow(impl_->state, *impl_->catalog, now);
  impl_->request_scene(now);
  impl_->prepare_neighbours();
  if (!impl_->maker.is_busy()) {
    impl_->go_to_wanted_place();  // of the scene that is already on stage
  }
  impl_->refresh();
  impl_->view.jobs.waits = !kHasThreads && impl_->pool.pending() > 0;
  const bool second = impl_->second.follow(impl_->view, impl_->state, now);
  impl_->view.beside = impl_->second.beside();
  impl_->show_timings();
  impl_->show_sm();
  if (impl_->role == Role::Window) {
    impl_->lessons.follow(impl_->is_moving());
  }
  return results || second || file_changed || film_moved || played || !commands.empty();
}

void Workspace::settle() {
  update({}, impl_->last_time);
  do {
    while (impl_->pool.pending() > 0) {
      impl_->pool.wait_for_result();
      update({}, impl_->last_time);
    }
    impl_->second.settle();  // there may be more to compare afterwards
    update({}, impl_->last_time);
  } while (impl_->pool.pending() > 0);
}

void Workspace::look_ahead() {
  impl_->looks_ahead = true;
  impl_->second.look_ahead();
  impl_->maker.look_ahead();
  impl_->lessons.look_ahead();
}

void Workspace::set_notice(std::string sentence) {
  impl_->view.messages.notice = std::move(sentence);
}

void Workspace::set_export(ExportStatus status) {
  impl_->view.exporting = std::move(status);
}

void Workspace::retranslate() {
  impl_->retranslate();
}

void Workspace::do_beside(std::function<Completion(compile::Compiler&)> job) {
  impl_->pool.submit([job = std::move(job), &compiler = impl_->compiler] { return job(compiler); });
}

void Workspace::add_kernel(problem::LaunchSpec spec) {
  impl_->add_kernel(std::move(spec));
}

void Workspace::infer_with(Infer infer) {
  impl_->lessons.infer_with(infer);
  impl_->files.infer_with(std::move(infer));
}

void Workspace::name_session(std::string name) {
  impl_->view.files.session = std::move(name);
}

const state::AppState& Workspace::state() const {
  return impl_->state;
}

void Workspace::set_state(state::AppState state, std::optional<lesson::Place> place) {
  impl_->wanted_lesson_place = place;
  impl_->state = std::move(state);
  impl_->history = {};
  impl_->step_is_exact = true;
  impl_->last_step = impl_->state.step;
}

const FrameView& Workspace::view() const {
  return impl_->view;
}

void Workspace::on_result(void (*wake)()) {
  impl_->pool.on_result(wake);
  impl_->second.on_result(wake);
}

}  // namespace tilestep::workspace
