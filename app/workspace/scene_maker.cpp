#include "workspace/scene_maker.h"

#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <malloc.h>
#include <span>

namespace tilestep::workspace {
namespace {

// A freed recording leaves tens of megabytes that the allocator would keep. If its job is
// cancelled, the next one needs them: getting them back from the system would take a third of its
// time.
void give_memory_back([[maybe_unused]] const JobControl& control) {
#ifdef __GLIBC__
  if (!control.cancel) {
    malloc_trim(0);
  }
#endif
}

struct GivesMemoryBack {
  explicit GivesMemoryBack(const JobControl& of) : control(of) {}
  ~GivesMemoryBack() { give_memory_back(control); }
  GivesMemoryBack(const GivesMemoryBack&) = delete;
  GivesMemoryBack& operator=(const GivesMemoryBack&) = delete;
  GivesMemoryBack(GivesMemoryBack&&) = delete;
  GivesMemoryBack& operator=(GivesMemoryBack&&) = delete;

  const JobControl& control;
};

void cancel_job(std::shared_ptr<JobControl>& control) {
  if (control) {
    control->cancel = true;
    control.reset();
  }
}

using record::PhaseKind;
using Phases = std::span<const record::Phase>;

// The most similar kinds for a kind of phase that a run does not have.
constexpr PhaseKind kNone = PhaseKind::Other;
struct Likeness {
  PhaseKind kind;
  std::array<PhaseKind, 3> others;
};
constexpr std::array kLikenesses{
    Likeness{PhaseKind::Setup, {PhaseKind::Load, PhaseKind::LoadAndMultiply, kNone}},
    Likeness{PhaseKind::Load, {PhaseKind::LoadAndMultiply, PhaseKind::Setup, kNone}},
    Likeness{PhaseKind::Multiply, {PhaseKind::LoadAndMultiply, PhaseKind::Compute, kNone}},
    Likeness{PhaseKind::LoadAndMultiply, {PhaseKind::Multiply, PhaseKind::Compute, kNone}},
    Likeness{PhaseKind::Compute,
             {PhaseKind::Multiply, PhaseKind::LoadAndMultiply, PhaseKind::WriteBack}},
    Likeness{PhaseKind::WriteBack, {PhaseKind::Compute, kNone, kNone}},
};

Phases phases_of(const record::Recording& recording, std::uint32_t block) {
  return recording.phases_of(std::min(block, recording.program().block_count() - 1));
}

// The statements of a phase: the first, and their number until it is over.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
};
Stretch statements_of(const record::Recording& recording, const record::Phase& phase) {
  const auto starts = recording.statement_starts();
  const std::size_t first = recording.statement_of(phase.first_step);
  const auto end = std::lower_bound(starts.begin() + static_cast<std::ptrdiff_t>(first),
                                    starts.end(), std::max(phase.last_step, phase.first_step));
  const auto last = static_cast<std::size_t>(end - starts.begin());
  return {first, std::min(last, starts.size() - 1) - first};
}

// The last tile of this kind that is not beyond the wanted one, and its part. A phase without a
// tile counts as all tiles.
std::optional<std::size_t> find_kind(Phases phases, PhaseKind kind, const Moment& moment) {
  std::optional<std::size_t> found;
  std::size_t part = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].kind != kind) {
      continue;
    }
    const bool is_next_part = found && phases[i].tile == phases[*found].tile;
    part = is_next_part ? part + 1 : 0;
    const bool is_like = phases[i].tile <= moment.tile && (!is_next_part || part <= moment.part);
    if (!found || is_like) {
      found = i;
    }
  }
  return found;
}

std::optional<std::size_t> find_phase(Phases phases, const Moment& moment) {
  if (const auto found = find_kind(phases, moment.kind, moment)) {
    return found;
  }
  const auto like = std::ranges::find(kLikenesses, moment.kind, &Likeness::kind);
  if (like != kLikenesses.end()) {
    for (const PhaseKind kind : like->others) {
      if (const auto found = find_kind(phases, kind, moment)) {
        return found;
      }
    }
  }
  return phases.empty() ? std::nullopt : std::optional(std::min(moment.index, phases.size() - 1));
}

}  // namespace

std::uint64_t SceneMaker::recorded_steps() const {
  const std::shared_ptr<JobControl>& control = block_control_ ? block_control_ : control_;
  return control && (busy_ || completing_) ? control->progress.load() : 0;
}

