#include "lesson/expression.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace tilestep::lesson {
namespace {

using Kind = Expression::Kind;

constexpr int kDeepest = 40;  // deepest nesting: the reader recurses

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Operators by precedence, the lowest first.
constexpr std::array<std::array<std::string_view, 6>, 5> kLevels{
    {{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};

// Recursive descent; keeps the first mistake.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : text_(text) {}

  Result<Expression> run() {
    Expression whole = binary(0);
    skip_blanks();
    if (mistake_.empty() && at_ < text_.size()) {
      note(tr("unexpected '{}'", shortened(text_.substr(at_))));
    }
    if (!mistake_.empty()) {
      return fail(mistake_);
    }
    return whole;
  }

 private:
  void note(std::string mistake) {
    if (mistake_.empty()) {
      mistake_ = std::move(mistake);
    }
    at_ = text_.size();
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }
  [[nodiscard]] char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view word) {
    skip_blanks();
    const bool is_there = text_.substr(at_).starts_with(word);
    at_ += is_there ? word.size() : 0;
    return is_there;
  }
  std::string_view take_while(bool (*keep)(char)) {
    const std::size_t first = at_;
    while (at_ < text_.size() && keep(text_[at_])) {
      ++at_;
    }
    return text_.substr(first, at_ - first);
  }
  Expression made(Kind kind, std::string text, std::size_t first) const {
    Expression e;
    e.kind = kind;
    e.text = std::move(text);
    e.source = trimmed(text_.substr(first, at_ - first));
    return e;
  }

  Expression binary(std::size_t level);
  Expression unary();
  Expression primary();
  Expression number();
  Expression quoted();
  Expression named();
  Expression cell(std::string name, std::size_t first);
  Expression place(const std::string& word, std::size_t first);
  Expression call(std::string name, std::size_t first);
  Expression argument();

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string mistake_;
};

Expression ExpressionReader::binary(std::size_t level) {
  if (level == kLevels.size()) {
    return unary();
  }
  skip_blanks();
  const std::size_t first = at_;
  Expression left = binary(level + 1);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view word : kLevels[level]) {
      if (!word.empty() && take(word)) {
        Expression right = binary(level + 1);
        Expression both = made(Kind::Binary, std::string(word), first);
        both.parts = {std::move(left), std::move(right)};
        left = std::move(both);
        again = true;
        break;
      }
    }
  }
  return left;
}

Expression ExpressionReader::unary() {
  skip_blanks();
  const std::size_t first = at_;
  for (const std::string_view word : {"-", "!"}) {
    if (take(word)) {
      if (++depth_ > kDeepest) {
        note(tr("it is nested too deeply"));
        return {};
      }
      Expression of = unary();
      --depth_;
      Expression e = made(Kind::Unary, std::string(word), first);
      e.parts.push_back(std::move(of));
      return e;
    }
  }
  return primary();
}

Expression ExpressionReader::primary() {
  const char c = next();
  if (++depth_ > kDeepest) {
    note(tr("it is nested too deeply"));
    return {};
  }
  Expression e;
  if (c == '\0') {
    note(tr("it is incomplete"));
  } else if (take("(")) {
    e = binary(0);
    if (!take(")")) {
      note(tr("its parentheses do not match"));
    }
  } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
    e = number();
  } else if (c == '\'' || c == '"') {
    e = quoted();
  } else if (begins_name(c)) {
    e = named();
  } else {
    note(tr("unexpected '{}'", shortened(text_.substr(at_))));
  }
  --depth_;
  return e;
}

Expression ExpressionReader::number() {
  const std::size_t first = at_;
  double value = 0.0;
  const auto [end, error] =
      problem::read_number(text_.data() + at_, text_.data() + text_.size(), value);
  at_ = static_cast<std::size_t>(end - text_.data());
  if (error != std::errc{} || (at_ < text_.size() && begins_name(text_[at_]))) {
    note(tr("'{}' is not a number", shortened(text_.substr(first))));
  }
  Expression e = made(Kind::Number, "", first);
  e.number = value;
  return e;
}

Expression ExpressionReader::quoted() {
  const std::size_t first = at_;
  const char quote = text_[at_];
  const std::size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) {
    note(tr("a string is not closed: end it with {}", quote));
    return {};
  }
  at_ = end + 1;
  return made(Kind::Text, std::string(text_.substr(first + 1, end - first - 1)), first);
}

