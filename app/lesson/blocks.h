// Readers of the TOML of a lesson's blocks: ```lesson, ```lab, ```question, ```scene.
// docs/formats/lesson.md documents the keys.
#pragma once

#include "lesson/block.h"

#include <optional>
#include <string>

namespace tilestep::lesson {

// Sets `lesson`'s id, goal, languages, texts, after and minutes; returns an error if it cannot.
[[nodiscard]] std::optional<Error> read_lesson_block(const std::string& toml,
                                                     const BlockPlace& place, Lesson& lesson);

// The TOML of a ```lab block → a Lab. docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Lab> parse_lab_block(const std::string& toml, const BlockPlace& place);

// The TOML of a ```question block → a Question. docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Question> parse_question_block(const std::string& toml,
                                                    const BlockPlace& place);

// The TOML of a ```scene block → a Scene (its text is the Markdown around it).
// docs/formats/lesson.md, documents the keys.
[[nodiscard]] Result<Scene> parse_scene_block(const std::string& toml, const BlockPlace& place);

}  // namespace tilestep::lesson
