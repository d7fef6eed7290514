// TOML → LaunchSpec: the one reader behind the catalog and users' own descriptions.
// docs/formats.md, "Launch description", documents the format.
#pragma once

#include "problem/launch.h"
#include "problem/result.h"

#include <string>
#include <vector>

namespace tilestep::problem {

// All kernels of a file: those of [[kernel]] tables, or the one whose keys stand at the top level.
// Sources are not read: `source_name` says which files they are ("" when the file does not), and
// the csv_name of a fixed CSV input which file its text is in. Errors name file and line.
[[nodiscard]] Result<std::vector<LaunchSpec>> parse_descriptions(const std::string& toml_text,
                                                                 const std::string& name);

}  // namespace tilestep::problem
