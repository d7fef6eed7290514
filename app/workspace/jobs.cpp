#include "workspace/jobs.h"

#include "loading/loader.h"
#include "loading/program.h"

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
  auto launch = problem::evaluate(*spec, key.parameters, key.input);
  if (!launch) {
    result.message = launch.error().message;
    return result;
  }
  auto kernel = loading::load_kernel(compiler, *launch, compile::Build::Step);
  if (!kernel) {
    result.message = kernel.error().error.message;
    result.diagnostics = std::move(kernel.error().diagnostics);
    return result;
  }
  result.diagnostics = kernel->output.diagnostics;
  auto program = loading::make_program(*kernel, nullptr, *launch, key.warp_size);
  if (!program) {
    result.message = program.error().message;
    return result;
  }
  record::Options options;
  options.cancel = &control.cancel;
  options.progress = &control.progress;
  auto recording = record::Recording::make(std::move(*program), key.schedule, options);
  if (!recording) {
    result.message = recording.error().message;
    return result;
  }
  Scene scene;
  scene.accumulator = insight::accumulator_name(**recording);
  scene.expected = problem::expected_outputs(*launch);
  scene.recording = std::move(*recording);
  scene.spec = std::move(*spec);
  scene.launch = std::move(*launch);
  scene.kernel = std::move(*kernel);
  result.scene = std::move(scene);
  return result;
}

Analysis analyse(const Scene& scene, const SceneKey& key, compile::Compiler& compiler,
                 JobControl& control) {
  Analysis analysis;
  auto program = loading::make_program(scene.kernel, nullptr, scene.launch, key.warp_size);
  if (program) {
    analysis.check = insight::check(*program, key.schedule, &control.cancel);
  }
  auto fast = loading::load_kernel(compiler, scene.launch, compile::Build::Fast);
  if (control.cancel || !fast) {
    return analysis;
  }
  auto fast_program = loading::make_program(*fast, &scene.kernel, scene.launch);
  if (fast_program) {
    simt::Machine machine(*fast_program);
    simt::Scheduler scheduler(**fast_program, {simt::ScheduleKind::Sequential});
    insight::Counter counter(**fast_program);
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
