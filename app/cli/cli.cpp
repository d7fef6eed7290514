#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace tilestep::cli {

namespace {

constexpr int kWrongUse = 2;

}  // namespace

int run(int argc, char** argv, const Hooks& hooks) {
  Context context;
  LaunchOptions window;
  CLI::App app{
      "Steps through CUDA tiled matrix multiplication: shows which tile each block loads, what "
      "each thread adds up, and what it costs."};
  app.name("tilestep");
  app.set_version_flag("--version", hooks.version);
  app.footer(
      "Examples:\n  tilestep                          opens the window with the tiled kernel\n  "
      "tilestep naive --size 8,12,16     opens another kernel and size\n  tilestep my_kernel.cu    "
      "         opens your own, with my_kernel.toml beside it\n  tilestep SUBCOMMAND --help        "
      "each subcommand has an example");
  add_launch_options(app, window);
  app.require_subcommand(0, 1);
  add_check(app, context);
  add_describe(app, context);
  add_counters(app, context);
  add_occupancy(app, context);
  add_why(app, context);
  add_chart(app, context);
  add_trace(app, context);
  add_origin(app, context);
  add_uses(app, context);
  add_run(app, context);
  add_bench(app, context);
  add_ceilings(app, context);
  add_merge(app, context);
  add_convert(app, context);
  add_launch(app, context);
  add_host(app, context);
  add_doctor(app, context, hooks.gl);
  if (hooks.add_render) {
    hooks.add_render(app, context);
  }
  add_completions(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUse;
  }
  if (!app.get_subcommands().empty()) {
    return context.status;
  }
  if (!hooks.open_window) {
    fmt::print(stderr, "tilestep: this build has no window. See tilestep --help.\n");
    return kWrongUse;
  }
  return hooks.open_window(window, context);
}

}  // namespace tilestep::cli
