#include "course/value.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilestep::course {
namespace {

constexpr double kGrouped = 10'000.0;  // whole numbers from here on have grouped digits
constexpr double kWhole =
    9007199254740992.0;  // 2^53: a double represents whole numbers exactly up to here

bool is_whole(double number) {
  return number == std::trunc(number) && std::abs(number) < kWhole;
}

// The shortest text of this float, or six digits of a double.
std::string fraction(double number) {
  const auto as_float = static_cast<float>(number);
  return static_cast<double>(as_float) == number ? fmt::format("{}", as_float)
                                                 : fmt::format("{:.6g}", number);
}

// `as_shown`: with a minus sign and grouped digits, as on the stage.
std::string number_text(double number, bool as_shown) {
  const double size = std::abs(number);
  const char* const sign = !(number < 0.0) ? "" : as_shown ? "−" : "-";
  if (!is_whole(number)) {
    return sign + fraction(size);
  }
  const auto digits = static_cast<std::uint64_t>(size);
  return sign + (as_shown && size >= kGrouped ? grouped(digits) : std::to_string(digits));
}

std::string text_of(const Value& value, bool as_shown) {
  switch (value.kind) {
    case Value::Kind::Number:
      return number_text(value.number, as_shown);
    case Value::Kind::Line:
      return number_text(value.number, false);
    case Value::Kind::YesNo:
      return value.is_yes() ? "yes" : "no";
    default:
      return value.text;
  }
}

bool is_numeric(const Value& value) {
  return value.kind == Value::Kind::Number || value.kind == Value::Kind::Line;
}

}  // namespace

Value number_value(double number) {
  Value value;
  value.number = number;
  return value;
}

Value line_value(std::uint32_t line) {
  Value value;
  value.kind = Value::Kind::Line;
  value.number = line;
  return value;
}

Value yes_no_value(bool yes) {
  Value value;
  value.kind = Value::Kind::YesNo;
  value.number = yes ? 1.0 : 0.0;
  return value;
}

Value text_value(std::string text) {
  Value value;
  value.kind = Value::Kind::Text;
  value.text = std::move(text);
  return value;
}

Value cell_value(std::string name) {
  Value value;
  value.kind = Value::Kind::Cell;
  value.text = std::move(name);
  return value;
}

bool is_countable(const Value& value) {
  return is_numeric(value) || value.kind == Value::Kind::YesNo;
}

const char* kind_word(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Number:
      return tr("a number");
    case Value::Kind::Cell:
      return tr("a cell");
    case Value::Kind::Line:
      return tr("a line");
    case Value::Kind::Thread:
      return tr("a thread");
    case Value::Kind::YesNo:
      return tr("yes or no");
    case Value::Kind::Text:
      return tr("a string");
  }
  return "";
}

std::string text_of(const Value& value) {
  return text_of(value, true);
}

std::string plain_text_of(const Value& value) {
  return text_of(value, false);
}

std::string shown_text(const Value& value) {
  return value.phrase.empty() ? text_of(value) : value.phrase;
}

bool are_same(const Value& a, const Value& b) {
  if (is_numeric(a) && is_numeric(b)) {
    return std::abs(a.number - b.number) <=
           1e-9 * std::max({1.0, std::abs(a.number), std::abs(b.number)});
  }
  if (a.kind != b.kind) {
    return false;
  }
  switch (a.kind) {
    case Value::Kind::Thread:
      return a.block == b.block && a.thread == b.thread;
    case Value::Kind::YesNo:
      return a.is_yes() == b.is_yes();
    default:
      return a.text == b.text;
  }
}

}  // namespace tilestep::course
