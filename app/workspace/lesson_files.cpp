#include "workspace/lesson_files.h"

#include "problem/printable.h"
#include "problem/tr.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLessonEnding = ".md";

std::vector<fs::path> lesson_folders(const Paths& paths) {
  std::vector<fs::path> folders{paths.assets / kLessonFolder};
  if (!paths.user_data.empty()) {
    folders.push_back(paths.user_data / kLessonFolder);
  }
  return folders;
}

// "03-two-barriers" has number 3.
std::optional<int> number_in(const std::string& text, bool is_whole) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, mistake] = std::from_chars(text.data(), end, number);
  return mistake == std::errc{} && (stop == end || (!is_whole && *stop == '-'))
             ? std::optional(number)
             : std::nullopt;
}

std::vector<fs::path> lesson_paths(const Paths& paths) {
  std::vector<fs::path> all;
  for (const fs::path& folder : lesson_folders(paths)) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == kLessonEnding) {
        files.push_back(entry.path());
      }
    }
    std::ranges::sort(files, {}, [](const fs::path& file) {  // without a number: first
      return std::pair(number_in(file.stem().string(), false).value_or(0), file);
    });
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

bool is_named(const fs::path& file, const std::string& name) {
  const std::string stem = file.stem().string();
  const auto number = number_in(name, true);
  return stem == name || (number && number_in(stem, false) == number);
}

std::vector<std::string> beat_titles(const lesson::Lesson& lesson, const std::string& language) {
  std::vector<std::string> titles;
  for (const lesson::Beat& beat : lesson.beats) {
    titles.push_back(lesson.title_of(beat).in(language));
  }
  return titles;
}

}  // namespace

std::string name_of(const lesson::Lesson& lesson, const Paths& paths) {
  const fs::path folder = fs::path(lesson.file).parent_path();
  const bool is_listed = std::ranges::any_of(lesson_folders(paths), [&folder](const fs::path& one) {
    std::error_code ignored;
    return fs::equivalent(one, folder.empty() ? fs::path(".") : folder, ignored);
  });
  std::error_code failed;
  const fs::path whole = fs::absolute(lesson.file, failed);
  return is_listed && !lesson.id.empty() ? lesson.id
         : failed                        ? lesson.file
                                         : whole.lexically_normal().string();
}

Result<lesson::Lesson> find_lesson(const std::string& name, const Paths& paths) {
  const std::vector<fs::path> files = lesson_paths(paths);
  if (const auto file =
          std::ranges::find_if(files, [&name](const fs::path& one) { return is_named(one, name); });
      file != files.end()) {
    return lesson::load_lesson(*file);
  }
  std::error_code ignored;
  if (name.ends_with(kLessonEnding) || fs::exists(name, ignored)) {
    return lesson::load_lesson(name);
  }
  for (const fs::path& file : files) {  // whose name is another than its id
    if (auto lesson = lesson::load_lesson(file); lesson && lesson->id == name) {
      return lesson;
    }
  }
  return fail(
      tr("there is no lesson '{}'. tilestep lesson list shows them; FILE.md opens one of your own.",
         printable(name)));
}

std::vector<LessonEntry> list_lessons(const Paths& paths, const std::string& language) {
  std::vector<LessonEntry> entries;
  for (const fs::path& file : lesson_paths(paths)) {
    LessonEntry entry;
    const auto lesson = lesson::load_lesson(file);
    if (!lesson) {
      entry.lesson = file.string();
      entry.title = file.stem().string();
      entry.mistake = lesson.error().message;
    } else if (lesson->id.empty()) {
      continue;  // scenes for pictures
    } else {
      entry.lesson = lesson->id;
      entry.title = lesson->title.in(language);
      entry.goal = lesson->goal.in(language);
      entry.minutes = lesson->total_minutes();
      entry.beats = lesson->beats.size();
      entry.is_film = lesson->is_film();
      entry.beat_titles = beat_titles(*lesson, language);
      for (const lesson::Beat& beat : lesson->beats) {
        entry.beat_names.push_back(lesson->name_of(beat));
        entry.is_question.push_back(beat.kind == lesson::BeatKind::Question);
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace tilestep::workspace
