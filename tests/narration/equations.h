// Every equation in a text, evaluated independently, so that the evaluator shares no mistake with
// the code that printed them.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::test {

// A number, integer or not; integer division truncates, as in C.
struct Value {
  double number = 0.0;
  bool whole = true;
};

// Recursive descent over "+ − · / % ( )" and numbers. Fails on anything else.
class Calculator {
 public:
  explicit Calculator(std::string text) : text_(std::move(text)) {}

  std::optional<Value> all() {
    const std::optional<Value> v = sum();
    skip();
    return v && at_ == text_.size() ? v : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  bool take(const std::string& sign) {
    skip();
    const bool there = text_.compare(at_, sign.size(), sign) == 0;
    at_ += there ? sign.size() : 0;
    return there;
  }
  std::optional<Value> sum() {
    std::optional<Value> v = product();
    while (v) {
      const bool plus = take("+");
      if (!plus && !take("−")) {
        return v;
      }
      const std::optional<Value> w = product();
      if (!w) {
        return std::nullopt;
      }
      v = Value{plus ? v->number + w->number : v->number - w->number, v->whole && w->whole};
    }
    return v;
  }
  std::optional<Value> product() {
    std::optional<Value> v = atom();
    while (v) {
      const char sign = take("·") ? '*' : take("/") ? '/' : take("%") ? '%' : ' ';
      if (sign == ' ') {
        return v;
      }
      const std::optional<Value> w = atom();
      if (!w || (sign != '*' && w->number == 0.0)) {
        return std::nullopt;
      }
      const bool whole = v->whole && w->whole;
      const double quotient = v->number / w->number;
      v = Value{sign == '*'   ? v->number * w->number
                : sign == '/' ? (whole ? std::trunc(quotient) : quotient)
                              : std::fmod(v->number, w->number),
                whole};
    }
    return v;
  }
  std::optional<Value> atom() {
    skip();
    if (take("(")) {
      const std::optional<Value> v = sum();
      return take(")") ? v : std::nullopt;
    }
    const bool negative = take("−");
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.' ||
            text_[at_] == 'e' || (text_[at_] == '-' && at_ > begin && text_[at_ - 1] == 'e'))) {
      ++at_;
    }
    if (begin == at_) {
      return std::nullopt;
    }
    const std::string digits = text_.substr(begin, at_ - begin);
    const double n = std::stod(digits);
    return Value{negative ? -n : n, digits.find('.') == std::string::npos};
  }

  std::string text_;
  std::size_t at_ = 0;
};

struct Equation {
  std::string text;  // "1·4 + 2 = 6"
  bool holds = false;
};

// "x = 1·4 + 2 = 6": the text between two equals signs, or an equals and an approximately-equals
// sign, compared with the number after them. The same for "adds (−3)·9 to 71: acc = 44".
std::vector<Equation> equations_in(const std::string& text);

}  // namespace tilestep::test