void SceneMaker::set_busy(double now) {
  busy_since_ = busy_ ? busy_since_ : now;
  busy_ = true;
}

void SceneMaker::cancel() {
  cancel_job(control_);
  cancel_job(block_control_);
  cancel_job(ahead_control_);
  busy_ = false;
  completing_ = false;
}

void SceneMaker::forget() {
  anything_requested_ = false;
  kept_.clear();
  is_full_ = false;
  cancel_job(ahead_control_);
}

bool SceneMaker::request(const Wish& wish) {
  if (anything_requested_ && wish.key == requested_) {
    return false;
  }
  cancel_job(control_);
  cancel_job(block_control_);
  requested_ = wish.key;
  anything_requested_ = true;
  completing_ = false;
  control_ = std::make_shared<JobControl>();
  if (const auto kept = std::ranges::find(kept_, wish.key, &Kept::key); kept != kept_.end()) {
    std::rotate(kept, std::next(kept), kept_.end());
    put_on_stage(kept_.back().result, wish.key, control_, false);
    return true;
  }
  set_busy(wish.now);
  if (ahead_control_ && ahead_key_ == wish.key) {
    control_ = std::exchange(ahead_control_, nullptr);  // it is already being recorded
    return true;
  }
  cancel_job(ahead_control_);
  submit(wish, control_, Urgency::Now);
  return true;
}

void SceneMaker::submit(const Wish& wish, const std::shared_ptr<JobControl>& control,
                        Urgency urgency) {
  pool_.submit(
      [this, wish, catalog = catalog_, control]() -> Completion {
        return control->cancel ? Completion{} : make(wish, *catalog, control);
      },
      urgency);
}

bool SceneMaker::is_kept(const SceneKey& key) const {
  return std::ranges::find(kept_, key, &Kept::key) != kept_.end();
}

std::uint64_t SceneMaker::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (const Kept& kept : kept_) {
    bytes += kept.result.scene ? kept.result.scene->recording->bytes() : 0;
  }
  return bytes;
}

void SceneMaker::keep(const SceneKey& key, SceneResult result) {
  if (!looks_ahead_) {
    return;  // `render` shows one state and does not move on
  }
  result.is_first = true;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.key == key; });
  kept_.push_back({key, std::move(result)});
  make_room(0, 0);
}

// The requested key, then the expected ones by probability, then the rest.
std::ptrdiff_t SceneMaker::rank_of(const SceneKey& key) const {
  return key == requested_ ? -1 : std::ranges::find(expected_, key) - expected_.begin();
}

// Drops the lowest ranks, except those before `least_rank`. Returns whether there is room.
bool SceneMaker::make_room(std::uint64_t to_come, std::ptrdiff_t least_rank) {
  while (kept_bytes() + to_come > most_bytes_) {
    const auto last =
        std::ranges::max_element(kept_, {}, [this](const Kept& kept) { return rank_of(kept.key); });
    if (last == kept_.end() || rank_of(last->key) < least_rank) {
      return false;
    }
    is_full_ = is_full_ || rank_of(last->key) < std::ssize(expected_);
    kept_.erase(last);
  }
  return true;
}

void SceneMaker::expect(std::vector<SceneKey> ahead, std::uint64_t most_bytes) {
  expected_ = std::move(ahead);
  most_bytes_ = most_bytes;
  is_full_ = false;
  if (ahead_control_ && std::ranges::find(expected_, ahead_key_) == expected_.end()) {
    cancel_job(ahead_control_);
  }
  make_room(0, 0);
}

void SceneMaker::prepare(std::uint32_t block) {
  if (is_full_ || ahead_control_ || busy_ || completing_ || block_control_) {
    return;
  }
  const auto next = std::ranges::find_if(
      expected_, [&](const SceneKey& key) { return key != requested_ && !is_kept(key); });
  if (next == expected_.end()) {
    return;
  }
  if (!make_room(kAheadBytes, next - expected_.begin() + 1)) {
    is_full_ = true;
    return;
  }
  ahead_control_ = std::make_shared<JobControl>();
  ahead_control_->keyframe_bytes = kAheadBytes;
  ahead_key_ = *next;
  submit({*next, block, false, 0.0}, ahead_control_, Urgency::Later);
}

