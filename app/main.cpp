// Reads the arguments and starts the window or a subcommand.
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "problem/tr.h"
#include "version.h"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#ifdef _WIN32
#include "main_windows.h"
#endif

#ifdef TILESTEP_UI
#include "platform/window.h"
#include "program/commands.h"
#include "program/window_loop.h"
#include "workspace/workspace.h"
#endif

namespace {

tilestep::cli::Hooks make_hooks() {
  tilestep::cli::Hooks hooks;
  hooks.version = tilestep::version();
#ifdef TILESTEP_UI
  hooks.gl = [] {
    try {
      const auto paths = tilestep::workspace::find_paths();
      tilestep::platform::WindowOptions options;
      options.off_screen = !tilestep::platform::why_no_display().empty();
      options.fonts = paths.assets / "fonts";
      options.shaders = paths.shaders;
      const tilestep::platform::Window window(options);
      const auto gl = window.gl();
      return tilestep::cli::GlReport{true, gl.renderer + ", OpenGL " + gl.version};
    } catch (const tilestep::platform::PlatformError& error) {
      return tilestep::cli::GlReport{false, error.what()};
    }
  };
  hooks.open_window = tilestep::program::open_window;
  hooks.add_render = tilestep::program::add_render_commands;
#endif
  return hooks;
}

int run(int argc, char** argv, int& failed_print) {
  try {
    return tilestep::cli::run(argc, argv, make_hooks());
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) {
      return tilestep::cli::wrong_use({error.what()});
    }
    failed_print = error.code().value();
    return 2;
  } catch (const std::bad_alloc&) {
    return tilestep::cli::wrong_use(
        {std::string(tilestep::tr("not enough memory. Choose a smaller problem."))});
  } catch (const std::exception& error) {
    return tilestep::cli::wrong_use({error.what()});
  }
}

}  // namespace

int main(int argc, char** argv) {
#ifdef _WIN32
  tilestep::adapt_to_windows();
#endif
  tilestep::cli::occupy_closed_streams();
  int failed_print = 0;
  const int status = run(argc, argv, failed_print);
  return tilestep::cli::finish_output(status, failed_print);
}
