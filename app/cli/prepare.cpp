#include "cli/prepare.h"

#include "loading/kernel.h"
#include "loading/program.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace tilestep::cli {

Error compile_error(const loading::LoadFailure& failure) {
  std::string message = failure.error.message;
  for (const compile::Diagnostic& diagnostic : failure.diagnostics) {
    // A header that is not there may be why.
    const bool is_told = diagnostic.severity == compile::Severity::Error ||
                         diagnostic.message.find("is not beside the kernel") != std::string::npos;
    const bool is_above = failure.error.message.find(diagnostic.message) != std::string::npos;
    if (is_told && !(is_above && diagnostic.line == 0)) {
      message += fmt::format("\n  {}:{}:{}: {}", diagnostic.file, diagnostic.line,
                             diagnostic.column, diagnostic.message);
    }
  }
  return {message};
}

namespace {

Result<void> load(Prepared& p, compile::Compiler& compiler, compile::Build build) {
  auto kernel = loading::load_kernel(compiler, p.launch, build);
  if (!kernel) {
    return tl::unexpected(compile_error(kernel.error()));
  }
  p.kernel = std::move(*kernel);
  if (build == compile::Build::Fast) {
    auto debug = loading::load_kernel(compiler, p.launch, compile::Build::Step);
    if (!debug) {
      return tl::unexpected(compile_error(debug.error()));
    }
    p.debug = std::make_shared<const loading::Kernel>(std::move(*debug));
  }
  return {};
}

}  // namespace

Result<Prepared> prepare(const LaunchOptions& options, compile::Build build,
                         const workspace::Paths& paths) {
  Prepared p;
  p.paths = paths;
  auto catalog = problem::load_catalog(p.paths.kernels);
  if (!catalog) {
    return tl::unexpected(catalog.error());
  }
  p.catalog = std::move(*catalog);
  auto spec = find_spec(p.catalog, options);
  if (!spec) {
    return tl::unexpected(spec.error());
  }
  p.spec = std::move(*spec);
  const auto choice = parse_choice(p.catalog, options, p.spec);
  if (!choice) {
    return tl::unexpected(choice.error());
  }
  p.schedule = choice->schedule;
  auto launch = problem::evaluate(p.spec, choice->parameters, choice->input);
  if (!launch) {
    return tl::unexpected(launch.error());
  }
  p.launch = std::move(*launch);
  compile::Compiler compiler({p.paths.user_cache, {p.paths.ptx_cache}});
  const auto loaded = load(p, compiler, build);
  if (!loaded) {
    return tl::unexpected(loaded.error());
  }
  auto program = loading::make_program(p.kernel, p.debug.get(), p.launch, options.warp_size);
  if (!program) {
    return tl::unexpected(program.error());
  }
  p.program = std::move(*program);
  return p;
}

std::string headline(const Prepared& p) {
  const auto& size = p.launch.parameters.problem;
  return fmt::format("{}  {}×{}×{}  BLOCK_SIZE {}  {}×{} blocks of {}×{} threads", p.launch.id,
                     size.M, size.N, size.K, p.launch.parameters.block_size, p.launch.grid.x,
                     p.launch.grid.y, p.launch.block.x, p.launch.block.y);
}

int wrong_use(const Error& error) {
  fmt::print(stderr, "tilestep: {}\n", error.message);
  return 2;
}

}  // namespace tilestep::cli
