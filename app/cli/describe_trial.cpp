#include "cli/describe.h"
#include "insight/check/check.h"
#include "loading/loader.h"
#include "loading/prepare.h"
#include "problem/launch/expected.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace tilestep::cli {

namespace {

using problem::LaunchSpec;
using problem::Problem;

// Limit of warp steps for all trials together, and the overhead of a trial in steps. The slowest
// tested kernel (products of __half) takes 7 million steps per second on a busy desktop core, most
// take 15 to 30 million.
constexpr std::uint64_t kTrialSteps = 16'000'000;
constexpr std::uint64_t kEachTrial = 15'000;
constexpr std::uint64_t kRaceSteps = kTrialSteps / 8;

// The sentence of a requirement, in English in the description's file.
constexpr Message kMultiplesOnly =
    "The kernel does not check the bounds of its matrices; choose sizes that are multiples of its "
    "tiles.";

std::shared_ptr<const simt::Program> program_of(const loading::Kernel& kernel,
                                                const LaunchSpec& spec, const Problem& size) {
  const auto launch = problem::evaluate(spec, {size, spec.default_block_size}, {});
  const auto program = launch ? loading::make_program(kernel, *launch) : fail("no launch");
  return program ? *program : nullptr;
}

// Notes the first fault, so that the run can stop.
class TrialFault final : public simt::Observer {
 public:
  void on_fault(const simt::StepInfo& /*info*/, const simt::FaultEvent& /*event*/) override {
    seen = true;
  }
  bool seen = false;
};

// Whether a run has changed the first, the middle and the last element of its output (at least two
// of them, because a product may equal the initial value). A run that has not needs no reference.
bool is_stored(const simt::Program& program, const simt::Machine& machine) {
  const auto& buffers = program.launch().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].role == problem::BufferRole::Input) {
      continue;
    }
    const auto now = machine.buffer(static_cast<std::uint32_t>(i));
    const auto& before = buffers[i].contents;
    const std::size_t bytes = problem::byte_size(buffers[i].type);
    const std::size_t elements = before.size() / bytes;
    if (elements == 0 || now.size() < before.size()) {
      return false;
    }
    int changed = 0;
    for (const std::size_t element : {std::size_t{0}, elements / 2, elements - 1}) {
      const auto at = static_cast<std::ptrdiff_t>(element * bytes);
      const auto size = static_cast<std::ptrdiff_t>(bytes);
      changed +=
          std::equal(before.begin() + at, before.begin() + at + size, now.begin() + at) ? 0 : 1;
    }
    if (changed < 2) {
      return false;
    }
  }
  return true;
}

// The cost of the host's product, in steps.
std::uint64_t reference_steps(const problem::Launch& launch) {
  constexpr std::uint64_t kProductsAStep = 64;
  const Problem& size = launch.parameters.problem;
  return static_cast<std::uint64_t>(size.M) * static_cast<std::uint64_t>(size.N) *
         static_cast<std::uint64_t>(size.K) / kProductsAStep;
}

// The cost of filling its buffers, in steps.
std::uint64_t filling_steps(const problem::Launch& launch) {
  constexpr std::uint64_t kBytesAStep = 32;
  std::uint64_t bytes = 0;
  for (const problem::Buffer& buffer : launch.buffers) {
    bytes += buffer.contents.size();
  }
  return bytes / kBytesAStep;
}

// Whether a run without a fault gives the expected values. `left`: the remaining steps; a run that
// does not end within them fails. Most guesses are wrong, and insight::check would search for
// causes, which takes minutes if every access is out of range.
bool gives_product(const std::shared_ptr<const simt::Program>& program, simt::ScheduleKind kind,
                   std::uint64_t& left) {
  TrialFault fault;
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {kind});
  left -= std::min(left, kEachTrial + filling_steps(program->launch()));
  while (left > 0 && !fault.seen && scheduler.step(machine, &fault)) {
    --left;
  }
  if (fault.seen || !machine.done() || !is_stored(*program, machine)) {
    return false;
  }
  left -= std::min(left, reference_steps(program->launch()));
  const auto outputs = problem::compare_outputs(program->launch(), [&](std::size_t buffer) {
    return machine.buffer(static_cast<std::uint32_t>(buffer));
  });
  return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const auto& output) {
    return output.comparison.wrong == 0;
  });
}

enum class Trial { Fails, Races, Holds };

// Races: the correct product, and no findings except races.
Trial trial(const loading::Kernel& kernel, const LaunchSpec& spec, const Problem& size,
            simt::ScheduleKind kind, std::uint64_t& left) {
  const auto program = program_of(kernel, spec, size);
  if (program == nullptr) {
    left -= std::min(left, kEachTrial);
    return Trial::Fails;
  }
  if (!gives_product(program, kind, left)) {
    return Trial::Fails;
  }
  const insight::CheckResult result = insight::check(program, {});
  const bool races = std::ranges::all_of(result.findings, [](const insight::Finding& finding) {
    return finding.kind == insight::FindingKind::SharedRace;
  });
  return result.clean()                      ? Trial::Holds
         : races && !result.findings.empty() ? Trial::Races
                                             : Trial::Fails;
}

// More selective sizes than the first: two are multiples of the tiles, the last are odd.
Problem larger(const problem::ProductGuess& guess) {
  const Problem size = *guess.spec.default_problem;
  const auto [m, n, k] = guess.tiles;
  const bool is_square = size.M == size.N && size.N == size.K;
  return {size.M + (is_square ? m : 2 * m), size.N + n, size.K + k};
}

