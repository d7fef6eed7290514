// Questions that the program makes up by itself, of any kernel, size and place: which element,
// which thread, what value next, how many loads, how many passes, which line, is it a race. Their
// answers are expressions, as a lesson's are, and so are the wrong ones that a mistake leads to.
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

// A question that is being made up, and what it is made from.

// In both languages.
struct Told {
  std::string en;
  std::string zh;
};

struct Draft {
  lesson::QuestionKind kind = lesson::QuestionKind::Number;
  Told ask = {};
  Told text = {};  // told afterwards; may be empty
  std::string answer = {};
  struct Mistake {
    std::string is;
    Told says;
  };
  std::vector<Mistake> wrong = {};
  lesson::Place at = {};
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};

// Numbers that are the same everywhere: the standard's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // Of 0 … count - 1; `count` is not 0.
  [[nodiscard]] std::size_t of(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

// Where an array is touched, and by what.
struct Touch {
  std::string array;
  simt::AccessKind kind = simt::AccessKind::Load;

  friend auto operator<=>(const Touch&, const Touch&) = default;
};
struct TouchedLine {
  std::uint32_t line = 0;
  std::size_t statement = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool is_only = true;  // no other line does it
};

// What is asked about.
struct Ground {
  Answers& answers;
  const lesson::Position& from;
  const record::Recording& recording;
  bool is_here = false;
  Dice dice;
  std::optional<std::map<Touch, TouchedLine>> lines = std::nullopt;  // made when first asked for

  [[nodiscard]] const simt::Program& program() const { return recording.program(); }
};

// Something to ask there, by chance; nothing: not there.
struct Maker {
  const char* name;
  std::optional<Draft> (*make)(Ground& ground);
};
[[nodiscard]] std::span<const Maker> makers();

// What makers of questions pick from a run: a statement, an access, a thread beside another.

// A statement that is about to be executed, and what it does.
struct Moment {
  std::size_t statement = 0;
  record::Activity activity;
};
[[nodiscard]] std::size_t statements_of(const record::Recording& recording);
[[nodiscard]] record::Activity activity_of(const record::Recording& recording,
                                           std::size_t statement);
// The one that comes next at the place asked from, or any.
[[nodiscard]] std::optional<Moment> some_moment(Ground& ground);
// How many of them are looked at for one that has what is asked about.
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
// The statement in which the warp executed that access before, or does after.
[[nodiscard]] std::optional<std::size_t> other_time(const Ground& ground, const Picked& picked);

// "thread (2,1) of block (1,0)"
[[nodiscard]] Told who(const Ground& ground, std::uint32_t block, std::uint32_t thread);
// The thread (y, x) of the block, where there is one and it is another.
[[nodiscard]] std::optional<std::uint32_t> exchanged(const Ground& ground, std::uint32_t thread);
// Beside it along x.
[[nodiscard]] std::optional<std::uint32_t> neighbour(const Ground& ground, std::uint32_t thread);

// "statement:7", as expressions have it.
[[nodiscard]] std::string statement_place(std::size_t statement);
// A question of that thread, asked before the statement.
[[nodiscard]] Draft draft_at(const Picked& picked, lesson::QuestionKind kind);

inline constexpr const char* kExchanged =
    "That is the thread with x and y exchanged: x counts along a row, y counts rows.";
inline constexpr const char* kExchangedZh = "这是 x 和 y 交换后的线程：x 沿一行计数，y 数行。";
// What other threads have there. `form`: "read(A, b0, t{}, statement:7)".
void add_other_threads(const Ground& ground, const Picked& picked, const std::string& form,
                       Draft& draft);

}  // namespace tilestep::course
