// Scenes: named AppStates in a file, with the words that go with them.
//
// A lesson is a Markdown file; each ```scene block (TOML) sets a scene for the text after it
// (docs/formats.md, "Lesson"). A scene starts from the state the program opens with, not from the
// scene before it, so each can be read and shown alone. The opening scenes
// (assets/lessons/opening.md) are what a start without a display renders and what the README shows.
#pragma once

#include "lesson/place.h"
#include "state/app_state.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::lesson {

struct Scene {
  std::string name;   // "multiply": file name of its picture
  std::string title;  // its own, or the heading above
  std::string text;   // Markdown that follows
  state::AppState state;
  Place place;
};

struct Lesson {
  std::string title;  // the first heading
  std::string text;   // Markdown before the first scene
  std::vector<Scene> scenes;
};

// Errors name `name` and the line. The step of each state is still 0: resolve() finds it.
[[nodiscard]] Result<Lesson> parse_lesson(const std::string& markdown, const std::string& name);
// Files that scenes name (kernels, CSV inputs) are looked for beside the lesson.
[[nodiscard]] Result<Lesson> load_lesson(const std::filesystem::path& file);

}  // namespace tilestep::lesson
