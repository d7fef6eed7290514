#include "cli/describe_trial.h"

#include "insight/check/check.h"
#include "loading/loader.h"
#include "loading/program.h"
#include "problem/launch/expected.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace tilestep::cli {

namespace {

using problem::LaunchSpec;
using problem::Problem;

// Steps of warps, of all trials together: what ends within about two seconds.
constexpr std::uint64_t kTrialSteps = 8'000'000;
constexpr std::uint64_t kEachTrial = 20'000;  // what a trial costs besides, in steps

std::shared_ptr<const simt::Program> program_of(const loading::Kernel& kernel,
                                                const LaunchSpec& spec, const Problem& size) {
  const auto launch = problem::evaluate(spec, {size, spec.default_block_size}, {});
  const auto program = launch ? loading::make_program(kernel, *launch) : fail("no launch");
  return program ? *program : nullptr;
}

// Notes the first fault: the run need not go on.
class FirstFault final : public simt::Observer {
 public:
  void on_fault(const simt::StepInfo& /*info*/, const simt::FaultEvent& /*event*/) override {
    seen = true;
  }
  bool seen = false;
};

// A run without a fault gives the expected values. `left`: the steps that are left; a run that
// does not end with them does not hold. Most guesses are wrong, and insight::check would then
// look for causes, which takes minutes where every access is out of range.
bool gives_product(const std::shared_ptr<const simt::Program>& program, std::uint64_t& left) {
  FirstFault fault;
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  left -= std::min(left, kEachTrial);
  while (left > 0 && !fault.seen && scheduler.step(machine, &fault)) {
    --left;
  }
  if (fault.seen || !machine.done()) {
    return false;
  }
  const auto outputs = problem::compare_outputs(program->launch(), [&](std::size_t buffer) {
    return machine.buffer(static_cast<std::uint32_t>(buffer));
  });
  return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const auto& output) {
    return output.comparison.wrong == 0;
  });
}

bool holds(const loading::Kernel& kernel, const LaunchSpec& spec, const Problem& size,
           std::uint64_t& left) {
  const auto program = program_of(kernel, spec, size);
  if (program == nullptr) {
    left -= std::min(left, kEachTrial);
    return false;
  }
  return gives_product(program, left) && insight::check(program, {}).clean();
}

// A kernel without guards is right at multiples of its tiles only.
void require_multiples(const loading::Kernel& kernel, problem::ProductGuess& guess) {
  std::uint64_t left = kTrialSteps;
  Problem odd = *guess.spec.default_problem;
  odd = {odd.M + 1, odd.N + 1, odd.K + 1};
  if (!holds(kernel, guess.spec, odd, left)) {
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
  std::uint64_t left = kTrialSteps;
  for (const problem::ProductGuess& guess : guesses) {
    const Problem size = *guess.spec.default_problem;
    if (left == 0) {
      break;
    }
    if (holds(*kernel, guess.spec, size, left)) {
      problem::ProductGuess found = guess;
      require_multiples(*kernel, found);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace tilestep::cli
