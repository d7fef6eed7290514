// tilestep film: a run as GIF or MP4.
#pragma once

#include "cli/context.h"

#include <CLI/App.hpp>

namespace tilestep::program {

void add_film_command(CLI::App& app, cli::Context& context);

}  // namespace tilestep::program
