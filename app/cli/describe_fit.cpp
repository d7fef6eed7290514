#include "cli/describe.h"
#include "insight/check/check.h"
#include "loading/loader.h"
#include "loading/prepare.h"
#include "problem/launch/expression.h"
#include "problem/tr.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"
#include "simt/state/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::cli {

namespace {

using problem::BufferRole;
using problem::BufferSpec;
using problem::InputSpec;
using problem::LaunchSpec;
using problem::Problem;

// Limit of warp steps for an example: some tenths of a second, so that a check of it, which
// executes it three times and examines every access, ends within about a second.
constexpr std::uint64_t kExampleSteps = 800'000;
constexpr std::int64_t kRoom = 1 << 22;         // bytes of a buffer whose size is not known yet
constexpr std::int64_t kMostShared = 96 << 10;  // bytes of dynamic shared memory
constexpr int kSmallestEdge = 4;
constexpr int kMostOfAByte = 100;  // a valid index that also fits a signed byte

std::int64_t fitted_value(const std::string& expression, const LaunchSpec& spec,
                          const Problem& size) {
  const auto value = problem::evaluate_expression(expression, {size, spec.default_block_size});
  return value ? *value : 0;
}

std::int64_t elements(const BufferSpec& buffer, const LaunchSpec& spec, const Problem& size) {
  return fitted_value(buffer.rows, spec, size) * fitted_value(buffer.cols, spec, size);
}

// The memory that a run accesses.
class Footprint final : public simt::Observer {
 public:
  explicit Footprint(std::size_t buffers)
      : ends(buffers), is_read(buffers), is_stored(buffers), is_updated(buffers) {}

  void on_memory(const simt::StepInfo& /*info*/, const simt::MemoryEvent& event) override {
    for (std::uint32_t mask = event.mask; mask != 0; mask &= mask - 1) {
      const std::uint64_t address = event.addresses[std::countr_zero(mask)];
      const std::uint64_t buffer = (address - simt::kGlobalWindow) / simt::kWindowBytes;
      if (address < simt::kGlobalWindow || buffer >= ends.size()) {
        continue;
      }
      ends[buffer] = std::max(ends[buffer], address % simt::kWindowBytes + event.bytes);
      is_read[buffer] = is_read[buffer] || event.kind == simt::AccessKind::Load;
      is_stored[buffer] = is_stored[buffer] || event.kind == simt::AccessKind::Store;
      is_updated[buffer] = is_updated[buffer] || event.kind == simt::AccessKind::Atomic;
    }
  }
  void on_fault(const simt::StepInfo& /*info*/, const simt::FaultEvent& event) override {
    const bool is_shared =
        event.kind == simt::FaultKind::OutOfRange &&
        event.address / simt::kWindowBytes == simt::kSharedWindow / simt::kWindowBytes;
    (is_shared ? has_shared_fault : has_fault) = true;
  }

  [[nodiscard]] bool has_failed() const { return has_fault || has_shared_fault; }
  // True if it neither ended nor failed within the step limit of an example.
  [[nodiscard]] bool is_long() const { return !has_ended && !has_failed(); }
  [[nodiscard]] bool is_whole() const { return has_ended && !has_failed(); }

  std::vector<std::uint64_t> ends;  // bytes, by buffer
  std::vector<bool> is_read;
  std::vector<bool> is_stored;
  std::vector<bool> is_updated;  // atomically
  bool has_fault = false;
  bool has_shared_fault = false;
  bool has_ended = false;
};

class Fitting {
 public:
  Fitting(const loading::Kernel& kernel, problem::Proposal& proposal)
      : kernel_(kernel), proposal_(proposal), spec_(proposal.spec) {}

  Fit run();

 private:
  [[nodiscard]] std::optional<Footprint> footprint(const LaunchSpec& spec,
                                                   const Problem& size) const;
  [[nodiscard]] LaunchSpec roomy() const;
  void choose_example();
  void choose_fewer_blocks();
  void choose_shared();
  void choose_contents();
  void choose_sizes();
  void choose_roles(const Footprint& print);
  void choose_passes();
  [[nodiscard]] int single_passes(const Problem& size) const;
  [[nodiscard]] Fit verdict();
  void note_verdict(Fit fit);
  [[nodiscard]] std::string extent(std::size_t buffer, const Footprint& small,
                                   const std::optional<Footprint>& large) const;
  [[nodiscard]] std::optional<std::vector<insight::Finding>> findings(
      const std::optional<Footprint>& print) const;
  [[nodiscard]] Problem size() const { return *spec_.default_problem; }
  [[nodiscard]] Problem twice() const { return {2 * size().M, 2 * size().N, 2 * size().K}; }

