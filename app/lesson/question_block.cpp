#include "lesson/question_block.h"

#include "lesson/words.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <charconv>
#include <cmath>

namespace tilestep::lesson {
namespace {

// 3, or "1 %".
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
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    value = has_sign && error == std::errc{} && end == text.data() + text.size() ? value : -1.0;
  }
  if (!(value >= 0.0) || !std::isfinite(value)) {
    reader.toml().note(*node,
                       tr("tolerance must be a number of 0 or more, or a share, as in \"1 %\"."));
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
  reader.toml().note(table, tr("{} is missing: {}.", key, meaning));
  return {};
}

// Where the question is asked: a scene above, a table, or else the scene just above.
Position read_at(BlockReader& reader, const toml::table& table, const Lesson* so_far) {
  const toml::node* const node = table.get("at");
  Position at;
  if (node == nullptr) {
    if (so_far == nullptr || so_far->scenes.empty()) {
      reader.toml().note(table, tr("at is missing, and no scene stands above."));
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
          *node, is_choice ? tr("a choice's wrong answers are its choices: write says there.")
                           : tr("choices are those of a question with kind = \"choice\"."));
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
         required_formula(reader, *choice, "is", tr("what this choice says, as an expression")),
         reader.words(*choice, "says")});
  }
  if (is_choice && question.choices.size() < 2) {
    reader.toml().note(table, tr("a choice has two choices or more."));
  }
}

Question read_question(BlockReader& reader, const toml::table& table, const BlockPlace& place) {
  reader.expect_keys(table, reader.with_languages({"name", "kind", "at", "answer", "also",
                                                   "tolerance", "wrong", "choices", "minutes"},
                                                  {"title", "text", "hint", "note"}));
  Question question;
  question.name = reader.name(table);
  question.title = reader.title(table);
  if (const toml::node* const kind = table.get("kind")) {
    question.kind = reader.toml().word<QuestionKind>(*kind);
  } else {
    reader.toml().note(table, tr("kind is missing: number, cell, line, thread, yes-no or choice."));
  }
  question.ask = reader.words(table, "text");
  if (question.ask.empty()) {
    reader.toml().note(table, tr("text is missing: the question."));
  }
  question.hint = reader.words(table, "hint");
  question.note = reader.words(table, "note");
  question.minutes = reader.minutes(table);
  question.at = read_at(reader, table, place.so_far);
  question.answer = required_formula(reader, table, "answer", tr("an expression about the run"));
  question.also = reader.formulas(table, "also");
  question.tolerance = read_tolerance(reader, table);
  read_answers(reader, table, question);
  return question;
}

}  // namespace

bool Tolerance::accepts(double given, double answer) const {
  const double off = std::abs(given - answer);
  // Numbers that are read and printed in decimal differ by some units in the last place.
  const double rounding = 1e-9 * std::max(1.0, std::abs(answer));
  return off <= std::max({absolute, relative * std::abs(answer), rounding});
}

Result<Question> parse_question_block(const std::string& toml, const BlockPlace& place) {
  const Result<toml::table> table = problem::parse_toml(toml, place.file, place.first_line - 1);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  BlockReader reader(place);
  Question question = read_question(reader, *table, place);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  return question;
}

}  // namespace tilestep::lesson