// A run recorded ahead is kept for later, unless it was requested meanwhile.
Completion SceneMaker::deliver(SceneResult result, const SceneKey& key,
                               const std::shared_ptr<JobControl>& control, bool more_to_come) {
  return [this, key, control, more_to_come,
          result = std::make_shared<SceneResult>(std::move(result))] {
    if (control->cancel) {
      return;
    }
    if (!more_to_come) {
      keep(key, *result);
    }
    if (control == ahead_control_) {
      if (!more_to_come) {
        ahead_control_.reset();
      }
      return;
    }
    put_on_stage(std::move(*result), key, control, more_to_come);
  };
}

void SceneMaker::put_on_stage(SceneResult result, const SceneKey& key,
                              const std::shared_ptr<JobControl>& control, bool more_to_come) {
  completing_ = more_to_come;
  if (!more_to_come) {
    cancel_job(block_control_);
  }
  const auto run =
      looks_ahead_ && !more_to_come && result.scene ? result.scene->recording : nullptr;
  busy_ = !take_(std::move(result), key) && more_to_come;
  pool_.submit(
      [this, run, control, more_to_come]() -> Completion {
        if (!more_to_come) {
          give_memory_back(*control);  // that of the scene that was on stage
        }
        if (run && !control->cancel) {
          run->refine(&control->cancel);
        }
        return [this] { make_room(0, 0); };  // refined runs have grown
      },
      Urgency::Later);
}

// A quick result: some blocks of a large grid; if they need others, the start of the whole run.
// Fails if the stage needs a step of the whole run.
Result<std::shared_ptr<const record::Recording>> SceneMaker::record_ahead(const SceneDraft& draft,
                                                                          const Wish& wish,
                                                                          JobControl& control) {
  if (wish.whole) {
    return tl::unexpected(Error{});
  }
  if (const auto part = part_ahead(draft.program, wish.block)) {
    if (auto wave = record_blocks(draft.program, draft.schedule, part, control)) {
      return wave;
    }
  }
  return record_start(draft.program, draft.schedule, control);
}

Completion SceneMaker::make(const Wish& wish, const problem::Catalog& catalog,
                            const std::shared_ptr<JobControl>& control) {
  const GivesMemoryBack at_the_end(*control);
  SceneDraft draft = draft_scene(wish.key, catalog, compiler_, paths_.assets);
  if (!draft.program || control->cancel) {
    return deliver(std::move(draft.result), wish.key, control, false);
  }
  if (auto ahead = record_ahead(draft, wish, *control)) {
    const bool is_all = (*ahead)->is_whole() ? (*ahead)->is_complete() : whole_is_too_long(**ahead);
    SceneResult first = draft.result;
    complete(*first.scene, std::move(*ahead), wish.block);
    Completion result = deliver(std::move(first), wish.key, control, !is_all);
    if (is_all) {
      return result;
    }
    pool_.hand_over(std::move(result));
    draft.result.is_first = false;
  }
  auto whole = record_blocks(draft.program, draft.schedule, std::nullopt, *control);
  if (whole) {
    complete(*draft.result.scene, std::move(*whole), wish.block);
  } else {
    draft.result.scene.reset();
    draft.result.message = whole.error().message;
  }
  return deliver(std::move(draft.result), wish.key, control, false);
}

void SceneMaker::request_block(const Scene& scene, std::uint32_t block, double now) {
  if (requested_block_ == block) {
    return;
  }
  cancel_job(block_control_);
  block_control_ = std::make_shared<JobControl>();
  requested_block_ = block;
  set_busy(now);
  SceneResult result;
  result.is_first = false;
  result.scene = scene;
  result.scene->recording.reset();  // frees the old recording
  pool_.submit([this, block, key = requested_, result = std::move(result),
                program = scene.recording->shared_program(), schedule = scene.recording->schedule(),
                control = block_control_]() mutable -> Completion {
    if (auto part = record_blocks(program, schedule, part_ahead(program, block), *control)) {
      complete(*result.scene, std::move(*part), block);
    } else {
      result.scene.reset();
      result.message = part.error().message;
    }
    return [this, key, control, result = std::make_shared<SceneResult>(std::move(result))] {
      if (control->cancel) {
        return;
      }
      block_control_.reset();
      busy_ = false;
      if (result->scene) {
        requested_block_.reset();
      }
      take_(std::move(*result), key);
    };
  });
}

