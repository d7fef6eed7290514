#include "cli/describe.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "insight/check/check.h"
#include "loading/arguments.h"
#include "loading/loader.h"
#include "loading/prepare.h"
#include "problem/describe/catalog.h"
#include "problem/file.h"
#include "problem/launch/expected.h"
#include "problem/propose/product.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_names.h"
#include "problem/source/cuda_text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <re2/re2.h>
#include <utility>

namespace tilestep::cli {
namespace {

namespace fs = std::filesystem;

struct DescribeOptions {
  std::string file;
  std::string entry;
  std::string out;
  std::vector<fs::path> include;
};

Result<int> describe_and_write(const DescribeOptions& options, Context& context) {
  const bool is_printed = options.out.empty() || is_standard_output(options.out);
  const Result<std::string> text =
      describe(context.compiler, options.file, options.entry, options.include,
               is_printed ? fs::path() : fs::absolute(options.out).parent_path());
  TILESTEP_RETURN_IF_ERROR(text);
  if (is_printed) {
    fmt::print("{}", *text);
    return 0;
  }
  std::error_code ignored;
  if (fs::exists(options.out, ignored)) {
    return fail(tr("{} already exists. Remove it, or choose another name for --out.", options.out));
  }
  TILESTEP_RETURN_IF_ERROR(problem::write_file(options.out, *text));
  say("Written: {}. Try it: tilestep check {} --description {}\n", options.out, options.file,
      options.out);
  return 0;
}

// Compiler messages name macros that a build script defines with -D. Returns true if there is a new
// one.
bool define_missing(const std::vector<compile::Diagnostic>& diagnostics,
                    const problem::CudaText& text, problem::LaunchSpec& spec) {
  static const RE2 undefined(R"re(identifier "([A-Z][A-Z0-9_]*)" is undefined)re", RE2::Latin1);
  bool has_new = false;
  for (const compile::Diagnostic& diagnostic : diagnostics) {
    std::string name;
    if (RE2::PartialMatch(diagnostic.message, undefined, &name) && !text.declares(name)) {
      const std::string guess = std::to_string(problem::usual_size(name));
      has_new = spec.defines.try_emplace(name, guess).second || has_new;
    }
  }
  return has_new;
}

Inference infer_from(compile::Compiler& compiler, const problem::LaunchSpec& start,
                     const problem::CudaText& text, const problem::KernelInterface& interface) {
  Inference inference;
  const auto found = first_that_holds(compiler, problem::product_guesses(start, text, interface));
  inference.proposal = problem::propose_launch(found ? found->spec : start, text, interface,
                                               found ? found->evidence : "");
  inference.is_textbook = !found && !start.buffers.empty();
  if (found && found->races) {
    inference.proposal.notes["default_problem"] = races_sentence(*found->spec.default_problem);
  }
  const Fit fit = found ? Fit::Clean : fit_to_run(compiler, inference.proposal);
  inference.is_sound = fit == Fit::Clean || fit == Fit::Races;
  return inference;
}

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

Result<std::string> describe(compile::Compiler& compiler, const std::string& cu_file,
                             const std::string& entry, const std::vector<fs::path>& include,
                             const fs::path& folder) {
  const ProgressLine progress("describe", 0);
  auto inference = infer_launch(compiler, cu_file, entry, include);
  TILESTEP_RETURN_IF_ERROR(inference);
  if (!folder.empty()) {
    problem::LaunchSpec& spec = inference->proposal.spec;
    spec.source_name = fs::proximate(cu_file, folder).string();
    for (std::size_t i = 0; i < include.size(); ++i) {
      spec.include[i] = fs::proximate(include[i], folder).string();
    }
  }
  return problem::proposal_text(inference->proposal);
}

void add_describe(CLI::App& app, Context& context) {
  auto options = std::make_shared<DescribeOptions>();
  auto* command = app.add_subcommand("describe", "Propose a launch description for a .cu file");
  command->add_option("file", options->file, "A .cu file")->required();
  command->add_option("--entry", options->entry,
                      "The kernel, as NAME or NAME<float, 16> (default: the only one)");
  add_include_option(*command, options->include);
  command->add_option("--out", options->out, "Write to this .toml file (default or -: print it)");
  command->footer(
      "Example:\n  tilestep describe my_kernel.cu --out my_kernel.toml\n"
      "  tilestep check my_kernel.cu\n"
      "Exit status: 0 success; 2 wrong use, several kernels, or source that does not compile.");
  command->callback(
      [options, &context] { context.status = status_of(describe_and_write(*options, context)); });

  auto* old_name = app.add_subcommand("explain")->group("")->prefix_command();
  old_name->callback([&context] {
    context.status =
        wrong_use({tr("`tilestep explain` is now `tilestep describe`, with the same options.")});
  });
}

Result<Inference> infer_launch(compile::Compiler& compiler, const std::string& cu_file,
                               const std::string& entry, const std::vector<fs::path>& include) {
  const Result<problem::LaunchSpec> source = problem::load_source(cu_file, include);
  TILESTEP_RETURN_IF_ERROR(source);
  const problem::CudaText text = problem::read_cuda_text(source->source, source->headers);
  Result<problem::LaunchSpec> start = problem::start_proposal(text, entry);
  if (!start) {
    return fail(fmt::format("{}: {}", cu_file, start.error().message));
  }
  start->id = source->id;
  start->title = source->title;
  start->source = source->source;
  start->source_name = source->source_name;
  start->headers = source->headers;
  for (const fs::path& folder : include) {  // the description will be beside the .cu
    start->include.push_back(fs::proximate(folder, fs::absolute(cu_file).parent_path()).string());
  }
  while (true) {
    const auto launch = problem::evaluate_shape(*start, {{}, start->default_block_size});
    TILESTEP_RETURN_IF_ERROR(launch);
    const auto kernel = loading::load_kernel(compiler, *launch, compile::Build::Step);
    if (kernel) {
      return infer_from(compiler, *start, text, loading::interface_of(*kernel));
    }
    if (!define_missing(kernel.error().diagnostics, text, *start)) {
      return tl::unexpected(compile_error(kernel.error()));
    }
  }
}

Result<std::string> what_was_guessed(const Inference& inference, const std::string& cu_file) {
  const problem::Proposal& proposal = inference.proposal;
  const std::string toml = fs::path(cu_file).replace_extension(".toml").string();
  const std::string cure = tr("To save it: `tilestep describe {} --out {}`.", cu_file, toml);
  const std::string none = tr("{} does not exist, so the launch is guessed", toml);
  if (!proposal.evidence.empty()) {
    return tr("{}. Inferred from runs: {}. {}", none, proposal.evidence, cure);
  }
  if (inference.is_textbook) {
    return tr(
        "{} from the names of the parameters: A is M×K, B is K×N, C is M×N. No run, with this "
        "guess or another, gave the product A·B. {}",
        none, cure);
  }
  std::string questions;
  for (const std::string& question : proposal.questions) {
    questions += " " + question;
  }
  if (!inference.is_sound) {
    return fail(
        tr("{0} does not exist, and the launch of {1} cannot be inferred:{2} `tilestep describe "
           "{1} --out {0}` writes what is known; correct the lines marked 'guess'.",
           toml, cu_file, questions));
  }
  return tr(
      "{}: sizes, roles and values are inferred from names, the source's own launch and a run.{} "
      "{}",
      none, questions, cure);
}

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
