// reference: prints the tables of docs/keys.md and docs/commands.md; --help does not list it.
#pragma once

#include <CLI/App.hpp>

namespace tilestep::program {

void add_reference_command(CLI::App& app);

}  // namespace tilestep::program
