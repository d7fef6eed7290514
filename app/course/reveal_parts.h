// Parts of a question's answer that its relatives share; for reveal.cpp and its neighbors.
#pragma once

#include "course/answers.h"
#include "course/value.h"
#include "lesson/lesson.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::course {

// The call in an answer's expression that reads the run: "value(Cvalue, t0, phase-start:2)" in
// "round(value(Cvalue, t0, phase-start:2), 2)".
struct Core {
  const lesson::Expression* call = nullptr;  // null: none
  bool is_whole = false;                     // it is the whole expression
  bool is_elsewhere = false;                 // it is asked of another set-up, inside with()
};
[[nodiscard]] Core core_of(const lesson::Expression& answer);

// A question, its run, and where its core looks.
struct Quest {
  const lesson::Question& question;
  Answers& answers;
  Core core;
  // Null: it does not run. Shared, because the search asks about more launches than are kept.
  std::shared_ptr<const record::Recording> recording = {};
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint64_t step = 0;

  [[nodiscard]] const std::string& name() const { return core.call->text; }
  // The first argument as it is written: "Cvalue", "As[1][2]", "loads.A".
  [[nodiscard]] std::string subject() const;
  [[nodiscard]] const simt::Program& program() const { return recording->program(); }
};
[[nodiscard]] Quest quest_of(const lesson::Question& question, Answers& answers);

// "thread (2,1)", with its block if the grid has several.
[[nodiscard]] std::string thread_words(const Quest& quest, std::uint32_t block,
                                       std::uint32_t thread);
// "acc at the start of phase 2 (load tile 1)", "acc at the end".
[[nodiscard]] std::string at_phase(const Quest& quest, const std::string& what, std::uint32_t block,
                                   std::size_t phase);
// The names of an array's cells; empty if there are more than `most`.
[[nodiscard]] std::vector<std::string> some_cells(const simt::Program& program,
                                                  const simt::Array& array, std::size_t most);

// What the core asks for, as a noun: "Cvalue of thread (0,0)", "the number of loads of A". Empty:
// no words for it.
[[nodiscard]] std::string noun_of(const Quest& quest);
// "The question asks for the number of loads of A."
[[nodiscard]] std::string asked_words(const Quest& quest);
// "loads of A" of the path loads.A; empty: no words for it.
[[nodiscard]] std::string path_words(const std::string& path);

// Searches; nullopt: nothing has that value.
[[nodiscard]] std::optional<std::string> number_in_run(const Quest& quest, double given);
[[nodiscard]] std::optional<std::string> number_of_launch(const Quest& quest, const Value& given);
[[nodiscard]] std::optional<std::string> cell_in_run(const Quest& quest, const std::string& cell);
[[nodiscard]] std::optional<std::string> thread_in_run(const Quest& quest, const Value& given);
[[nodiscard]] std::optional<std::string> line_in_run(const Quest& quest, std::uint32_t line);

}  // namespace tilestep::course
