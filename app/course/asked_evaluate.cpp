#include "course/asked.h"
#include "course/launch_answers.h"
#include "course/number_answers.h"
#include "course/setup_answers.h"
#include "course/thread_answers.h"
#include "course/timing_answers.h"
#include "insight/names.h"
#include "problem/tr.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilestep::course {
namespace {

using Kind = lesson::Expression::Kind;

Result<Value> call_answer(const Asked& asked) {
  for (const auto& table :
       {thread_answers(), launch_answers(), timing_answers(), number_answers(), setup_answers()}) {
    const auto found = std::ranges::find(table, asked.call.text, &AnswerOf::name);
    if (found != table.end()) {
      return found->answer(asked);
    }
  }
  return fail(tr("{} has no answer here.", asked.call.text));
}

Result<Value> name_answer(const Asked& asked, const std::string& name) {
  const auto& [problem, block_size] = asked.at.state.parameters;
  const std::array<std::pair<const char*, int>, 5> sizes{{{"M", problem.M},
                                                          {"N", problem.N},
                                                          {"K", problem.K},
                                                          {"BLOCK_SIZE", block_size},
                                                          {"warp_size", asked.at.state.warp_size}}};
  for (const auto& [known, size] : sizes) {
    if (name == known) {
      return number_value(size);
    }
  }
  if (name == "yes" || name == "no") {
    return yes_no_value(name == "yes");
  }
  if (name == "error.max" || name == "error.average") {
    return error_answer(asked, name == "error.average");
  }
  return fail(tr("{} has no value here.", name));
}

// A cell that the launch has, by its own name.
Result<Value> cell_literal(const Asked& asked, const std::string& name) {
  const auto& prepared = asked.run().prepared();
  const auto cell =
      prepared ? insight::find_cell(*prepared->program, name) : tl::unexpected(prepared.error());
  return cell ? Result<Value>(cell_value(cell->name)) : tl::unexpected(cell.error());
}

Result<Value> thread_literal(const Asked& asked, double thread) {
  const auto& prepared = asked.run().prepared();
  if (!prepared) {
    return tl::unexpected(prepared.error());
  }
  const simt::Program& program = *prepared->program;
  const std::uint32_t block = asked.at.state.focus.block;
  if (!(thread < program.threads_per_block()) || block >= program.block_count()) {
    return fail(
        tr("There is no thread {} in block {}: this launch has {} blocks of {} "
           "threads.",
           thread, block, program.block_count(), program.threads_per_block()));
  }
  return thread_value(program, block, static_cast<std::uint32_t>(thread));
}

Result<Value> operator_answer(const Asked& asked, const lesson::Expression& expression) {
  const auto left = evaluate(asked, expression.parts[0]);
  if (!left) {
    return left;
  }
  if (expression.kind == Kind::Unary) {
    return unary_answer(expression.text, *left);
  }
  const auto right = evaluate(asked, expression.parts[1]);
  return right ? binary_answer(expression.text, *left, *right) : right;
}

}  // namespace

Result<Value> evaluate(const Asked& asked, const lesson::Expression& expression) {
  switch (expression.kind) {
    case Kind::Number:
      return number_value(expression.number);
    case Kind::Text:
      return text_value(expression.text);
    case Kind::Name:
      return name_answer(asked, expression.text);
    case Kind::Cell:
      return cell_literal(asked, expression.text);
    case Kind::Thread:
      return thread_literal(asked, expression.number);
    case Kind::Unary:
    case Kind::Binary:
      return operator_answer(asked, expression);
    case Kind::Call:
      return call_answer({asked.runs, asked.follow, asked.at, expression});
    case Kind::Field:
      return call_answer(
          {asked.runs, asked.follow, asked.at, expression.parts.front(), expression.text});
    case Kind::Place:
    case Kind::Block:
    case Kind::Warp:
    case Kind::Setting:
      break;
  }
  return fail(tr("{} is nothing by itself.", expression.source));
}

}  // namespace tilestep::course
