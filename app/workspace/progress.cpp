#include "workspace/progress.h"

#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <system_error>
#include <utility>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kProgressFile = "progress.json";
constexpr const char* kProgressAside = "progress.unread.json";
constexpr int kProgressFormat = 1;

json json_of(const LessonProgress& progress) {
  json answers = json::object();
  for (const auto& [name, answer] : progress.answers) {
    answers[name] = {{"given", answer.given}, {"right", answer.is_right}};
  }
  json labs = json::object();
  for (const auto& [name, lab] : progress.labs) {
    labs[name] = {{"passed", lab.is_passed}, {"failures", lab.failures}, {"text", lab.text}};
  }
  return {{"version", progress.version},
          {"beats", progress.beats},
          {"at", progress.at},
          {"answers", std::move(answers)},
          {"labs", std::move(labs)}};
}

// Throws json::exception for what is none.
LessonProgress progress_from(const json& from) {
  LessonProgress progress;
  progress.version = from.at("version").get<std::string>();
  progress.beats = from.at("beats").get<std::set<std::string>>();
  progress.at = from.at("at").get<std::string>();
  for (const auto& [name, answer] : from.at("answers").items()) {
    progress.answers[name] = {answer.at("given").get<std::string>(),
                              answer.at("right").get<bool>()};
  }
  for (const auto& [name, lab] : from.at("labs").items()) {
    progress.labs[name] = {lab.at("passed").get<bool>(), lab.at("failures").get<int>(),
                           lab.at("text").get<std::string>()};
  }
  return progress;
}

}  // namespace

Progress::Progress(const fs::path& user_state)
    : file_(user_state.empty() ? fs::path() : user_state / kProgressFile) {
  read();
}

// A file that cannot be read, or that a newer Tilestep has written, is put aside.
void Progress::read() {
  std::error_code ignored;
  if (file_.empty() || !fs::exists(file_, ignored)) {
    return;
  }
  std::map<std::string, LessonProgress> lessons;
  std::string why;
  if (const auto text = problem::read_file(file_); !text) {
    why = text.error().message;
  } else {
    try {
      const json all = json::parse(*text);
      if (all.at("format").get<int>() != kProgressFormat) {
        why = tr("{}: a newer Tilestep has written it.", file_.string());
      } else {
        for (const auto& [lesson, progress] : all.at("lessons").items()) {
          lessons[lesson] = progress_from(progress);
        }
      }
    } catch (const json::exception& error) {
      why = fmt::format("{}: {}.", file_.string(), error.what());
    }
  }
  if (why.empty()) {
    lessons_ = std::move(lessons);
    return;
  }
  const fs::path aside = file_.parent_path() / kProgressAside;
  std::error_code failed;
  fs::rename(file_, aside, failed);
  mistake_ = tr("The progress with lessons cannot be read. {}{}", why,
                failed ? "" : tr(" It is kept as {}.", aside.string()));
}

Result<void> Progress::write() {
  if (file_.empty()) {
    return {};
  }
  json lessons = json::object();
  for (const auto& [lesson, progress] : lessons_) {
    lessons[lesson] = json_of(progress);
  }
  const json all{{"format", kProgressFormat}, {"lessons", std::move(lessons)}};
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  // A name that is no UTF-8 is written all the same.
  const std::string text = all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  const auto written = problem::write_file(file_, text, problem::Keep::WhileRunning);
  return written || std::exchange(has_failed_, true) ? Result<void>{} : written;
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

// A second try changes nothing: it is known by then.
Result<void> Progress::note_answer(const std::string& lesson, const std::string& version,
                                   const std::string& question, LessonProgress::Answer answer) {
  return change(lesson, version, [&](LessonProgress& progress) {
    progress.answers.try_emplace(question, std::move(answer));
  });
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

}  // namespace tilestep::workspace
