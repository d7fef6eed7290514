#include "problem/tr.h"
#include "problem/values/number.h"
#include "ptx/text/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace tilestep::ptx {
namespace {

constexpr std::int64_t kWarpSize = 32;
// Deeper nesting than any compiler writes; keeps a hostile text from exhausting the stack.
constexpr int kDeepest = 64;

template <class Number>
std::optional<Number> whole_number(std::string_view digits, int base) {
  Number value{};
  const char* const end = digits.data() + digits.size();
  const auto [parsed, failure] = std::from_chars(digits.data(), end, value, base);
  return failure == std::errc{} && parsed == end ? std::optional(value) : std::nullopt;
}

std::optional<Constant> parse_integer(std::string_view text) {
  if (text.ends_with('U') || text.ends_with('u')) {
    text.remove_suffix(1);
  }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  const auto value = whole_number<std::uint64_t>(text, base);
  if (!value) {
    return std::nullopt;
  }
  return Constant{ConstantKind::Integer, static_cast<std::int64_t>(*value)};
}

std::optional<Constant> parse_decimal_float(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, failure] = problem::read_number(text.data(), end, value);
  if (failure != std::errc{} || parsed != end) {
    return std::nullopt;
  }
  return Constant{ConstantKind::Float64, std::bit_cast<std::int64_t>(value)};
}

std::optional<Constant> parse_hex_float(std::string_view digits, ConstantKind kind) {
  const auto bits = whole_number<std::uint64_t>(digits, 16);
  const std::size_t wanted = kind == ConstantKind::Float32 ? 8 : 16;
  if (!bits || digits.size() != wanted) {
    return std::nullopt;
  }
  const auto value = kind == ConstantKind::Float32 ? std::int64_t{static_cast<std::int32_t>(*bits)}
                                                   : static_cast<std::int64_t>(*bits);
  return Constant{kind, value};
}

std::int64_t sign_extend(std::int64_t value, std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return static_cast<std::int8_t>(value);
    case 2:
      return static_cast<std::int16_t>(value);
    case 4:
      return static_cast<std::int32_t>(value);
    default:
      return value;
  }
}

std::int64_t float_bits(float value) {
  return std::int64_t{std::bit_cast<std::int32_t>(value)};
}

float as_float(std::int64_t bits) {
  return std::bit_cast<float>(static_cast<std::int32_t>(bits));
}

// Binary operators, in order of increasing precedence.
struct BinaryOperator {
  std::string_view sign;
  int precedence;
};
constexpr std::array kOperators = {
    BinaryOperator{"||", 1}, BinaryOperator{"&&", 2}, BinaryOperator{"|", 3},
    BinaryOperator{"^", 4},  BinaryOperator{"&", 5},  BinaryOperator{"==", 6},
    BinaryOperator{"!=", 6}, BinaryOperator{"<=", 7}, BinaryOperator{">=", 7},
    BinaryOperator{"<<", 8}, BinaryOperator{">>", 8}, BinaryOperator{"<", 7},
    BinaryOperator{">", 7},  BinaryOperator{"+", 9},  BinaryOperator{"-", 9},
    BinaryOperator{"*", 10}, BinaryOperator{"/", 10}, BinaryOperator{"%", 10},
};

std::uint64_t wrap(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

// The caller handles division by zero; everything else wraps like unsigned numbers.
std::int64_t integer_result(std::string_view sign, std::int64_t a, std::int64_t b) {
  if (sign == "||") {
    return a != 0 || b != 0;
  }
  if (sign == "&&") {
    return a != 0 && b != 0;
  }
  if (sign == "==" || sign == "!=") {
    return (a == b) == (sign == "==");
  }
  if (sign == "<" || sign == ">=") {
    return (a < b) == (sign == "<");
  }
  if (sign == ">" || sign == "<=") {
    return (a > b) == (sign == ">");
  }
  if (sign == "<<" || sign == ">>") {
    const bool left = sign == "<<";
    if (b < 0 || b > 63) {
      return left || a >= 0 ? 0 : -1;
    }
    return left ? static_cast<std::int64_t>(wrap(a) << b) : a >> b;
  }
  switch (sign[0]) {
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '&':
      return a & b;
    case '+':
      return static_cast<std::int64_t>(wrap(a) + wrap(b));
    case '-':
      return static_cast<std::int64_t>(wrap(a) - wrap(b));
    case '*':
      return static_cast<std::int64_t>(wrap(a) * wrap(b));
    case '/':
      return b == -1 ? static_cast<std::int64_t>(-wrap(a)) : a / b;
    default:
      return b == -1 ? 0 : a % b;
  }
}

std::optional<double> float_result(std::string_view sign, double a, double b) {
  switch (sign[0]) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return std::nullopt;
  }
}

class ExpressionReader {
 public:
  explicit ExpressionReader(Lexer& lexer) : lexer_(lexer) {}

  Constant conditional() {
    const Constant condition = binary(1);
    if (!lexer_.accept('?') || !descend()) {
      return condition;
    }
    const Constant yes = conditional();
    lexer_.expect(':', "in a constant `?:` expression");
    const Constant no = conditional();
    --depth_;
    return condition.bits != 0 ? yes : no;
  }

