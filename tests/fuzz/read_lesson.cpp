// Lessons (Markdown with scenes in TOML): read, or a sentence that names the file.
#include "lesson/lesson.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {

void read_lesson(Bytes bytes) {
  const auto lesson = lesson::parse_lesson(text_of(bytes), "fuzz.md");
  if (!lesson) {
    require(lesson.error().message.starts_with("fuzz.md"), "an error names the file");
    return;
  }
  require(!lesson->scenes.empty(), "a lesson has a scene");
  require(lesson->beats.size() ==
              lesson->scenes.size() + lesson->questions.size() + lesson->labs.size(),
          "every beat stands once");
  for (const lesson::Beat& beat : lesson->beats) {
    require(!lesson->name_of(beat).empty(), "a beat has a name");
  }
}

}  // namespace tilestep::fuzz
