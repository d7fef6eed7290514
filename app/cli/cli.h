// The command line. Exit status: 0 fine, 1 findings or mismatch, 2 wrong use or input.
#pragma once

#include "cli/command.h"
#include "cli/launch_options.h"

#include <functional>
#include <optional>
#include <string>

namespace tilestep::cli {

// What only the executable can do: this room includes no GL and no ImGui. An empty hook's
// subcommand is not offered (a build without the window).
struct Hooks {
  std::string version = "tilestep";  // what --version says
  GlProbe gl;
  std::function<int(const LaunchOptions&, Context&)> open_window;
  std::function<void(CLI::App&, Context&)> add_render;  // render, scenes
};

// Parses the arguments and does what they ask for; without a subcommand opens the window.
[[nodiscard]] int run(int argc, char** argv, const Hooks& hooks);

}  // namespace tilestep::cli
