// A lesson on paper: goal, scenes, questions without answers, labs with their tables, and the
// answers at the end, as Markdown in one language.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/result.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace tilestep::course {

struct HandoutOptions {
  std::string language = lesson::kFirstLanguage;
  // The address of a scene's picture; "" or an empty function: none.
  std::function<std::string(const lesson::Scene&)> picture = {};
};

// Fills in numbers, and replaces links that set the stage by their words. Fails with a sentence if
// something has no value, or the lesson is not in that language.
[[nodiscard]] Result<std::string> handout(const lesson::Lesson& lesson, Answers& answers,
                                          const HandoutOptions& options);

// The handout's own words, by the lesson's language.
struct HandoutWords {
  std::string_view language;
  const char* goal;       // {goal}
  const char* question;   // {number}
  const char* lab;        // {title}
  const char* lab_start;  // {name}: of the lab; {kernel}: its file
  const char* row;
  const char* launch;
  const char* require;
  const char* answers;
  const char* answer;  // {number}, {answer}
  const char* yes;
  const char* no;
};

inline constexpr std::array kHandoutWords = std::to_array<HandoutWords>({
    {"en", "**Goal.** {goal}", "**Question {number}.**", "Lab: {title}",
     "Start from `tilestep lab {name} --copy {kernel}`, and grade it with `tilestep lab {kernel}`.",
     "row", "launch", "required besides a right C without findings", "Answers",
     "**{number}.** {answer}", "yes", "no"},
    {"zh", "**目标。** {goal}", "**问题 {number}。**", "实验：{title}",
     "用 `tilestep lab {name} --copy {kernel}` 取得初始代码，用 `tilestep lab {kernel}` 评分。",
     "行", "启动", "除结果正确、无问题发现之外的要求", "答案", "**{number}。** {answer}", "是",
     "否"},
});

// The words of a language; the first ones if it has none.
[[nodiscard]] constexpr const HandoutWords& handout_words(std::string_view language) {
  const auto* const found = std::ranges::find(kHandoutWords, language, &HandoutWords::language);
  return found == kHandoutWords.end() ? kHandoutWords.front() : *found;
}

}  // namespace tilestep::course
