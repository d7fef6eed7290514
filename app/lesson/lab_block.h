// The TOML of a ```lab block → a Lab. docs/formats.md, "Labs", documents the keys.
#pragma once

#include "lesson/block.h"

#include <string>

namespace tilestep::lesson {

[[nodiscard]] Result<Lab> parse_lab_block(const std::string& toml, const BlockPlace& place);

}  // namespace tilestep::lesson
