#include "workspace/followers.h"

#include "insight/count/access_layout.h"
#include "insight/names.h"
#include "loading/prepare.h"
#include "problem/tr.h"
#include "record/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilestep::workspace {
namespace {

std::shared_ptr<const insight::BlockSums> follow_sums(const record::Recording& recording,
                                                      std::uint32_t block,
                                                      const JobControl& control) {
  return std::make_shared<const insight::BlockSums>(
      recording, block, insight::BlockSums::kMostValues, &control.cancel);
}

// Following an element executes the run and its blocks again. Longer runs are followed only for a
// chosen cell, and not compared.
constexpr std::uint64_t kShortRun = 1'000'000;  // steps
constexpr const char* kElsewhere = "naive";

// Longer runs are not searched for the accesses of one warp.
constexpr std::uint64_t kShortEnough = 1'000'000;  // steps
constexpr std::size_t kStatementsAtOnce = 1024;  // limit of statements whose accesses are in memory

void add_stored(const record::Access& access, std::uint32_t block,
                std::set<std::uint64_t>& stored) {
  const simt::MemoryEvent& event = access.event;
  if (access.warp.block != block || event.space != ptx::Space::Shared ||
      event.kind == simt::AccessKind::Load) {
    return;
  }
  for (std::uint32_t lanes = event.mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t address =
        event.addresses[static_cast<std::size_t>(std::countr_zero(lanes))];
    for (std::uint32_t byte = 0; byte < event.bytes; byte += insight::kBankBytes) {
      stored.insert(address + byte);
    }
  }
}

void add_accesses(simt::WarpId warp, ContrastRun& run) {
  const auto starts = run.recording->statement_starts();
  record::State state = run.recording->state_at(0);
  for (std::size_t i = 0; i + 1 < starts.size(); i += kStatementsAtOnce) {
    const std::size_t next = std::min(i + kStatementsAtOnce, starts.size() - 1);
    for (const record::Access& access : run.recording->advance(state, starts[next]).accesses) {
      add_stored(access, warp.block, run.stored);
      if (access.warp == warp) {
        run.accesses.push_back(access);
      }
    }
  }
}

// Records one kernel of the contrast with only this block; no recording if it cannot be launched
// so.
ContrastRun record_one(const SceneKey& key, const problem::Catalog& catalog,
                       compile::Compiler& compiler, const Paths& paths, simt::WarpId warp,
                       JobControl& control) {
  ContrastRun run;
  SceneDraft draft = draft_scene(key, catalog, compiler, paths.assets);
  if (!draft.program || warp.block >= draft.program->block_count()) {
    return run;
  }
  auto recording = record_blocks(draft.program, draft.schedule,
                                 simt::BlockPart{warp.block, warp.block + 1}, control);
  if (recording && (*recording)->step_count() <= kShortEnough) {
    run.recording = std::move(*recording);
    run.source = std::move(draft.result.source);
    add_accesses(warp, run);
  }
  return run;
}

using record::EventKind;

// The chosen cell by its name in the analyses; else the watched one.
std::string target_of(const state::AppState& state) {
  const state::Focus& focus = state.focus;
  return focus.cell_name.empty() ? state.watch : focus.cell_name;
}

insight::EventQuestion question_of(const state::RunToEvent& command, const state::AppState& state) {
  return {.kind = command.kind,
          .from = state.step,
          .direction = command.direction,
          .block = state.focus.block,
          .thread = state.focus.thread,
          .what = command.kind == EventKind::Access ? target_of(state) : state.watch,
          .findings = {}};
}

insight::StopQuestion question_of(const state::RunToBreakpoint& command,
                                  const state::AppState& state) {
  insight::StopQuestion question{.from = state.step,
                                 .direction = command.direction,
                                 .block = state.focus.block,
                                 .thread = state.focus.thread,
                                 .breakpoints = {},
                                 .findings = {}};
  for (const int line : state.breakpoints) {
    const auto condition = state.conditions.find(line);
    question.breakpoints[line] = condition == state.conditions.end() ? "" : condition->second;
  }
  return question;
}

// True for commands that change only the appearance, or another tab.
bool leaves_place(const state::Command& command) {
  return command.is<state::SetCamera>() || command.is<state::SetTheme>() ||
         command.is<state::SetLanguage>() || command.is<state::SetScale>() ||
         command.is<state::ShowInspector>() || command.is<state::ShowPalette>() ||
         command.is<state::ShowKeys>();
}

bool needs_findings(const insight::EventQuestion& question) {
  return question.kind == EventKind::Finding;
}
bool needs_findings(const insight::StopQuestion&) {
  return true;
}

insight::EventAnswer answer_to(const record::Recording& recording,
                               const insight::EventQuestion& question,
                               const std::atomic<bool>& cancel) {
  return find_event(recording, question, &cancel);
}
insight::EventAnswer answer_to(const record::Recording& recording,
                               const insight::StopQuestion& question,
                               const std::atomic<bool>& cancel) {
  return find_stop(recording, question, &cancel);
}

}  // namespace

