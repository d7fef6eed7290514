#include "lesson/block.h"
#include "lesson/lesson.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"
#include "state/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilestep::lesson {
namespace {

std::vector<std::string> texts_of(BlockReader& reader, const toml::table& table,
                                  const std::string& key) {
  const toml::node* const node = table.get(key);
  std::vector<std::string> all;
  if (node == nullptr) {
    return all;
  }
  const toml::array* const array = node->as_array();
  if (array == nullptr) {
    reader.toml().note(*node, tr("{} must be an array of quoted strings.", key));
    return all;
  }
  for (const toml::node& one : *array) {
    if (!one.is_string()) {
      reader.toml().note(one, tr("{} must be an array of quoted strings.", key));
      return all;
    }
    all.push_back(one.as_string()->get());
  }
  return all;
}

bool is_language(const std::string& tag) {
  return (tag.size() == 2 || tag.size() == 3) &&
         std::ranges::all_of(tag, [](char c) { return c >= 'a' && c <= 'z'; });
}

void read_languages(BlockReader& reader, const toml::table& table, Lesson& lesson) {
  const toml::node* const node = table.get("languages");
  if (node == nullptr) {
    return;
  }
  lesson.languages = texts_of(reader, table, "languages");
  std::vector<std::string> sorted = lesson.languages;
  std::ranges::sort(sorted);
  if (sorted.empty() || !std::ranges::all_of(sorted, is_language) ||
      std::ranges::adjacent_find(sorted) != sorted.end()) {
    reader.toml().note(*node, tr("`languages` must be tags of two or three letters, as in [\"en\", "
                                 "\"zh\"], each only once."));
    lesson.languages = {kFirstLanguage};
  }
}

// Reads 3 or "1%".
Tolerance read_tolerance(BlockReader& reader, const toml::table& table) {
  const toml::node* const node = table.get("tolerance");
  Tolerance tolerance;
  if (node == nullptr) {
    return tolerance;
  }
  double value = node->value<double>().value_or(-1.0);
  const bool is_text = node->is_string();
  if (is_text) {
    std::string_view text = node->as_string()->get();
    const bool has_sign = text.ends_with('%');
    text = trimmed(text.substr(0, text.size() - (has_sign ? 1 : 0)));
    const auto [end, error] = problem::read_number(text.data(), text.data() + text.size(), value);
    value = has_sign && error == std::errc{} && end == text.data() + text.size() ? value : -1.0;
  }
  if (!(value >= 0.0) || !std::isfinite(value)) {
    reader.toml().note(
        *node, tr("`tolerance` must be a number of at least 0, or a percentage, as in \"1%\"."));
    return tolerance;
  }
  (is_text ? tolerance.relative : tolerance.absolute) = is_text ? value / 100.0 : value;
  return tolerance;
}

Formula required_formula(BlockReader& reader, const toml::table& table, const char* key,
                         const char* meaning) {
  if (const toml::node* const node = table.get(key)) {
    return reader.formula(*node);
  }
  reader.toml().note(table, tr("`{}` is missing: {}.", key, meaning));
  return {};
}

// The position of the question: a scene above, a table, or by default the scene just above.
Position read_at(BlockReader& reader, const toml::table& table, const Lesson* so_far) {
  const toml::node* const node = table.get("at");
  Position at;
  if (node == nullptr) {
    if (so_far == nullptr || so_far->scenes.empty()) {
      reader.toml().note(
          table,
          tr("`at` is missing, and there is no scene above. Write `at`, or add a scene above."));
    } else {
      at = so_far->scenes.back().position();
    }
  } else if (node->is_table()) {
    reader.read_position(*node->as_table(), {}, at);
  } else {
    at = reader.scene_above(*node).value_or(Position{});
  }
  return at;
}

void read_answers(BlockReader& reader, const toml::table& table, Question& question) {
  const bool is_choice = question.kind == QuestionKind::Choice;
  for (const char* key : {is_choice ? "wrong" : "choices"}) {
    if (const toml::node* const node = table.get(key)) {
      reader.toml().note(
          *node,
          is_choice
              ? tr("a choice question cannot have `wrong`: write `says` in its choices instead.")
              : tr("`choices` needs kind = \"choice\"."));
    }
  }
  for (const toml::table* const wrong : reader.toml().tables(table, "wrong")) {
    reader.expect_keys(*wrong, reader.with_languages({"is"}, {"says"}));
    question.wrong.push_back(
        {required_formula(reader, *wrong, "is", tr("the wrong answer, as an expression")),
         reader.words(*wrong, "says")});
  }
  for (const toml::table* const choice : reader.toml().tables(table, "choices")) {
    reader.expect_keys(*choice, reader.with_languages({"is"}, {"text", "says"}));
    question.choices.push_back(
        {reader.words(*choice, "text"),
         required_formula(reader, *choice, "is", tr("the value of this choice, as an expression")),
         reader.words(*choice, "says")});
  }
  if (is_choice && question.choices.size() < 2) {
    reader.toml().note(table, tr("a choice question needs at least two choices."));
  }
}

Question read_question(BlockReader& reader, const toml::table& table, const BlockPlace& place) {
  reader.expect_keys(
      table, reader.with_languages({"name", "kind", "at", "answer", "also", "tolerance", "wrong",
                                    "choices", "minutes"},
                                   {"title", "text", "hint", "note", "right", "about"}));
  Question question;
  question.name = reader.name(table);
  question.title = reader.title(table);
  if (const toml::node* const kind = table.get("kind")) {
    question.kind = reader.toml().word<QuestionKind>(*kind);
  } else {
    reader.toml().note(table,
                       tr("`kind` is missing: number, cell, line, thread, yes-no or choice."));
  }
  question.ask = reader.words(table, "text");
  if (question.ask.empty()) {
    reader.toml().note(table, tr("`text` is missing: the question."));
  }
  question.hint = reader.words(table, "hint");
  question.right = reader.words(table, "right");
  question.about = reader.words(table, "about");
  question.note = reader.words(table, "note");
  question.minutes = reader.minutes(table);
  question.at = read_at(reader, table, place.so_far);
  question.answer = required_formula(reader, table, "answer",
                                     tr("the correct answer, as an expression about the run"));
  question.also = reader.formulas(table, "also");
  question.tolerance = read_tolerance(reader, table);
  read_answers(reader, table, question);
  return question;
}

// Removes "[0..2]" or "[3]" from the beginning of `text`.
bool take_range(std::string_view& text, int& first, int& last) {
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == std::string_view::npos) {
    return false;
  }
  const std::string_view inside = text.substr(1, close - 1);
  const std::size_t dots = inside.find("..");
  const auto read = [](std::string_view digits, int& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() && number >= 0;
  };
  const bool is_range = dots != std::string_view::npos;
  if (!read(inside.substr(0, dots), first) ||
      !read(is_range ? inside.substr(dots + 2) : inside, last) || last < first) {
    return false;
  }
  text.remove_prefix(close + 1);
  return true;
}

