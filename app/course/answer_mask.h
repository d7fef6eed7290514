// Hides what would reveal a question's answer while it is open. Every panel uses the same mask.
//
// Three rules:
//  * Everything that the run does after the question's place is hidden; in a run of another Setup,
//    everything after its start.
//  * Facts about the whole run (findings, counts, measurements) are hidden if the answer's
//    expression uses them.
//  * A value, cell, thread or line that is the answer is hidden wherever it is shown, alone or in a
//    text. Elements of A and B stay, because they are the operands. Numbers in brackets, and
//    numbers of lines and places, are not values and stay. Until the answer is known, everything
//    that might be the answer is hidden.
#pragma once

#include "course/value.h"
#include "lesson/lesson.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tilestep::course {

// The data that an answer depends on.
enum class Topic : std::uint8_t {
  Values,    // contents of variables and cells
  Places,    // an element, a thread, a line
  Counts,    // the cost of the launch, or an element's loads
  Findings,  // the check's findings; whether C is correct
  Timings,   // measured or predicted times
};

class AnswerMask {
 public:
  // `until`: the question's step in the run on screen.
  AnswerMask(const lesson::Question& question, std::optional<Value> answer, std::uint64_t until);

  [[nodiscard]] bool hides_run(std::uint64_t step) const { return step > until_; }
  [[nodiscard]] bool hides(Topic topic) const { return topics_.contains(topic); }
  // A whole array, because its numbers' source is the question.
  [[nodiscard]] bool hides_array(std::string_view name) const;
  // A number in a variable or a cell.
  [[nodiscard]] bool hides_number(double number) const;
  [[nodiscard]] bool hides_cell(std::string_view element) const;  // "A[1][6]"
  // Whether a text contains it: "acc = 389", "A[1][6] = 5", "thread (0,1) stored it".
  [[nodiscard]] bool hides_text(std::string_view text) const;
  // Changes with what is hidden.
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

// Replaces a hidden value.
inline constexpr const char* kMasked = "?";

// The topics that an expression depends on.
[[nodiscard]] std::set<Topic> topics_of(const lesson::Expression& expression);

}  // namespace tilestep::course
