#include "cli/infer.h"

#include "cli/describe_fit.h"
#include "cli/describe_trial.h"
#include "cli/prepare.h"
#include "loading/interface.h"
#include "loading/loader.h"
#include "problem/describe/catalog.h"
#include "problem/propose/product.h"
#include "problem/source/cuda_names.h"
#include "problem/source/cuda_text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <re2/re2.h>

namespace tilestep::cli {

namespace {

namespace fs = std::filesystem;

// Macros that a build script gives with -D are missed by name. True when there is a new one.
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

Result<Inference> infer_launch(compile::Compiler& compiler, const std::string& cu_file,
                               const std::string& entry, const std::vector<fs::path>& include) {
  const Result<problem::LaunchSpec> source = problem::load_source(cu_file, include);
  if (!source) {
    return tl::unexpected(source.error());
  }
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
  const std::string cure = tr("`tilestep describe {} --out {}` writes it down.", cu_file, toml);
  const std::string none = tr("{} does not exist, so the launch is guessed", toml);
  if (!proposal.evidence.empty()) {
    return tr("{}. Inferred from runs: {}. {}", none, proposal.evidence, cure);
  }
  if (inference.is_textbook) {
    return tr(
        "{} from the names of the parameters: A is M×K, B is K×N, C is M×N. No run of another "
        "guess gives the product, either. {}",
        none, cure);
  }
  std::string questions;
  for (const std::string& question : proposal.questions) {
    questions += " " + question;
  }
  if (!inference.is_sound) {
    return fail(
        tr("{0} does not exist, and what starts {1} cannot be inferred:{2} `tilestep describe {1} "
           "--out {0}` writes down what is known; correct the lines marked 'guess'.",
           toml, cu_file, questions));
  }
  return tr("{}: sizes, roles and values from names, the text's own launch and a run.{} {}", none,
            questions, cure);
}

}  // namespace tilestep::cli
