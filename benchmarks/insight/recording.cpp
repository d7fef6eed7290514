// The cost of a recording: making it, seeking in it, stepping forward. (Sums: benchmark_sums.)
//
// Budget (docs/benchmarks.md): any step backward or seek at N = 64 within one frame, 16 ms; edit to
// stage 150 ms at N = 16, which includes recording.
#include "record/recording.h"

#include "simulated.h"

#include <benchmark/benchmark.h>

#include <random>

namespace tilestep {
namespace {

std::shared_ptr<const simt::Program> program_of(const benchmark::State& state) {
  test::Simulated simulated;
  const int n = static_cast<int>(state.range(0));
  return simulated.program("tiled", {n, n, n}, static_cast<int>(state.range(1)));
}

std::shared_ptr<const record::Recording> recording_of(const benchmark::State& state) {
  return *record::Recording::make(program_of(state), {});
}

void make(benchmark::State& state) {
  const auto program = program_of(state);
  std::uint64_t steps = 0;
  for (auto _ : state) {
    steps = (*record::Recording::make(program, {}))->step_count();
  }
  state.counters["steps"] = static_cast<double>(steps);
}

void seek(benchmark::State& state) {
  const auto recording = recording_of(state);
  std::mt19937_64 random(1);
  for (auto _ : state) {
    const std::uint64_t k = random() % (recording->step_count() + 1);
    benchmark::DoNotOptimize(recording->state_at(k).step());
  }
}

// A budget for "any seek" is about the worst of many places. They are random: evenly spaced ones
// would have the same distance from keyframes.
void seek_worst(benchmark::State& state) {
  const auto recording = recording_of(state);
  double worst = 0.0;
  for (auto _ : state) {
    std::mt19937_64 random(2);
    worst = 0.0;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t k = random() % (recording->step_count() + 1);
      const auto start = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(recording->state_at(k).step());
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      worst = std::max(worst, took.count());
    }
  }
  state.counters["worst_ms"] = worst;
}

void next_statement(benchmark::State& state) {
  const auto recording = recording_of(state);
  const auto starts = recording->statement_starts();
  record::State here = recording->state_at(0);
  std::size_t statement = 0;
  for (auto _ : state) {
    statement = statement + 1 < starts.size() ? statement + 1 : 1;
    here = recording->state_at(starts[statement], std::move(here));
  }
}

void activity_of_a_statement(benchmark::State& state) {
  const auto recording = recording_of(state);
  const auto starts = recording->statement_starts();
  const std::size_t middle = starts.size() / 2;
  const record::State here = recording->state_at(starts[middle]);
  for (auto _ : state) {
    record::State after = here;
    benchmark::DoNotOptimize(recording->advance(after, starts[middle + 1]).accesses.size());
  }
}

void variables_of_a_block(benchmark::State& state) {
  const auto recording = recording_of(state);
  const record::State here = recording->state_at(recording->step_count() / 2);
  const std::uint32_t threads = recording->program().threads_per_block();
  for (auto _ : state) {
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      benchmark::DoNotOptimize(here.variable(0, thread, "acc")->bytes.size());
    }
  }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"N", "BLOCK_SIZE"})->Unit(benchmark::kMillisecond);
  benchmark->Args({16, 4});
  for (const int block_size : {16, 8, 4, 3, 2, 1}) {
    benchmark->Args({64, block_size});
  }
}
BENCHMARK(make)->Apply(sizes);
BENCHMARK(seek)->Apply(sizes);
BENCHMARK(seek_worst)->Apply(sizes)->Iterations(1);
BENCHMARK(next_statement)->Apply(sizes);
BENCHMARK(activity_of_a_statement)->Apply(sizes);
BENCHMARK(variables_of_a_block)->Apply(sizes);

}  // namespace
}  // namespace tilestep
