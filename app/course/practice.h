// Questions that the program makes for any kernel, size and place: which element, which thread, the
// next value, the number of loads or passes, which line, is it a race. As in a lesson, the answers
// are expressions, and so are the wrong ones that a mistake leads to.
#pragma once

#include "course/answers.h"
#include "course/value.h"
#include "lesson/lesson.h"
#include "problem/result.h"
#include "record/activity.h"
#include "record/recording.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace tilestep::course {

// The id of a lesson of such questions.
inline constexpr const char* kPracticeId = "practice";

struct PracticeOptions {
  std::uint64_t seed = 1;
  std::size_t count = 10;
  bool is_here = false;  // only about the place and the focus thread; else about the whole run
};

// A question with its evaluated answers.
struct PracticeQuestion {
  lesson::Question question;
  Value answer;
  std::vector<Value> wrong;  // as question.wrong
};

// Every answer has one value, which differs from the wrong ones. The same seed makes the same
// questions. Fails if the kernel does not run, or if there is nothing to ask there.
[[nodiscard]] Result<std::vector<PracticeQuestion>> practise(const lesson::Position& from,
                                                             const PracticeOptions& options,
                                                             Answers& answers);
// A lesson of only these questions.
[[nodiscard]] lesson::Lesson practice_lesson(const std::vector<PracticeQuestion>& questions);

// A question in the making, and its inputs.

// A text in each language (problem/language.h), by its tag.
using TextByLanguage = std::map<std::string, std::string, std::less<>>;
// What `make` makes with tr(), in each language.
[[nodiscard]] TextByLanguage in_all_languages(const std::function<std::string()>& make);

// A question before its expressions are evaluated.
struct Draft {
  lesson::QuestionKind kind = lesson::QuestionKind::Number;
  TextByLanguage ask = {};
  TextByLanguage right = {};  // why the answer is correct; with {{ expressions }}
  std::string answer = {};
  struct Mistake {
    std::string is;
    TextByLanguage says;
  };
  std::vector<Mistake> wrong = {};
  lesson::Place at = {};
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};

// Random numbers that are the same everywhere; the standard's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // A number in 0 … count - 1; `count` is not 0.
  [[nodiscard]] std::size_t of(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

// An access to an array: where and which kind.
struct Touch {
  std::string array;
  simt::AccessKind kind = simt::AccessKind::Load;

  friend auto operator<=>(const Touch&, const Touch&) = default;
};
// A source line that accesses an array, with one of its executions.
struct TouchedLine {
  std::uint32_t line = 0;
  std::size_t statement = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool is_only = true;  // no other line does it
};

// The subject of the questions.
struct Ground {
  Answers& answers;
  const lesson::Position& from;
  const record::Recording& recording;
  bool is_here = false;
  Dice dice;
  std::optional<std::map<Touch, TouchedLine>> lines = std::nullopt;  // computed on first use

  [[nodiscard]] const simt::Program& program() const { return recording.program(); }
};

// Makes a random question there; nullopt: not possible there.
struct Maker {
  const char* name;
  std::optional<Draft> (*make)(Ground& ground);
};
[[nodiscard]] std::span<const Maker> makers();

// Chooses from a run for the makers of questions: a statement, an access, a neighboring thread.

// A statement that is about to be executed, and its effect.
struct Moment {
  std::size_t statement = 0;
  record::Activity activity;
};
[[nodiscard]] std::size_t statements_of(const record::Recording& recording);
[[nodiscard]] record::Activity activity_of(const record::Recording& recording,
                                           std::size_t statement);
// The next one at the place of the question, or any.
[[nodiscard]] std::optional<Moment> some_moment(Ground& ground);
// The number of statements to search for a suitable one.
[[nodiscard]] std::size_t looks_of(const Ground& ground);

// An access of one thread.
struct Picked {
  std::size_t statement = 0;
  std::uint32_t line = 0;
  std::uint32_t pc = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  simt::WarpId warp = {};
  bool is_shared = false;
  std::string element = {};  // "As[1][2]"
  std::string array = {};    // "As"
};
using WantedAccess = std::function<bool(const record::Access&)>;
[[nodiscard]] std::optional<Picked> some_access(Ground& ground, const WantedAccess& wanted);
// The statement in which the warp executed that access before, or does so after.
[[nodiscard]] std::optional<std::size_t> other_time(const Ground& ground, const Picked& picked);

// "thread (2,1) of block (1,0)", in the language of tr().
[[nodiscard]] std::string who(const Ground& ground, std::uint32_t block, std::uint32_t thread);
// The thread (y, x) of the block, if it exists and is another one.
[[nodiscard]] std::optional<std::uint32_t> exchanged(const Ground& ground, std::uint32_t thread);
// Its neighbor along x.
[[nodiscard]] std::optional<std::uint32_t> neighbour(const Ground& ground, std::uint32_t thread);

// The thread's integer variables before the statement: "row = 1, e = 2"; empty if it has none.
[[nodiscard]] std::string values_at(const Ground& ground, std::size_t statement,
                                    std::uint32_t block, std::uint32_t thread);

// "statement:7", as in expressions.
[[nodiscard]] std::string statement_place(std::size_t statement);
// A question about that thread, asked before the statement.
[[nodiscard]] Draft draft_at(const Picked& picked, lesson::QuestionKind kind);

// What a wrong answer with x and y exchanged says.
[[nodiscard]] TextByLanguage exchange_text();
// Adds the answers for other threads as wrong ones. `form`: "read(A, b0, t{}, statement:7)".
void add_other_threads(const Ground& ground, const Picked& picked, const std::string& form,
                       Draft& draft);

}  // namespace tilestep::course
