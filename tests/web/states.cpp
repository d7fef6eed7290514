// catalog_states KERNELS PTX_CACHE [KERNEL]: executes each kernel of the catalog at a small size
// from the shipped PTX and prints a line for each build: the steps and a hash of what every step
// saw and left. scripts/web.sh --test compares the lines of WebAssembly with those of the native
// program.
#include "compile/cache.h"
#include "loading/prepare.h"
#include "problem/describe/catalog.h"
#include "simt/machine/machine.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep {
namespace {

constexpr std::uint64_t kMostSteps = 300'000;

// Many words: the hash takes them in portions.
class WordHash {
 public:
  void add(std::uint64_t word) {
    words_.push_back(word);
    if (words_.size() == kPortion) {
      flush();
    }
  }
  [[nodiscard]] std::string hex() {
    flush();
    return hash_.hex();
  }

 private:
  static constexpr std::size_t kPortion = 8192;

  void flush() {
    hash_.add(std::string_view(reinterpret_cast<const char*>(words_.data()),
                               words_.size() * sizeof(std::uint64_t)));
    words_.clear();
  }

  compile::Hash hash_;
  std::vector<std::uint64_t> words_;
};

// Hashes every step, access and fault, and the registers of the warp that moves.
class StateHash : public simt::Observer {
 public:
  explicit StateHash(const simt::Machine& machine) : machine_(&machine) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& step) override {
    hash.add(std::uint64_t{step.id.block} << 32U | step.id.warp);
    hash.add(std::uint64_t{step.pc} << 32U | step.mask);
    if (++steps % kRegistersEvery == 0) {
      add_registers(step);
    }
  }
  void on_memory(const simt::StepInfo& /*step*/, const simt::MemoryEvent& event) override {
    for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
      hash.add((event.mask >> lane & 1U) != 0 ? event.addresses[lane] : 0);
    }
  }
  void on_fault(const simt::StepInfo& /*step*/, const simt::FaultEvent& fault) override {
    hash.add(static_cast<std::uint64_t>(fault.kind));
  }
  void add_buffers() {
    for (std::uint32_t i = 0; i < machine_->program().launch().buffers.size(); ++i) {
      for (const std::byte byte : machine_->buffer(i)) {
        hash.add(static_cast<std::uint64_t>(byte));
      }
    }
  }

  WordHash hash;
  std::uint64_t steps = 0;

 private:
  static constexpr std::uint64_t kRegistersEvery = 16;

  void add_registers(const simt::StepInfo& step) {
    const ptx::Function& function = machine_->program().module().functions[step.function];
    for (const ptx::Register& reg : function.registers) {
      const auto row = machine_->register_row(step.id, reg, step.frame);
      for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane) {
        hash.add((step.active >> lane & 1U) != 0 ? row[lane] : 0);
      }
    }
  }

  const simt::Machine* machine_;
};

// The kernel at its own size if the catalog gives one, otherwise at 8×8×8 with BLOCK_SIZE 4.
std::optional<problem::Launch> small_launch(const problem::LaunchSpec& spec) {
  Result<problem::Launch> launch = problem::evaluate(
      spec,
      spec.default_problem ? problem::default_parameters(spec) : problem::Parameters{{8, 8, 8}, 4},
      {});
  return launch ? std::optional(std::move(*launch)) : std::nullopt;
}

std::string state_line(compile::Compiler& compiler, const problem::Launch& launch,
                       compile::Build build) {
  const char* const name = build == compile::Build::Step ? "step" : "fast";
  const auto prepared = loading::prepare(compiler, launch, {build});
  if (!prepared) {
    return fmt::format("{} {}: {}", launch.id, name, prepared.error().error.message);
  }
  simt::Machine machine(prepared->program);
  simt::Scheduler scheduler(*prepared->program, {});
  StateHash state(machine);
  while (state.steps < kMostSteps && scheduler.step(machine, &state)) {
  }
  state.add_buffers();
  return fmt::format("{} {}: {} steps, {}", launch.id, name, state.steps, state.hash.hex());
}

// Seconds for the steps alone, without an observer.
double seconds(compile::Compiler& compiler, const problem::Launch& launch) {
  const auto prepared = loading::prepare(compiler, launch, {compile::Build::Step});
  if (!prepared) {
    return 0.0;
  }
  const auto start = std::chrono::steady_clock::now();
  simt::Machine machine(prepared->program);
  simt::Scheduler scheduler(*prepared->program, {});
  for (std::uint64_t step = 0; step < kMostSteps && scheduler.step(machine, nullptr); ++step) {
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int print_states(const std::string& kernels, const std::string& cache, const std::string& wanted) {
  const Result<problem::Catalog> catalog = problem::load_catalog(kernels);
  if (!catalog) {
    fmt::print(stderr, "{}\n", catalog.error().message);
    return 2;
  }
  compile::Compiler compiler({{}, {cache}});
  double total = 0.0;
  for (const problem::LaunchSpec& spec : catalog->kernels) {
    const std::optional<problem::Launch> launch = small_launch(spec);
    if (!launch || (!wanted.empty() && spec.id != wanted)) {
      continue;
    }
    for (const compile::Build build : {compile::Build::Step, compile::Build::Fast}) {
      fmt::print("{}\n", state_line(compiler, *launch, build));
    }
    total += seconds(compiler, *launch);
  }
  fmt::print(stderr, "{:.2f} s for the steps of the step builds\n", total);
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    fmt::print(stderr, "usage: catalog_states KERNELS PTX_CACHE [KERNEL]\n");
    return 2;
  }
  return tilestep::print_states(argv[1], argv[2], argc == 4 ? argv[3] : "");
}
