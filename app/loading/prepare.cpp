#include "loading/prepare.h"

#include "loading/machine_code.h"
#include "loading/program.h"

#include <cstdint>
#include <utility>

namespace tilestep::loading {
namespace {

void take_machine_code(Prepared& prepared, compile::Compiler& compiler, int architecture) {
  auto translated = as_machine_code(compiler, prepared.launch, prepared.kernel, architecture);
  if (!translated) {
    prepared.why_not_machine_code = translated.error().message;
    return;
  }
  prepared.is_machine_code = translated->agrees;
  prepared.why_not_machine_code = std::move(translated->why_not);
  prepared.padding = std::move(translated->padding);
  prepared.kernel = std::move(translated->kernel);
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
  if (!kernel) {
    return tl::unexpected(std::move(kernel.error()));
  }
  Prepared prepared;
  prepared.launch = std::move(launch);
  prepared.kernel = std::move(*kernel);
  if (options.architecture != 0) {
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

}  // namespace tilestep::loading
