// Questions that the program makes up by itself, of any kernel, size and place: which element,
// which thread, what value next, how many loads, how many passes, which line, is it a race. Their
// answers are expressions, as a lesson's are, and so are the wrong ones that a mistake leads to.
#pragma once

#include "course/answers.h"
#include "course/value.h"
#include "lesson/lesson.h"
#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilestep::course {

// A lesson of such questions has this id.
inline constexpr const char* kPracticeId = "practice";

struct PracticeOptions {
  std::uint64_t seed = 1;
  std::size_t count = 10;
  bool is_here = false;  // of the place and the focus thread alone; else from all over the run
};

struct PracticeQuestion {
  lesson::Question question;
  Value answer;
  std::vector<Value> wrong;  // as question.wrong
};

// Every answer has one value, and no wrong one has it. The same seed makes the same questions.
// Fails where the kernel does not run, or nothing can be asked of it there.
[[nodiscard]] Result<std::vector<PracticeQuestion>> practise(const lesson::Position& from,
                                                             const PracticeOptions& options,
                                                             Answers& answers);
// Of these questions alone.
[[nodiscard]] lesson::Lesson practice_lesson(const std::vector<PracticeQuestion>& questions);

}  // namespace tilestep::course
