#include "lesson/every_text.h"

#include "problem/tr.h"

#include <fmt/format.h>

namespace tilestep::lesson {
namespace {

class Collector {
 public:
  std::vector<TextOfLesson> all;

  void stand(std::optional<Beat> beat, const state::AppState& state, const Place& place) {
    beat_ = beat;
    state_ = &state;
    place_ = place;
  }
  void add(const char* what, const Words& words) {
    if (!words.empty()) {
      all.push_back({&words, what, beat_, state_, place_});
    }
  }

 private:
  std::optional<Beat> beat_;
  const state::AppState* state_ = nullptr;
  Place place_;
};

void collect(const Scene& scene, Collector& to) {
  to.add("title", scene.title);
  to.add("text", scene.text);
  to.add("note", scene.note);
  for (const Annotation& point : scene.points) {
    to.add("label", point.label);
  }
  for (const Words& text : scene.tries) {
    to.add("try", text);
  }
}

void collect(const Question& question, Collector& to) {
  to.add("title", question.title);
  to.add("question", question.ask);
  for (const Choice& choice : question.choices) {
    to.add("choice", choice.text);
    to.add("says", choice.says);
  }
  for (const Wrong& wrong : question.wrong) {
    to.add("says", wrong.says);
  }
  to.add("hint", question.hint);
  to.add("text", question.text);
  to.add("note", question.note);
}

void collect(const Beat& beat, const Lab& lab, Collector& to) {
  to.add("title", lab.title);
  to.add("text", lab.text);
  to.add("hint", lab.hint);
  to.add("note", lab.note);
  for (const LabRow& row : lab.rows) {
    to.stand(beat, row.state, {});
    to.add("hint", row.hint);
  }
}

std::optional<Error> mistake_in(const Lesson& lesson, const Text& text) {
  const auto pieces = pieces_of(text);
  if (!pieces) {
    return Error{
        fmt::format("{}:{}: {}", lesson.file, pieces.error().line, pieces.error().sentence)};
  }
  for (const TextPiece& piece : *pieces) {
    const auto expression = piece.is_expression ? parse_expression(piece.text) : Expression{};
    if (!expression) {
      return Error{fmt::format("{}:{}: {}", lesson.file, piece.line, expression.error().message)};
    }
  }
  for (const Link& link : links_in(text.text)) {
    const auto changes = changes_of(link.target);
    const auto done = changes ? changed({}, *changes, lesson.scene_named()) : Result<Position>{};
    if (!done) {
      return Error{tr("{}:{}: the link {}: {}", lesson.file,
                      text.line_at(text.text.find(link.target)), link.target,
                      done.error().message)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<TextOfLesson> every_text(const Lesson& lesson) {
  Collector to;
  if (!lesson.scenes.empty()) {
    to.stand(std::nullopt, lesson.scenes.front().state, lesson.scenes.front().place);
  }
  to.add("title", lesson.title);
  to.add("goal", lesson.goal);
  to.add("text", lesson.text);
  for (const Beat& beat : lesson.beats) {
    if (beat.kind == BeatKind::Scene) {
      const Scene& scene = lesson.scenes[beat.index];
      to.stand(beat, scene.state, scene.place);
      collect(scene, to);
    } else if (beat.kind == BeatKind::Question) {
      const Question& question = lesson.questions[beat.index];
      to.stand(beat, question.at.state, question.at.place);
      collect(question, to);
    } else {
      const Lab& lab = lesson.labs[beat.index];
      to.stand(beat, lab.rows.front().state, {});
      collect(beat, lab, to);
    }
  }
  return std::move(to.all);
}

std::optional<Error> mistake_in_texts(const Lesson& lesson) {
  for (const TextOfLesson& text : every_text(lesson)) {
    for (const auto& [language, words] : text.words->by_language) {
      if (auto mistake = mistake_in(lesson, words)) {
        return mistake;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::lesson
