#include "cli/command.h"
#include "cli/describe.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "loading/arguments.h"
#include "loading/loader.h"
#include "problem/describe/catalog.h"
#include "problem/file.h"
#include "problem/propose/product.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_names.h"
#include "problem/source/cuda_text.h"
#include "problem/tr.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

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

Result<int> describe_and_write(const DescribeOptions& options, Context& context) {
  const bool is_printed = options.out.empty() || is_standard_output(options.out);
  const Result<std::string> text =
      describe(context.compiler, options.file, options.entry, options.include,
               is_printed ? fs::path() : fs::absolute(options.out).parent_path());
  TILESTEP_RETURN_IF_ERROR(text);
  if (is_printed) {
    fmt::print("{}", *text);
    return 0;
  }
  std::error_code ignored;
  if (fs::exists(options.out, ignored)) {
    return fail(tr("{} already exists. Remove it, or choose another name for --out.", options.out));
  }
  TILESTEP_RETURN_IF_ERROR(problem::write_file(options.out, *text));
  say("Written: {}. Try it: tilestep check {} --description {}\n", options.out, options.file,
      options.out);
  return 0;
}

// Compiler messages name macros that a build script defines with -D. Returns true if there is a new
// one.
bool define_missing(const std::vector<compile::Diagnostic>& diagnostics,
                    const problem::CudaText& text, problem::LaunchSpec& spec) {
  static const RE2 undefined(R"re(identifier "([A-Z][A-Z0-9_]*)" is undefined)re", RE2::Latin1);
  bool has_new = false;
  for (const compile::Diagnostic& diagnostic : diagnostics) {
    std::string name;
    if (RE2::PartialMatch(diagnostic.message, undefined, &name) && !text.declares(name)) {
      const std::string guess = std::to_string(problem::usual_size(name));
      has_new = spec.defines.try_emplace(name, guess).second || has_new;
    }
  }
  return has_new;
}

Inference infer_from(compile::Compiler& compiler, const problem::LaunchSpec& start,
                     const problem::CudaText& text, const problem::KernelInterface& interface) {
  Inference inference;
  const auto found = first_that_holds(compiler, problem::product_guesses(start, text, interface));
  inference.proposal = problem::propose_launch(found ? found->spec : start, text, interface,
                                               found ? found->evidence : "");
  inference.is_textbook = !found && !start.buffers.empty();
  if (found && found->races) {
    inference.proposal.notes["default_problem"] = races_sentence(*found->spec.default_problem);
  }
  const Fit fit = found ? Fit::Clean : fit_to_run(compiler, inference.proposal);
  inference.is_sound = fit == Fit::Clean || fit == Fit::Races;
  return inference;
}

}  // namespace

Result<std::string> describe(compile::Compiler& compiler, const std::string& cu_file,
                             const std::string& entry, const std::vector<fs::path>& include,
                             const fs::path& folder) {
  const ProgressLine progress("describe", 0);
  auto inference = infer_launch(compiler, cu_file, entry, include);
  TILESTEP_RETURN_IF_ERROR(inference);
  if (!folder.empty()) {
    problem::LaunchSpec& spec = inference->proposal.spec;
    spec.source_name = fs::proximate(cu_file, folder).string();
    for (std::size_t i = 0; i < include.size(); ++i) {
      spec.include[i] = fs::proximate(include[i], folder).string();
    }
  }
  return problem::proposal_text(inference->proposal);
}

void add_describe(CLI::App& app, Context& context) {
  auto options = std::make_shared<DescribeOptions>();
  auto* command = app.add_subcommand("describe", "Propose a launch description for a .cu file");
  command->add_option("file", options->file, "A .cu file")->required();
  command->add_option("--entry", options->entry,
                      "The kernel, as NAME or NAME<float, 16> (default: the only one)");
  add_include_option(*command, options->include);
  command->add_option("--out", options->out, "Write to this .toml file (default or -: print it)");
  command->footer(
      "Example:\n  tilestep describe my_kernel.cu --out my_kernel.toml\n"
      "  tilestep check my_kernel.cu\n"
      "Exit status: 0 success; 2 wrong use, several kernels, or source that does not compile.");
  command->callback(
      [options, &context] { context.status = status_of(describe_and_write(*options, context)); });

  auto* old_name = app.add_subcommand("explain")->group("")->prefix_command();
  old_name->callback([&context] {
    context.status =
        wrong_use({tr("`tilestep explain` is now `tilestep describe`, with the same options.")});
  });
}

Result<Inference> infer_launch(compile::Compiler& compiler, const std::string& cu_file,
                               const std::string& entry, const std::vector<fs::path>& include) {
  const Result<problem::LaunchSpec> source = problem::load_source(cu_file, include);
  TILESTEP_RETURN_IF_ERROR(source);
  const problem::CudaText text = problem::read_cuda_text(source->source, source->headers);
  Result<problem::LaunchSpec> start = problem::start_proposal(text, entry);
  if (!start) {
    return fail(fmt::format("{}: {}", cu_file, start.error().message));
  }
  start->id = source->id;
  start->title = source->title;
  start->source = source->source;
  start->source_name = source->source_name;
  start->headers = source->headers;
  for (const fs::path& folder : include) {  // the description will be beside the .cu
    start->include.push_back(fs::proximate(folder, fs::absolute(cu_file).parent_path()).string());
  }
  while (true) {
    const auto launch = problem::evaluate_shape(*start, {{}, start->default_block_size});
    TILESTEP_RETURN_IF_ERROR(launch);
    const auto kernel = loading::load_kernel(compiler, *launch, compile::Build::Step);
    if (kernel) {
      return infer_from(compiler, *start, text, loading::interface_of(*kernel));
    }
    if (!define_missing(kernel.error().diagnostics, text, *start)) {
      return tl::unexpected(compile_error(kernel.error()));
    }
  }
}

Result<std::string> what_was_guessed(const Inference& inference, const std::string& cu_file) {
  const problem::Proposal& proposal = inference.proposal;
  const std::string toml = fs::path(cu_file).replace_extension(".toml").string();
  const std::string cure = tr("To save it: `tilestep describe {} --out {}`.", cu_file, toml);
  const std::string none = tr("{} does not exist, so the launch is guessed", toml);
  if (!proposal.evidence.empty()) {
    return tr("{}. Inferred from runs: {}. {}", none, proposal.evidence, cure);
  }
  if (inference.is_textbook) {
    return tr(
        "{} from the names of the parameters: A is M×K, B is K×N, C is M×N. No run, with this "
        "guess or another, gave the product A·B. {}",
        none, cure);
  }
  std::string questions;
  for (const std::string& question : proposal.questions) {
    questions += " " + question;
  }
  if (!inference.is_sound) {
    return fail(
        tr("{0} does not exist, and the launch of {1} cannot be inferred:{2} `tilestep describe "
           "{1} --out {0}` writes what is known; correct the lines marked 'guess'.",
           toml, cu_file, questions));
  }
  return tr(
      "{}: sizes, roles and values are inferred from names, the source's own launch and a run.{} "
      "{}",
      none, questions, cure);
}

}  // namespace tilestep::cli
