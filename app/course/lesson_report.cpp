#include "course/lesson_report.h"

#include "insight/names.h"
#include "problem/launch/launch.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tilestep::course {
namespace {

using lesson::BeatKind;
using lesson::QuestionKind;

Value::Kind kind_for(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::Cell:
      return Value::Kind::Cell;
    case QuestionKind::Line:
      return Value::Kind::Line;
    case QuestionKind::Thread:
      return Value::Kind::Thread;
    case QuestionKind::YesNo:
      return Value::Kind::YesNo;
    case QuestionKind::Number:
    case QuestionKind::Choice:
      break;
  }
  return Value::Kind::Number;
}

bool suits(QuestionKind kind, const Value& value) {
  return kind == QuestionKind::Choice || value.kind == kind_for(kind) ||
         (kind == QuestionKind::Line && value.kind == Value::Kind::Number);
}

class Examiner {
 public:
  Examiner(const lesson::Lesson& of, Answers& answers) : lesson_(of), answers_(answers) {}

  LessonReport run();

 private:
  void note(int line, std::string sentence) {
    report_.mistakes.push_back({line, std::move(sentence)});
  }
  std::optional<Value> say(const char* what, const lesson::Formula& formula,
                           const lesson::Position& at);
  void examine_place(const lesson::Position& at, int line);
  void examine(const lesson::Scene& scene);
  void examine_selected_point(const lesson::Scene& scene);
  void examine(const lesson::Annotation& point, const lesson::Scene& scene);
  void examine(const lesson::Question& question);
  [[nodiscard]] std::vector<Value> examine_right(const lesson::Question& question,
                                                 const Value& answer);
  void examine_wrong(const lesson::Question& question, const std::vector<Value>& right);
  void examine_choices(const lesson::Question& question, const Value& answer);
  void examine(const lesson::Lab& lab);
  void examine_recap();
  void examine(const lesson::TextOfLesson& text);
  void examine_words(const lesson::TextOfLesson& text, const std::string& language,
                     const lesson::Text& words);
  void examine_link(const lesson::Link& link, const lesson::Position& at, int line);

  const lesson::Lesson& lesson_;
  Answers& answers_;
  LessonReport report_;
  bool has_several_languages_ = false;
};

// Prints its value, or notes why it has none.
std::optional<Value> Examiner::say(const char* what, const lesson::Formula& formula,
                                   const lesson::Position& at) {
  const auto value = answers_.of(formula.expression, at);
  if (!value) {
    note(formula.line, fmt::format("{}: {}", formula.text(), value.error().message));
    return std::nullopt;
  }
  report_.beats.back().said.push_back({what, "", formula.text(), *value, formula.line});
  return *value;
}

void Examiner::examine_place(const lesson::Position& at, int line) {
  const auto& recording = answers_.run_of(at).recording();
  if (!recording) {
    note(line, recording.error().message);
    return;
  }
  const std::uint32_t block = at.state.focus.block;
  const simt::Program& program = (*recording)->program();
  if (block >= program.block_count() || at.state.focus.thread >= program.threads_per_block()) {
    note(line, tr("The focus is thread {} of block {}, but this launch has only {} of {}.",
                  at.state.focus.thread, block, plural(program.block_count(), "block"),
                  plural(program.threads_per_block(), "thread")));
    return;
  }
  if (const auto mistake = lesson::beyond_end(at.place, **recording, block)) {
    note(line, mistake->message);
  }
  if (const std::string& cell = at.state.focus.cell_name; !cell.empty()) {
    if (const auto found = insight::find_cell(program, cell); !found) {
      note(line, found.error().message);
    }
  }
}

void Examiner::examine(const lesson::Scene& scene) {
  examine_place(scene.position(), scene.line);
  if (scene.state.comparison.on) {
    lesson::Position second = scene.position();
    take_setup(second.state, scene.state.comparison.second);
    if (const auto& recording = answers_.run_of(second).recording(); !recording) {
      note(scene.line, "compare: " + recording.error().message);
    }
  }
  for (const lesson::Annotation& point : scene.points) {
    examine(point, scene);
  }
  examine_selected_point(scene);
}

