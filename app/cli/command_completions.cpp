// tilestep completions: what a package installs for the shells; --help does not list it.
#include "cli/command.h"
#include "cli/completions.h"
#include "cli/context.h"
#include "cli/prepare.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace tilestep::cli {
namespace {

int print_completions(const CLI::App& app, const std::string& shell,
                      const workspace::Paths& paths) {
  const auto catalog = problem::load_catalog(paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  std::vector<std::string> kernels;
  for (const problem::LaunchSpec& spec : catalog->kernels) {
    kernels.push_back(spec.id);
  }
  if (!catalog->best.winners.empty()) {
    kernels.emplace_back(problem::kBestBySize);
  }
  const auto script = completions(app, shell, kernels);
  if (!script) {
    return wrong_use(script.error());
  }
  fmt::print("{}", *script);
  return 0;
}

}  // namespace

void add_completions(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completions", "Print completions for a shell");
  command->group("");  // not in --help
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->footer("Example:\n  tilestep completions bash");
  command->callback(
      [shell, &app, &context] { context.status = print_completions(app, *shell, context.paths); });
}

}  // namespace tilestep::cli