const std::shared_ptr<const insight::BlockSums>& SumFollower::follow(const Scene& scene,
                                                                     std::uint32_t block) {
  const record::Recording& run = *scene.recording;
  if (is_for(scene.recording, block)) {
    return sums_;
  }
  recording_ = scene.recording;
  block_ = block;
  sums_.reset();
  if (!run.part().holds(block)) {
    return sums_;
  }
  for (const auto& known : {scene.first_sums, scene.focus_sums}) {
    sums_ = known && known->block() == block ? known : sums_;
  }
  if (!sums_ && run.steps_to_follow(block) <= kQuicklyFollowed) {
    sums_ = std::make_shared<const insight::BlockSums>(run, block);
  }
  if (!sums_ || !scene.first_sums) {
    request(scene, block);
  }
  return sums_;
}

void SumFollower::stop() {
  if (control_) {
    control_->cancel = true;
  }
}

void SumFollower::cancel() {
  stop();
  if (!sums_) {
    recording_.reset();  // they are followed again on the next request
  }
}

void SumFollower::request(const Scene& scene, std::uint32_t block) {
  stop();
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording = scene.recording, block, own = sums_, first = scene.first_sums,
                control = control_]() mutable -> Completion {
    if (control->cancel) {
      return {};
    }
    if (!own) {
      own = follow_sums(*recording, block, *control);
    }
    const std::uint32_t first_block = recording->part().first;
    if (!first) {
      first = block == first_block ? own : follow_sums(*recording, first_block, *control);
    }
    if (control->cancel) {
      return {};
    }
    return [this, recording, block, own, first] {
      if (is_for(recording, block)) {
        sums_ = own;
      }
      take_(recording, first);
    };
  });
}

std::optional<std::size_t> chosen_sum(const insight::BlockSums& sums, const state::Focus& focus,
                                      StatementSteps statement) {
  const insight::BlockSums::Range own = sums.of_thread(focus.thread);
  for (std::size_t i = own.first; focus.sum < 0 && i < own.last; ++i) {
    const insight::SumNow now = sums.now(i, statement.last);
    if (now.assigned && now.values > 0 && now.step >= statement.first) {
      return i;
    }
  }
  return sums.of_thread(focus.thread, focus.sum);
}

std::shared_ptr<const insight::CellFlow> FlowFollower::follow(const Scene& scene,
                                                              const state::AppState& state) {
  const std::string& cell = pointed_.empty() ? state.focus.cell_name : pointed_;
  const bool is_too_long = !pointed_.empty() && scene.recording->step_count() > kShortRun;
  if (cell.empty() || is_too_long) {
    cancel();
    asked_.reset();
    return nullptr;
  }
  const auto found = insight::find_cell(scene.recording->program(), cell);
  const bool is_shared = found && found->shared;
  const insight::FlowQuestion question{cell, is_shared ? state.step : 0, state.focus.block};
  if (recording_.lock() != scene.recording || asked_ != question) {
    const bool same_cell = recording_.lock() == scene.recording && asked_ && asked_->cell == cell;
    recording_ = scene.recording;
    asked_ = question;
    if (!same_cell) {
      flow_.reset();
    }
    request(scene, state);
  }
  return flow_;
}

void FlowFollower::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  control_.reset();
  flow_.reset();
}

void FlowFollower::forget() {
  cancel();
  asked_.reset();
}

void FlowFollower::request(const Scene& scene, const state::AppState& state) {
  if (control_) {
    control_->cancel = true;
  }
  control_ = std::make_shared<JobControl>();
  const problem::LaunchSpec* other =
      state.kernel != kElsewhere && scene.recording->step_count() <= kShortRun
          ? catalog_->find(kElsewhere)
          : nullptr;
  pool_.submit([this, recording = scene.recording, question = *asked_, control = control_,
                spec = other != nullptr ? std::optional(*other) : std::nullopt,
                parameters = state.parameters, input = state.input]() -> Completion {
    if (control->cancel) {
      return {};
    }
    std::optional<std::uint64_t> elsewhere;
    if (spec) {
      const auto prepared = loading::prepare(compiler_, *spec, parameters, input, {});
      elsewhere = prepared ? insight::count_loads(prepared->program, question.cell) : std::nullopt;
    }
    auto found = insight::cell_flow(*recording, question, elsewhere, kElsewhere);
    const auto flow =
        found ? std::make_shared<const insight::CellFlow>(std::move(*found)) : nullptr;
    return [this, control, flow] {
      if (control_ == control) {
        flow_ = flow;
      }
    };
  });
}

