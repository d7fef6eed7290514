// The texts of a lesson's beat, with the values of its {{ expressions }}, and the verdict on an
// answer. Values require executed runs, so all of this is for a worker's thread.
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

// The position that a beat shows: a scene's own, a question's, a lab's first row.
[[nodiscard]] lesson::Position position_of(const lesson::Lesson& lesson, const lesson::Beat& beat);
// Texts with values are empty.
[[nodiscard]] BeatWords unfilled_words(const lesson::Lesson& lesson, std::size_t beat,
                                       const std::string& language);
// The label of a button that leads to the beat; for a question, whose text is hidden until it is
// asked, only that it is one.
[[nodiscard]] std::string name_to_press(const lesson::Lesson& lesson, std::size_t beat,
                                        const BeatWords& words);

// An open lesson with its runs; for one thread at a time.
class LessonEvaluator {
 public:
  LessonEvaluator(std::shared_ptr<const lesson::Lesson> lesson, CatalogPtr catalog,
                  compile::Compiler& compiler, std::filesystem::path dataset);

  [[nodiscard]] BeatWords words(std::size_t beat, const std::string& language);
  // `given` as in state::LessonView; nullopt: shows the correct answer. Fails with a sentence if it
  // is not an answer, or if the question has none.
  [[nodiscard]] Result<ShownVerdict> verdict(std::size_t beat,
                                             const std::optional<std::string>& given,
                                             const std::string& language);
  // Callable from any thread: the current execution ends soon.
  void cancel() { cancel_ = true; }
  [[nodiscard]] bool is_cancelled() const { return cancel_; }

 private:
  [[nodiscard]] course::Answers& answers();
  [[nodiscard]] std::string where(const lesson::Position& at);
  [[nodiscard]] std::string filled(const lesson::Words& words, const lesson::Position& at,
                                   const std::string& language, std::string& mistake);
  [[nodiscard]] std::vector<NumberChoice> numbers_of(const lesson::Question& question,
                                                     const course::Value& answer);
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
