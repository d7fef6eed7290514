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

// Answers chosen by key, in the form of state::ChooseAnswer: "A[1][2]", "(2,1)", "29", "-3.5".
// Pure.

// The name of an element: "A[1][2]"; "x[5]" of a vector.
[[nodiscard]] std::string element_of(const Sheet& sheet, CellPlace place);
// Nullopt: no sheet has it.
[[nodiscard]] std::optional<CellHit> find_element(const StageShape& shape, const std::string& name);
// The only array that a text names; empty: none, or several.
[[nodiscard]] std::string named_array(const StageShape& shape, const std::string& text);
// "(2,1)" → its linear index.
[[nodiscard]] std::optional<std::uint32_t> find_thread(const problem::Launch& launch,
                                                       const std::string& coordinates);

// The neighboring cell; beyond an array's left or right edge the next array's. Without a cell: the
// first one, of the array that the question names if there is one.
[[nodiscard]] std::string moved_cell(const StageShape& shape, const std::string& given, int dx,
                                     int dy, const std::string& ask = "");
[[nodiscard]] std::string moved_thread(const problem::Launch& launch, const std::string& given,
                                       int dx, int dy);
// Without a line: `from`.
[[nodiscard]] std::string moved_line(const std::string& given, int by, int from, int last);

// A number with one more character: a digit, a point, a leading minus (toggled), a fraction bar.
// 'b' removes the last one.
[[nodiscard]] std::string typed(std::string given, char what);

// An answer for readers: "yes" in the current language; a choice's words.
[[nodiscard]] std::string answer_words(const workspace::ShownLesson& asked,
                                       const std::string& given);

// The step that shows the answer: the latest place in the answer's expression. Nullopt: it names no
// place, or none after the question.
[[nodiscard]] std::optional<std::uint64_t> step_of_answer(const lesson::Question& question,
                                                          const record::Recording& recording);
// The thread to watch there: the one in the answer's expression; else `from`.
[[nodiscard]] state::Focus watched_thread(const lesson::Expression& answer, state::Focus from);

// Marks on the stage and in the source: the chosen answer and, after answering, the correct one.

// Frames around the chosen cell or thread, with ✓ and ✗. An arrow leads from the correct cell of a
// buffer to the shared cell that holds its copy.
void paint_answer_marks(const StagePicture& picture, const ContentInputs& in);
// The copy of a buffer's element to a shared array in the phase on stage, or else in the next one.
[[nodiscard]] std::optional<Transfer> landing_of(const ContentInputs& in, const CellHit& element);

enum class AnswerMark { Chosen, Right, Wrong };
[[nodiscard]] ImU32 answer_colour(const Theme& theme, AnswerMark mark);
// The mark of a source line, if the question asks for a line.
[[nodiscard]] std::optional<AnswerMark> answer_mark(const Context& context, int line);
// Draws ✓ or ✗ with its upper left corner at `at`; draws nothing for a chosen answer.
void draw_answer_sign(ImDrawList& list, const Theme& theme, AnswerMark mark, ImVec2 at, float size);

// A lesson's question, large above the stage in place of the sentence: asked, then answered.

// The question, the keys, and the result of the answer. Handles the keys that it names. `shape`:
// the stage, whose cells can be chosen.
[[nodiscard]] Commands draw_question(const Context& context, const Box& box,
                                     const StageShape& shape);
// The size of the row of keys, in lines of the question's text: in a lecture the hall reads it,
// too. `room`: width of the row, `font`: of the question's text, in pixels, as below.
[[nodiscard]] float size_of_keys(const Context& context, float room, float font);
// In a lecture, the choices that are listed above the row of keys, if that is too narrow for them
// or the page below is hidden.
[[nodiscard]] std::size_t listed_choice_count(const Context& context, float room, float font);
// "\n\n**1**  …\n\n**2**  …": these choices.
[[nodiscard]] std::string listed_choices(const Context& context, float room, float font);
// Whether nothing but the question is on screen: the page that it asks about is hidden.
[[nodiscard]] bool is_alone(const Context& context);
// "**206 is not correct.** That is C[0][0] …", of the first answer. Requires one.
[[nodiscard]] std::string missed_words(const workspace::ShownLesson& lesson,
                                       const state::LessonView& course);
// Whether it uses a key that has another meaning elsewhere.
[[nodiscard]] bool question_takes(const Context& context, ImGuiKeyChord chord);

// The effect of a click on a cell, thread or line while a question asks for one: the first click
// chooses, a second one on the same item submits. Empty otherwise.
[[nodiscard]] Commands clicked_answer(const Context& context, lesson::QuestionKind kind,
                                      const std::string& what);

// The row below a question: its keys from left to right while there is room. A key's words are
// dropped first, then the key.

// Counted hands for a choice, and in total.
struct Hands {
  int count = 0;
  int all = 0;
};

class QuestionRow {
 public:
  // `box`: the card; the row is one frame height at its foot.
  QuestionRow(const Context& context, const Box& box);

  // A clickable key with its action. Returns whether it was clicked.
  bool key(const char* key, const char* words, bool is_main = false);
  // The typed number; `following`: width of what follows it.
  void number(float following);
  // A choice with its key; its words are cut if there is no room. With hands: their number once
  // there are any, and their share of all as a strip. Returns whether it was clicked.
  bool choice(const std::string& key, const std::string& words, float share,
              const std::optional<Hands>& hands = std::nullopt);

  // The largest width of each choice, in pixels, so that all fit in `room`.
  [[nodiscard]] float most_of_choice(const std::vector<std::string>& choices, float room) const;
  // The width of a key with its words.
  [[nodiscard]] float width_of_key(const char* key, const char* words) const;
  [[nodiscard]] float room() const { return box_.right() - x_; }

 private:
  const Context& c_;
  Box box_;
  float x_;
};

// In a lecture the keys of choices count hands, also of a number's: the answer and the foreseen
// wrong ones.

[[nodiscard]] bool is_voted(const Context& context);
// The texts of the choices with the keys 1, 2, …; none for yes and no. The count copies no text.
[[nodiscard]] std::size_t numbered_choice_count(const Context& context);
[[nodiscard]] std::vector<std::string> numbered_choices(const Context& context);
[[nodiscard]] int hands_for(const Context& context, std::size_t choice);
[[nodiscard]] int all_hands(const Context& context);
// "yes 12, no 8".
[[nodiscard]] std::string counted_hands(const Context& context);
// The index of an answer: "yes", "2".
[[nodiscard]] std::size_t choice_of(const std::string& answer);
// Submits the answer of a key or click, or in a lecture counts one more hand for it. Empty: no
// effect.
[[nodiscard]] Commands answered(const Context& context, const std::string& answer);
[[nodiscard]] Commands take_back_vote(const Context& context);
// Submits the answer with most hands; shows the correct one if none is counted.
[[nodiscard]] Commands give_commonest(const Context& context);

// The texts of the card.

// Without Markdown's code marks.
[[nodiscard]] std::string plain_words(std::string text);
// Names have the hues of their matrices.
void paint_ask(const Context& context, const Box& box, const std::string& ask);
// The verdict and, in a lecture, what a wrong answer reveals and why the correct one is correct;
// else the panel has this.
[[nodiscard]] std::string verdict_words(const workspace::ShownLesson& lesson,
                                        const state::AppState& state);
// In a lecture, whose panel does not explain a wrong first answer; empty elsewhere.
[[nodiscard]] std::string missed_in_lecture(const Context& context);
void paint_verdict(const Context& context, const Box& box);

}  // namespace tilestep::ui
