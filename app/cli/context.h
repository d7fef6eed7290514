// What a process has one of. The command line makes it and hands it to the subcommand, or to the
// window.
#pragma once

#include "compile/compiler.h"
#include "workspace/paths.h"

#include <string>

namespace tilestep::cli {

struct Context {
  workspace::Paths paths = workspace::find_paths();
  compile::Compiler compiler{workspace::cache_options(paths)};
  std::string language;  // of --language, which stands above a session's or a scene's; "": none
  int status = 0;        // the exit status of the subcommand that ran
};

}  // namespace tilestep::cli
