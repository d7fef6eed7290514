// A launch description as TOML text that parse_description reads back.
#pragma once

#include "problem/launch/launch.h"

#include <map>
#include <string>
#include <vector>

namespace tilestep::problem {

// Comments by place: "entry", "grid", "block", "dynamic_shared_bytes", "buffers", "arguments",
// "buffer NAME", "argument 0" (at the line's end), … A place without one has none.
using Notes = std::map<std::string, std::string>;

// Whether values of a file are in the text, or the name of the file alone.
enum class FileValues { Named, Embedded };

// `head`: comment lines before everything else. The kernel's text, id and headers are not in it.
[[nodiscard]] std::string description_text(const LaunchSpec& spec,
                                           const std::vector<std::string>& head, const Notes& notes,
                                           FileValues values = FileValues::Named);

}  // namespace tilestep::problem
