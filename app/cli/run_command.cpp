// tilestep run: a kernel on the GPU, compared with the emulator and with the host.
#include "cli/run_command.h"

#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/output.h"
#include "insight/check/screen.h"
#include "insight/names.h"
#include "loading/arguments.h"
#include "problem/describe/words.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>

namespace tilestep::cli {
namespace {

using nlohmann::json;

constexpr int kDiffers = 1;

struct RunOptions {
  LaunchOptions launch;
  compile::Build build = compile::Build::Fast;
  bool all = false;
  bool as_json = false;
};

class FirstFaultSentence : public simt::Observer {
 public:
  explicit FirstFaultSentence(const simt::Program& program) : program_(program) {}

  void on_fault(const simt::StepInfo& step, const simt::FaultEvent& fault) override {
    if (!sentence_.empty()) {
      return;
    }
    const problem::Dim3 block = program_.block_index(step.id.block);
    const ptx::Function& function = program_.module().functions[step.function];
    sentence_ =
        tr("{}, warp {}, line {}: {}", insight::block_name(block, program_.launch()), step.id.warp,
           ptx::statement_line(function, step.pc),
           fault.detail.empty() ? ptx::instruction_text(program_.module(), *step.instruction)
                                : fault.detail);
  }
  [[nodiscard]] const std::string& sentence() const { return sentence_; }

