// A question of a lesson: answers by key, marks on the stage, the card, its row of keys, votes.
#pragma once

#include "lesson/lesson.h"
#include "problem/problem.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "ui/panel.h"
#include "ui/stage/content.h"
#include "ui/stage/geometry.h"
#include "ui/stage/paint.h"
#include "workspace/shown_lesson.h"

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// Answers as they are chosen with keys, in the form that state::ChooseAnswer takes: "A[1][2]",
// "(2,1)", "29", "-3.5". Pure.
// "A[1][2]"; "x[5]" of a vector.
[[nodiscard]] std::string element_of(const Sheet& sheet, CellPlace place);
// Nothing: no sheet has it.
[[nodiscard]] std::optional<CellHit> find_element(const StageShape& shape, const std::string& name);
// The only array that a text names; empty: none, or several.
[[nodiscard]] std::string named_array(const StageShape& shape, const std::string& text);
// "(2,1)" → its linear index.
[[nodiscard]] std::optional<std::uint32_t> find_thread(const problem::Launch& launch,
                                                       const std::string& coordinates);

// One cell further; beyond an array's left or right edge the next array. From nothing: the first
// cell, of the array that the question names if it names one.
[[nodiscard]] std::string moved_cell(const StageShape& shape, const std::string& given, int dx,
                                     int dy, const std::string& ask = "");
[[nodiscard]] std::string moved_thread(const problem::Launch& launch, const std::string& given,
                                       int dx, int dy);
// From nothing: `from`.
[[nodiscard]] std::string moved_line(const std::string& given, int by, int from, int last);

// A number with one more character: a digit, a point, a minus in front (again: taken away), the
// line of a fraction.
// 'b' takes the last one away.
[[nodiscard]] std::string typed(std::string given, char what);

// What was given, as a reader has it: "yes" in the language that is spoken; of a choice its words.
[[nodiscard]] std::string told_answer(const workspace::ShownLesson& asked,
                                      const std::string& given);

// Where what was asked is to be seen: the latest place that the answer's expression names. Nothing:
// it is not of a place in the run, or not of one after the question.
[[nodiscard]] std::optional<std::uint64_t> step_of_answer(const lesson::Question& question,
                                                          const record::Recording& recording);
// Who is to be watched there: the thread that the answer's expression names; else `from`.
[[nodiscard]] state::Focus watched_thread(const lesson::Expression& answer, state::Focus from);

// On the stage and in the source: what is chosen, and once it is answered the right one.

// Frames around the chosen cell or thread; ✓ and ✗ where they belong. From the right cell of a
// buffer an arrow leads to where the block copies it.
void paint_answer_marks(const StagePicture& picture, const ContentInputs& in);
// The copy of a buffer's element to a shared array in the phase on stage, or else in the next one.
[[nodiscard]] std::optional<Transfer> landing_of(const ContentInputs& in, const CellHit& element);

enum class AnswerMark { Chosen, Right, Wrong };
[[nodiscard]] ImU32 answer_colour(const Theme& theme, AnswerMark mark);
// The marks of a line of the source, where the question asks for a line.
[[nodiscard]] std::optional<AnswerMark> answer_mark(const Context& context, int line);
// ✓ or ✗ with its upper left corner there; of what is chosen nothing.
void draw_answer_sign(ImDrawList& list, const Theme& theme, AnswerMark mark, ImVec2 at, float size);

// A lesson's question, large above the stage in place of the sentence: asked, then answered.

// What the question is, what can be pressed, and what became of the answer. Takes the keys that it
// names. `shape`: of the stage, whose cells can be chosen.
[[nodiscard]] Commands draw_question(const Context& context, const Box& box,
                                     const StageShape& shape);
// Whether it takes a key that means something else elsewhere.
[[nodiscard]] bool question_takes(const Context& context, ImGuiKeyChord chord);

// What a click on a cell, a thread or a line does while it is what is asked for: the first chooses,
// a second on the same one gives it. Nothing where it is not.
[[nodiscard]] Commands clicked_answer(const Context& context, lesson::QuestionKind kind,
                                      const std::string& what);

// The row below a question: what can be pressed, from left to right as far as there is room. Words
// of a key give way first, then the key.

// Hands that were counted for a choice, and all.
struct Hands {
  int count = 0;
  int all = 0;
};

class QuestionRow {
 public:
  // `box`: of the card; the row is a frame's height at its bottom.
  QuestionRow(const Context& context, const Box& box);

  // A key with what it does; may be clicked. Returns whether it was.
  bool key(const char* key, const char* words, bool is_main = false);
  // The number that is typed; `following` is what comes after it.
  void number(float following);
  // A choice with its key; its words are cut where there is no room. With hands: how many, and
  // their share of all as a strip. Returns whether it was clicked.
  bool choice(const std::string& key, const std::string& words, float share,
              const std::optional<Hands>& hands = std::nullopt);

  // How wide each of them may be at most, so that all fit in `room`; pixels.
  [[nodiscard]] float most_of_choice(const std::vector<std::string>& choices, float room) const;
  // What a key takes with its words.
  [[nodiscard]] float width_of_key(const char* key, const char* words) const;
  [[nodiscard]] float room() const { return box_.right() - x_; }

 private:
  const Context& c_;
  Box box_;
  float x_;
};

// In a lecture the keys of choices count the hall's hands.

[[nodiscard]] bool is_voted(const Context& context);
[[nodiscard]] int hands_for(const Context& context, std::size_t choice);
[[nodiscard]] int all_hands(const Context& context);
// "yes 12, no 8".
[[nodiscard]] std::string counted_hands(const Context& context);
// For an answer as it is given: "yes", "2".
[[nodiscard]] std::size_t choice_of(const std::string& answer);
// What a key or a click answers is given, or in a lecture one more hand for it. Empty: nothing.
[[nodiscard]] Commands answered(const Context& context, const std::string& answer);
[[nodiscard]] Commands take_back_vote(const Context& context);

}  // namespace tilestep::ui