  const loading::Kernel& kernel_;
  problem::Proposal& proposal_;
  LaunchSpec& spec_;
};

// Nullopt if it cannot be launched.
std::optional<Footprint> Fitting::footprint(const LaunchSpec& spec, const Problem& size) const {
  const auto launch = problem::evaluate(spec, {size, spec.default_block_size}, {});
  const auto program = launch ? loading::make_program(kernel_, *launch) : fail("no launch");
  if (!program) {
    return std::nullopt;
  }
  Footprint print(launch->buffers.size());
  simt::Machine machine(*program);
  simt::Scheduler scheduler(**program, {simt::ScheduleKind::Sequential});
  std::uint64_t left = kExampleSteps;
  while (left > 0 && !print.has_failed() && scheduler.step(machine, &print)) {
    --left;
  }
  print.has_ended = left > 0;
  return print;
}

// The description with buffers that are large enough for most kernels.
LaunchSpec Fitting::roomy() const {
  LaunchSpec spec = spec_;
  for (BufferSpec& buffer : spec.buffers) {
    const auto bytes = static_cast<std::int64_t>(problem::byte_size(buffer.type));
    const std::int64_t own = elements(buffer, spec, size());
    buffer.rows = "1";
    buffer.cols = std::to_string(std::max(own, kRoom / bytes));
    buffer.pitch.clear();
    buffer.expected.reset();
  }
  return spec;
}

// Rows and depth are halved before columns, which a one-dimensional block covers.
void Fitting::choose_example() {
  const Problem first = size();
  const Problem least{kSmallestEdge, kSmallestEdge, kSmallestEdge};
  for (int attempt = 0; attempt < 40; ++attempt) {
    const auto print = footprint(roomy(), size());
    if (!print || !print->is_long()) {
      return;
    }
    if (attempt == 0) {  // checks whether sizes matter at all
      const auto smallest = footprint(roomy(), least);
      if (smallest && smallest->is_long()) {
        break;
      }
    }
    Problem smaller = size();
    int& largest = smaller.M >= smaller.K && smaller.M > kSmallestEdge ? smaller.M
                   : smaller.K > kSmallestEdge                         ? smaller.K
                                                                       : smaller.N;
    const bool is_least = largest <= kSmallestEdge;
    largest /= 2;
    if (is_least || !problem::evaluate_shape(spec_, {smaller, spec_.default_block_size})) {
      break;
    }
    spec_.default_problem = smaller;
  }
  spec_.default_problem = first;  // the sizes are not the reason for the long run
  choose_fewer_blocks();
}

// If numbers of the text's own launch make a run long, the grid is one of them.
void Fitting::choose_fewer_blocks() {
  const std::array<std::string, 3> first = spec_.grid;
  const auto blocks = [this](std::size_t axis) {
    const std::string& text = spec_.grid[axis];
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? fitted_value(text, spec_, size()) : 0;
  };
  for (;;) {
    const std::size_t axis = blocks(0) >= blocks(1) ? 0 : 1;
    const auto print = footprint(roomy(), size());
    if (!print || print->has_failed() || blocks(axis) < 2) {
      break;
    }
    if (print->has_ended) {
      if (spec_.grid != first) {
        proposal_.notes["grid"] =
            tr("guess: the launch in the source has {} × {} blocks, which takes a long time",
               first[0], first[1]);
      }
      return;
    }
    spec_.grid[axis] = std::to_string(blocks(axis) / 2);
  }
  spec_.grid = first;
}

// The amount of dynamic shared memory that the run needs.
void Fitting::choose_shared() {
  if (spec_.dynamic_shared_bytes == "0") {
    return;
  }
  LaunchSpec spec = roomy();
  for (std::int64_t bytes = fitted_value(spec_.dynamic_shared_bytes, spec_, size());
       bytes > 0 && bytes <= kMostShared; bytes *= 2) {
    const auto print = footprint(spec, size());
    if (!print || !print->has_shared_fault) {
      if (print && spec.dynamic_shared_bytes != spec_.dynamic_shared_bytes) {
        spec_.dynamic_shared_bytes = spec.dynamic_shared_bytes;
        proposal_.notes["dynamic_shared_bytes"] = tr("guess: as many bytes as a run accesses");
      }
      return;
    }
    spec.dynamic_shared_bytes = std::to_string(2 * bytes);
  }
}

// Integers that are used as indices must be small.
void Fitting::choose_contents() {
  const auto print = footprint(roomy(), size());
  if (!print || !print->has_failed()) {
    return;
  }
  LaunchSpec spec = spec_;
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < spec.buffers.size(); ++i) {
    BufferSpec& buffer = spec.buffers[i];
    if (!problem::is_real(buffer.type) && buffer.role != BufferRole::Output && !buffer.input) {
      buffer.input = InputSpec{};
      buffer.input->pattern = problem::Pattern::Random;
      buffer.input->lowest = 0;
      const int most = problem::byte_size(buffer.type) == 1 ? kMostOfAByte : size().M;
      buffer.input->highest = std::min({size().M, size().N, most}) - 1;
      changed.push_back(i);
    }
  }
  std::swap(spec_, spec);
  const auto now = footprint(roomy(), size());
  if (changed.empty() || !now || now->has_failed()) {
    std::swap(spec_, spec);
    return;
  }
  for (const std::size_t i : changed) {
    const std::string& name = spec_.buffers[i].name;
    proposal_.notes["buffer " + name] += tr("; guess: indices");
    proposal_.questions.push_back(
        tr("Which indices does {} hold? The kernel uses its elements as indices; for now they are "
           "small random numbers.",
           name));
  }
}