std::shared_ptr<const std::vector<ContrastRun>> ContrastFollower::follow(
    const Scene& scene, const state::AppState& state, const SceneKey& key) {
  const bool is_shown = state.show_memory && state.show_contrast && !state.comparison.on &&
                        scene.recording->step_count() <= kShortEnough &&
                        catalog_->contrast_of(scene.kernel_id) != nullptr;
  if (!is_shown) {
    cancel();
    return nullptr;
  }
  const auto lanes = static_cast<std::uint32_t>(scene.recording->program().warp_size());
  const std::pair warp(state.focus.block, state.focus.thread / lanes);
  if (recording_.lock() != scene.recording || warp_ != warp) {
    cancel();
    recording_ = scene.recording;
    warp_ = warp;
    request(scene, key, warp.first, warp.second);
  }
  return runs_;
}

void ContrastFollower::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  control_.reset();
  recording_.reset();
  runs_.reset();
}

void ContrastFollower::request(const Scene& scene, const SceneKey& key, std::uint32_t block,
                               std::uint32_t warp) {
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, key, own = scene.recording, id = simt::WarpId{block, warp},
                source = scene.spec.source, catalog = catalog_,
                control = control_]() -> Completion {
    auto runs = std::make_shared<std::vector<ContrastRun>>();
    for (const std::string& kernel : *catalog->contrast_of(key.kernel)) {
      if (control->cancel) {
        return {};
      }
      const problem::LaunchSpec* const spec = catalog->find(kernel);
      if (spec == nullptr) {
        continue;  // the catalog lists a kernel that it does not have
      }
      SceneKey other = key;
      other.kernel = kernel;
      other.edited_source.clear();
      other.file_source.clear();
      const bool is_own = kernel == key.kernel;
      ContrastRun run = is_own ? ContrastRun{true, "", source, own, {}, {}}
                               : record_one(other, *catalog, compiler_, paths_, id, *control);
      if (is_own) {
        add_accesses(id, run);
      }
      run.title = tr(spec->title.c_str());
      if (run.recording) {
        runs->push_back(std::move(run));
      }
    }
    return [this, control, runs] {
      if (control_ == control) {
        runs_ = runs;
      }
    };
  });
}

insight::EventAnswer finding_on_the_way(const record::Recording& recording, std::uint64_t from,
                                        std::uint64_t to, const insight::CheckResult* check) {
  if (check == nullptr || from == to) {
    return {};
  }
  const insight::EventAnswer next = insight::find_event(recording, {.kind = EventKind::Finding,
                                                                    .from = from,
                                                                    .direction = +1,
                                                                    .block = 0,
                                                                    .thread = 0,
                                                                    .what = {},
                                                                    .findings = check->findings,
                                                                    .first_only = true});
  return next.found && next.stop <= to ? next : insight::EventAnswer{};
}

void EventRunner::notice(const state::Command& command, const state::AppState& state) {
  if (const auto* event = command.as<state::RunToEvent>()) {
    cancel();
    waiting_ = std::make_shared<Question>(question_of(*event, state));
    const Message kind = word_of(event->kind).label;
    looking_for_ = event->direction > 0 ? tr("Looking for the next {} …", kind)
                                        : tr("Looking for the previous {} …", kind);
  } else if (const auto* run = command.as<state::RunToBreakpoint>()) {
    cancel();
    waiting_ = std::make_shared<Question>(question_of(*run, state));
    looking_for_ = tr(run->direction > 0 ? "Continuing …" : "Running back …");
  } else if (!leaves_place(command)) {
    cancel();
  }
}

void EventRunner::pursue(const std::shared_ptr<const record::Recording>& recording,
                         const insight::CheckResult* check) {
  if (control_ && recording_.lock() != recording) {
    cancel();  // another run is on stage
  }
  if (!waiting_ || recording == nullptr) {
    return;
  }
  const bool can_search = std::visit(
      [&](auto& question) {
        if (check != nullptr) {
          question.findings = check->findings;
        }
        return check != nullptr || !needs_findings(question);
      },
      *waiting_);
  if (!can_search) {
    return;
  }
  recording_ = recording;
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording, question = std::exchange(waiting_, nullptr),
                control = control_]() -> Completion {
    const insight::EventAnswer answer = std::visit(
        [&](const auto& q) { return answer_to(*recording, q, control->cancel); }, *question);
    return [this, answer, control] {
      if (control_ == control) {
        cancel();
        take_(answer);
      }
    };
  });
}

void EventRunner::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  control_.reset();
  waiting_.reset();
  looking_for_.clear();
}

}  // namespace tilestep::workspace
