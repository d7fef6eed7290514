#include "insight/counters.h"
#include "insight/finding.h"
#include "insight/screen.h"
#include "record/place_name.h"

#include <algorithm>

namespace tilestep::insight {
namespace {

bool is_set(void* flag) {
  return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

// One run of the launch from its start.
struct LaunchRun {
  simt::Machine machine;
  simt::Scheduler scheduler;
  std::uint64_t steps = 0;
  bool cancelled = false;

  LaunchRun(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule)
      : machine(program), scheduler(*program, schedule) {}

  void to_end(simt::Observer* observer, const std::atomic<bool>* cancel) {
    auto* flag = const_cast<std::atomic<bool>*>(cancel);
    steps =
        simt::run_to_end(machine, scheduler, observer, flag == nullptr ? nullptr : is_set, flag);
    cancelled = cancel != nullptr && cancel->load(std::memory_order_relaxed) && !machine.done();
  }
};

const problem::Buffer* output_of(const problem::Launch& launch, std::uint32_t& index) {
  for (index = 0; index < launch.buffers.size(); ++index) {
    if (launch.buffers[index].role == problem::BufferRole::Output) {
      return &launch.buffers[index];
    }
  }
  return nullptr;
}

void compare_output(const simt::Program& program, const simt::Machine& machine,
                    CheckResult& result) {
  const problem::Launch& launch = program.launch();
  std::uint32_t index = 0;
  const problem::Buffer* output = output_of(launch, index);
  if (output == nullptr) {
    return;
  }
  result.tolerance = problem::default_tolerance(launch);
  // Where sums are exact any reference will do; otherwise the rounded float64 one is the truth.
  const std::optional<problem::Matrix> expected = problem::expected_result(
      launch, result.tolerance == 0.0 ? problem::Reference::Plain : problem::Reference::Double);
  if (!expected) {
    return;
  }
  const std::span<const std::byte> bytes = machine.buffer(index);
  result.has_reference = true;
  result.comparison = problem::compare(problem::to_matrix(*output, {bytes.begin(), bytes.end()}),
                                       *expected, result.tolerance);
}

}  // namespace

const char* name(FindingKind kind) {
  switch (kind) {
    case FindingKind::SharedRace:
      return "shared-memory race";
    case FindingKind::GlobalRace:
      return "global-memory race";
    case FindingKind::OutOfRange:
      return "access out of range";
    case FindingKind::Misaligned:
      return "misaligned access";
    case FindingKind::UninitialisedRead:
      return "uninitialised read";
    case FindingKind::DivergentBarrier:
      return "divergent barrier";
    case FindingKind::BarrierDeadlock:
      return "deadlock at a barrier";
    case FindingKind::NotSimulated:
      return "not simulated";
    case FindingKind::Trap:
      return "trap";
    case FindingKind::StackOverflow:
      return "stack overflow";
  }
  return "";
}

std::string element_name(const simt::Program& program, const simt::Place& place) {
  return record::place_name(program, place);
}

CheckResult check(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
                  const std::atomic<bool>* cancel) {
  CheckResult result;
  Screen screen(*program);
  LaunchRun run(program, schedule);
  run.to_end(&screen, cancel);
  result.warp_instructions = run.steps;
  result.counters = screen.counters();
  result.counters.warp_instructions = run.steps;
  result.cancelled = run.cancelled;
  if (!result.cancelled && (screen.suspects().any || screen.had_faults())) {
    Checker checker(*program, &screen.suspects());
    LaunchRun again(program, schedule);
    again.to_end(&checker, cancel);
    result.findings = checker.findings();
    result.cancelled = again.cancelled;
  }
  if (!result.cancelled) {
    compare_output(*program, run.machine, result);
  }
  return result;
}

Counters count(const std::shared_ptr<const simt::Program>& program,
               const std::atomic<bool>* cancel) {
  Counter counter(*program);
  LaunchRun run(program, {simt::ScheduleKind::Sequential});
  run.to_end(&counter, cancel);
  Counters counters = counter.counters();
  counters.warp_instructions = run.steps;
  return counters;
}

}  // namespace tilestep::insight