// "A[0..2][3..5]"
bool read_cells(std::string_view text, Annotation& annotation) {
  const std::size_t open = std::min(text.find('['), text.size());
  annotation.of = text.substr(0, open);
  text.remove_prefix(open);
  return !annotation.of.empty() && take_range(text, annotation.first_row, annotation.last_row) &&
         take_range(text, annotation.first_col, annotation.last_col) && text.empty();
}

Annotation read_annotation(BlockReader& reader, const toml::table& table) {
  reader.expect_keys(table, reader.with_languages({"cells", "line", "phase", "frame"}, {"label"}));
  Annotation annotation;
  annotation.label = reader.words(table, "label");
  annotation.has_frame = reader.toml().boolean(table, "frame", true);
  int things = 0;
  for (const char* key : {"cells", "line", "phase"}) {
    things += table.contains(key) ? 1 : 0;
  }
  if (things != 1) {
    reader.toml().note(
        table, tr("an element of `point` needs exactly one of `cells`, `line` and `phase`."));
    return annotation;
  }
  problem::TomlReader& toml = reader.toml();
  if (const toml::node* const cells = table.get("cells")) {
    if (!read_cells(toml.string(table, "cells"), annotation)) {
      toml.note(*cells, tr("`cells` must be a name and two ranges, as in \"A[0..2][3..5]\"."));
    }
  } else if (table.contains("line")) {
    annotation.line = static_cast<int>(toml.integer(table, "line", 0));
  } else {
    annotation.phase = static_cast<int>(toml.integer(table, "phase", 0));
  }
  if ((annotation.line && *annotation.line < 1) || (annotation.phase && *annotation.phase < 0)) {
    toml.note(table, tr("`line` must be at least 1, `phase` at least 0."));
  }
  return annotation;
}

void read_film(BlockReader& reader, const toml::table& table, Scene& scene) {
  constexpr double kMostSeconds = 600.0;
  constexpr int kMostMoves = 1000;
  problem::TomlReader& toml = reader.toml();
  scene.seconds = toml.real(table, "seconds", 0.0);
  scene.moves = static_cast<int>(toml.integer(table, "moves", 0));
  if (const toml::node* const by = table.get("moves_by")) {
    scene.moves_by = toml.word<state::Unit>(*by);
  }
  if (!(scene.seconds >= 0.0 && scene.seconds <= kMostSeconds)) {
    toml.note(*table.get("seconds"), tr("`seconds` must be between 0 and {}.", kMostSeconds));
  }
  if (scene.moves < 0 || scene.moves > kMostMoves) {
    toml.note(*table.get("moves"), tr("`moves` must be between 0 and {}.", kMostMoves));
  }
  if (scene.moves > 0 && scene.seconds <= 0.0) {
    toml.note(*table.get("moves"), tr("`moves` needs `seconds`: how long the scene is shown."));
  }
}

