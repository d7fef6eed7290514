// render and scenes: the subcommands that make PNG files.
#pragma once

#include <CLI/App.hpp>

namespace tilestep::program {

void add_render_commands(CLI::App& app, int& status);

}  // namespace tilestep::program
