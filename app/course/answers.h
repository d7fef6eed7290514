// Evaluates expressions about a run: the answers of questions and the numbers in texts.
//
//   Answers answers({compiler, catalog, &h200}, lesson.follow());
//   answers.of(question.answer.expression, question.at)      389
//
// A lesson stores no values: every value is computed from executed instructions, from counts of
// them, or from a data set, so a question always has the same answer. Runs are cached. An object is
// for one thread at a time, which may be a worker.
#pragma once

#include "course/run.h"
#include "course/value.h"
#include "lesson/expression.h"
#include "lesson/lesson.h"
#include "lesson/text.h"
#include "problem/result.h"

#include <cstddef>
#include <string>

namespace tilestep::course {

class Answers {
 public:
  // `follow`: applies the changes of with(); empty: only the state's own keys.
  explicit Answers(Tools tools, lesson::Follow follow = {});

  // Fails with a sentence: an unknown name, no value, or not a single value.
  [[nodiscard]] Result<Value> of(const lesson::Expression& expression, const lesson::Position& at);
  // A text with the values of its {{ expressions }}.
  [[nodiscard]] Result<std::string> filled(const lesson::Text& text, const lesson::Position& at);
  // The run of a Setup, for further facts about it.
  [[nodiscard]] Run& run_of(const lesson::Position& at) { return runs_.of(setup_of(at.state)); }
  [[nodiscard]] const Tools& tools() const { return runs_.tools(); }

 private:
  Runs runs_;
  lesson::Follow follow_;
};

// Whether an answer to a question is correct, and the feedback on a wrong one.
struct Verdict {
  bool is_right = false;
  // The lesson's feedback on this wrong answer; null: none. Owned by the question.
  const lesson::Words* says = nullptr;
  Value answer;
};

// `given`: a typed number, a clicked cell, line or thread, yes or no. Fails with a sentence if the
// question itself has no answer, which `tilestep lesson check` reports.
[[nodiscard]] Result<Verdict> judge(const lesson::Question& question, const Value& given,
                                    Answers& answers);
// The same for a choice, by its index.
[[nodiscard]] Result<Verdict> judge_choice(const lesson::Question& question, std::size_t choice,
                                           Answers& answers);

// A value in words of the current language: "yes", "no", or shown_text().
[[nodiscard]] std::string answer_text(const Value& value);
// The correct answer in words: of a choice its text, because its value means little alone. Fails if
// an {{ expression }} in it has no value.
[[nodiscard]] Result<std::string> answer_text(const lesson::Question& question, const Value& answer,
                                              Answers& answers, const std::string& language);

// Whether a value answers the question: the answer itself, or a number within its tolerance.
[[nodiscard]] bool answers_it(const lesson::Question& question, const Value& given,
                              const Value& answer);

}  // namespace tilestep::course