// The scene's point of the Timing tab must be in the data set: timed, or with the sentence why not,
// which may be the subject of the scene.
void Examiner::examine_selected_point(const lesson::Scene& scene) {
  const state::TimingView& timing = scene.state.timing;
  if (scene.state.tab != state::Tab::Timing || timing.selected_kernel.empty()) {
    return;
  }
  const problem::Problem& size = timing.problem;
  const auto verified =
      lesson::parse_expression(fmt::format("verified({}, {}, {}, {}, {})", timing.selected_kernel,
                                           size.M, size.N, size.K, timing.selected_block_size));
  const auto value =
      verified ? answers_.of(*verified, scene.position()) : tl::unexpected(verified.error());
  if (!value) {
    note(scene.line, "timing: " + value.error().message);
  }
}

void Examiner::examine(const lesson::Annotation& point, const lesson::Scene& scene) {
  const auto& recording = answers_.run_of(scene.position()).recording();
  if (!recording) {
    return;  // already reported
  }
  const simt::Program& program = (*recording)->program();
  if (!point.of.empty()) {
    const std::string last = fmt::format("{}[{}][{}]", point.of, point.last_row, point.last_col);
    if (const auto cell = insight::find_cell(program, last); !cell) {
      note(scene.line, "point: " + cell.error().message);
    }
  }
  const auto lines = 1 + std::ranges::count(program.launch().source, '\n');
  if (point.line && *point.line > lines) {
    note(scene.line,
         tr("point: there is no line {}: the last line of the source is {}.", *point.line, lines));
  }
  const auto phases = (*recording)->phases_of(scene.state.focus.block).size();
  if (point.phase && static_cast<std::size_t>(*point.phase) >= phases) {
    note(scene.line, tr("point: there is no phase {}: phases count from 0, and this run has {}.",
                        *point.phase, phases));
  }
}

void Examiner::examine(const lesson::Question& question) {
  examine_place(question.at, question.line);
  if (question.right.empty()) {
    note(question.line,
         tr("`right` is missing: one sentence that says why the answer of '{}' is correct.",
            question.name));
  }
  const auto answer = say("answer", question.answer, question.at);
  if (!answer) {
    return;
  }
  if (!suits(question.kind, *answer)) {
    note(question.answer.line, tr("The answer is {}, but the question asks for {}.",
                                  kind_word(answer->kind), word_of(question.kind).label));
  }
  examine_wrong(question, examine_right(question, *answer));
  if (question.kind == QuestionKind::Choice) {
    examine_choices(question, *answer);
  }
}

// All correct answers.
std::vector<Value> Examiner::examine_right(const lesson::Question& question, const Value& answer) {
  std::vector<Value> right{answer};
  for (const lesson::Formula& also : question.also) {
    const auto value = say("also", also, question.at);
    if (!value) {
      continue;
    }
    if (!suits(question.kind, *value)) {
      note(also.line, tr("This answer is {}, but the question asks for {}.", kind_word(value->kind),
                         word_of(question.kind).label));
    }
    right.push_back(*value);
  }
  return right;
}

void Examiner::examine_wrong(const lesson::Question& question, const std::vector<Value>& right) {
  std::vector<std::pair<Value, const lesson::Formula*>> before;
  for (const lesson::Wrong& wrong : question.wrong) {
    const auto value = say("wrong", wrong.is, question.at);
    if (!value) {
      continue;
    }
    if (!suits(question.kind, *value)) {
      note(wrong.is.line, tr("This wrong answer is {}, but the question asks for {}.",
                             kind_word(value->kind), word_of(question.kind).label));
    }
    if (std::ranges::any_of(
            right, [&](const Value& answer) { return answers_it(question, *value, answer); })) {
      note(wrong.is.line, tr("The answer {} is listed as wrong, but it is the correct answer.",
                             shown_text(*value)));
    }
    for (const auto& [other, formula] : before) {
      if (are_same(other, *value)) {
        note(wrong.is.line, tr("The wrong answer {} is the same as the one at line {}.",
                               shown_text(*value), formula->line));
      }
    }
    before.emplace_back(*value, &wrong.is);
  }
}

void Examiner::examine_choices(const lesson::Question& question, const Value& answer) {
  int right = 0;
  std::vector<Value> before;
  for (const lesson::Choice& choice : question.choices) {
    const auto value = say("choice", choice.is, question.at);
    if (!value) {
      continue;
    }
    right += answers_it(question, *value, answer) ? 1 : 0;
    if (std::ranges::any_of(before, [&](const Value& other) { return are_same(other, *value); })) {
      note(choice.is.line, tr("Two choices have the same value: {}.", shown_text(*value)));
    }
    before.push_back(*value);
  }
  if (right != 1) {
    note(question.line,
         tr("{} of the {} choices equal the answer, {}. Exactly one choice must equal it.", right,
            question.choices.size(), shown_text(answer)));
  }
}

