#include "problem/launch/named_expression.h"

#include "problem/printable.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace tilestep::problem {
namespace {

// Thrown through muParser by our operators; never leaves this file.
struct DividesByZero {};

bool is_whole(double value) {
  return value == std::trunc(value);
}
double truth(bool value) {
  return value ? 1.0 : 0.0;
}

double real_sum(double a, double b) {
  return a + b;
}
double real_difference(double a, double b) {
  return a - b;
}
double real_product(double a, double b) {
  return a * b;
}
double real_quotient(double a, double b) {
  return a / b;
}
double whole_quotient(double a, double b) {
  if (!is_whole(a) || !is_whole(b)) {
    return a / b;
  }
  if (b == 0.0) {
    throw DividesByZero{};
  }
  return std::trunc(a / b);
}
double real_remainder(double a, double b) {
  return std::fmod(a, b);
}
double whole_remainder(double a, double b) {
  if (b == 0.0 && is_whole(a)) {
    throw DividesByZero{};
  }
  return std::fmod(a, b);
}
double real_or(double a, double b) {
  return truth(a != 0.0 || b != 0.0);
}
double real_and(double a, double b) {
  return truth(a != 0.0 && b != 0.0);
}
double real_equal(double a, double b) {
  return truth(a == b);
}
double real_not_equal(double a, double b) {
  return truth(a != b);
}
double real_less(double a, double b) {
  return truth(a < b);
}
double real_less_equal(double a, double b) {
  return truth(a <= b);
}
double real_greater(double a, double b) {
  return truth(a > b);
}
double real_greater_equal(double a, double b) {
  return truth(a >= b);
}
double real_negate(double a) {
  return -a;
}
double real_plus(double a) {
  return a;
}
double real_not(double a) {
  return truth(a == 0.0);
}
double real_abs(double a) {
  return std::abs(a);
}
double real_min(const double* values, int count) {
  return *std::min_element(values, values + count);
}
double whole_ceil_div(double a, double b) {
  if (b == 0.0) {
    throw DividesByZero{};
  }
  return std::ceil(a / b);
}
double real_max(const double* values, int count) {
  return *std::max_element(values, values + count);
}

void define_real_grammar(mu::Parser& parser, Division division) {
  parser.ClearConst();
  parser.ClearFun();
  parser.ClearInfixOprt();
  parser.EnableBuiltInOprt(false);
  parser.DefineOprtChars("+-*/%<>=!&|");
  parser.DefineInfixOprtChars("-+!");
  parser.DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.[]");
  const bool whole = division == Division::Integer;
  parser.DefineOprt("||", real_or, 1);
  parser.DefineOprt("&&", real_and, 2);
  parser.DefineOprt("==", real_equal, 3);
  parser.DefineOprt("!=", real_not_equal, 3);
  parser.DefineOprt("<", real_less, 4);
  parser.DefineOprt("<=", real_less_equal, 4);
  parser.DefineOprt(">", real_greater, 4);
  parser.DefineOprt(">=", real_greater_equal, 4);
  parser.DefineOprt("+", real_sum, 5);
  parser.DefineOprt("-", real_difference, 5);
  parser.DefineOprt("*", real_product, 6);
  parser.DefineOprt("/", whole ? whole_quotient : real_quotient, 6);
  parser.DefineOprt("%", whole ? whole_remainder : real_remainder, 6);
  parser.DefineInfixOprt("-", real_negate, 8);
  parser.DefineInfixOprt("+", real_plus, 8);
  parser.DefineInfixOprt("!", real_not, 8);
  parser.DefineFun("abs", real_abs);
  parser.DefineFun("min", real_min);
  parser.DefineFun("max", real_max);
  parser.DefineFun("ceil_div", whole_ceil_div);
}

std::string mistake_in(const mu::ParserError& error) {
  const std::string& token = error.GetToken();
  const std::size_t column = static_cast<std::size_t>(std::max(error.GetPos(), 0)) + 1;
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
      return tr("a value is missing at its end");
    case mu::ecMISSING_PARENS:
    case mu::ecUNEXPECTED_PARENS:
      return tr("the parentheses do not match at character {}", column);
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS:
      return tr("{} has the wrong number of arguments", token);
    default:
      break;
  }
  if (token.starts_with('=')) {
    return tr("a single = at character {} assigns; write == to compare", column);
  }
  return token.empty()
             ? tr("this is not an expression")
             : tr("unexpected \"{}\" at character {}", token.substr(0, token.find(' ')), column);
}

}  // namespace

struct NamedExpression::Impl {
  mu::Parser parser;
  std::vector<std::string> names;
  std::deque<double> values;  // muParser keeps pointers to them

  static double* add(const char* name, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    impl.names.emplace_back(name);
    return &impl.values.emplace_back(0.0);
  }
};

NamedExpression::NamedExpression(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NamedExpression::~NamedExpression() = default;
NamedExpression::NamedExpression(NamedExpression&&) noexcept = default;
NamedExpression& NamedExpression::operator=(NamedExpression&&) noexcept = default;

Result<NamedExpression> NamedExpression::parse(const std::string& text, Division division) {
  auto impl = std::make_unique<Impl>();
  const auto wrong = [&](const std::string& cause) {
    return fail(
        tr("\"{}\": {}. Write a comparison like tx == 3 && t == 1.", shortened(text), cause));
  };
  if (trimmed(text).empty()) {
    return wrong(tr("nothing is written"));
  }
  try {
    define_real_grammar(impl->parser, division);
    impl->parser.SetVarFactory(&Impl::add, impl.get());
    impl->parser.SetExpr(text);
    static_cast<void>(impl->parser.Eval());  // what is wrong with the text is told here
    if (impl->parser.GetNumResults() != 1) {
      return wrong(tr("a comma stands outside a function call"));
    }
  } catch (const mu::ParserError& error) {
    return wrong(mistake_in(error));
  } catch (const DividesByZero&) {  // NOLINT(bugprone-empty-catch)
    // By a zero that stands for a value yet unknown; or by one of the text: evaluate() tells that.
  }
  return NamedExpression(std::move(impl));
}

const std::vector<std::string>& NamedExpression::names() const {
  return impl_->names;
}

Result<double> NamedExpression::evaluate(std::span<const double> values) {
  std::copy_n(values.begin(), std::min(values.size(), impl_->values.size()), impl_->values.begin());
  try {
    return impl_->parser.Eval();
  } catch (const DividesByZero&) {
    return fail(tr("\"{}\" divides by zero.", shortened(impl_->parser.GetExpr())));
  } catch (const mu::ParserError& error) {
    return fail(fmt::format("\"{}\": {}.", shortened(impl_->parser.GetExpr()), mistake_in(error)));
  }
}

}  // namespace tilestep::problem
