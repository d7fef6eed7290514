// What would give a question's answer away while it is asked. Every panel asks the same mask.
//
// Three rules:
//  * what the run does after the question's place is hidden, all of it, in a run of another set-up
//    what it does after its start;
//  * what tells of the whole run (findings, counts, measurements) is hidden where the answer's
//    expression asks for it;
//  * a value, cell, thread or line that is the answer is hidden wherever it is told, by itself or
//  in
//    a text. Elements of A and B stay: they are what is multiplied. Numbers between brackets, and
//    those of lines and places, are no values and stay.
// While the answer is not known yet, whatever could be it is hidden.
#pragma once

#include "course/value.h"
#include "lesson/lesson.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tilestep::course {

// What an answer is taken from.
enum class Topic : std::uint8_t {
  Values,    // what variables and cells hold
  Places,    // which element, which thread, which line
  Counts,    // what the launch costs, or an element's loads
  Findings,  // what a check finds; whether C is right
  Timings,   // what was measured or is predicted
};

class AnswerMask {
 public:
  // `until`: the step of the run on screen at which the question stands.
  AnswerMask(const lesson::Question& question, std::optional<Value> answer, std::uint64_t until);

  [[nodiscard]] bool hides_run(std::uint64_t step) const { return step > until_; }
  [[nodiscard]] bool hides(Topic topic) const { return topics_.contains(topic); }
  // All of an array: the question is where its numbers come from.
  [[nodiscard]] bool hides_array(std::string_view name) const;
  // A number that a variable or a cell holds.
  [[nodiscard]] bool hides_number(double number) const;
  [[nodiscard]] bool hides_cell(std::string_view element) const;  // "A[1][6]"
  [[nodiscard]] bool hides_line(int line) const;
  // Whether a text tells it: "acc = 389", "A[1][6] = 5", "thread (0,1) stored it".
  [[nodiscard]] bool hides_text(std::string_view text) const;
  // Changes whenever something else is hidden.
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  [[nodiscard]] bool has_number(std::string_view text) const;

  lesson::Tolerance tolerance_;
  lesson::QuestionKind kind_;
  std::optional<Value> answer_;
  std::uint64_t until_ = 0;
  std::set<Topic> topics_;
  std::set<std::string, std::less<>> arrays_;
  std::string key_;
};

// What stands for a hidden value.
inline constexpr const char* kVeiled = "?";

// Of an expression, those that it asks for.
[[nodiscard]] std::set<Topic> topics_of(const lesson::Expression& expression);

}  // namespace tilestep::course