Scene read_scene(BlockReader& reader, const toml::table& table) {
  const std::vector<std::string> own = reader.with_languages(
      {"name", "minutes", "point", "seconds", "moves", "moves_by"}, {"title", "note", "try"});
  Scene scene;
  Position position;
  reader.read_position(table, own, position);
  scene.state = std::move(position.state);
  scene.place = position.place;
  scene.name = reader.name(table);
  scene.title = reader.title(table);
  scene.minutes = reader.minutes(table);
  scene.note = reader.words(table, "note");
  scene.tries = reader.list_of_words(table, "try");
  read_film(reader, table, scene);
  for (const toml::table* const point : reader.toml().tables(table, "point")) {
    scene.points.push_back(read_annotation(reader, *point));
  }
  return scene;
}

// "1. …\n2. …\n3. …\n\n*…*" in every language.
Words text_of(const Recap& recap) {
  Words words;
  std::size_t number = 0;
  const auto append = [&words](const Words& from, const std::string& before,
                               const std::string& after) {
    for (const auto& [language, text] : from.by_language) {
      Text& all = words.by_language[language];
      if (!all.text.empty() && !after.empty()) {  // a paragraph of its own
        all.text += '\n';
        all.lines.push_back(text.line_at(0));
      }
      all.text += (all.text.empty() ? "" : "\n") + before + text.text + after;
      all.lines.push_back(text.line_at(0));
    }
  };
  for (const Words& line : recap.lines) {
    append(line, fmt::format("{}. ", ++number), "");
  }
  append(recap.teaser, "*", "*");
  return words;
}

constexpr double kMinutesOfRecap = 1.0;

Scene read_recap(BlockReader& reader, const toml::table& table, const BlockPlace& place) {
  reader.expect_keys(table, reader.with_languages({"name", "next", "minutes"},
                                                  {"lines", "teaser", "title", "note"}));
  Scene scene;
  scene.name = table.contains("name") ? reader.name(table) : "recap";
  scene.title = reader.title(table);
  scene.note = reader.words(table, "note");
  scene.minutes = table.contains("minutes") ? reader.minutes(table) : kMinutesOfRecap;
  if (place.so_far == nullptr || place.so_far->scenes.empty()) {
    reader.toml().note(table, tr("a recap needs a scene above it."));
    return scene;
  }
  const Position shown = place.so_far->scenes.back().position();
  scene.state = shown.state;
  scene.place = shown.place;
  Recap recap;
  recap.lines = reader.list_of_words(table, "lines");
  recap.teaser = reader.words(table, "teaser");
  if (table.contains("next")) {
    recap.next = reader.toml().string(table, "next");
  }
  if (recap.lines.empty()) {
    reader.toml().note(
        table, tr("`lines` is missing: what the lesson was about, in {} lines.", kRecapLines));
  }
  scene.text = text_of(recap);
  scene.recap = std::move(recap);
  return scene;
}

// A scene without a title has its name as one.
Result<Scene> with_title(Result<Scene> scene, const BlockPlace& place) {
  if (scene && scene->title.empty()) {
    scene->title.by_language[""] = {scene->name, {place.first_line - 1}};
  }
  return scene;
}

}  // namespace

std::optional<Error> read_lesson_block(const std::string& toml, const BlockPlace& place,
                                       Lesson& lesson) {
  const Result<toml::table> table = problem::parse_toml(toml, place.file, place.first_line - 1);
  if (!table) {
    return table.error();
  }
  BlockPlace with_languages = place;
  with_languages.so_far = &lesson;
  BlockReader reader(with_languages);
  read_languages(reader, *table, lesson);
  reader.expect_keys(
      *table, reader.with_languages({"id", "texts", "after", "minutes", "languages"}, {"goal"}));
  lesson.id = reader.toml().required_string(*table, "id");
  lesson.goal = reader.words(*table, "goal");
  lesson.texts = texts_of(reader, *table, "texts");
  lesson.after = texts_of(reader, *table, "after");
  lesson.minutes = reader.minutes(*table);
  return reader.error();
}

bool Tolerance::accepts(double given, double answer) const {
  const double off = std::abs(given - answer);
  // Reading and printing decimal numbers changes the last places.
  const double rounding = 1e-9 * std::max(1.0, std::abs(answer));
  return off <= std::max({absolute, relative * std::abs(answer), rounding});
}

Result<Question> parse_question_block(const std::string& toml, const BlockPlace& place) {
  return parse_block(toml, place, [&place](BlockReader& reader, const toml::table& table) {
    return read_question(reader, table, place);
  });
}

Result<Scene> parse_scene_block(const std::string& toml, const BlockPlace& place) {
  return with_title(parse_block(toml, place, read_scene), place);
}

Result<Scene> parse_recap_block(const std::string& toml, const BlockPlace& place) {
  return with_title(parse_block(toml, place,
                                [&place](BlockReader& reader, const toml::table& table) {
                                  return read_recap(reader, table, place);
                                }),
                    place);
}

}  // namespace tilestep::lesson
