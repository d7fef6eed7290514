// How far somebody is with each lesson, kept from start to start.
//
// One file, written beside itself and renamed whenever something is new: a killed program loses
// nothing. Another window's progress is read again before this one's is added.
#pragma once

#include "problem/result.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace tilestep::workspace {

struct LessonProgress {
  std::string version;          // of the lesson that this was noted of
  std::set<std::string> beats;  // seen, by name
  std::string at;               // the beat that was shown last
  struct Answer {
    std::string given;
    bool is_right = false;
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  std::map<std::string, Answer> answers;  // the first one to each question, by name
  struct Lab {
    bool is_passed = false;  // once
    int failures = 0;        // gradings
    std::string text;        // what is written for it; "": what it begins with
    friend bool operator==(const Lab&, const Lab&) = default;
  };
  std::map<std::string, Lab> labs;  // by name

  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

class Progress {
 public:
  // An empty folder keeps nothing.
  explicit Progress(const std::filesystem::path& user_state);

  // By a lesson's id, or its path.
  [[nodiscard]] const LessonProgress& of(const std::string& lesson) const;
  [[nodiscard]] const std::map<std::string, LessonProgress>& all() const { return lessons_; }
  // What is noted of another version stays: names that a lesson has no more are of no account.
  // Fails, once, with a sentence where it cannot be written.
  Result<void> see_beat(const std::string& lesson, const std::string& version,
                        const std::string& beat);
  Result<void> note_answer(const std::string& lesson, const std::string& version,
                           const std::string& question, LessonProgress::Answer answer);
  Result<void> note_grade(const std::string& lesson, const std::string& version,
                          const std::string& lab, bool is_passed);
  Result<void> keep_text(const std::string& lesson, const std::string& version,
                         const std::string& lab, const std::string& text);
  // Why the file that was there is not used; empty: it is, or there is none.
  [[nodiscard]] const std::string& mistake() const { return mistake_; }

 private:
  void read();
  Result<void> write();
  template <class Change>
  Result<void> change(const std::string& lesson, const std::string& version, const Change& change);

  std::filesystem::path file_;
  std::map<std::string, LessonProgress> lessons_;
  std::string mistake_;
  bool has_failed_ = false;
};

}  // namespace tilestep::workspace