 private:
  Constant binary(int lowest) {
    Constant left = unary();
    for (;;) {
      const BinaryOperator* const found = next_operator();
      if (found == nullptr || found->precedence < lowest) {
        return left;
      }
      for (std::size_t i = 0; i < found->sign.size(); ++i) {
        lexer_.take();
      }
      left = combine(found->sign, left, binary(found->precedence + 1));
    }
  }

  // The lexer returns one character per token; this joins two-character operators.
  [[nodiscard]] const BinaryOperator* next_operator() const {
    const Token& next = lexer_.peek();
    if (next.kind != TokenKind::Punctuation || next.is(',') || next.is(']') || next.is('}')) {
      return nullptr;
    }
    for (const BinaryOperator& candidate : kOperators) {
      if (lexer_.looking_at(candidate.sign)) {
        return &candidate;
      }
    }
    return nullptr;
  }

  Constant combine(std::string_view sign, const Constant& a, const Constant& b) {
    if (a.kind == ConstantKind::Integer && b.kind == ConstantKind::Integer) {
      if ((sign == "/" || sign == "%") && b.bits == 0) {
        lexer_.error(lexer_.peek().line, tr("a constant expression divides by zero."));
        return {};
      }
      return {ConstantKind::Integer, integer_result(sign, a.bits, b.bits)};
    }
    const auto value = float_result(sign, as_double(a), as_double(b));
    if (!value || a.kind == ConstantKind::Float32 || b.kind == ConstantKind::Float32) {
      lexer_.error(lexer_.peek().line, tr("this operator does not take floating-point constants."));
      return {};
    }
    return {ConstantKind::Float64, std::bit_cast<std::int64_t>(*value)};
  }

  static double as_double(const Constant& c) {
    return c.kind == ConstantKind::Integer ? static_cast<double>(c.bits)
                                           : std::bit_cast<double>(c.bits);
  }

  bool descend() {
    if (++depth_ > kDeepest) {
      lexer_.error(lexer_.peek().line, tr("a constant expression is nested too deeply."));
    }
    return !lexer_.failed();
  }

  Constant unary() {
    if (!descend()) {
      return {};
    }
    const Constant value = unary_or_primary();
    --depth_;
    return value;
  }

  Constant unary_or_primary() {
    if (lexer_.accept('-')) {
      return negated(unary());
    }
    if (lexer_.accept('+')) {
      return unary();
    }
    if (lexer_.accept('~')) {
      return {ConstantKind::Integer, ~unary().bits};
    }
    if (lexer_.accept('!')) {
      return {ConstantKind::Integer, unary().bits == 0};
    }
    if (lexer_.accept('(')) {
      if (lexer_.peek().is(".s64") || lexer_.peek().is(".u64")) {
        lexer_.take();  // a cast: integers are 64 bits wide anyway
        lexer_.expect(')', "after a cast");
        return unary();
      }
      const Constant inner = conditional();
      lexer_.expect(')', "at the end of a constant expression");
      return inner;
    }
    return primary();
  }

  static Constant negated(const Constant& value) {
    switch (value.kind) {
      case ConstantKind::Integer:
        return {value.kind, static_cast<std::int64_t>(-wrap(value.bits))};
      case ConstantKind::Float32:
        return {value.kind, float_bits(-as_float(value.bits))};
      default:
        return {value.kind, std::bit_cast<std::int64_t>(-std::bit_cast<double>(value.bits))};
    }
  }

  Constant primary() {
    if (lexer_.accept("WARP_SZ")) {
      return {ConstantKind::Integer, kWarpSize};
    }
    if (lexer_.peek().kind == TokenKind::Number) {
      if (const auto literal = parse_literal(lexer_.peek().text)) {
        lexer_.take();
        return *literal;
      }
    }
    lexer_.error_expected(tr("a constant"));
    return {};
  }

  Lexer& lexer_;
  int depth_ = 0;
};

}  // namespace

std::optional<Constant> parse_literal(std::string_view text) {
  if (text.starts_with("0f") || text.starts_with("0F")) {
    return parse_hex_float(text.substr(2), ConstantKind::Float32);
  }
  if (text.starts_with("0d") || text.starts_with("0D")) {
    return parse_hex_float(text.substr(2), ConstantKind::Float64);
  }
  return text.find('.') == std::string_view::npos ? parse_integer(text) : parse_decimal_float(text);
}

std::optional<std::int64_t> constant_bits(const Constant& constant, Type type) {
  const std::uint32_t bytes = byte_size(type);
  switch (constant.kind) {
    case ConstantKind::Integer:
      if (is_float(type)) {
        return std::nullopt;
      }
      return type == Type::Pred ? -std::int64_t{constant.bits != 0}
                                : sign_extend(constant.bits, bytes);
    case ConstantKind::Float32:
      if (type == Type::F64) {
        return std::bit_cast<std::int64_t>(double{as_float(constant.bits)});
      }
      break;
    case ConstantKind::Float64:
      if (type == Type::F32) {
        return float_bits(static_cast<float>(std::bit_cast<double>(constant.bits)));
      }
      break;
  }
  const std::uint32_t own_bytes = constant.kind == ConstantKind::Float32 ? 4 : 8;
  const bool takes_bits =
      type == Type::F32 || type == Type::F64 || type == Type::B32 || type == Type::B64;
  return takes_bits && bytes == own_bytes ? std::optional(constant.bits) : std::nullopt;
}

Constant read_constant_expression(Lexer& lexer) {
  return ExpressionReader(lexer).conditional();
}

}  // namespace tilestep::ptx
