// Which lessons there are, and where.
#pragma once

#include "lesson/lesson.h"
#include "problem/result.h"
#include "workspace/paths.h"
#include "workspace/shown_lesson.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::workspace {

// Beside the user's own timings: Markdown files in it are in the list of lessons.
inline constexpr const char* kLessonFolder = "lessons";

// How a lesson is called: by its id where the list has it, else by the path of its file.
[[nodiscard]] std::string name_of(const lesson::Lesson& lesson, const Paths& paths);

// "3", "03-two-barriers", or the path of a file. Reads it: fails with file, line and cause.
[[nodiscard]] Result<lesson::Lesson> find_lesson(const std::string& name, const Paths& paths);

// Those that ship, then the user's, each by file name. One that cannot be read says why.
[[nodiscard]] std::vector<LessonEntry> list_lessons(const Paths& paths,
                                                    const std::string& language);

}  // namespace tilestep::workspace
