// The TOML of a ```scene block → a Scene (its text comes from the Markdown around it).
// docs/formats.md, "Lesson", documents the keys.
#pragma once

#include "lesson/block.h"

#include <string>

namespace tilestep::lesson {

[[nodiscard]] Result<Scene> parse_scene_block(const std::string& toml, const BlockPlace& place);

}  // namespace tilestep::lesson
