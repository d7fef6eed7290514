// The TOML of a ```scene block → a Scene (its text comes from the Markdown around it).
// docs/formats.md, "Lesson", documents the keys.
#pragma once

#include "lesson/lesson.h"

#include <span>
#include <string>

namespace tilestep::lesson {

// `toml` stands in `file` from line `first_line` on: errors name the file's own lines. `title` is
// that of the heading above; the block may have its own. `before`: the scenes above, which it may
// be compared with.
[[nodiscard]] Result<Scene> parse_scene_block(const std::string& toml, const std::string& file,
                                              int first_line, const std::string& title,
                                              std::span<const Scene> before = {});

}  // namespace tilestep::lesson