 private:
  const simt::Program& program_;
  std::string sentence_;
};

// Element `index` of raw memory, widened, to find which bits differ.
std::uint64_t bits_at(const std::byte* data, std::size_t index, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data + index * bytes, bytes);
  return bits;
}

std::vector<gpu::Buffer> upload(gpu::Device& device, const problem::Launch& launch) {
  std::vector<gpu::Buffer> buffers;
  for (const problem::Buffer& buffer : launch.buffers) {
    buffers.push_back(device.make_buffer(buffer.contents.size()));
    buffers.back().write(buffer.contents);
  }
  return buffers;
}

Result<std::vector<std::vector<std::byte>>> run_on_gpu(const loading::Prepared& p,
                                                       gpu::Device& device,
                                                       gpu::KernelResources& resources) {
  const Result<gpu::LoadedKernel> code = device.load(
      p.kernel.output.ptx, p.kernel.output.entry,
      p.kernel.build == compile::Build::Step ? gpu::Optimise::Not : gpu::Optimise::Fully);
  TILESTEP_RETURN_IF_ERROR(code);
  resources = code->resources();
  const std::vector<gpu::Buffer> buffers = upload(device, p.launch);
  std::vector<std::uint64_t> addresses;
  for (const gpu::Buffer& buffer : buffers) {
    addresses.push_back(buffer.address());
  }
  const auto arguments =
      loading::pack_arguments(p.kernel, p.launch, addresses, device.tensor_map_maker());
  TILESTEP_RETURN_IF_ERROR(arguments);
  device.launch(*code, {p.launch.grid, p.launch.block, p.launch.dynamic_shared_bytes}, *arguments);
  std::vector<std::vector<std::byte>> contents;
  for (const gpu::Buffer& buffer : buffers) {
    contents.push_back(buffer.read());
  }
  return contents;
}

void compare_with_host(const loading::Prepared& p,
                       const std::vector<std::vector<std::byte>>& contents, RunReport& report) {
  const std::vector<problem::BufferComparison> outputs = problem::compare_outputs(
      p.launch, [&](std::size_t i) { return std::span<const std::byte>(contents[i]); });
  if (const problem::BufferComparison* const telling = problem::most_telling(outputs)) {
    report.reference = *telling;
  }
}

json to_json(const Prepared& p, const gpu::Device& device, const RunReport& report) {
  const problem::Problem& size = p.launch.parameters.problem;
  json out = {{"kernel", p.launch.id},
              {"M", size.M},
              {"N", size.N},
              {"K", size.K},
              {"block_size", p.launch.parameters.block_size},
              {"gpu", device.info().name},
              {"driver", device.info().driver_version},
              {"compiler", p.kernel.output.compiler},
              {"registers", report.resources.registers},
              {"fault", report.fault},
              {"same_bits", report.same_bits()},
              {"fine", report.fine()}};
  for (const BitComparison& c : report.buffers) {
    json buffer = {{"buffer", c.buffer}, {"elements", c.elements}, {"different", c.different}};
    if (c.different > 0) {
      buffer["first"] = c.first;
      buffer["gpu_bits"] = fmt::format("{:#x}", c.gpu_bits);
      buffer["machine_bits"] = fmt::format("{:#x}", c.machine_bits);
    }
    out["buffers"].push_back(std::move(buffer));
  }
  if (report.reference) {
    const problem::Comparison& c = report.reference->comparison;
    out["reference"] = {{"wrong", c.wrong},
                        {"max_abs_error", c.max_abs_error},
                        {"max_rel_error", c.max_rel_error},
                        {"tolerance", report.reference->tolerance}};
  }
  return out;
}

void print_text(const Prepared& p, const gpu::Device& device, const RunReport& report) {
  say("{}\n{}, driver {}\n", headline(p), device.info().name, device.info().driver_version);
  if (!report.fault.empty()) {
    say("Not launched on the GPU: a fault stopped the simulation at {}. See 'tilestep check'.\n",
        report.fault);
  }
  for (const BitComparison& c : report.buffers) {
    if (c.different == 0) {
      say("{}: {} elements, GPU and Tilestep agree bit for bit\n", c.buffer, c.elements);
    } else {
      say("{}: {} of {} elements differ; first: element {}, GPU {:#x}, Tilestep {:#x}\n", c.buffer,
          c.different, c.elements, c.first, c.gpu_bits, c.machine_bits);
    }
  }
  if (!report.reference) {
    return;
  }
  const problem::Comparison& r = report.reference->comparison;
  if (r.wrong == 0) {
    say("The host's float64 result agrees: largest error {:g}, allowed {:g}·max(1, |{}|)\n",
        r.max_abs_error, report.reference->tolerance, report.reference->buffer);
  } else {
    say("The host's float64 result differs in {} of {} elements; first wrong element on the GPU: "
        "{}\n",
        r.wrong, r.compared, first_wrong(*report.reference));
  }
}

Result<int> run_and_print(const RunOptions& options, Context& context) {
  if (options.all) {
    BitRun run{options.build};
    if (!options.launch.input.empty()) {
      run.input = options.launch.input;
    }
    return run_all(run, context, options.as_json);
  }
  const auto prepared = prepare(context, options.launch, options.build);
  TILESTEP_RETURN_IF_ERROR(prepared);
  tell_guess(*prepared);
  const auto device = gpu::Device::open();
  TILESTEP_RETURN_IF_ERROR(device);
  const Result<RunReport> report = compare_with_gpu(*prepared, prepared->schedule, **device);
  TILESTEP_RETURN_IF_ERROR(report);
  if (options.as_json) {
    fmt::print("{}\n", json_text(to_json(*prepared, **device, *report)));
  } else {
    print_text(*prepared, **device, *report);
  }
  return report->fine() ? 0 : kDiffers;
}

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

const simt::Schedule kSequential{simt::ScheduleKind::Sequential};

// Whether the launch's memory accesses may make the result nondeterministic.
bool may_race(const loading::Prepared& prepared) {
  const insight::Screened screened =
      insight::screen_launch(prepared.program, kSequential, {}, nullptr, nullptr);
  return screened.suspects.any;
}

std::string describe(const SizedLaunch& size, const BitComparison& c) {
  return tr(
      "{}×{}×{}, BLOCK_SIZE {}: {} of {} elements of {} differ; first: element {}, GPU {:#x}, "
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
  say("{:<38} {:>3} of {} launches agree bit for bit\n", k.kernel, k.same, k.same + k.different);
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

bool RunReport::same_bits() const {
  return fault.empty() && std::all_of(buffers.begin(), buffers.end(),
                                      [](const BitComparison& c) { return c.different == 0; });
}

bool RunReport::fine() const {
  return same_bits() && (!reference || reference->comparison.wrong == 0);
}

BitComparison compare_bits(const problem::Buffer& shape, const std::vector<std::byte>& gpu,
                           std::span<const std::byte> machine) {
  assert(gpu.size() == machine.size());
  const std::size_t bytes = problem::byte_size(shape.type);
  BitComparison result;
  result.buffer = shape.name;
  result.elements = gpu.size() / bytes;
  for (std::size_t i = 0; i < result.elements; ++i) {
    const std::uint64_t ours = bits_at(machine.data(), i, bytes);
    const std::uint64_t theirs = bits_at(gpu.data(), i, bytes);
    if (ours == theirs) {
      continue;
    }
    if (result.different == 0) {
      result.first = i;
      result.gpu_bits = theirs;
      result.machine_bits = ours;
    }
    ++result.different;
  }
  return result;
}

Result<RunReport> compare_with_gpu(const loading::Prepared& p, const simt::Schedule& schedule,
                                   gpu::Device& device) {
  simt::Machine machine(p.program);
  simt::Scheduler scheduler(*p.program, schedule);
  FirstFaultSentence fault(*p.program);
  simt::run_to_end(machine, scheduler, &fault);
  RunReport report;
  report.fault = fault.sentence();
  if (!report.fault.empty()) {
    return report;
  }
  if (!p.launch.not_on_gpu.empty()) {
    return fail(tr(p.launch.not_on_gpu.front().c_str()));
  }
  const auto contents = run_on_gpu(p, device, report.resources);
  TILESTEP_RETURN_IF_ERROR(contents);
  for (std::size_t i = 0; i < contents->size(); ++i) {
    if (p.launch.buffers[i].role != problem::BufferRole::Input) {
      report.buffers.push_back(compare_bits(p.launch.buffers[i], (*contents)[i],
                                            machine.buffer(static_cast<std::uint32_t>(i))));
    }
  }
  compare_with_host(p, *contents, report);
  return report;
}

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand(
      "run",
      "Run on the GPU, and compare the result with the simulation (bit by bit) and with the CPU");
  add_launch_options(*command, options->launch);
  add_word_option(*command, "--build", options->build, "Build: fast, or step (-G, not optimized)");
  command->add_flag("--all", options->all,
                    "Run every race-free kernel of the catalog at twelve sizes");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n  tilestep run tiled --size 33,65,47 --block 16 --input random:7\nExit status: 0 "
      "identical bits and a correct result; 1 a difference; 2 wrong use, or no GPU.");
  command->callback(
      [options, &context] { context.status = status_of(run_and_print(*options, context)); });
}

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

Result<int> run_all(const BitRun& run, Context& context, bool as_json) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  const auto device = gpu::Device::open();
  TILESTEP_RETURN_IF_ERROR(device);
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
    say("{} of {} launches agree bit for bit\n", same, same + different);
  }
  return different == 0 && same > 0 ? 0 : 1;
}

}  // namespace tilestep::cli