Moment moment_of(const record::Recording& recording, std::uint64_t step, std::uint32_t block) {
  Moment moment;
  const Phases phases = phases_of(recording, block);
  if (step == 0 || phases.empty()) {
    return moment;
  }
  for (std::size_t i = 0; i < phases.size() && phases[i].first_step < step; ++i) {
    moment.index = i;
  }
  const record::Phase& phase = phases[moment.index];
  moment.kind = phase.kind;
  moment.tile = phase.tile;
  moment.part = static_cast<std::size_t>(
      std::ranges::count_if(phases.first(moment.index), [&](const record::Phase& before) {
        return before.kind == phase.kind && before.tile == phase.tile;
      }));
  const auto starts = recording.statement_starts();
  const Stretch stretch = statements_of(recording, phase);
  const auto here = static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), step) -
                                             starts.begin());
  moment.statement = here > stretch.first ? here - stretch.first : 0;
  moment.share = static_cast<double>(moment.statement) /
                 static_cast<double>(std::max<std::size_t>(stretch.count, 1));
  // The last phase of a run that was cut is still open.
  const bool is_open = !recording.is_complete() && moment.index + 1 == phases.size();
  moment.at = is_open                             ? Moment::At::Within
              : step >= recording.step_count()    ? Moment::At::End
              : moment.statement >= stretch.count ? Moment::At::PhaseEnd
                                                  : Moment::At::Within;
  return moment;
}

std::uint64_t step_at(const record::Recording& recording, const Moment& moment, std::uint32_t block,
                      bool same_kernel) {
  if (moment.at == Moment::At::End) {
    return recording.step_count();
  }
  const Phases phases = phases_of(recording, block);
  const auto found = find_phase(phases, moment);
  if (moment.at == Moment::At::Start || !found) {
    return 0;
  }
  const Stretch stretch = statements_of(recording, phases[*found]);
  const bool is_alike = same_kernel && phases[*found].kind == moment.kind;
  const auto by_share = static_cast<std::size_t>(
      std::lround(std::min(moment.share, 1.0) * static_cast<double>(stretch.count)));
  const std::size_t into = moment.at == Moment::At::PhaseEnd ? stretch.count
                           : is_alike ? std::min(moment.statement, stretch.count)
                                      : by_share;
  return recording.statement_starts()[stretch.first + into];
}

std::uint64_t first_load_end(const record::Recording& recording, std::uint32_t block) {
  const Phases phases = phases_of(recording, block);
  const auto loads = [](const record::Phase& phase) {
    return phase.kind == PhaseKind::Load || phase.kind == PhaseKind::LoadAndMultiply;
  };
  auto last = std::ranges::find_if(phases, loads);
  if (last == phases.end()) {
    return 0;
  }
  // As and Bs may be loaded in two phases.
  while (std::next(last) != phases.end() && std::next(last)->kind == PhaseKind::Load &&
         std::next(last)->tile == last->tile) {
    ++last;
  }
  if (!recording.is_complete() && std::next(last) == phases.end()) {
    return 0;  // it is still open
  }
  const Stretch stretch = statements_of(recording, *last);
  return recording.statement_starts()[stretch.first + stretch.count];
}

bool holds(const record::Recording& recording, const Moment& moment, std::uint32_t block) {
  if (moment.at == Moment::At::Start || !recording.is_whole() || recording.is_complete()) {
    return true;
  }
  const Phases phases = phases_of(recording, block);
  return moment.at != Moment::At::End && moment.index < phases.size() &&
         step_at(recording, moment, block) < recording.step_count();
}

std::uint32_t block_that_moved(const record::Recording& recording, const state::AppState& state,
                               const record::Activity& statement) {
  const std::uint32_t focus = state.focus.block;
  const bool all_together = state.schedule.kind == simt::ScheduleKind::Lockstep &&
                            recording.part().count() <= simt::resident_blocks(recording.program());
  if (all_together || statement.executed.empty()) {
    return focus;
  }
  const bool moved =
      std::any_of(statement.executed.begin(), statement.executed.end(),
                  [focus](const record::Activity::Executed& e) { return e.warp.block == focus; });
  return moved ? focus : statement.executed.back().warp.block;
}

state::AppState arrived(state::AppState state, const state::OpenOnStage& to,
                        const state::Context& context) {
  if (to.thread) {
    const state::FocusThread thread{state.focus.block, *to.thread};
    state = apply(std::move(state), thread, context);
  }
  if (to.line == 0) {
    return state;
  }
  state = apply(std::move(state), state::SeekStart{}, context);
  state = apply(std::move(state), state::RunToLine{to.line}, context);
  return to.beside == state::Beside::Memory || to.beside == state::Beside::Warp
             ? apply(std::move(state), state::Step{state::Unit::Statement, +1}, context)
             : state;
}

}  // namespace tilestep::workspace
