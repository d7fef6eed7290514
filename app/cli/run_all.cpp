#include "cli/run_all.h"

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/say.h"
#include "insight/check/screen.h"
#include "problem/describe/words.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace tilestep::cli {
namespace {

using nlohmann::json;

// clang-format off
constexpr SizedLaunch kSizes[] = {
    {{37, 53, 29}, 8},   {{64, 64, 64}, 16},   {{33, 65, 47}, 16},  {{128, 128, 128}, 32},
    {{100, 60, 84}, 4},  {{96, 96, 96}, 24},   {{50, 70, 90}, 7},   {{192, 64, 320}, 8},
    {{130, 129, 131}, 32}, {{256, 128, 64}, 16}, {{17, 31, 5}, 5},  {{1, 1, 1}, 1},
    {{128, 192, 64}, 8}, {{64, 128, 256}, 32}, {{48, 80, 112}, 16}, {{60, 36, 84}, 12},
    {{128, 64, 96}, 4},  {{320, 256, 128}, 8}, {{64, 64, 16}, 4},   {{96, 32, 160}, 32},
    {{72, 48, 96}, 24},  {{256, 256, 8}, 16},  {{3, 3, 9}, 3},      {{3, 3, 3}, 3},
    {{2, 4, 3}, 4},      {{5, 7, 6}, 8},       {{16, 16, 16}, 16},  {{16, 16, 48}, 16},
    {{32, 32, 32}, 32},  {{8, 8, 40}, 8},      {{5, 5, 15}, 5},     {{7, 7, 21}, 7},
    {{11, 11, 11}, 11},  {{13, 13, 26}, 13},   {{24, 24, 48}, 24},  {{1, 32, 9}, 32},
    {{31, 31, 62}, 31},  {{9, 9, 27}, 9},      {{20, 20, 20}, 20},  {{6, 6, 12}, 6}};
// clang-format on

constexpr simt::Schedule kSequential{simt::ScheduleKind::Sequential};

// Whether something about the launch's accesses to memory may leave the result to chance.
bool may_race(const loading::Prepared& prepared) {
  const insight::Screened screened =
      insight::screen_launch(prepared.program, kSequential, {}, nullptr, nullptr);
  return screened.suspects.any;
}

std::string describe(const SizedLaunch& size, const BitComparison& c) {
  return tr(
      "{}×{}×{}, BLOCK_SIZE {}: {} of {} elements of {} differ; first: number {}, GPU {:#x}, "
      "Tilestep {:#x}",
      size.problem.M, size.problem.N, size.problem.K, size.block_size, c.different, c.elements,
      c.buffer, c.first, c.gpu_bits, c.machine_bits);
}

void add(const SizedLaunch& size, const RunReport& report, KernelBits& result) {
  if (report.same_bits()) {
    ++result.same;
    return;
  }
  ++result.different;
  for (const BitComparison& c : report.buffers) {
    if (c.different > 0) {
      result.differences.push_back(describe(size, c));
    }
  }
}

json to_json(const KernelBits& k) {
  return {{"kernel", k.kernel},
          {"same", k.same},
          {"different", k.different},
          {"differences", k.differences},
          {"sizes_not_taken", k.not_taken},
          {"not_compared", k.why_not_compared}};
}

void print(const KernelBits& k) {
  if (!k.why_not_compared.empty()) {
    say("{:<38} not compared: {}\n", k.kernel, k.why_not_compared);
    return;
  }
  say("{:<38} {:>3} of {} launches equal in every bit\n", k.kernel, k.same, k.same + k.different);
  for (const std::string& difference : k.differences) {
    say("    {}\n", difference);
  }
}

std::vector<KernelBits> compare_catalog(const BitRun& run, const problem::Catalog& catalog,
                                        Context& context, gpu::Device& device, bool prints) {
  std::vector<KernelBits> all;
  for (const problem::LaunchSpec& spec : catalog.kernels) {
    all.push_back(compare_kernel(spec, run, context.compiler, device));
    if (prints) {
      print(all.back());
    }
  }
  return all;
}

}  // namespace

std::span<const SizedLaunch> sizes_to_try() {
  return kSizes;
}

KernelBits compare_kernel(const problem::LaunchSpec& spec, const BitRun& run,
                          compile::Compiler& compiler, gpu::Device& device) {
  KernelBits result;
  result.kernel = spec.id;
  const auto input = parse_input(run.input);
  if (!input) {
    result.why_not_compared = input.error().message;
    return result;
  }
  std::string last_fault;
  for (const SizedLaunch& size : sizes_to_try()) {
    if (result.same + result.different == kSizesEach) {
      break;
    }
    const auto prepared =
        loading::prepare(compiler, spec, {size.problem, size.block_size}, *input, {run.build});
    if (!prepared) {
      ++result.not_taken;
      last_fault = compile_error(prepared.error()).message;
      continue;
    }
    if (may_race(*prepared)) {
      ++result.not_taken;
      last_fault = tr("it has a race; see 'tilestep check'.");
      continue;
    }
    const Result<RunReport> report = compare_with_gpu(*prepared, kSequential, device);
    if (!report || !report->fault.empty()) {
      ++result.not_taken;
      last_fault = report ? report->fault : report.error().message;
      continue;
    }
    add(size, *report, result);
  }
  if (result.same + result.different == 0) {
    result.why_not_compared = last_fault;
  }
  return result;
}

int run_all(const BitRun& run, Context& context, bool as_json) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  try {
    const auto device = gpu::Device::open();
    if (!device) {
      return wrong_use(device.error());
    }
    const auto all = compare_catalog(run, *catalog, context, **device, !as_json);
    std::size_t same = 0;
    std::size_t different = 0;
    json kernels = json::array();
    for (const KernelBits& k : all) {
      same += k.same;
      different += k.different;
      kernels.push_back(to_json(k));
    }
    if (as_json) {
      fmt::print("{}\n", json_text(json({{"gpu", (*device)->info().name},
                                         {"driver", (*device)->info().driver_version},
                                         {"build", word_of(run.build).file},
                                         {"input", run.input},
                                         {"same", same},
                                         {"different", different},
                                         {"kernels", kernels}})));
    } else {
      say("{} of {} launches equal in every bit\n", same, same + different);
    }
    return different == 0 && same > 0 ? 0 : 1;
  } catch (const gpu::GpuError& error) {
    return wrong_use({error.what()});
  }
}

}  // namespace tilestep::cli
