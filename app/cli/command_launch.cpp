// tilestep launch: launches kernels on the GPU, once each, for a profiler.
#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "gpu/device.h"
#include "loading/arguments.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "timing/operands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace tilestep::cli {

namespace {

struct LaunchRequest {
  std::string kernels;
  std::string sizes = "1024";
  std::string block_sizes = "16";
  std::vector<std::filesystem::path> include;
};

void print_launch(const problem::LaunchSpec& spec, const problem::Launch& shape,
                  const gpu::KernelResources& resources) {
  const problem::Problem& p = shape.parameters.problem;
  const nlohmann::json line = {
      {"kernel", shape.id},
      {"M", p.M},
      {"N", p.N},
      {"K", p.K},
      {"block_size", spec.uses_block_size ? shape.parameters.block_size : 0},
      {"registers", resources.registers}};
  fmt::print("{}\n", json_text(line, -1));
}

// An error says why it cannot be launched.
Result<void> launch_once(gpu::Device& device, compile::Compiler& compiler,
                         const problem::LaunchSpec& spec, const problem::Parameters& parameters) {
  const auto shape = problem::evaluate_shape(spec, parameters);
  TILESTEP_RETURN_IF_ERROR(shape);
  if (!shape->not_on_gpu.empty()) {
    return fail(tr(shape->not_on_gpu.front().c_str()));
  }
  const auto kernel = loading::load_kernel(compiler, *shape, compile::Build::Fast);
  if (!kernel) {
    return tl::unexpected(compile_error(kernel.error()));
  }
  const auto code = device.load(kernel->output.ptx, kernel->output.entry);
  TILESTEP_RETURN_IF_ERROR(code);
  const auto operands = timing::Operands::make(device, spec, parameters);
  TILESTEP_RETURN_IF_ERROR(operands);
  const auto arguments =
      loading::pack_arguments(*kernel, *shape, operands->addresses(), device.tensor_map_maker());
  TILESTEP_RETURN_IF_ERROR(arguments);
  device.launch(*code, {shape->grid, shape->block, shape->dynamic_shared_bytes}, *arguments);
  print_launch(spec, *shape, code->resources());
  return {};
}

std::vector<std::string> kernel_list(const std::string& text, const problem::Catalog& catalog) {
  if (text.empty()) {
    return problem::timed_kernels(catalog);
  }
  return comma_separated(text);
}

// best_by_size is another kernel at each size.
Result<problem::LaunchSpec> spec_at(const problem::Catalog& catalog, const std::string& id,
                                    problem::Problem size, const LaunchRequest& request) {
  if (id == problem::kBestBySize) {
    return problem::best_for(catalog, size).map([](const problem::Best& best) {
      return *best.spec;
    });
  }
  return problem::find_spec(catalog, id, request.include);
}

Result<int> launch(const LaunchRequest& request, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  const auto problems = parse_problem_list(request.sizes, "--sizes");
  const auto block_sizes = parse_number_list(request.block_sizes, "--block-sizes");
  TILESTEP_RETURN_IF_ERROR(problems);
  TILESTEP_RETURN_IF_ERROR(block_sizes);
  const auto device = gpu::Device::open();
  TILESTEP_RETURN_IF_ERROR(device);
  for (const std::string& id : kernel_list(request.kernels, *catalog)) {
    for (const problem::Problem& size : *problems) {
      const auto spec = spec_at(*catalog, id, size, request);
      TILESTEP_RETURN_IF_ERROR(spec);
      for (const int block_size : *block_sizes) {
        const auto done = launch_once(**device, context.compiler, *spec, {size, block_size});
        if (!done) {
          fmt::print(stderr, "{}, {}×{}×{}, BLOCK_SIZE {}: {}\n", id, size.M, size.N, size.K,
                     block_size, done.error().message);
        }
        if (!spec->uses_block_size) {
          break;
        }
      }
    }
  }
  return 0;
}

}  // namespace

void add_launch(CLI::App& app, Context& context) {
  auto request = std::make_shared<LaunchRequest>();
  auto* command = app.add_subcommand(
      "launch", "Launch each kernel once on the GPU, and print one line for each");
  add_include_option(*command, request->include);
  command->add_option(
      "kernels", request->kernels,
      "Catalog ids, comma-separated, or a .cu file (default: those the catalog marks for timing)");
  command
      ->add_option("--sizes", request->sizes,
                   "Problem sizes, comma-separated: N for M = N = K, or MxNxK")
      ->capture_default_str();
  command
      ->add_option("--block-sizes", request->block_sizes,
                   "Values of BLOCK_SIZE, for example 1..8,16,32")
      ->capture_default_str();
  command->footer(
      "Nothing else runs on the GPU, so a profiler sees only these kernels. Example:\n"
      "  ncu --set full tilestep launch tiled --sizes 500 --block-sizes 16\n"
      "Exit status: 0 success; 2 wrong use, or no GPU.");
  command->callback([request, &context] { context.status = status_of(launch(*request, context)); });
}

}  // namespace tilestep::cli
