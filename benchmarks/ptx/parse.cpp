// Reading PTX: the catalog's files from the golden tests, and one of the length that `#include
// <cooperative_groups.h>` produces (about 900 kB). The budget is 1 ms for the tiled kernel, both
// builds.
#include "ptx/parse.h"

#include "folders.h"
#include "ptx/model/module.h"
#include "ptx/text/parsed_text.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace {

namespace ptx = tilestep::ptx;
using tilestep::Result;

std::string input(const std::string& name) {
  const std::string path =
      tilestep::test::source_folder().string() + "/tests/ptx/golden/" + name + "/input.ptx";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The body of one function, repeated under other names.
std::string long_file() {
  std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n";
  for (int copy = 0; text.size() < 900'000; ++copy) {
    text += fmt::format(".visible .entry k{}(.param .u64 p)\n{{\n.reg .pred %p<3>;\n", copy);
    text += ".reg .b32 %r<40>;\n.reg .f32 %f<40>;\n.reg .b64 %rd<40>;\nld.param.u64 %rd1, [p];\n";
    for (int i = 0; i < 30; ++i) {
      text += fmt::format(
          "$L__BB{0}_{1}:\n\t.loc\t1 {1} 3\n\tld.f32 \t%f{1}, [%rd1+{1}];\n"
          "\tmul.f32 \t%f30, %f{1}, %f31;\n\tadd.s32 \t%r{1}, %r1, 1;\n"
          "\tsetp.lt.s32 \t%p1, %r{1}, 4;\n\t@%p1 bra \t$L__BB{0}_{1};\n",
          copy, i);
    }
    text += "\tret;\n}\n";
  }
  return text;
}

void report(benchmark::State& state, const std::string& text, const ptx::Module& module) {
  std::int64_t instructions = 0;
  for (const ptx::Function& function : module.functions) {
    instructions += static_cast<std::int64_t>(function.instructions.size());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations() * instructions);
}

// Text and debug information: the cost of opening a kernel.
void parse_all(benchmark::State& state, const std::string& text) {
  Result<ptx::Module> module = ptx::parse(text);
  if (!module) {
    state.SkipWithError(module.error().message.c_str());
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(ptx::parse(text));
  }
  report(state, text, *module);
}

// The text alone.
void parse_text_only(benchmark::State& state, const std::string& text) {
  Result<ptx::ParsedText> parsed = ptx::parse_text(text);
  if (!parsed) {
    state.SkipWithError(parsed.error().message.c_str());
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(ptx::parse_text(text));
  }
  report(state, text, parsed->module);
}

BENCHMARK_CAPTURE(parse_all, tiled_step, input("tiled_step"))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_all, tiled_fast, input("tiled_fast"))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_all, submatrix_step, input("submatrix_step"))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_text_only, tiled_step, input("tiled_step"))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_text_only, tiled_fast, input("tiled_fast"))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_text_only, nine_hundred_kB, long_file())->Unit(benchmark::kMillisecond);

}  // namespace
