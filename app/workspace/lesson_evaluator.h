// What a beat of a lesson says, with the values of its {{ expressions }}, and what an answer to its
// question is worth. Values are executed runs: all of this is for a worker's thread.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"
#include "workspace/jobs.h"
#include "workspace/shown_lesson.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::workspace {

struct BeatWords {
  std::string title;
  std::string intro;  // of the first beat: what the lesson says before it
  std::string text;
  std::string note;
  std::string hint;
  std::string ask;
  std::vector<std::string> choices;
  std::vector<std::string> labels;
  std::vector<std::string> tries;
  std::string where;  // what is on stage then: kernel, sizes, phase
  std::optional<course::Value> answer;
  std::string mistake;  // the first expression that has no value, or why there is no answer
};

// What it shows: of a scene its own state, of a question the one that it is asked of, of a lab its
// first row.
[[nodiscard]] lesson::Position position_of(const lesson::Lesson& lesson, const lesson::Beat& beat);
// Texts with values are empty.
[[nodiscard]] BeatWords unfilled_words(const lesson::Lesson& lesson, std::size_t beat,
                                       const std::string& language);
// What a button that leads there says: of a question, whose text is where it is asked, that it is
// one.
[[nodiscard]] std::string name_to_press(const lesson::Lesson& lesson, std::size_t beat,
                                        const BeatWords& words);

// A lesson that is open, with the runs that were asked about: for one thread at a time.
class LessonEvaluator {
 public:
  LessonEvaluator(std::shared_ptr<const lesson::Lesson> lesson, CatalogPtr catalog,
                  compile::Compiler& compiler, std::filesystem::path dataset);

  [[nodiscard]] BeatWords words(std::size_t beat, const std::string& language);
  // `given` as state::LessonView has it; nothing: the right answer is shown without one. Fails with
  // a sentence for what is no answer, and where the question has none.
  [[nodiscard]] Result<ShownVerdict> verdict(std::size_t beat,
                                             const std::optional<std::string>& given,
                                             const std::string& language);
  // From any thread: what is being executed ends soon.
  void cancel() { cancel_ = true; }
  [[nodiscard]] bool is_cancelled() const { return cancel_; }

 private:
  [[nodiscard]] course::Answers& answers();
  [[nodiscard]] std::string where(const lesson::Position& at);
  [[nodiscard]] std::string filled(const lesson::Words& words, const lesson::Position& at,
                                   const std::string& language, std::string& mistake);
  [[nodiscard]] std::string right_text(const lesson::Question& question,
                                       const course::Value& answer, const std::string& language);
  [[nodiscard]] Result<course::Value> value_of_given(const lesson::Question& question,
                                                     const std::string& given);

  std::shared_ptr<const lesson::Lesson> lesson_;
  CatalogPtr catalog_;
  compile::Compiler& compiler_;
  timing::UnreadDataSet dataset_;
  std::atomic<bool> cancel_{false};
  std::optional<course::Answers> answers_;
};

}  // namespace tilestep::workspace
