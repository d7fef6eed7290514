// The TOML of a ```lesson block: what a lesson says of itself. docs/formats.md, "Lesson".
#pragma once

#include "lesson/block.h"

#include <optional>
#include <string>

namespace tilestep::lesson {

// Sets `lesson`'s id, goal, languages, texts, after and minutes; a sentence where it cannot.
[[nodiscard]] std::optional<Error> read_lesson_block(const std::string& toml,
                                                     const BlockPlace& place, Lesson& lesson);

}  // namespace tilestep::lesson