void Examiner::examine(const lesson::Lab& lab) {
  for (const lesson::LabRow& row : lab.rows) {
    const auto launch = answers_.run_of({row.state, {}}).shape();
    if (!launch) {
      note(row.line, launch.error().message);
    }
  }
}

void Examiner::examine(const lesson::TextOfLesson& text) {
  if (has_several_languages_) {
    const std::string missing = text.words->missing(lesson_.languages);
    const lesson::Text& there = text.words->text();
    if (!missing.empty()) {
      note(there.line_at(0),
           tr("This {} is missing in the language '{}', one of the lesson's languages.", text.what,
              missing));
    }
  }
  for (const auto& [language, words] : text.words->by_language) {
    examine_words(text, language, words);
  }
}

void Examiner::examine_words(const lesson::TextOfLesson& text, const std::string& language,
                             const lesson::Text& words) {
  const auto pieces = lesson::pieces_of(words);
  if (!pieces || text.state == nullptr) {
    return;  // {{ without }} is refused when the lesson is read
  }
  const lesson::Position at{*text.state, text.place};
  for (const lesson::TextPiece& piece : *pieces) {
    const auto expression =
        piece.is_expression ? lesson::parse_expression(piece.text) : lesson::Expression{};
    if (!piece.is_expression || !expression) {
      continue;
    }
    const auto value = answers_.of(*expression, at);
    if (value) {
      report_.beats.back().said.push_back({text.what, language, piece.text, *value, piece.line});
    } else {
      note(piece.line, fmt::format("{}: {}", piece.text, value.error().message));
    }
  }
  for (const lesson::Link& link : lesson::links_in(words.text)) {
    examine_link(link, at, words.line_at(words.text.find(link.target)));
  }
}

void Examiner::examine_link(const lesson::Link& link, const lesson::Position& at, int line) {
  const auto changes = lesson::changes_of(link.target);
  if (!changes) {
    return;  // to something else
  }
  const auto there = lesson_.follow()(at, *changes);
  if (there) {
    examine_place(*there, line);
  } else {
    note(line, tr("the link {}: {}", link.target, there.error().message));
  }
}

// A lesson of a course ends with a recap, unless it plays by itself.
void Examiner::examine_recap() {
  if (lesson_.id.empty() || lesson_.is_film()) {
    return;
  }
  const lesson::Scene* const recap = lesson_.recap();
  if (recap == nullptr) {
    note(1, tr("The lesson has no recap. Add a block that starts with ```recap at its end."));
    return;
  }
  if (recap->recap->lines.size() != lesson::kRecapLines) {
    note(recap->line, tr("`lines` has {} texts, but a recap needs {}.", recap->recap->lines.size(),
                         lesson::kRecapLines));
  }
  if (!recap->recap->next.empty() && recap->recap->teaser.empty()) {
    note(recap->line, tr("`teaser` is missing: a question that the next lesson, '{}', answers.",
                         recap->recap->next));
  }
}

LessonReport Examiner::run() {
  const auto texts = lesson::every_text(lesson_);
  has_several_languages_ = std::ranges::any_of(texts, [](const lesson::TextOfLesson& text) {
    const auto& words = text.words->by_language;
    return words.size() > 1 || (words.size() == 1 && !words.begin()->first.empty() &&
                                words.begin()->first != lesson::kFirstLanguage);
  });
  const auto examine_texts = [&](std::optional<lesson::Beat> of) {
    for (const lesson::TextOfLesson& text : texts) {
      if (text.beat == of) {
        examine(text);
      }
    }
  };
  report_.beats.push_back({});
  examine_texts(std::nullopt);
  for (const lesson::Beat& beat : lesson_.beats) {
    report_.beats.push_back({lesson_.name_of(beat), std::string(word_of(beat.kind).file), 0, {}});
    int& line = report_.beats.back().line;
    if (beat.kind == BeatKind::Scene) {
      line = lesson_.scenes[beat.index].line;
      examine(lesson_.scenes[beat.index]);
    } else if (beat.kind == BeatKind::Question) {
      line = lesson_.questions[beat.index].line;
      examine(lesson_.questions[beat.index]);
    } else {
      line = lesson_.labs[beat.index].line;
      examine(lesson_.labs[beat.index]);
    }
    examine_texts(beat);
  }
  examine_recap();
  return std::move(report_);
}

}  // namespace

LessonReport report_on(const lesson::Lesson& lesson, Answers& answers) {
  return Examiner(lesson, answers).run();
}

}  // namespace tilestep::course
