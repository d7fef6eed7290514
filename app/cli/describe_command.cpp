#include "cli/describe_command.h"

#include "cli/command.h"
#include "cli/infer.h"
#include "cli/prepare.h"
#include "cli/progress_line.h"
#include "cli/say.h"
#include "problem/file.h"
#include "problem/propose/proposal.h"
#include "problem/tr.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

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
  const bool is_printed = options.out.empty() || is_standard_output(options.out);
  const Result<std::string> text =
      describe(context.compiler, options.file, options.entry, options.include,
               is_printed ? fs::path() : fs::absolute(options.out).parent_path());
  if (!text) {
    return wrong_use(text.error());
  }
  if (is_printed) {
    fmt::print("{}", *text);
    return 0;
  }
  std::error_code ignored;
  if (fs::exists(options.out, ignored)) {
    return wrong_use(
        {tr("{} already exists. Remove it, or choose another name for --out.", options.out)});
  }
  if (const Result<void> written = problem::write_file(options.out, *text); !written) {
    return wrong_use(written.error());
  }
  say("Written: {}. Try it: tilestep check {} --description {}\n", options.out, options.file,
      options.out);
  return 0;
}

}  // namespace

Result<std::string> describe(compile::Compiler& compiler, const std::string& cu_file,
                             const std::string& entry, const std::vector<fs::path>& include,
                             const fs::path& folder) {
  const ProgressLine progress("describe", 0);
  auto inference = infer_launch(compiler, cu_file, entry, include);
  if (!inference) {
    return tl::unexpected(inference.error());
  }
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
  command->add_option("--out", options->out, "Write to this .toml file (default, and -: print it)");
  command->footer(
      "Example:\n  tilestep describe my_kernel.cu --out my_kernel.toml\n"
      "  tilestep check my_kernel.cu\n"
      "Exit status: 0 success; 2 wrong use, several kernels, or source that does not compile.");
  command->callback(
      [options, &context] { context.status = describe_and_write(*options, context); });

  auto* old_name = app.add_subcommand("explain")->group("")->prefix_command();
  old_name->callback([&context] {
    context.status =
        wrong_use({tr("`tilestep explain` is now `tilestep describe`, with the same options.")});
  });
}

}  // namespace tilestep::cli
