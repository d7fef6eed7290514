#include "workspace/shown_lesson.h"

#include "compile/cache.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
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
      return std::pair(number_in(file.stem().string(), false), file);
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

using nlohmann::json;

constexpr const char* kProgressFile = "progress.json";
constexpr const char* kProgressAside = "progress.unread.json";
constexpr int kProgressFormat = 1;

json json_of(const LessonProgress& progress) {
  json answers = json::object();
  for (const auto& [name, answer] : progress.answers) {
    answers[name] = {{"given", answer.given},
                     {"right", answer.is_right},
                     {"second", answer.second},
                     {"understood", answer.is_understood},
                     {"over", answer.is_over}};
  }
  json labs = json::object();
  for (const auto& [name, lab] : progress.labs) {
    labs[name] = {{"passed", lab.is_passed}, {"failures", lab.failures}, {"text", lab.text}};
  }
  return {{"version", progress.version}, {"beats", progress.beats},
          {"at", progress.at},           {"answers", std::move(answers)},
          {"labs", std::move(labs)},     {"seconds", progress.seconds}};
}

// Throws json::exception if it is malformed.
LessonProgress progress_from(const json& from) {
  LessonProgress progress;
  progress.version = from.at("version").get<std::string>();
  progress.beats = from.at("beats").get<std::set<std::string>>();
  progress.at = from.at("at").get<std::string>();
  for (const auto& [name, answer] : from.at("answers").items()) {
    const bool is_right = answer.at("right").get<bool>();
    // An older file has the first answer alone, after which the correct one was shown.
    progress.answers[name] = {answer.at("given").get<std::string>(), is_right,
                              answer.value("second", std::string()),
                              answer.value("understood", is_right), answer.value("over", true)};
  }
  for (const auto& [name, lab] : from.at("labs").items()) {
    progress.labs[name] = {lab.at("passed").get<bool>(), lab.at("failures").get<int>(),
                           lab.at("text").get<std::string>()};
  }
  // An older file has no times.
  progress.seconds = from.value("seconds", std::map<std::string, double>());
  return progress;
}

json lessons_json(const std::map<std::string, LessonProgress>& lessons) {
  json all = json::object();
  for (const auto& [lesson, progress] : lessons) {
    all[lesson] = json_of(progress);
  }
  return all;
}

// Throws json::exception if it is malformed.
std::map<std::string, LessonProgress> lessons_from(const json& from) {
  std::map<std::string, LessonProgress> lessons;
  for (const auto& [lesson, progress] : from.items()) {
    lessons[lesson] = progress_from(progress);
  }
  return lessons;
}

