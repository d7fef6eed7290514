// What expressions about a run are worth: the answers of questions and the numbers in texts.
//
//   Answers answers({compiler, catalog, &h200}, lesson.follow());
//   answers.of(question.answer.expression, question.at)      389
//
// Nothing is stored in a lesson: every value comes from executed instructions, from counts of them,
// or from a data set. The same question has the same answer, however often it is asked; runs are
// kept for the next one. An object is for one thread at a time; a worker may have it.
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
  // `follow`: what with() changes; empty: the state's own keys alone.
  explicit Answers(Tools tools, lesson::Follow follow = {});

  // Fails with a sentence: what there is not, has no value, or is not one alone.
  [[nodiscard]] Result<Value> of(const lesson::Expression& expression, const lesson::Position& at);
  // A text with the values of its {{ expressions }}.
  [[nodiscard]] Result<std::string> filled(const lesson::Text& text, const lesson::Position& at);
  // For what else is to be known of a set-up that was asked about.
  [[nodiscard]] Run& run_of(const lesson::Position& at) { return runs_.of(setup_of(at.state)); }
  [[nodiscard]] const Tools& tools() const { return runs_.tools(); }

 private:
  Runs runs_;
  lesson::Follow follow_;
};

// Whether somebody's answer to a question is right, and what a wrong one reveals.
struct Verdict {
  bool is_right = false;
  // What the lesson says of this wrong answer; null: nothing. It is the question's.
  const lesson::Words* says = nullptr;
  Value answer;
};

// `given`: a number that was typed, a cell, line or thread that was clicked, yes or no. Fails with
// a sentence where the question itself has no answer, which `tilestep lesson check` tells.
[[nodiscard]] Result<Verdict> judge(const lesson::Question& question, const Value& given,
                                    Answers& answers);
// The same of a choice, by its index.
[[nodiscard]] Result<Verdict> judge_choice(const lesson::Question& question, std::size_t choice,
                                           Answers& answers);

// Whether a given value answers the question: the answer itself, or a number within its tolerance.
[[nodiscard]] bool answers_it(const lesson::Question& question, const Value& given,
                              const Value& answer);

}  // namespace tilestep::course
