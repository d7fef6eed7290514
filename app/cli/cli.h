// The command line. Exit status: 0 fine, 1 findings or mismatch, 2 wrong use or input.
#pragma once

#include "cli/command.h"
#include "cli/launch_options.h"

#include <functional>
#include <string>
#include <vector>

namespace tilestep::cli {

// What a window opens with: a launch, or a scene (`tilestep open`), or the session that was closed
// last.
struct WindowOptions {
  LaunchOptions launch;
  bool fresh = false;   // leave the session alone
  std::string session;  // its name
  std::string scene;    // a link or a file
  std::string lesson;   // its number, its id or its file
};

// What only the executable can do: this room includes no GL and no ImGui. An empty hook's
// subcommand is not offered (a build without the window).
struct Hooks {
  std::string version = "tilestep";  // what --version says
  GlProbe gl;
  std::function<Result<int>(const WindowOptions&, Context&)> open_window;
  std::function<void(CLI::App&, Context&)> add_render;  // render, scenes
};

// Names the program, gives it all options and subcommands. `window` gets what the options say that
// stand before a subcommand.
void add_everything(CLI::App& app, WindowOptions& window, Context& context, const Hooks& hooks);

// One sentence for arguments that the application refuses.
[[nodiscard]] std::string refusal(const CLI::App& app, const CLI::ParseError& error);

// Parses the arguments and does what they ask for; without a subcommand opens the window.
[[nodiscard]] int run(int argc, char** argv, const Hooks& hooks);

}  // namespace tilestep::cli
