#include "course/answers.h"

#include "course/asked.h"

#include <utility>

namespace tilestep::course {

Answers::Answers(Tools tools, lesson::Follow follow) : runs_(tools), follow_(std::move(follow)) {
  if (!follow_) {
    follow_ = [](const lesson::Position& from, std::span<const lesson::Change> changes) {
      return lesson::changed(from, changes, {});
    };
  }
}

Result<Value> Answers::of(const lesson::Expression& expression, const lesson::Position& at) {
  return evaluate({runs_, follow_, at, expression}, expression);
}

Result<std::string> Answers::filled(const lesson::Text& text, const lesson::Position& at) {
  const auto pieces = lesson::pieces_of(text);
  if (!pieces) {
    return fail(pieces.error().sentence);
  }
  std::string all;
  for (const lesson::TextPiece& piece : *pieces) {
    if (!piece.is_expression) {
      all += piece.text;
      continue;
    }
    const auto expression = lesson::parse_expression(piece.text);
    const auto value = expression ? of(*expression, at) : tl::unexpected(expression.error());
    if (!value) {
      return tl::unexpected(value.error());
    }
    all += text_of(*value);
  }
  return all;
}

}  // namespace tilestep::course
