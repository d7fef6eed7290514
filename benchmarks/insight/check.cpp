// The cost of check(): races, bounds, uninitialised reads and counters, on one core.
//
// Budget (docs/benchmarks.md): N = 128, BLOCK_SIZE 16: 5 ms on the fast build, 12 ms on the step
// build. `ns_per_instruction` is per executed warp instruction; `plain` is the same run with no
// observer, for the ratio.
#include "insight/check/check.h"

#include "insight/check/screen.h"
#include "simulated.h"
#include "workspace/pool.h"

#include <benchmark/benchmark.h>

namespace tilestep {
namespace {

std::shared_ptr<const simt::Program> program_of(const benchmark::State& state) {
  test::Simulated simulated;
  const int n = static_cast<int>(state.range(0));
  return simulated.program("tiled", {n, n, n}, static_cast<int>(state.range(1)),
                           state.range(2) != 0 ? compile::Build::Step : compile::Build::Fast);
}

void set_rate(benchmark::State& state, std::uint64_t steps) {
  state.counters["warp_instructions"] = static_cast<double>(steps);
  state.counters["ns_per_instruction"] = benchmark::Counter(
      static_cast<double>(steps) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

std::uint64_t run(const std::shared_ptr<const simt::Program>& program, simt::Observer* observer) {
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  return simt::run_to_end(machine, scheduler, observer);
}

void plain(benchmark::State& state) {
  const auto program = program_of(state);
  std::uint64_t steps = 0;
  for (auto _ : state) {
    steps = run(program, nullptr);
  }
  set_rate(state, steps);
}

void everything(benchmark::State& state) {
  const auto program = program_of(state);
  std::uint64_t steps = 0;
  for (auto _ : state) {
    insight::Screen screen(*program);
    steps = run(program, &screen);
    benchmark::DoNotOptimize(screen.suspects().any);
  }
  set_rate(state, steps);
}

// With the comparison of C against the host's reference.
void whole_check(benchmark::State& state) {
  const auto program = program_of(state);
  std::uint64_t steps = 0;
  for (auto _ : state) {
    const insight::CheckResult result = insight::check(program, {simt::ScheduleKind::Sequential});
    if (!result.clean()) {
      state.SkipWithError("the tiled kernel is clean");
    }
    steps = result.warp_instructions;
  }
  set_rate(state, steps);
}

// Blocks distributed over cores.
void check_on_cores(benchmark::State& state) {
  const auto program = program_of(state);
  const auto cores = workspace::cores(static_cast<std::size_t>(state.range(3)));
  std::uint64_t steps = 0;
  for (auto _ : state) {
    steps = insight::check(program, {simt::ScheduleKind::Sequential}, nullptr, nullptr, cores)
                .warp_instructions;
  }
  set_rate(state, steps);
}

void counters_only(benchmark::State& state) {
  const auto program = program_of(state);
  std::uint64_t steps = 0;
  for (auto _ : state) {
    steps = insight::count(program).warp_instructions;
  }
  set_rate(state, steps);
}

// A kernel with races is executed twice: the second run finds the details for the findings.
void with_findings(benchmark::State& state) {
  test::Simulated simulated;
  const int n = static_cast<int>(state.range(0));
  const auto program =
      simulated.program("tiled_missing_barrier", {n, n, n}, static_cast<int>(state.range(1)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        insight::check(program, {simt::ScheduleKind::Sequential}).findings.size());
  }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"N", "BLOCK_SIZE", "step_build"})->Unit(benchmark::kMillisecond);
  for (const int step_build : {0, 1}) {
    for (const int block_size : {4, 8, 16, 32}) {
      benchmark->Args({128, block_size, step_build});
    }
  }
}
BENCHMARK(plain)->Apply(sizes);
BENCHMARK(everything)->Apply(sizes);
BENCHMARK(whole_check)->Apply(sizes);
BENCHMARK(check_on_cores)
    ->ArgNames({"N", "BLOCK_SIZE", "step_build", "cores"})
    ->ArgsProduct({{512}, {16}, {0, 1}, {1, 2, 4}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(counters_only)
    ->ArgNames({"N", "BLOCK_SIZE", "step_build"})
    ->Args({512, 16, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(with_findings)
    ->ArgNames({"N", "BLOCK_SIZE"})
    ->Args({128, 16})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilestep
