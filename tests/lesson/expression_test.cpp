#include "lesson/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::lesson {
namespace {

using testing::HasSubstr;
using Kind = Expression::Kind;

Expression parsed(const std::string& text) {
  const Result<Expression> expression = parse_expression(text);
  EXPECT_TRUE(expression) << expression.error().message;
  return expression.value_or(Expression{});
}

std::string expression_mistake(const std::string& text) {
  const Result<Expression> expression = parse_expression(text);
  return expression ? "no error" : expression.error().message;
}

TEST(Expression, ACallHasItsArgumentsByTheirForm) {
  const Expression call = parsed("value(Cvalue, b1, t5, phase-start:2)");
  EXPECT_EQ(call.kind, Kind::Call);
  EXPECT_EQ(call.text, "value");
  ASSERT_EQ(call.parts.size(), 4U);
  EXPECT_EQ(call.parts[0].kind, Kind::Name);
  EXPECT_EQ(call.parts[0].source, "Cvalue");
  EXPECT_EQ(call.parts[1].kind, Kind::Block);
  EXPECT_EQ(call.parts[1].number, 1.0);
  EXPECT_EQ(call.parts[2].kind, Kind::Thread);
  EXPECT_EQ(call.parts[2].number, 5.0);
  EXPECT_EQ(call.parts[3].kind, Kind::Place);
  EXPECT_EQ(call.parts[3].place.kind, Place::Kind::Phase);
  EXPECT_EQ(call.parts[3].place.number, 2U);
}

TEST(Expression, TheKernelsOwnExpressions_StandInValueAsTheyAre) {
  EXPECT_EQ(parsed("value(acc[1][2], end)").parts[0].source, "acc[1][2]");
  EXPECT_EQ(parsed("value(threadIdx.x * 2 + b0, t1)").parts[0].source, "threadIdx.x * 2 + b0");
  EXPECT_EQ(parsed("value(b0, b1)").parts[0].source, "b0");
}

TEST(Expression, OperatorsBindAsInC) {
  const Expression sum = parsed("1 + 2 * 3 == 7 && !no");
  EXPECT_EQ(sum.text, "&&");
  EXPECT_EQ(sum.parts[0].text, "==");
  EXPECT_EQ(sum.parts[0].parts[0].text, "+");
  EXPECT_EQ(sum.parts[0].parts[0].parts[1].text, "*");
  const Expression left = parsed("8 - 4 - 2");
  EXPECT_EQ(left.parts[0].source, "8 - 4");
  EXPECT_EQ(parsed("(1 + 2) * 3").text, "*");
}

TEST(Expression, CellsTextsFieldsAndSettingsAreRead) {
  EXPECT_EQ(parsed("A[0][12]").kind, Kind::Cell);
  EXPECT_EQ(parsed("A[0][12]").text, "A[0][12]");
  EXPECT_EQ(parsed("'a, b'").text, "a, b");
  EXPECT_EQ(parsed("\"yes\"").kind, Kind::Text);
  const Expression field = parsed("finding(0).load.line + 1").parts[0];
  EXPECT_EQ(field.kind, Kind::Field);
  EXPECT_EQ(field.text, "load.line");
  EXPECT_EQ(field.parts[0].text, "finding");
  const Expression with = parsed("with(kernel = naive, block_size = 2 * 2, wrong() == 0)");
  EXPECT_EQ(with.parts[0].kind, Kind::Setting);
  EXPECT_EQ(with.parts[1].text, "block_size");
  EXPECT_EQ(with.parts[1].parts[0].text, "*");
  EXPECT_EQ(with.parts[2].text, "==");
  EXPECT_EQ(parsed("4 * (count(loads.A) + count(loads.B)) / 1e6").parts[1].number, 1e6);
}

TEST(Expression, EveryFormInTheTable_IsAnExpression) {
  for (const FunctionOfRun& function : functions_of_run()) {
    std::string form(function.form);
    for (const auto& [word, example] :
         {std::pair("PLACE", "end"), std::pair("NAME", "acc"), std::pair("EXPRESSION", "M"),
          std::pair("A,", "3,"), std::pair("(A)", "(4)"), std::pair("X, Y", "1, 2"),
          std::pair("3, B)", "3, K)")}) {
      if (const std::size_t at = form.find(word);
          at != std::string::npos && form.find("(A, b") == std::string::npos) {
        form.replace(at, std::string(word).size(), example);
      }
    }
    if (form.find("sectors(A") == std::string::npos) {
      EXPECT_EQ(expression_mistake(form), "no error") << form;
    }
  }
}

TEST(Expression, Mistakes_SayWhatIsKnown) {
  EXPECT_THAT(expression_mistake("valeu(acc)"),
              HasSubstr("unknown function 'valeu'. Did you mean 'value'?"));
  EXPECT_THAT(expression_mistake("P + 1"), HasSubstr("unknown name 'P'; known names: M, N, K"));
  EXPECT_THAT(expression_mistake("loads(A)"), HasSubstr("write it as loads(A[1][2])"));
  EXPECT_THAT(expression_mistake("loads(A[0][0], b0)"), HasSubstr("write it as loads(A[1][2])"));
  EXPECT_THAT(expression_mistake("value(acc, b0, b1)"), HasSubstr("write it as value(NAME"));
  EXPECT_THAT(expression_mistake("value()"), HasSubstr("write it as value(NAME"));
  EXPECT_THAT(expression_mistake("wrong(1)"), HasSubstr("write it as wrong()"));
  EXPECT_THAT(expression_mistake("finding(0)"), HasSubstr("write it as finding(0).line"));
  EXPECT_THAT(expression_mistake("finding(0).colour"),
              HasSubstr("finding has no field 'colour'; known fields: kind line"));
  EXPECT_THAT(expression_mistake("wrong().line"), HasSubstr("wrong has no fields"));
  EXPECT_THAT(expression_mistake("value(acc, phase:x)"), HasSubstr("is not a place in a run"));
  EXPECT_THAT(expression_mistake("cell(C[0][0], moment:3)"), HasSubstr("is not a place in a run"));
  EXPECT_THAT(expression_mistake("1 +"), HasSubstr("it is incomplete"));
  EXPECT_THAT(expression_mistake("(1"), HasSubstr("its parentheses do not match"));
  EXPECT_THAT(expression_mistake("1 2"), HasSubstr("unexpected '2'"));
  EXPECT_THAT(expression_mistake("'a"), HasSubstr("a string is not closed"));
  EXPECT_THAT(expression_mistake("A[1"), HasSubstr("has no closing ]"));
  EXPECT_THAT(expression_mistake("wrong("), HasSubstr("it is incomplete"));
  EXPECT_THAT(expression_mistake(""), HasSubstr("it is incomplete"));
  EXPECT_THAT(expression_mistake("argmax(block_size, 1)"), HasSubstr("write it as argmax("));
  EXPECT_THAT(expression_mistake(std::string(100, '(') + "1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(expression_mistake(std::string(100, '-') + "1"), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace tilestep::lesson
