// The command line. Exit status: 0 fine, 1 findings or mismatch, 2 wrong use or input.
#pragma once

#include "cli/command.h"
#include "cli/launch_options.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::cli {

// The initial content of a window: a launch, or a scene (`tilestep open`), or the previous session.
struct WindowOptions {
  LaunchOptions launch;
  bool fresh = false;      // ignore the session
  std::string session;     // its name
  std::string scene;       // a link or a file
  std::string lesson;      // its number, its id or its file
  bool embed = false;      // only the stage, its sentence and the step bar
  bool sentences = false;  // printed, for a screen reader
};

// Functions that only the executable can supply: this room includes no GL and no ImGui. A
// subcommand with an empty hook is not offered (a build without the window).
struct Hooks {
  std::string version = "tilestep";  // printed by --version
  GlProbe gl;
  // The window keeps the context as long as it needs it: a browser's longer than run().
  std::function<Result<int>(const WindowOptions&, std::shared_ptr<Context>)> open_window;
  std::function<void(CLI::App&, Context&)> add_render;  // render, scenes
};

// Names the program, and adds all options and subcommands. `window` gets the options before a
// subcommand.
void add_everything(CLI::App& app, WindowOptions& window, Context& context, const Hooks& hooks);

// A sentence about arguments that the application refuses.
[[nodiscard]] std::string refusal(const CLI::App& app, const CLI::ParseError& error);

// Parses the arguments and carries them out; without a subcommand opens the window.
[[nodiscard]] int run(int argc, char** argv, const Hooks& hooks);

}  // namespace tilestep::cli