Problem odd(const problem::ProductGuess& guess) {
  const Problem size = *guess.spec.default_problem;
  return {size.M + 1, size.N + 1, size.K + 1};
}

class Search {
 public:
  Search(const loading::Kernel& kernel, const std::vector<problem::ProductGuess>& guesses)
      : kernel_(kernel), guesses_(guesses) {}

  std::optional<problem::ProductGuess> run();

 private:
  // A multiple of the tiles, and a larger one: a size that equals a tile's in the first does not in
  // the second.
  bool holds_at_multiples(const problem::ProductGuess& guess) {
    return holds(guess.spec, *guess.spec.default_problem) && holds(guess.spec, larger(guess));
  }
  bool holds(const LaunchSpec& spec, const Problem& size) {
    const Trial result = trial(kernel_, spec, size, kind_, left_);
    return result == Trial::Holds || (result == Trial::Races && takes_races());
  }
  [[nodiscard]] bool takes_races() const { return kind_ == simt::ScheduleKind::Lockstep; }
  std::optional<problem::ProductGuess> first(std::uint64_t steps);
  [[nodiscard]] problem::ProductGuess best_like(const problem::ProductGuess& first);
  void name_unused(problem::ProductGuess& guess);

  const loading::Kernel& kernel_;
  const std::vector<problem::ProductGuess>& guesses_;
  std::uint64_t left_ = kTrialSteps;
  simt::ScheduleKind kind_ = simt::ScheduleKind::Sequential;  // the fastest
};

// If a size only guards, multiples of the tiles do not identify it; other sizes do. A kernel
// without guards is correct only at multiples of its tiles.
problem::ProductGuess Search::best_like(const problem::ProductGuess& first) {
  left_ = std::max(left_, kTrialSteps / 4);
  if (holds(first.spec, odd(first))) {
    return first;
  }
  for (const problem::ProductGuess& guess : guesses_) {
    if (guess.family == first.family && holds(guess.spec, odd(guess)) &&
        holds_at_multiples(guess)) {
      return guess;
    }
  }
  problem::ProductGuess found = first;
  found.spec.requirements.push_back({found.multiple, kMultiplesOnly.english});
  return found;
}

// An argument without effect is not an inference.
void Search::name_unused(problem::ProductGuess& guess) {
  for (const auto& [argument, name] : guess.unused) {
    problem::LaunchSpec other = guess.spec;
    other.arguments[argument].expression = "1";
    left_ = std::max(left_, kTrialSteps / 4);
    const bool is_unused = holds(other, *other.default_problem);
    const std::string& value = guess.spec.arguments[argument].expression;
    guess.evidence += fmt::format(", {} = {}", name, value);
    guess.evidence += is_unused ? tr(" (guess: the kernel does not use it)") : "";
  }
}

std::optional<problem::ProductGuess> Search::first(std::uint64_t steps) {
  left_ = steps;
  for (const problem::ProductGuess& guess : guesses_) {
    if (left_ == 0) {
      break;
    }
    if (holds_at_multiples(guess)) {
      problem::ProductGuess found = best_like(guess);
      name_unused(found);
      found.races = takes_races();
      return found;
    }
  }
  return std::nullopt;
}

// A kernel with races is still a product, if no other guess is one without races: in lockstep a
// race in shared memory is rarely visible.
std::optional<problem::ProductGuess> Search::run() {
  auto found = first(kTrialSteps);
  const auto& variables = kernel_.module->variables;
  const bool has_shared = std::any_of(variables.begin(), variables.end(), [](const auto& variable) {
    return variable.space == ptx::Space::Shared;
  });
  if (!found && has_shared) {
    kind_ = simt::ScheduleKind::Lockstep;
    found = first(kRaceSteps);
  }
  return found;
}

using PassesOfWarps = std::map<std::pair<std::uint32_t, std::uint32_t>, int>;  // by block, warp
using Loops = std::map<const ptx::Instruction*, PassesOfWarps>;  // by their first instruction

Loops tile_loops(const ptx::Function& kernel) {
  Loops loops;
  const auto& all = kernel.instructions;
  for (std::uint32_t pc = 0; pc < all.size(); ++pc) {
    if (all[pc].op != ptx::Opcode::Bra || all[pc].target > pc) {
      continue;
    }
    const auto head = all.begin() + static_cast<std::ptrdiff_t>(all[pc].target);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(pc);
    if (std::any_of(head, end, [](const auto& i) { return i.space == ptx::Space::Shared; })) {
      loops[&*head];
    }
  }
  return loops;
}

class Passes final : public simt::Observer {
 public:
  explicit Passes(Loops& loops) : loops_(loops) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    const auto loop = loops_.find(info.instruction);
    if (loop != loops_.end()) {
      ++loop->second[{info.id.block, info.id.warp}];
    }
  }

 private:
  Loops& loops_;
};

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
  return Search(*kernel, guesses).run();
}

int loops_of_one_pass(const std::shared_ptr<const simt::Program>& program,
                      std::uint64_t most_steps) {
  Loops loops = tile_loops(program->entry());
  if (loops.empty()) {
    return 0;
  }
  Passes passes(loops);
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  while (most_steps > 0 && scheduler.step(machine, &passes)) {
    --most_steps;
  }
  return most_steps == 0
             ? 0
             : static_cast<int>(std::count_if(loops.begin(), loops.end(), [](const auto& loop) {
                 return !loop.second.empty() &&
                        std::all_of(loop.second.begin(), loop.second.end(),
                                    [](const auto& warp) { return warp.second == 1; });
               }));
}

}  // namespace tilestep::cli
