// The subcommands. Each add_… function registers one on the CLI11 application. The requested one
// runs and stores its exit status in the context, which outlives the application: 0 fine, 1
// findings or mismatch, 2 wrong use or input.
#pragma once

#include "compile/compiler.h"
#include "workspace/paths.h"

#include <CLI/App.hpp>

#include <functional>
#include <string>

namespace tilestep::cli {

// Data of which a process has one. The command line makes it and passes it to the subcommand, or to
// the window.
struct Context {
  workspace::Paths paths = workspace::find_paths();
  compile::Compiler compiler{workspace::cache_options(paths)};
  std::string language;  // from --language; has priority over a session's or a scene's; "": none
  int status = 0;        // the exit status of the subcommand that ran
};

// The doctor's report on OpenGL. cli includes no GL: the executable supplies the probe.
struct GlReport {
  bool found = false;
  std::string message;  // renderer and version, or the reason and the cure
};
using GlProbe = std::function<GlReport()>;

void add_check(CLI::App& app, Context& context);      // check FILE|ID
void add_describe(CLI::App& app, Context& context);   // describe FILE
void add_trace(CLI::App& app, Context& context);      // trace FILE|ID
void add_counters(CLI::App& app, Context& context);   // counters FILE|ID
void add_origin(CLI::App& app, Context& context);     // origin FILE|ID
void add_sums(CLI::App& app, Context& context);       // sums FILE|ID
void add_uses(CLI::App& app, Context& context);       // uses FILE|ID
void add_run(CLI::App& app, Context& context);        // run FILE|ID
void add_bench(CLI::App& app, Context& context);      // bench
void add_tune(CLI::App& app, Context& context);       // tune
void add_errors(CLI::App& app, Context& context);     // errors KERNELS
void add_merge(CLI::App& app, Context& context);      // merge
void add_launch(CLI::App& app, Context& context);     // launch
void add_host(CLI::App& app, Context& context);       // host
void add_lab(CLI::App& app, Context& context);        // lab FILE
void add_lesson(CLI::App& app, Context& context);     // lesson check FILE, lesson list
void add_practice(CLI::App& app, Context& context);   // practice FILE|ID
void add_occupancy(CLI::App& app, Context& context);  // occupancy FILE|ID
void add_clock(CLI::App& app, Context& context);      // clock FILE|ID
void add_why(CLI::App& app, Context& context);        // why FILE|ID
void add_ceilings(CLI::App& app, Context& context);   // ceilings
void add_chart(CLI::App& app, Context& context);      // chart
void add_convert(CLI::App& app, Context& context);    // convert
void add_doctor(CLI::App& app, Context& context, const GlProbe& gl);
// completions SHELL; not listed by --help.
void add_completions(CLI::App& app, Context& context);

}  // namespace tilestep::cli
