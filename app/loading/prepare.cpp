#include "loading/prepare.h"

#include "loading/arguments.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tilestep::loading {
namespace {

// A sentence on loads that are counted although they are never executed.
std::string padding_text(const ptx::Function& function) {
  std::uint32_t loads = 0;
  for (const auto& [pc, count] : function.padding) {
    loads = std::max(loads, count);
  }
  return loads == 0
             ? std::string()
             : tr("Shared loads include those that ptxas puts before asynchronous copies and "
                  "that are never executed ({} per place, {}): the hardware counts them.",
                  loads, plural(function.padding.size(), "place"));
}

void take_machine_code(Prepared& prepared, compile::Compiler& compiler, int architecture) {
  auto translated = as_machine_code(compiler, prepared.launch, prepared.kernel, architecture);
  if (!translated) {
    prepared.why_not_machine_code = translated.error().message;
    return;
  }
  prepared.is_machine_code = true;
  prepared.kernel = *std::move(translated);
  prepared.padding = padding_text(prepared.kernel.module->functions[prepared.kernel.entry]);
}

}  // namespace

bool can_be_filled(const problem::Launch& launch) {
  constexpr std::uint64_t kMostContents = 96 << 20;  // bytes
  std::uint64_t bytes = 0;
  for (const problem::Buffer& buffer : launch.buffers) {
    bytes += problem::byte_count(buffer);
  }
  return bytes <= kMostContents;
}

tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler, problem::Launch launch,
                                            const PrepareOptions& options) {
  auto kernel = load_kernel(compiler, launch, options.build, options.declarations);
  TILESTEP_RETURN_IF_ERROR(kernel);
  Prepared prepared;
  prepared.launch = std::move(launch);
  prepared.kernel = std::move(*kernel);
  if (options.architecture != 0 && options.build == compile::Build::Fast) {
    take_machine_code(prepared, compiler, options.architecture);
  }
  auto program = make_program(prepared.kernel, prepared.launch, options.warp_size);
  if (!program) {
    return tl::unexpected(
        LoadFailure{program.error(), std::move(prepared.kernel.output.diagnostics)});
  }
  prepared.program = std::move(*program);
  return prepared;
}

tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler,
                                            const problem::LaunchSpec& spec,
                                            const problem::Parameters& parameters,
                                            const problem::InputSpec& input,
                                            const PrepareOptions& options) {
  auto launch = problem::evaluate(spec, parameters, input, options.contents);
  if (!launch) {
    return tl::unexpected(LoadFailure{launch.error(), {}});
  }
  return prepare(compiler, std::move(*launch), options);
}

Result<std::shared_ptr<const simt::Program>> make_program(const Kernel& kernel,
                                                          const problem::Launch& launch,
                                                          int warp_size) {
  const simt::Program::PackParameters pack = [&](const std::vector<std::uint64_t>& addresses) {
    return pack_arguments(kernel, launch, addresses, machine_tensor_map);
  };
  return simt::Program::make(kernel.module, kernel.entry, launch, pack, warp_size);
}

}  // namespace tilestep::loading
