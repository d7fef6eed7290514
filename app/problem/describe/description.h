// TOML → LaunchSpec: the one reader for the catalog and users' own descriptions.
// docs/formats/launch.md, documents the format.
#pragma once

#include "problem/describe/catalog.h"
#include "problem/result.h"

#include <string>

namespace tilestep::problem {

// All kernels and presets of a file: its [[kernel]] and [[preset]] tables, or the single kernel
// whose keys are at the top level. Sources are not read: `source_name` names the files ("" if the
// file does not), and csv_name names the file of a fixed CSV input. Errors name file and line.
[[nodiscard]] Result<Catalog> parse_descriptions(const std::string& toml_text,
                                                 const std::string& name);

}  // namespace tilestep::problem
