#include "cli/describe_command.h"

#include "cli/command.h"
#include "cli/prepare.h"
#include "loading/interface.h"
#include "problem/describe/catalog.h"
#include "problem/file.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_text.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>

namespace tilestep::cli {

namespace {

namespace fs = std::filesystem;

struct ExplainOptions {
  std::string file;
  std::string entry;
  std::string out;
};

int explain_and_write(const ExplainOptions& options) {
  const workspace::Paths paths = workspace::find_paths();
  compile::Compiler compiler({paths.user_cache, {paths.ptx_cache}});
  const Result<std::string> text = explain(compiler, options.file, options.entry);
  if (!text) {
    return wrong_use(text.error());
  }
  if (options.out.empty()) {
    fmt::print("{}", *text);
    return 0;
  }
  std::error_code ignored;
  if (fs::exists(options.out, ignored)) {
    return wrong_use({fmt::format(
        "{} is there already; remove it or choose another name for --out.", options.out)});
  }
  if (const Result<void> written = problem::write_file(options.out, *text); !written) {
    return wrong_use(written.error());
  }
  fmt::print("{} is written. Try it: tilestep check {} --description {}\n", options.out,
             options.file, options.out);
  return 0;
}

// Macros that a build script gives with -D are missed by name. True when there is a new one.
bool define_missing(const std::vector<compile::Diagnostic>& diagnostics,
                    problem::LaunchSpec& spec) {
  constexpr const char* kGuess = "16";
  const std::regex undefined(R"re(identifier "([A-Z][A-Z0-9_]*)" is undefined)re");
  bool has_new = false;
  for (const compile::Diagnostic& diagnostic : diagnostics) {
    std::smatch match;
    if (std::regex_search(diagnostic.message, match, undefined)) {
      has_new = spec.defines.try_emplace(match[1], kGuess).second || has_new;
    }
  }
  return has_new;
}

}  // namespace

Result<std::string> explain(compile::Compiler& compiler, const std::string& cu_file,
                            const std::string& entry) {
  const Result<problem::LaunchSpec> source = problem::load_source(cu_file);
  if (!source) {
    return tl::unexpected(source.error());
  }
  const problem::CudaText text = problem::read_cuda_text(source->source);
  Result<problem::LaunchSpec> start = problem::start_proposal(text, entry);
  if (!start) {
    return fail(fmt::format("{}: {}", cu_file, start.error().message));
  }
  start->source = source->source;
  start->source_name = source->source_name;
  start->headers = source->headers;
  while (true) {
    const auto launch = problem::evaluate_shape(*start, {{}, start->default_block_size});
    if (!launch) {
      return tl::unexpected(launch.error());
    }
    const auto kernel = loading::load_kernel(compiler, *launch, compile::Build::Step);
    if (kernel) {
      return problem::propose_launch(*start, text, loading::interface_of(*kernel));
    }
    if (!define_missing(kernel.error().diagnostics, *start)) {
      return tl::unexpected(compile_error(kernel.error()));
    }
  }
}

void add_explain(CLI::App& app, int& status) {
  auto options = std::make_shared<ExplainOptions>();
  auto* command = app.add_subcommand("explain", "Propose a launch description for a .cu file");
  command->add_option("file", options->file, "A .cu file")->required();
  command->add_option("--entry", options->entry,
                      "Which kernel, as NAME or NAME<float, 16>; if left out, the only one");
  command->add_option("--out", options->out, "Write it to this .toml; if left out, print it");
  command->footer(
      "Example:\n  tilestep explain my_kernel.cu --out my_kernel.toml\n"
      "  tilestep check my_kernel.cu\n"
      "Exit status: 0 fine, 2 wrong use, several kernels, or text that does not compile.");
  command->callback([options, &status] { status = explain_and_write(*options); });
}

}  // namespace tilestep::cli
