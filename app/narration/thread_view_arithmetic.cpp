#include "narration/templates.h"
#include "narration/thread_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilestep::narration {
namespace {

constexpr int kAtom = 11;

void append(Pieces& to, const Pieces& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Pieces bracketed(const Pieces& inner) {
  Pieces all = plain("(");
  append(all, inner);
  append(all, plain(")"));
  return all;
}

bool is_comparison(const std::string& op) {
  return precedence(op) == 6 || precedence(op) == 7;  // == and !=; <, >, <= and >=
}

std::optional<std::int64_t> whole_result(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (op == "+") {
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  }
  if (op == "-") {
    return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  }
  if (op == "*") {
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  }
  if (op == "/" || op == "%") {
    const bool defined = b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
    return !defined ? std::nullopt : std::optional(op == "/" ? a / b : a % b);
  }
  if (op == "<<" || op == ">>") {
    const bool defined = b >= 0 && b < 31 && a >= 0 && a < (std::int64_t{1} << 31);
    return !defined ? std::nullopt : std::optional(op == "<<" ? a << b : a >> b);
  }
  return op == "&"   ? std::optional(a & b)
         : op == "|" ? std::optional(a | b)
         : op == "^" ? std::optional(a ^ b)
                     : std::nullopt;
}

std::optional<Number> binary_result(const std::string& op, const Number& a, const Number& b) {
  if (op == "&&" || op == "||") {
    return whole(op == "&&" ? a.is_true() && b.is_true() : a.is_true() || b.is_true());
  }
  const double x = a.as_real();
  const double y = b.as_real();
  if (is_comparison(op)) {
    const bool holds = op == "<"    ? x < y
                       : op == ">"  ? x > y
                       : op == "<=" ? x <= y
                       : op == ">=" ? x >= y
                       : op == "==" ? x == y
                                    : x != y;
    return whole(holds ? 1 : 0);
  }
  if (!a.is_real && !b.is_real) {
    const std::optional<std::int64_t> r = whole_result(op, a.integer, b.integer);
    return r ? std::optional(whole(*r)) : std::nullopt;
  }
  return op == "+"   ? std::optional(real_number(x + y))
         : op == "-" ? std::optional(real_number(x - y))
         : op == "*" ? std::optional(real_number(x * y))
         : op == "/" ? std::optional(real_number(x / y))
                     : std::nullopt;
}

std::string glyph(const std::string& op) {
  return op == "*"    ? "·"
         : op == "-"  ? " − "
         : op == "<=" ? " ≤ "
         : op == ">=" ? " ≥ "
         : op == "!=" ? " ≠ "
         : op == "==" ? " = "
                      : " " + op + " ";
}

bool is_negative(const Printed& p) {
  return p.binding == kAtom && p.value.as_real() < 0.0;
}

class Printer {
 public:
  Printer(const ThreadView& view, const HueOf& hue) : view_(view), hue_(hue) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the parser allows
  std::optional<Printed> print(const Expression& e) const {
    switch (e.kind) {
      case Form::Integer:
        return number(whole(e.integer), Hue::None);
      case Form::Real:
        return number(real_number(e.real), Hue::None);
      case Form::Name:
      case Form::Member:
      case Form::Subscript:
        return leaf(e);
      case Form::Unary:
        return unary(e);
      case Form::Binary:
        return binary(e);
      case Form::Ternary: {
        const std::optional<Printed> condition = print(e.parts[0]);
        return condition ? print(e.parts[condition->value.is_true() ? 1 : 2]) : std::nullopt;
      }
      case Form::Cast:
        return cast(e);
      case Form::Call:
        return call(e);
    }
    return std::nullopt;
  }

 private:
  static Printed number(const Number& n, Hue hue) {
    return {{{number_text(n), hue, hue != Hue::None}}, n, kAtom, true};
  }

  std::optional<Printed> leaf(const Expression& e) const {
    if (const auto built_in = view_.built_in(e)) {
      return number(*built_in, Hue::None);
    }
    if (const auto n = view_.number(e)) {
      return number(*n, n->is_real ? hue_of(e, hue_) : Hue::None);
    }
    if (!e.is(Form::Name)) {
      return std::nullopt;
    }
    if (const auto n = view_.constant(e.text)) {
      return number(*n, Hue::None);
    }
    return constant_variable(e.text);
  }

  // "constexpr int TILE = 4 * BLOCK_SIZE;" has no place in the machine.
  std::optional<Printed> constant_variable(const std::string& name) const {
    if (view_.find(name) != nullptr || depth_ > 8) {
      return std::nullopt;
    }
    const Assignment* found = nullptr;
    for (const SourceStatement& s : view_.source().statements()) {
      for (const Assignment& a : s.assignments) {
        if (s.kind != StatementKind::For && a.target.is(Form::Name) && a.target.text == name) {
          if (found != nullptr || !a.declares || a.op != "=") {
            return std::nullopt;
          }
          found = &a;
        }
      }
    }
    if (found == nullptr || !found->value) {
      return std::nullopt;
    }
    ++depth_;
    const std::optional<Printed> value = print(*found->value);
    --depth_;
    return value ? std::optional(number(value->value, Hue::None)) : std::nullopt;
  }

  std::optional<Printed> unary(const Expression& e) const {
    if (e.text == "*") {
      return leaf(e);
    }
    std::optional<Printed> inner = print(e.parts[0]);
    if (!inner || e.text == "&" || e.text == "~") {
      return std::nullopt;
    }
    if (e.text == "+") {
      return inner;
    }
    if (e.text == "!") {
      return number(whole(inner->value.is_true() ? 0 : 1), Hue::None);
    }
    Number negated = inner->value;
    negated.integer = -negated.integer;
    negated.real = -negated.real;
    return number(negated, inner->pieces.size() == 1 ? inner->pieces[0].hue : Hue::None);
  }

  std::optional<Printed> binary(const Expression& e) const {
    const std::optional<Printed> left = print(e.parts[0]);
    if (left &&
        ((e.text == "&&" && !left->value.is_true()) || (e.text == "||" && left->value.is_true()))) {
      return left;  // C evaluates no further
    }
    const std::optional<Printed> right = left ? print(e.parts[1]) : std::nullopt;
    const std::optional<Number> value =
        right ? binary_result(e.text, left->value, right->value) : std::nullopt;
    if (!value) {
      return std::nullopt;
    }
    const int binding = precedence(e.text);
    const bool tight = e.text == "*" || e.text == "/" || e.text == "%";
    Pieces a = left->binding < binding || (tight && is_negative(*left)) ? bracketed(left->pieces)
                                                                        : left->pieces;
    const Pieces b =
        right->binding <= binding || is_negative(*right) ? bracketed(right->pieces) : right->pieces;
    if ((e.text == "&&" || e.text == "||") && right->value.is_true() != left->value.is_true()) {
      return right;  // the operand that decides
    }
    if (e.text == "&&" || e.text == "||") {
      return Printed{part(e.text == "&&" ? Say("and_two") : Say("or_two"),
                          {{"first", left->pieces}, {"last", right->pieces}}),
                     *value, binding, false};
    }
    append(a, plain(glyph(e.text)));
    append(a, b);
    const bool rest = e.text == "/" && !left->value.is_real && !right->value.is_real &&
                      left->value.integer % right->value.integer != 0;
    return Printed{std::move(a), *value, binding, false, rest || left->rounds || right->rounds};
  }

  std::optional<Printed> cast(const Expression& e) const {
    if (e.text.find('*') != std::string::npos || e.text.find('&') != std::string::npos) {
      return std::nullopt;
    }
    std::optional<Printed> inner = print(e.parts[0]);
    if (!inner) {
      return std::nullopt;
    }
    const bool to_real =
        e.text.find("float") != std::string::npos || e.text.find("double") != std::string::npos;
    if (to_real && !inner->value.is_real) {
      inner->value = real_number(inner->value.as_real());
    } else if (!to_real && inner->value.is_real) {
      return std::nullopt;  // removes digits
    }
    return inner;
  }

  std::optional<Printed> call(const Expression& e) const {
    const bool least = e.text == "min" || e.text == "fminf";
    if ((least || e.text == "max" || e.text == "fmaxf") && e.parts.size() == 2) {
      const auto a = print(e.parts[0]);
      const auto b = print(e.parts[1]);
      if (!a || !b) {
        return std::nullopt;
      }
      return (a->value.as_real() < b->value.as_real()) == least ? a : b;
    }
    if ((e.text == "fmaf" || e.text == "__fmaf_rn" || e.text == "fma") && e.parts.size() == 3) {
      Expression product;
      product.kind = Form::Binary;
      product.text = "*";
      product.parts = {e.parts[0], e.parts[1]};
      Expression sum;
      sum.kind = Form::Binary;
      sum.text = "+";
      sum.parts = {std::move(product), e.parts[2]};
      return print(sum);
    }
    return std::nullopt;
  }

  const ThreadView& view_;
  const HueOf& hue_;
  mutable int depth_ = 0;
};

const HueOf& no_hue() {
  static const HueOf none = [](const std::string&) { return Hue::None; };
  return none;
}

// The printed text is computed again; names no longer occur in it.
std::optional<Number> plain_value(const Expression& e) {
  switch (e.kind) {
    case Form::Integer:
      return whole(e.integer);
    case Form::Real:
      return real_number(e.real);
    case Form::Unary: {
      std::optional<Number> n = e.text == "-" ? plain_value(e.parts[0]) : std::nullopt;
      if (n) {
        n->integer = -n->integer;
        n->real = -n->real;
      }
      return n;
    }
    case Form::Binary: {
      const auto a = plain_value(e.parts[0]);
      const auto b = a ? plain_value(e.parts[1]) : std::nullopt;
      return b ? binary_result(e.text, *a, *b) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

std::optional<Printed> printed(const Expression& expression, const ThreadView& view,
                               const HueOf& hue) {
  return Printer(view, hue).print(expression);
}

std::optional<Number> value_of(const Expression& expression, const ThreadView& view) {
  const std::optional<Printed> p = printed(expression, view, no_hue());
  return p ? std::optional(p->value) : std::nullopt;
}

std::string base_name(const Expression& e) {
  switch (e.kind) {
    case Form::Name:
      return e.text;
    case Form::Member:
      // "A.elements" is A's memory; its own name has no role.
    case Form::Subscript:
    case Form::Unary:
    case Form::Cast:
      return base_name(e.parts[0]);
    default:
      return {};
  }
}

Hue hue_of(const Expression& expression, const HueOf& hue) {
  return hue(base_name(expression));
}

std::optional<Number> computed(const std::string& text) {
  const std::string ascii = replaced(replaced(text, "−", "-"), "·", "*");
  const std::vector<Token> tokens = tokens_of(ascii);
  const std::optional<Expression> e = parse_expression(tokens);
  return e ? plain_value(*e) : std::nullopt;
}

Holds holds(const std::string& text, const Number& result) {
  const std::optional<Number> value = computed(text);
  const std::optional<Number> shown = computed(number_text(result));
  if (!value || !shown) {
    return Holds::Not;
  }
  if (!value->is_real && !shown->is_real) {
    return value->integer == shown->integer ? Holds::Exactly : Holds::Not;
  }
  const double difference = std::abs(value->as_real() - shown->as_real());
  const double size = std::max(std::abs(value->as_real()), std::abs(shown->as_real()));
  return difference <= 1e-12 * size  ? Holds::Exactly
         : difference <= 1e-3 * size ? Holds::Nearly
                                     : Holds::Not;
}

Pieces equation(const Assignment& a, const std::string& target, const Number& after,
                const ThreadView& before, const HueOf& hue) {
  const Hue own = after.is_real ? hue_of(a.target, hue) : Hue::None;
  Pieces head = {{target, own, true}, {" = ", Hue::None, false}};
  Pieces result = strong(number_text(after), own);
  std::optional<Expression> value = a.value;
  if (value && a.op != "=" && a.op.size() >= 2) {
    Expression e;
    e.kind = Form::Binary;
    e.text = a.op.substr(0, a.op.size() - 1);
    e.parts = {a.target, std::move(*value)};
    value = std::move(e);
  }
  const std::optional<Printed> p = value ? printed(*value, before, hue) : std::nullopt;
  if (p && !p->is_number) {
    const Holds how = holds(plain_text(p->pieces), after);
    if (how != Holds::Not) {
      const bool compares = value->is(Form::Binary) && is_comparison(value->text);
      append(head, compares ? bracketed(p->pieces) : p->pieces);  // "(5 > 4) = 1", as in C
      append(head, plain(how == Holds::Exactly ? " = " : " ≈ "));
      result = p->rounds ? part("rounded_down", {{"value", result}}) : result;
    }
  }
  append(head, result);
  return head;
}

}  // namespace tilestep::narration
