// The speed of the machine, and the cost of a snapshot.
//
// "ns" per warp instruction is the number to compare: plain execution (no observer), one core.
#include "simt/machine/machine.h"

#include "catalog_launch.h"
#include "compile/compiler.h"
#include "loading/prepare.h"
#include "simt/machine/schedule.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace tilestep::simt {
namespace {

std::shared_ptr<const Program> program(const std::string& id, int n, int block_size,
                                       compile::Build build) {
  compile::Compiler compiler{compile::CacheOptions{}};
  const auto prepared =
      loading::prepare(compiler, test::launch_of(id, {n, n, n}, block_size), {build});
  if (!prepared) {
    throw std::runtime_error(prepared.error().error.message);
  }
  return prepared->program;
}

void report(benchmark::State& state, std::uint64_t steps) {
  state.counters["warp-instructions"] = static_cast<double>(steps);
  state.counters["ns each"] =
      benchmark::Counter(static_cast<double>(steps) * static_cast<double>(state.iterations()) / 1e9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void execute(benchmark::State& state, const char* id, compile::Build build, ScheduleKind kind) {
  const auto launch =
      program(id, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), build);
  std::uint64_t steps = 0;
  for (auto _ : state) {
    Machine machine(launch);
    Scheduler scheduler(*launch, {kind});
    steps = run_to_end(machine, scheduler, nullptr);
    benchmark::DoNotOptimize(machine.done());
  }
  report(state, steps);
}

// An observer that receives every memory event and does nothing with it: the cost of events alone.
struct Listener : Observer {
  std::uint64_t lanes = 0;
  void on_memory(const StepInfo&, const MemoryEvent& event) override { lanes += event.mask; }
};

void listen(benchmark::State& state, const char* id, compile::Build build) {
  const auto launch =
      program(id, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), build);
  Listener listener;
  std::uint64_t steps = 0;
  for (auto _ : state) {
    Machine machine(launch);
    Scheduler scheduler(*launch, {ScheduleKind::Sequential});
    steps = run_to_end(machine, scheduler, &listener);
  }
  benchmark::DoNotOptimize(listener.lanes);
  report(state, steps);
}

// A copy of a lockstep run in its middle: every block is running.
void snapshot(benchmark::State& state, compile::Build build) {
  const auto launch =
      program("tiled", static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), build);
  Machine machine(launch);
  Scheduler scheduler(*launch, {ScheduleKind::Lockstep});
  for (int step = 0; step < 5000; ++step) {
    scheduler.step(machine, nullptr);
  }
  for (auto _ : state) {
    Machine copy(machine);
    benchmark::DoNotOptimize(copy);
  }
  state.counters["bytes"] = static_cast<double>(machine.footprint());
}

void make_program(benchmark::State& state, compile::Build build) {
  compile::Compiler compiler{compile::CacheOptions{}};
  const problem::Launch launch = test::launch_of("tiled", {16, 16, 16}, 16);
  const auto kernel = loading::load_kernel(compiler, launch, build);
  for (auto _ : state) {
    auto made = loading::make_program(*kernel, launch);
    benchmark::DoNotOptimize(made);
  }
}

constexpr auto kFast = compile::Build::Fast;
constexpr auto kStep = compile::Build::Step;

BENCHMARK_CAPTURE(execute, tiled_fast, "tiled", kFast, ScheduleKind::Sequential)
    ->Args({128, 16})
    ->Args({128, 32})
    ->Args({128, 8})
    ->Args({128, 4})
    ->Args({512, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(execute, tiled_step, "tiled", kStep, ScheduleKind::Sequential)
    ->Args({128, 16})
    ->Args({128, 32})
    ->Args({128, 8})
    ->Args({128, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(execute, naive_fast, "naive", kFast, ScheduleKind::Sequential)
    ->Args({128, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(execute, submatrix_step, "submatrix", kStep, ScheduleKind::Sequential)
    ->Args({128, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(execute, tiled_step_lockstep, "tiled", kStep, ScheduleKind::Lockstep)
    ->Args({64, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(listen, tiled_fast, "tiled", kFast)
    ->Args({128, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(listen, tiled_step, "tiled", kStep)
    ->Args({128, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snapshot, tiled_step, kStep)
    ->Args({8, 4})
    ->Args({64, 16})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_program, tiled_fast, kFast)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_program, tiled_step, kStep)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilestep::simt
