// tilestep lesson handout: a lesson on paper, with the pictures of its scenes.
#pragma once

#include "cli/context.h"

#include <CLI/App.hpp>

namespace tilestep::program {

// Below `lesson`, which is there.
void add_handout_command(CLI::App& app, cli::Context& context);

}  // namespace tilestep::program