Expression ExpressionReader::named() {
  const std::size_t first = at_;
  std::string name(take_while(in_name));
  // The word of a place may contain a dash.
  for (const std::string_view more : {"-start:", "-end:"}) {
    if (name == "phase" && text_.substr(at_).starts_with(more)) {
      at_ += more.size() - 1;
      name += more.substr(0, more.size() - 1);
    }
  }
  if (at_ < text_.size() && text_[at_] == ':') {
    return place(name, first);
  }
  while (at_ + 1 < text_.size() && text_[at_] == '.' && begins_name(text_[at_ + 1])) {
    ++at_;
    name += "." + std::string(take_while(in_name));
  }
  if (at_ < text_.size() && text_[at_] == '[') {
    return cell(std::move(name), first);
  }
  if (take("(")) {
    return call(std::move(name), first);
  }
  if (name == "start" || name == "end") {
    return place(name, first);
  }
  // "b1", "t5", "w0"
  const std::string_view digits = std::string_view(name).substr(1);
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_indexed = error == std::errc{} && end == digits.data() + digits.size();
  const std::size_t letter = std::string_view("btw").find(name.front());
  if (is_indexed && letter != std::string_view::npos) {
    constexpr std::array kinds{Kind::Block, Kind::Thread, Kind::Warp};
    Expression e = made(kinds[letter], name, first);
    e.number = index;
    return e;
  }
  return made(Kind::Name, std::move(name), first);
}

Expression ExpressionReader::cell(std::string name, std::size_t first) {
  while (at_ < text_.size() && text_[at_] == '[') {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) {
      note(tr("'{}' has no closing ]", shortened(text_.substr(first))));
      return {};
    }
    name += std::string(text_.substr(at_, end + 1 - at_));
    at_ = end + 1;
  }
  // With members: the kernel's own expression.
  take_while([](char c) { return in_name(c) || c == '.'; });
  return made(Kind::Cell, std::move(name), first);
}

Expression ExpressionReader::place(const std::string& word, std::size_t first) {
  std::string text = word;
  if (at_ < text_.size() && text_[at_] == ':') {
    ++at_;
    text += ":" + std::string(take_while(in_name));
  }
  const Result<Place> place = parse_place(text);
  if (!place) {
    std::string sentence = place.error().message;
    sentence.pop_back();  // its full stop
    note(std::move(sentence));
    return {};
  }
  Expression e = made(Kind::Place, text, first);
  e.place = *place;
  return e;
}

Expression ExpressionReader::argument() {
  skip_blanks();
  const std::size_t first = at_;
  const std::string key(take_while(in_name));
  if (!key.empty() && begins_name(key.front()) && next() == '=' &&
      !text_.substr(at_).starts_with("==")) {
    ++at_;
    Expression value = binary(0);
    Expression e = made(Kind::Setting, key, first);
    e.parts.push_back(std::move(value));
    return e;
  }
  at_ = first;
  return binary(0);
}

Expression ExpressionReader::call(std::string name, std::size_t first) {
  std::vector<Expression> parts;
  if (!take(")")) {
    do {
      parts.push_back(argument());
    } while (mistake_.empty() && take(","));
    if (!take(")")) {
      note(tr("{}( … has no closing )", name));
      return {};
    }
  }
  Expression e = made(Kind::Call, std::move(name), first);
  e.parts = std::move(parts);
  const FunctionOfRun* const function = find_function(e.text);
  if (function == nullptr) {
    note(unknown_function(e.text));
    return {};
  }
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    const std::string field(take_while([](char c) { return in_name(c) || c == '.'; }));
    Expression of = made(Kind::Field, field, first);
    of.parts.push_back(std::move(e));
    return of;
  }
  return e;
}

}  // namespace

Result<Expression> parse_expression(const std::string& text) {
  const auto refused = [&text](const std::string& why) {
    return fail(tr("'{}' is not an expression: {}.", shortened(text), why));
  };
  Result<Expression> parsed = ExpressionReader(text).run();
  if (!parsed) {
    return refused(parsed.error().message);
  }
  if (const auto mistake = mistake_in(*parsed)) {
    return refused(*mistake);
  }
  return parsed;
}

}  // namespace tilestep::lesson
