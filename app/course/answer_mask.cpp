#include "course/answer_mask.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

struct TopicOf {
  std::string_view name;
  Topic topic;
};
// Functions that are missing here depend only on the launch, which is not hidden.
constexpr std::array kTopics = std::to_array<TopicOf>({{"value", Topic::Values},
                                                       {"cell", Topic::Values},
                                                       {"constants", Topic::Values},
                                                       {"writer", Topic::Places},
                                                       {"source", Topic::Places},
                                                       {"read", Topic::Places},
                                                       {"stored", Topic::Places},
                                                       {"line", Topic::Places},
                                                       {"active", Topic::Counts},
                                                       {"masked", Topic::Counts},
                                                       {"sectors", Topic::Counts},
                                                       {"passes", Topic::Counts},
                                                       {"loads", Topic::Counts},
                                                       {"products", Topic::Counts},
                                                       {"count", Topic::Counts},
                                                       {"machine_count", Topic::Counts},
                                                       {"occupancy", Topic::Timings},
                                                       {"largest_launch", Topic::Timings},
                                                       {"wrong", Topic::Findings},
                                                       {"findings", Topic::Findings},
                                                       {"found", Topic::Findings},
                                                       {"finding", Topic::Findings},
                                                       {"error.max", Topic::Findings},
                                                       {"error.average", Topic::Findings},
                                                       {"time", Topic::Timings},
                                                       {"warm_time", Topic::Timings},
                                                       {"gflops", Topic::Timings},
                                                       {"share", Topic::Timings},
                                                       {"verified", Topic::Timings},
                                                       {"sm", Topic::Timings},
                                                       {"measured_sm", Topic::Timings},
                                                       {"wave_clocks", Topic::Timings},
                                                       {"measured_wave_clocks", Topic::Timings}});

void add_topics(const lesson::Expression& expression, std::set<Topic>& topics) {
  if (expression.kind == Kind::Call && expression.text == "verified") {
    // The check's findings reveal whether a GPU's result was correct.
    topics.insert(Topic::Findings);
  }
  if (expression.kind == Kind::Call || expression.kind == Kind::Name) {
    const auto* const found = std::ranges::find(kTopics, expression.text, &TopicOf::name);
    if (found != kTopics.end()) {
      topics.insert(found->topic);
    }
  }
  for (const lesson::Expression& part : expression.parts) {
    add_topics(part, topics);
  }
}

// Arrays whose cells' sources are the answer.
void add_arrays(const lesson::Expression& expression, std::set<std::string, std::less<>>& arrays) {
  if (expression.kind == Kind::Call && expression.text == "source" && !expression.parts.empty()) {
    const std::string& cell = expression.parts.front().text;
    arrays.insert(cell.substr(0, cell.find('[')));
  }
  for (const lesson::Expression& part : expression.parts) {
    add_arrays(part, arrays);
  }
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

constexpr std::string_view kMinus = "−";

// A number in a text.
struct NumberAt {
  double value = 0.0;
  double rounding = 0.0;  // half a unit of its last digit
};

// Reads from `at`, which is at a digit; moves `at` behind the number.
NumberAt number_at(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  std::string digits;
  while (at < text.size()) {
    const bool is_group = text[at] == ',' && at + 3 < text.size() && is_digit(text[at + 1]) &&
                          is_digit(text[at + 2]) && is_digit(text[at + 3]) && at - first <= 3;
    const bool is_point = text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1]) &&
                          digits.find('.') == std::string::npos;
    if (!is_digit(text[at]) && !is_group && !is_point) {
      break;
    }
    if (!is_group) {
      digits += text[at];
    }
    ++at;
  }
  const std::size_t point = digits.find('.');
  const double decimals =
      point == std::string::npos ? 0.0 : static_cast<double>(digits.size() - point - 1);
  NumberAt number{std::strtod(digits.c_str(), nullptr), 0.0};
  number.rounding = decimals > 0.0 ? 0.5 * std::pow(10.0, -decimals) : 0.0;
  const std::string_view before = text.substr(0, first);
  const bool is_minus = before.ends_with(kMinus) || before.ends_with('-');
  const std::string_view sign = before.ends_with(kMinus) ? kMinus : std::string_view("-");
  // In "7 − 3" and "7-3" the minus subtracts.
  const std::string_view left = is_minus ? before.substr(0, before.size() - sign.size()) : before;
  const bool subtracts = !left.empty() && (is_word(left.back()) || left.back() == ')');
  number.value = is_minus && !subtracts ? -number.value : number.value;
  return number;
}

// Whether the text ends like the part of a place's text before its placeholder: "… at line " for
// "line {}".
bool ends_before_place(std::string_view text, std::string_view with_place) {
  const std::size_t place = with_place.find('{');
  return place > 0 && text.ends_with(with_place.substr(0, place));
}

