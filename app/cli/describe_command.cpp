#include "cli/describe_command.h"

#include "cli/command.h"
#include "cli/describe_fit.h"
#include "cli/describe_trial.h"
#include "cli/prepare.h"
#include "cli/say.h"
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
#include <re2/re2.h>

namespace tilestep::cli {

namespace {

namespace fs = std::filesystem;

struct DescribeOptions {
  std::string file;
  std::string entry;
  std::string out;
  std::vector<fs::path> include;
};

int describe_and_write(const DescribeOptions& options, Context& context) {
  const Result<std::string> text =
      describe(context.compiler, options.file, options.entry, options.include);
  if (!text) {
    return wrong_use(text.error());
  }
  if (options.out.empty()) {
    fmt::print("{}", *text);
    return 0;
  }
  std::error_code ignored;
  if (fs::exists(options.out, ignored)) {
    return wrong_use({fmt::format("{} already exists. Remove it, or choose another name for --out.",
                                  options.out)});
  }
  if (const Result<void> written = problem::write_file(options.out, *text); !written) {
    return wrong_use(written.error());
  }
  say("Written: {}. Try it: tilestep check {} --description {}\n", options.out, options.file,
      options.out);
  return 0;
}

// Macros that a build script gives with -D are missed by name. True when there is a new one.
bool define_missing(const std::vector<compile::Diagnostic>& diagnostics,
                    problem::LaunchSpec& spec) {
  constexpr const char* kGuess = "16";
  static const RE2 undefined(R"re(identifier "([A-Z][A-Z0-9_]*)" is undefined)re", RE2::Latin1);
  bool has_new = false;
  for (const compile::Diagnostic& diagnostic : diagnostics) {
    std::string name;
    if (RE2::PartialMatch(diagnostic.message, undefined, &name)) {
      has_new = spec.defines.try_emplace(name, kGuess).second || has_new;
    }
  }
  return has_new;
}

}  // namespace

Result<std::string> describe(compile::Compiler& compiler, const std::string& cu_file,
                             const std::string& entry, const std::vector<fs::path>& include) {
  const Result<problem::LaunchSpec> source = problem::load_source(cu_file, include);
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
  for (const fs::path& folder : include) {  // beside the .cu is where its description will be
    start->include.push_back(fs::proximate(folder, fs::absolute(cu_file).parent_path()).string());
  }
  while (true) {
    const auto launch = problem::evaluate_shape(*start, {{}, start->default_block_size});
    if (!launch) {
      return tl::unexpected(launch.error());
    }
    const auto kernel = loading::load_kernel(compiler, *launch, compile::Build::Step);
    if (kernel) {
      const problem::KernelInterface interface = loading::interface_of(*kernel);
      const auto found =
          first_that_holds(compiler, problem::product_guesses(*start, text, interface));
      problem::Proposal proposal = problem::propose_launch(
          found ? found->spec : *start, text, interface, found ? found->evidence : "");
      if (!found) {
        fit_to_run(compiler, proposal);
      }
      return problem::proposal_text(proposal);
    }
    if (!define_missing(kernel.error().diagnostics, *start)) {
      return tl::unexpected(compile_error(kernel.error()));
    }
  }
}

void add_describe(CLI::App& app, Context& context) {
  auto options = std::make_shared<DescribeOptions>();
  auto* command = app.add_subcommand("describe", "Propose a launch description for a .cu file");
  command->add_option("file", options->file, "A .cu file")->required();
  command->add_option("--entry", options->entry,
                      "The kernel, as NAME or NAME<float, 16> (default: the only one)");
  add_include_option(*command, options->include);
  command->add_option("--out", options->out, "Write to this .toml file (default: print it)");
  command->footer(
      "Example:\n  tilestep describe my_kernel.cu --out my_kernel.toml\n"
      "  tilestep check my_kernel.cu\n"
      "Exit status: 0 success; 2 wrong use, several kernels, or source that does not compile.");
  command->callback(
      [options, &context] { context.status = describe_and_write(*options, context); });

  auto* old_name = app.add_subcommand("explain")->group("")->prefix_command();
  old_name->callback([&context] {
    context.status =
        wrong_use({"`tilestep explain` is now `tilestep describe`, with the same options."});
  });
}

}  // namespace tilestep::cli
