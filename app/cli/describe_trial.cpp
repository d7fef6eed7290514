#include "cli/describe_trial.h"

#include "insight/check/check.h"
#include "loading/loader.h"
#include "loading/program.h"

#include <algorithm>

namespace tilestep::cli {

namespace {

using problem::LaunchSpec;
using problem::Problem;

constexpr double kMostWork = 4e8;     // multiplications of all trials together: some seconds
constexpr double kEachTrial = 1.5e6;  // what a trial costs besides

bool holds(const loading::Kernel& kernel, const LaunchSpec& spec, const Problem& size) {
  const auto launch = problem::evaluate(spec, {size, spec.default_block_size}, {});
  if (!launch) {
    return false;
  }
  const auto program = loading::make_program(kernel, *launch);
  if (!program) {
    return false;
  }
  const insight::CheckResult result = insight::check(*program, {});
  return result.has_reference && result.clean();
}

// A kernel without guards is right at multiples of its tiles only.
void require_multiples(const loading::Kernel& kernel, problem::ProductGuess& guess) {
  Problem odd = *guess.spec.default_problem;
  odd = {odd.M + 1, odd.N + 1, odd.K + 1};
  if (!holds(kernel, guess.spec, odd)) {
    guess.spec.requirements.push_back(
        {guess.multiple,
         "The kernel does not test where its matrices end; choose sizes that are "
         "multiples of its tiles."});
  }
}

}  // namespace

std::optional<problem::ProductGuess> first_that_holds(
    compile::Compiler& compiler, const std::vector<problem::ProductGuess>& guesses) {
  if (guesses.empty()) {
    return std::nullopt;
  }
  const LaunchSpec& any = guesses.front().spec;
  const auto shape = problem::evaluate_shape(any, {*any.default_problem, any.default_block_size});
  if (!shape) {
    return std::nullopt;
  }
  const auto kernel = loading::load_kernel(compiler, *shape, compile::Build::Fast);
  if (!kernel) {
    return std::nullopt;
  }
  double work = 0.0;
  for (const problem::ProductGuess& guess : guesses) {
    const Problem size = *guess.spec.default_problem;
    work += kEachTrial + static_cast<double>(size.M) * size.N * size.K;
    if (work > kMostWork) {
      break;
    }
    if (holds(*kernel, guess.spec, size)) {
      problem::ProductGuess found = guess;
      require_multiples(*kernel, found);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::cli