std::string Fitting::extent(std::size_t buffer, const Footprint& small,
                            const std::optional<Footprint>& large) const {
  const auto bytes = problem::byte_size(spec_.buffers[buffer].type);
  const auto wanted = static_cast<std::int64_t>((small.ends[buffer] + bytes - 1) / bytes);
  const auto blocks =
      fmt::format("({}) * ({}) * ({})", spec_.grid[0], spec_.grid[1], spec_.grid[2]);
  const auto threads = fmt::format("({} * {})", spec_.block[0], spec_.block[1]);
  std::vector<std::string> usual{
      "N",     "M",         "K",         "M * N",         "M * K",
      "N * K", "N + 1",     "M * N * K", "2 * N",         "4 * N",
      "N * N", "4 * M * N", blocks,      "2 * " + blocks, blocks + " * " + threads};
  for (const int times : {2, 4, 8}) {
    usual.push_back(fmt::format("{} * {} * {}", times, blocks, threads));
  }
  const bool has_large = large && large->is_whole();
  for (const std::string& expression : usual) {
    const auto other = has_large
                           ? static_cast<std::int64_t>((large->ends[buffer] + bytes - 1) / bytes)
                           : fitted_value(expression, spec_, twice());
    if (fitted_value(expression, spec_, size()) == wanted &&
        fitted_value(expression, spec_, twice()) == other) {
      return expression;
    }
  }
  return std::to_string(wanted);
}

void Fitting::choose_roles(const Footprint& print) {
  for (std::size_t i = 0; i < spec_.buffers.size(); ++i) {
    BufferSpec& buffer = spec_.buffers[i];
    const bool is_input = buffer.role == BufferRole::Input;
    if (print.is_updated[i]) {
      buffer.role = BufferRole::InOut;
      if (!print.is_read[i] && (is_input || !buffer.input)) {
        buffer.input = InputSpec{};
        buffer.input->pattern = problem::Pattern::Constant;
        buffer.input->constant = 0.0F;
      }
    } else if (print.is_stored[i] && !print.is_read[i]) {
      buffer.role = BufferRole::Output;
      buffer.input.reset();
    } else if (!print.is_read[i] && !print.is_stored[i]) {
      // Values from elsewhere may reach it.
      buffer.role = is_input ? BufferRole::Input : BufferRole::InOut;
    } else if (print.is_read[i] && !print.is_stored[i]) {
      buffer.role = BufferRole::Input;
    }
  }
}

// Buffers as large as the run's accesses, if these exceed the guess.
void Fitting::choose_sizes() {
  const auto print = footprint(roomy(), size());
  for (std::size_t i = 0; print && i < spec_.buffers.size(); ++i) {  // whatever else it reports
    if (spec_.buffers[i].role == BufferRole::Output && print->is_read[i]) {
      spec_.buffers[i].role = BufferRole::InOut;
    }
  }
  if (!print || !print->is_whole()) {
    return;
  }
  const auto large = footprint(roomy(), twice());
  for (std::size_t i = 0; i < spec_.buffers.size(); ++i) {
    BufferSpec& buffer = spec_.buffers[i];
    const auto bytes = static_cast<std::int64_t>(problem::byte_size(buffer.type));
    const auto wanted = (static_cast<std::int64_t>(print->ends[i]) + bytes - 1) / bytes;
    if (wanted > elements(buffer, spec_, size())) {
      buffer.rows = "1";
      buffer.cols = extent(i, *print, large);
      proposal_.notes["buffer " + buffer.name] +=
          tr("; a run accesses elements 0 to {}", wanted - 1);
    }
  }
  choose_roles(*print);
}

