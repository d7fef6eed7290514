// Writes a launch description as TOML that parse_description can read.
#pragma once

#include "problem/launch/launch.h"

#include <map>
#include <string>
#include <vector>

namespace tilestep::problem {

// Comments by place: "entry", "grid", "block", "dynamic_shared_bytes", "buffers", "arguments",
// "buffer NAME", "argument 0" (at the line's end), …
using Notes = std::map<std::string, std::string>;

// Whether the text contains a file's values, or only the file's name.
enum class FileValues { Named, Embedded };

// `head`: comment lines at the beginning. The kernel's text, id and headers are not included.
[[nodiscard]] std::string description_text(const LaunchSpec& spec,
                                           const std::vector<std::string>& head, const Notes& notes,
                                           FileValues values = FileValues::Named);

}  // namespace tilestep::problem
