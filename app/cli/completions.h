// Shell completions, written from the program's own table of subcommands and options.
#pragma once

#include "problem/result.h"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace tilestep::cli {

// A script for `shell`, which is bash, zsh or fish (another one is an error): subcommands, options,
// the values of options that have a list of them, file names for the other options, and `kernels`
// wherever a kernel stands. Hidden subcommands and options are left out.
[[nodiscard]] Result<std::string> completions(const CLI::App& app, const std::string& shell,
                                              const std::vector<std::string>& kernels);

}  // namespace tilestep::cli
