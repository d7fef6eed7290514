#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace tilestep::cli {

namespace {

constexpr const char* kVersion = "tilestep 0.1.0";
constexpr int kWrongUse = 2;

}  // namespace

int run(int argc, char** argv, const Hooks& hooks) {
  int status = 0;
  LaunchOptions window;
  CLI::App app{
      "Steps through CUDA tiled matrix multiplication: shows which tile each block loads, what "
      "each thread adds up, and what it costs."};
  app.name("tilestep");
  app.set_version_flag("--version", kVersion);
  app.footer(
      "Examples:\n  tilestep                          opens the window with the tiled kernel\n  "
      "tilestep naive --size 8,12,16     opens another kernel and size\n  tilestep my_kernel.cu    "
      "         opens your own, with my_kernel.toml beside it\n  tilestep SUBCOMMAND --help        "
      "each subcommand has an example");
  add_launch_options(app, window);
  app.require_subcommand(0, 1);
  add_check(app, status);
  add_describe(app, status);
  add_counters(app, status);
  add_occupancy(app, status);
  add_why(app, status);
  add_chart(app, status);
  add_trace(app, status);
  add_origin(app, status);
  add_uses(app, status);
  add_run(app, status);
  add_bench(app, status);
  add_ceilings(app, status);
  add_merge(app, status);
  add_convert(app, status);
  add_launch(app, status);
  add_host(app, status);
  add_doctor(app, status, hooks.gl);
  if (hooks.add_render) {
    hooks.add_render(app, status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUse;
  }
  if (!app.get_subcommands().empty()) {
    return status;
  }
  if (!hooks.open_window) {
    fmt::print(stderr, "tilestep: this build has no window. See tilestep --help.\n");
    return kWrongUse;
  }
  return hooks.open_window(window);
}

}  // namespace tilestep::cli
