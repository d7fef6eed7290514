// The grammar of expressions in muParser: C's operators and precedences, min, max and ceil_div.
// `Numbers` defines the arithmetic: operand() and result() check every operand of an operator and
// every result of +, - and *; quotient(), remainder() and ceil_div() divide.
//
// muParser's own operators compute with fractions and lack %, so all operators are defined here.
#pragma once

#include <muParser.h>

#include <algorithm>

namespace tilestep::problem {

template <class Numbers>
struct Operators {
  static double in(double value) { return Numbers::operand(value); }
  static double truth(bool value) { return value ? 1.0 : 0.0; }
  static double sum(double a, double b) { return Numbers::result(in(a) + in(b)); }
  static double difference(double a, double b) { return Numbers::result(in(a)-in(b)); }
  static double product(double a, double b) { return Numbers::result(in(a)*in(b)); }
  static double negative(double a) { return -in(a); }
  static double logical_not(double a) { return truth(in(a) == 0.0); }
  static double logical_and(double a, double b) { return truth(in(a) != 0.0 && in(b) != 0.0); }
  static double logical_or(double a, double b) { return truth(in(a) != 0.0 || in(b) != 0.0); }
  static double less(double a, double b) { return truth(in(a) < in(b)); }
  static double less_equal(double a, double b) { return truth(in(a) <= in(b)); }
  static double greater(double a, double b) { return truth(in(a) > in(b)); }
  static double greater_equal(double a, double b) { return truth(in(a) >= in(b)); }
  static double equal(double a, double b) { return truth(in(a) == in(b)); }
  static double not_equal(double a, double b) { return truth(in(a) != in(b)); }
  static double smallest(const double* values, int count) {
    double result = in(values[0]);
    for (int i = 1; i < count; ++i) {
      result = std::min(result, in(values[i]));
    }
    return result;
  }
  static double largest(const double* values, int count) {
    double result = in(values[0]);
    for (int i = 1; i < count; ++i) {
      result = std::max(result, in(values[i]));
    }
    return result;
  }
};

// Setting this up costs more than parsing an expression.
template <class Numbers>
void define_grammar(mu::Parser& parser) {
  using Ops = Operators<Numbers>;
  parser.ClearConst();
  parser.ClearFun();
  parser.ClearInfixOprt();
  parser.EnableBuiltInOprt(false);
  parser.DefineOprtChars("+-*/%<>=!&|");
  parser.DefineInfixOprtChars("-+!");
  unsigned precedence = 1;
  parser.DefineOprt("||", Ops::logical_or, precedence);
  parser.DefineOprt("&&", Ops::logical_and, ++precedence);
  parser.DefineOprt("==", Ops::equal, ++precedence);
  parser.DefineOprt("!=", Ops::not_equal, precedence);
  parser.DefineOprt("<", Ops::less, ++precedence);
  parser.DefineOprt("<=", Ops::less_equal, precedence);
  parser.DefineOprt(">", Ops::greater, precedence);
  parser.DefineOprt(">=", Ops::greater_equal, precedence);
  parser.DefineOprt("+", Ops::sum, ++precedence);
  parser.DefineOprt("-", Ops::difference, precedence);
  parser.DefineOprt("*", Ops::product, ++precedence);
  parser.DefineOprt("/", Numbers::quotient, precedence);
  parser.DefineOprt("%", Numbers::remainder, precedence);
  constexpr int kUnary = 8;
  parser.DefineInfixOprt("-", Ops::negative, kUnary);
  parser.DefineInfixOprt("+", Ops::in, kUnary);
  parser.DefineInfixOprt("!", Ops::logical_not, kUnary);
  parser.DefineFun("ceil_div", Numbers::ceil_div);
  parser.DefineFun("min", Ops::smallest);
  parser.DefineFun("max", Ops::largest);
}

}  // namespace tilestep::problem
