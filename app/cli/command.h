// The subcommands. Each add_… registers one on the CLI11 application; when it was the one asked
// for, it runs and leaves its exit status behind: 0 fine, 1 findings or mismatch, 2 wrong use or
// input.
#pragma once

#include <CLI/App.hpp>

#include <functional>
#include <string>

namespace tilestep::cli {

// What doctor says about OpenGL. cli includes no GL: the executable passes the probe in.
struct GlReport {
  bool found = false;
  std::string message;  // renderer and version, or why not and the cure
};
using GlProbe = std::function<GlReport()>;

void add_check(CLI::App& app, int& status);      // check FILE|ID
void add_describe(CLI::App& app, int& status);   // describe FILE
void add_trace(CLI::App& app, int& status);      // trace FILE|ID
void add_counters(CLI::App& app, int& status);   // counters FILE|ID
void add_origin(CLI::App& app, int& status);     // origin FILE|ID
void add_uses(CLI::App& app, int& status);       // uses FILE|ID
void add_run(CLI::App& app, int& status);        // run FILE|ID
void add_bench(CLI::App& app, int& status);      // bench
void add_merge(CLI::App& app, int& status);      // merge
void add_launch(CLI::App& app, int& status);     // launch
void add_host(CLI::App& app, int& status);       // host
void add_occupancy(CLI::App& app, int& status);  // occupancy FILE|ID
void add_why(CLI::App& app, int& status);        // why FILE|ID
void add_ceilings(CLI::App& app, int& status);   // ceilings
void add_chart(CLI::App& app, int& status);      // chart
void add_convert(CLI::App& app, int& status);    // convert
void add_doctor(CLI::App& app, int& status, const GlProbe& gl);
// completions SHELL, which --help does not list
void add_completions(CLI::App& app, int& status);

}  // namespace tilestep::cli