int Fitting::single_passes(const Problem& size) const {
  const auto launch = problem::evaluate(roomy(), {size, spec_.default_block_size}, {});
  const auto program = launch ? loading::make_program(kernel_, *launch) : fail("no launch");
  return program ? loops_of_one_pass(*program, kExampleSteps) : 0;
}

// A tile that is loaded only once hides what its second load does to the first: chooses a size with
// two passes of every loop over tiles, if there is one whose run ends soon.
void Fitting::choose_passes() {
  int single = single_passes(size());
  const Problem first = size();
  for (const int times : {2, 4, 8}) {
    const Problem larger[] = {{first.M, first.N, times * first.K},
                              {first.M, times * first.N, first.K},
                              {times * first.M, first.N, first.K},
                              {times * first.M, times * first.N, times * first.K}};
    for (const Problem& other : larger) {
      if (single == 0) {
        return;
      }
      if (problem::evaluate_shape(spec_, {other, spec_.default_block_size})) {
        const int now = single_passes(other);
        if (now < single && !footprint(roomy(), other).value_or(Footprint(0)).is_long()) {
          spec_.default_problem = other;
          single = now;
        }
      }
    }
  }
}

// `print`: of the run to check; nullopt if it does not end.
std::optional<std::vector<insight::Finding>> Fitting::findings(
    const std::optional<Footprint>& print) const {
  if (!print || !print->is_whole()) {
    return std::nullopt;
  }
  const auto launch = problem::evaluate(spec_, {size(), spec_.default_block_size}, {});
  const auto program = launch ? loading::make_program(kernel_, *launch) : fail("no launch");
  return program ? std::optional(insight::check(*program, {}).findings) : std::nullopt;
}

// The text gives shared memory its sizes, so a race there is the kernel's own. A race in global
// memory is, only if every value is known.
Fit Fitting::verdict() {
  const auto print = footprint(spec_, size());
  if (print && print->is_long()) {
    return Fit::Long;
  }
  auto found = findings(print);
  const auto are_all = [&](insight::FindingKind kind) {
    return found && !found->empty() &&
           std::ranges::all_of(*found, [&](const auto& finding) { return finding.kind == kind; });
  };
  if (are_all(insight::FindingKind::NanProduced)) {
    const LaunchSpec before = spec_;
    for (BufferSpec& buffer : spec_.buffers) {
      if (problem::is_real(buffer.type) && buffer.role != BufferRole::Output && !buffer.input) {
        buffer.input = InputSpec{};
        buffer.input->pattern = problem::Pattern::Unit;
        proposal_.notes["buffer " + buffer.name] += tr("; guess: not negative");
      }
    }
    found = findings(footprint(spec_, size()));
    if (!found || !found->empty()) {
      spec_ = before;
    }
  }
  const bool knows_all = proposal_.questions.empty();
  const bool races = found && std::ranges::all_of(*found, [&](const auto& finding) {
                       return finding.kind == insight::FindingKind::SharedRace ||
                              (knows_all && finding.kind == insight::FindingKind::GlobalRace);
                     });
  return races ? (found->empty() ? Fit::Clean : Fit::Races) : Fit::Findings;
}

void Fitting::note_verdict(Fit fit) {
  std::string& note = proposal_.notes["default_problem"];
  note += note.empty() ? "" : "; ";
  const auto [m, n, k] = size();
  note += fit == Fit::Clean   ? tr("a run at {}×{}×{} has no findings", m, n, k)
          : fit == Fit::Races ? races_sentence(size())
          : fit == Fit::Long  ? tr("guess: a run takes too long and was not completed")
                              : tr("guess: a run of this description has findings");
  if (fit == Fit::Findings) {
    proposal_.questions.emplace_back(
        tr("Which sizes, grid and values does the kernel need? A run of this guess has findings; "
           "tilestep check lists them."));
  }
}

Fit Fitting::run() {
  if (!spec_.default_problem) {
    return Fit::Findings;
  }
  choose_example();
  choose_shared();
  choose_contents();
  choose_example();
  choose_passes();
  choose_sizes();
  const Fit fit = verdict();
  note_verdict(fit);
  return fit;
}

}  // namespace

std::string races_sentence(const Problem& size) {
  return tr("the kernel races: a run at {}×{}×{} has races and no other findings", size.M, size.N,
            size.K);
}

Fit fit_to_run(compile::Compiler& compiler, problem::Proposal& proposal) {
  const LaunchSpec& spec = proposal.spec;
  const auto shape = problem::evaluate_shape(spec, problem::default_parameters(spec));
  if (!shape) {
    return Fit::Findings;
  }
  const auto kernel = loading::load_kernel(compiler, *shape, compile::Build::Fast);
  return kernel ? Fitting(*kernel, proposal).run() : Fit::Findings;
}

}  // namespace tilestep::cli
