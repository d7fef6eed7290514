// TOML → LaunchSpec: the one reader behind the catalog and users' own descriptions.
// docs/formats.md, "Launch description", documents the format.
#pragma once

#include "problem/describe/catalog.h"
#include "problem/result.h"

#include <string>

namespace tilestep::problem {

// All kernels and presets of a file: those of [[kernel]] and [[preset]] tables, or the one kernel
// whose keys stand at the top level. Sources are not read: `source_name` says which files they are
// ("" when the file does not), and the csv_name of a fixed CSV input which file its text is in.
// Errors name file and line.
[[nodiscard]] Result<Catalog> parse_descriptions(const std::string& toml_text,
                                                 const std::string& name);

}  // namespace tilestep::problem