// A name that is not UTF-8 is written all the same.
std::string written(const json& all) {
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

constexpr const char* kHandedIn = "tilestep-progress";
constexpr int kHandedInVersion = 1;
constexpr const char* kCheckSum = "check";

// Covers everything beside it.
std::string check_sum(json all) {
  all.erase(kCheckSum);
  compile::Hash hash;
  hash.add(kHandedIn);
  hash.add(written(all));
  return hash.hex();
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
  for (const fs::path& file : files) {  // whose name differs from its id
    if (auto lesson = lesson::load_lesson(file); lesson && lesson->id == name) {
      return lesson;
    }
  }
  return fail(
      tr("there is no lesson '{}'. To list all lessons: tilestep lesson list. To open your own: "
         "tilestep lesson FILE.md.",
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
      continue;  // only scenes for pictures
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
        const bool is_question = beat.kind == lesson::BeatKind::Question;
        entry.is_question.push_back(is_question);
        entry.abouts.push_back(is_question ? lesson->about(beat).in(language) : "");
        entry.questions += is_question ? 1 : 0;
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Progress::Progress(const fs::path& user_state)
    : file_(user_state.empty() ? fs::path() : user_state / kProgressFile) {
  read();
}

// A file that cannot be read, or that a newer Tilestep has written, is renamed.
void Progress::read() {
  std::error_code ignored;
  if (file_.empty() || !fs::exists(file_, ignored)) {
    return;
  }
  std::map<std::string, LessonProgress> lessons;
  std::string student;
  std::string why;
  if (const auto text = problem::read_file(file_); !text) {
    why = text.error().message;
  } else {
    try {
      const json all = json::parse(*text);
      if (all.at("format").get<int>() != kProgressFormat) {
        why = tr("{}: a newer Tilestep wrote this file. Update Tilestep.", file_.string());
      } else {
        lessons = lessons_from(all.at("lessons"));
        student = all.value("student", std::string());
      }
    } catch (const json::exception& error) {
      why = fmt::format("{}: {}.", file_.string(), error.what());
    }
  }
  if (why.empty()) {
    lessons_ = std::move(lessons);
    student_ = std::move(student);
    return;
  }
  const fs::path aside = file_.parent_path() / kProgressAside;
  std::error_code failed;
  fs::rename(file_, aside, failed);
  mistake_ = tr("The lesson progress cannot be read. {}{}", why,
                failed ? "" : tr(" The file is kept as {}.", aside.string()));
}

Result<void> Progress::write() {
  if (file_.empty()) {
    return {};
  }
  json all{{"format", kProgressFormat}, {"lessons", lessons_json(lessons_)}};
  if (!student_.empty()) {
    all["student"] = student_;
  }
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  const auto kept = problem::write_file(file_, written(all), problem::Keep::WhileRunning);
  return kept || std::exchange(has_failed_, true) ? Result<void>{} : kept;
}

template <class Change>
Result<void> Progress::change(const std::string& lesson, const std::string& version,
                              const Change& change) {
  read();
  LessonProgress& progress = lessons_[lesson];
  const LessonProgress before = progress;
  progress.version = version;
  change(progress);
  return progress == before ? Result<void>{} : write();
}

const LessonProgress& Progress::of(const std::string& lesson) const {
  static const LessonProgress kNone;
  const auto found = lessons_.find(lesson);
  return found == lessons_.end() ? kNone : found->second;
}

Result<void> Progress::see_beat(const std::string& lesson, const std::string& version,
                                const std::string& beat) {
  return change(lesson, version, [&beat](LessonProgress& progress) {
    progress.beats.insert(beat);
    progress.at = beat;
  });
}

Result<void> Progress::note_answer(const std::string& lesson, const std::string& version,
                                   const std::string& question, const std::string& given,
                                   bool is_right) {
  return change(lesson, version, [&](LessonProgress& progress) {
    const auto [entry, is_first] = progress.answers.try_emplace(question);
    LessonProgress::Answer& answer = entry->second;
    if (answer.is_over || (!is_first && answer.given == given)) {
      return;
    }
    (is_first ? answer.given : answer.second) = given;
    answer.is_right = is_first ? is_right : answer.is_right;
    answer.is_understood = is_right;
    answer.is_over = is_right || !is_first;
  });
}

Result<void> Progress::note_shown(const std::string& lesson, const std::string& version,
                                  const std::string& question) {
  return change(lesson, version,
                [&](LessonProgress& progress) { progress.answers[question].is_over = true; });
}

Result<void> Progress::note_grade(const std::string& lesson, const std::string& version,
                                  const std::string& lab, bool is_passed) {
  return change(lesson, version, [&](LessonProgress& progress) {
    LessonProgress::Lab& of = progress.labs[lab];
    of.is_passed = of.is_passed || is_passed;
    of.failures += is_passed ? 0 : 1;
  });
}

Result<void> Progress::keep_text(const std::string& lesson, const std::string& version,
                                 const std::string& lab, const std::string& text) {
  return change(lesson, version, [&](LessonProgress& progress) { progress.labs[lab].text = text; });
}

Result<void> Progress::add_time(const std::string& lesson, const std::string& version,
                                const std::string& beat, double seconds) {
  return change(lesson, version, [&](LessonProgress& progress) {
    constexpr double kTenths = 10.0;
    const double all = progress.seconds[beat] + seconds;
    progress.seconds[beat] = std::round(kTenths * all) / kTenths;
  });
}

HandedIn Progress::hand_in(const std::string& student) {
  read();
  student_ = student;
  static_cast<void>(write());  // only the name would be lost
  return {student_, lessons_};
}

std::string text_of(const HandedIn& progress) {
  json all{{"schema", kHandedIn},
           {"version", kHandedInVersion},
           {"student", progress.student},
           {"lessons", lessons_json(progress.lessons)}};
  // As it is read again.
  all = json::parse(written(all));
  all[kCheckSum] = check_sum(all);
  return written(all);
}

Result<HandedIn> read_handed_in(const std::string& text, const std::string& name) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || all.value("schema", json()) != json(kHandedIn)) {
    return fail(
        tr("{}: this is not a progress that was handed in. In Tilestep, \"Hand in progress …\" "
           "(Ctrl+K) writes one.",
           name));
  }
  if (all.value("version", json()) != json(kHandedInVersion)) {
    return fail(tr("{}: a newer Tilestep wrote this file. Update Tilestep.", name));
  }
  if (all.value(kCheckSum, json()) != json(check_sum(all))) {
    return fail(
        tr("{}: the file was changed after it was handed in. Ask the student to hand in again.",
           name));
  }
  try {
    return HandedIn{all.at("student").get<std::string>(), lessons_from(all.at("lessons"))};
  } catch (const json::exception& error) {
    return fail(fmt::format("{}: {}.", name, error.what()));
  }
}

}  // namespace tilestep::workspace
