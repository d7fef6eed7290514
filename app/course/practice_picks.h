// What makers of questions pick from a run: a statement, an access, a thread beside another.
#pragma once

#include "course/practice_draft.h"
#include "record/activity.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tilestep::course {

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
