#include "problem/launch/expression.h"
#include "problem/launch/expression_grammar.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>

namespace tilestep::problem {
namespace {

// Our operators throw this through muParser; it never leaves this file.
struct DividesByZero {};

// Number type of a condition: floats.
struct RealNumbers {
  static double operand(double value) { return value; }
  static double result(double value) { return value; }
  static double quotient(double a, double b) { return a / b; }
  static double remainder(double a, double b) { return std::fmod(a, b); }
  static double ceil_div(double a, double b) {
    if (b == 0.0) {
      throw DividesByZero{};
    }
    return std::ceil(a / b);
  }
};

// Floats too, but the quotient of two whole ones is C's integer quotient.
struct WholeNumbers : RealNumbers {
  static bool is_whole(double value) { return value == std::trunc(value); }
  static double quotient(double a, double b) {
    if (!is_whole(a) || !is_whole(b)) {
      return a / b;
    }
    if (b == 0.0) {
      throw DividesByZero{};
    }
    return std::trunc(a / b);
  }
  static double remainder(double a, double b) {
    if (b == 0.0 && is_whole(a)) {
      throw DividesByZero{};
    }
    return std::fmod(a, b);
  }
};

double absolute(double a) {
  return std::abs(a);
}

void define_named_grammar(mu::Parser& parser, Division division) {
  if (division == Division::Integer) {
    define_grammar<WholeNumbers>(parser);
  } else {
    define_grammar<RealNumbers>(parser);
  }
  parser.DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.[]");
  parser.DefineFun("abs", absolute);
}

std::string mistake_in(const mu::ParserError& error) {
  const std::string& token = error.GetToken();
  const std::size_t column = static_cast<std::size_t>(std::max(error.GetPos(), 0)) + 1;
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
      return tr("a value is missing at the end");
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
    return wrong(tr("the expression is empty"));
  }
  try {
    define_named_grammar(impl->parser, division);
    impl->parser.SetVarFactory(&Impl::add, impl.get());
    impl->parser.SetExpr(text);
    static_cast<void>(impl->parser.Eval());  // errors in the text are reported here
    if (impl->parser.GetNumResults() != 1) {
      return wrong(tr("a comma is outside a function call"));
    }
  } catch (const mu::ParserError& error) {
    return wrong(mistake_in(error));
  } catch (const DividesByZero&) {  // NOLINT(bugprone-empty-catch)
    // The divisor is the 0 of a value that is not known yet, or a 0 in the text, which evaluate()
    // reports.
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