// An index, a thread's coordinate, a line's or a statement's number.
bool is_of_a_place(std::string_view before) {
  if (before.ends_with('[') || before.ends_with("..")) {
    return true;
  }
  for (const std::string_view word : {"line ", "lines ", "statement ", "step ", "phase ", "Phase ",
                                      "tile ", "warp ", "lane ", "thread ", "block ", " of "}) {
    if (before.ends_with(word)) {
      return word != " of " || before.find("hase ") != std::string_view::npos ||
             before.find("tatement ") != std::string_view::npos;
    }
  }
  for (const char* const word :
       {tr("line {}"), tr("step {}"), tr("warp {}"), tr("lane {}"), tr("thread {}"), tr("block {}"),
        tr("statement {}"), tr("phase {}"), tr("tile {}")}) {
    if (ends_before_place(before, word)) {
      return true;
    }
  }
  // "(2" and "(2,1" of "(2,1)".
  const std::size_t open = before.rfind('(');
  return open != std::string_view::npos && std::ranges::all_of(before.substr(open + 1), [](char c) {
           return is_digit(c) || c == ',';
         });
}

bool is_coordinate(std::string_view text, std::size_t first, std::size_t last) {
  const bool closes = last < text.size() && (text[last] == ',' || text[last] == ')');
  const std::string_view before = text.substr(0, first);
  const bool is_alone = before.ends_with('(') && last < text.size() && text[last] == ')';
  return is_of_a_place(before) && (!before.ends_with('(') || (closes && !is_alone));
}

// As a whole name or number.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word(text[at - 1]) || !is_word(word.front());
    const bool ends = end == text.size() || !is_word(text[end]) || !is_word(word.back());
    if (begins && ends) {
      return true;
    }
  }
  return false;
}

// The coordinates of a thread; not those of a block.
bool has_thread(std::string_view text, std::string_view coordinates) {
  for (std::size_t at = text.find(coordinates); at != std::string_view::npos;
       at = text.find(coordinates, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::size_t end = at + coordinates.size();
    const bool ends = coordinates.ends_with(')') || end == text.size() || !is_word(text[end]);
    const bool begins = coordinates.starts_with('(') || before.ends_with("hread ") ||
                        ends_before_place(before, tr("thread {}"));
    const bool is_of_block = before.ends_with("lock ") || before.ends_with("locks ") ||
                             ends_before_place(before, tr("block {}"));
    if (ends && begins && !is_of_block) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::set<Topic> topics_of(const lesson::Expression& expression) {
  std::set<Topic> topics;
  add_topics(expression, topics);
  return topics;
}

AnswerMask::AnswerMask(const lesson::Question& question, std::optional<Value> answer,
                       std::uint64_t until)
    : tolerance_(question.tolerance),
      kind_(question.kind),
      answer_(std::move(answer)),
      until_(until),
      topics_(topics_of(question.answer.expression)) {
  if (kind_ == lesson::QuestionKind::Cell || kind_ == lesson::QuestionKind::Thread) {
    topics_.insert(Topic::Places);
  }
  add_arrays(question.answer.expression, arrays_);
  for (const lesson::Choice& choice : question.choices) {
    topics_.merge(topics_of(choice.is.expression));
  }
  key_ =
      fmt::format("{} {} {}", question.answer.text(), answer_ ? shown_text(*answer_) : "", until_);
}

bool AnswerMask::hides_array(std::string_view name) const {
  return arrays_.contains(name);
}

bool AnswerMask::hides_number(double number) const {
  if (kind_ != lesson::QuestionKind::Number && kind_ != lesson::QuestionKind::Choice) {
    return false;
  }
  if (!hides(Topic::Values)) {
    return false;
  }
  return !answer_ ||
         (answer_->kind == Value::Kind::Number && tolerance_.accepts(number, answer_->number));
}

bool AnswerMask::hides_cell(std::string_view element) const {
  return kind_ == lesson::QuestionKind::Cell && (!answer_ || answer_->text == element);
}

bool AnswerMask::hides_text(std::string_view text) const {
  if (!answer_) {
    return std::ranges::any_of(text, is_digit);
  }
  switch (answer_->kind) {
    case Value::Kind::Number:
      return has_number(text);
    case Value::Kind::Line:
      return has_word(text, tr("line {}", text_of(*answer_)));
    case Value::Kind::Thread:
      return has_thread(text, answer_->text);
    case Value::Kind::YesNo:
      return false;
    default:
      return has_word(text, answer_->text);
  }
}

bool AnswerMask::has_number(std::string_view text) const {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t first = at;
    const NumberAt number = number_at(text, at);
    const bool is_name = first > 0 && is_word(text[first - 1]);  // "C1"
    const bool is_it = tolerance_.accepts(number.value, answer_->number) ||
                       std::abs(number.value - answer_->number) <= number.rounding;
    if (is_it && !is_name && !is_coordinate(text, first, at)) {
      return true;
    }
  }
  return false;
}

}  // namespace tilestep::course
