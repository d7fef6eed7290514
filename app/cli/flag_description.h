// A launch described by flags, for a .cu without a .toml: --entry, --grid, --threads,
// --dynamic-shared, --buffer, --arg.
#pragma once

#include "cli/launch_options.h"

namespace tilestep::cli {

// The description and the file's text. Errors name the flag.
[[nodiscard]] Result<problem::LaunchSpec> spec_of_flags(const LaunchOptions& options);

}  // namespace tilestep::cli
