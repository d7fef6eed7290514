#include "workspace/jobs.h"

#include "clock/places.h"
#include "loading/prepare.h"

#include <algorithm>

namespace tilestep::workspace {

namespace {

// Recorded in a twentieth of a second.
constexpr std::uint64_t kStepsAhead = 100'000;

// Steps of tuned kernels are slow: 0.4 µs.
constexpr std::uint64_t kStartSteps = 150'000;

// The steps of one block alone, up to the relevant limit: it may wait for another block forever.
std::uint64_t steps_alone(const std::shared_ptr<const simt::Program>& program,
                          std::uint32_t block) {
  const simt::BlockPart part{block, block + 1};
  simt::Machine machine(program, part);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential}, part);
  std::uint64_t steps = 0;
  while (steps < kStepsAhead && scheduler.step(machine, nullptr)) {
    ++steps;
  }
  return steps;
}

record::Options options_under(JobControl& control) {
  record::Options options;
  options.cancel = &control.cancel;
  options.progress = &control.progress;
  options.keyframe_bytes = control.keyframe_bytes;
  return options;
}

}  // namespace

CatalogPtr with_kernel(const problem::Catalog& catalog, problem::LaunchSpec spec) {
  auto with_it = std::make_shared<problem::Catalog>(catalog);
  std::erase_if(with_it->kernels,
                [&spec](const problem::LaunchSpec& known) { return known.id == spec.id; });
  with_it->kernels.push_back(std::move(spec));
  return with_it;
}

SceneDraft draft_scene(const SceneKey& key, const problem::Catalog& catalog,
                       compile::Compiler& compiler, const std::filesystem::path& assets) {
  SceneDraft draft;
  SceneResult& result = draft.result;
  auto spec = problem::find_spec(catalog, key.kernel);
  if (!spec) {
    result.message = spec.error().message;
    return draft;
  }
  const std::string unedited = spec->source;
  if (const std::string& text = key.edited_source.empty() ? key.file_source : key.edited_source;
      !text.empty()) {
    spec->source = text;
  }
  result.source = spec->source;
  auto prepared =
      loading::prepare(compiler, *spec, key.parameters, key.input, {key.build, key.warp_size});
  if (!prepared) {
    result.message = prepared.error().error.message;
    result.diagnostics = std::move(prepared.error().diagnostics);
    return draft;
  }
  result.diagnostics = prepared->kernel.output.diagnostics;
  auto schedule = clock::with_clocks(key.schedule, prepared->program, compiler, *spec,
                                     key.parameters, key.input, assets / "clock");
  if (!schedule) {
    result.message = schedule.error().message;
    return draft;
  }
  draft.schedule = *std::move(schedule);
  Scene scene;
  scene.kernel_id = key.kernel;
  scene.unedited = unedited;
  scene.expected = problem::expected_outputs(prepared->launch);
  scene.spec = std::move(*spec);
  scene.launch = std::move(prepared->launch);
  scene.kernel = std::move(prepared->kernel);
  result.scene = std::move(scene);
  draft.program = std::move(prepared->program);
  return draft;
}

std::optional<simt::BlockPart> part_ahead(const std::shared_ptr<const simt::Program>& program,
                                          std::uint32_t block) {
  const std::uint32_t blocks = program->block_count();
  block = std::min(block, blocks - 1);
  const std::uint64_t steps = std::max<std::uint64_t>(steps_alone(program, block), 1);
  const auto count = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kStepsAhead / steps, 1, simt::resident_blocks(*program)));
  if (blocks <= count) {
    return std::nullopt;
  }
  const std::uint32_t first = block / count * count;
  return simt::BlockPart{first, std::min(blocks, first + count)};
}

Result<std::shared_ptr<const record::Recording>> record_blocks(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
    std::optional<simt::BlockPart> part, JobControl& control) {
  record::Options options = options_under(control);
  options.part = part;
  return record::Recording::make(std::move(program), schedule, options);
}

Result<std::shared_ptr<const record::Recording>> record_start(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
    JobControl& control) {
  record::Options options = options_under(control);
  options.only_steps = kStartSteps;
  return record::Recording::make(std::move(program), schedule, options);
}

bool whole_is_too_long(const record::Recording& part) {
  const double share = static_cast<double>(part.part().count()) / part.program().block_count();
  return static_cast<double>(part.step_count()) / share >
         static_cast<double>(record::Options{}.max_steps);
}

void complete(Scene& scene, std::shared_ptr<const record::Recording> recording,
              std::uint32_t focus) {
  scene.recording = std::move(recording);
  const record::Recording& run = *scene.recording;
  const auto follow = [&run](std::uint32_t block) {
    return run.steps_to_follow(block) <= kFollowedOnTheWay
               ? std::make_shared<const insight::BlockSums>(run, block)
               : nullptr;
  };
  const std::uint32_t first = run.part().first;
  if (auto sums = follow(first)) {
    take_first_sums(scene, std::move(sums));
  }
  focus = std::min(focus, run.program().block_count() - 1);
  scene.focus_sums = focus != first && run.part().holds(focus) ? follow(focus) : nullptr;
}

void take_first_sums(Scene& scene, std::shared_ptr<const insight::BlockSums> sums) {
  scene.accumulator = sums->common_name();
  scene.first_sums = std::move(sums);
}

Analysis analyse(const std::shared_ptr<const simt::Program>& program,
                 const simt::Schedule& schedule, compile::Compiler& compiler, JobControl& control) {
  Analysis analysis;
  analysis.check = std::make_shared<const insight::CheckResult>(
      insight::check(program, schedule, &control.cancel, nullptr, {}, insight::Watched::All));
  if (control.cancel) {
    return analysis;
  }
  const auto fast = loading::prepare(compiler, program->launch());
  if (fast && !control.cancel) {
    simt::Machine machine(fast->program);
    simt::Scheduler scheduler(*fast->program, {simt::ScheduleKind::Sequential});
    insight::Counter counter(*fast->program);
    const auto stop = [](void* cancel) { return static_cast<std::atomic<bool>*>(cancel)->load(); };
    const std::uint64_t steps =
        simt::run_to_end(machine, scheduler, &counter, stop, &control.cancel);
    if (!control.cancel) {
      insight::Counters counted = counter.counters();
      counted.warp_instructions = steps;
      analysis.counters = std::make_shared<const insight::Counters>(counted);
    }
  }
  return analysis;
}

}  // namespace tilestep::workspace
