// render and scenes: the subcommands that make PNG files.
#pragma once

#include "cli/context.h"

#include <CLI/App.hpp>

namespace tilestep::program {

void add_render_commands(CLI::App& app, cli::Context& context);

}  // namespace tilestep::program
