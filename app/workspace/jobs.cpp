#include "workspace/jobs.h"

#include "loading/prepare.h"

#include <utility>

namespace tilestep::workspace {

SceneKey::SceneKey(const state::AppState& state)
    : kernel(state.kernel),
      edited_source(state.edited_source),
      parameters(state.parameters),
      input(state.input),
      schedule(state.schedule),
      warp_size(state.warp_size) {}

SceneResult make_scene(const SceneKey& key, const problem::Catalog& catalog,
                       compile::Compiler& compiler, JobControl& control) {
  SceneResult result;
  auto spec = problem::find_spec(catalog, key.kernel);
  if (!spec) {
    result.message = spec.error().message;
    return result;
  }
  if (!key.edited_source.empty()) {
    spec->source = key.edited_source;
  }
  result.source = spec->source;
  auto prepared = loading::prepare(compiler, *spec, key.parameters, key.input,
                                   {compile::Build::Step, key.warp_size});
  if (!prepared) {
    result.message = prepared.error().error.message;
    result.diagnostics = std::move(prepared.error().diagnostics);
    return result;
  }
  result.diagnostics = prepared->kernel.output.diagnostics;
  record::Options options;
  options.cancel = &control.cancel;
  options.progress = &control.progress;
  auto recording = record::Recording::make(std::move(prepared->program), key.schedule, options);
  if (!recording) {
    result.message = recording.error().message;
    return result;
  }
  Scene scene;
  scene.first_sums = std::make_shared<const insight::BlockSums>(**recording, 0);
  scene.accumulator = scene.first_sums->common_name();
  scene.expected = problem::expected_outputs(prepared->launch);
  scene.recording = std::move(*recording);
  scene.spec = std::move(*spec);
  scene.launch = std::move(prepared->launch);
  scene.kernel = std::move(prepared->kernel);
  result.scene = std::move(scene);
  return result;
}

Analysis analyse(const Scene& scene, const SceneKey& key, compile::Compiler& compiler,
                 JobControl& control) {
  Analysis analysis;
  analysis.check = insight::check(scene.recording->shared_program(), key.schedule, &control.cancel);
  if (control.cancel) {
    return analysis;
  }
  const auto fast = loading::prepare(compiler, scene.launch);
  if (fast && !control.cancel) {
    simt::Machine machine(fast->program);
    simt::Scheduler scheduler(*fast->program, {simt::ScheduleKind::Sequential});
    insight::Counter counter(*fast->program);
    const auto stop = [](void* cancel) { return static_cast<std::atomic<bool>*>(cancel)->load(); };
    const std::uint64_t steps =
        simt::run_to_end(machine, scheduler, &counter, stop, &control.cancel);
    if (!control.cancel) {
      analysis.counters = counter.counters();
      analysis.counters->warp_instructions = steps;
    }
  }
  return analysis;
}

}  // namespace tilestep::workspace
