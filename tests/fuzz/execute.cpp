// A kernel made of these bytes, valid PTX by construction: it runs the same step by step, in one
// go, and with every instruction set; and all analyses can watch it.
#include "insight/check/checker.h"
#include "insight/check/finding.h"
#include "insight/check/index_overflow.h"
#include "insight/check/screen.h"
#include "insight/check/undefined_values.h"
#include "insight/check/watchers.h"
#include "ptx/parse.h"
#include "random_kernel.h"
#include "require.h"
#include "simt/exec/isa.h"
#include "simt/machine/schedule.h"
#include "targets.h"

#include <cstring>
#include <memory>
#include <utility>

namespace tilestep::fuzz {
namespace {

constexpr std::uint64_t kMostSteps = 1500;

std::shared_ptr<const simt::Program> program_of(const RandomKernel& kernel, const simt::Isa* isa) {
  auto parsed = ptx::parse(kernel.ptx);
  require(parsed.has_value(), parsed ? "" : parsed.error().message + "\n" + kernel.ptx);
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  std::uint32_t entry = 0;
  while (!module->functions.at(entry).is_entry) {
    ++entry;
  }
  problem::Launch launch;
  launch.grid.x = kernel.blocks;
  launch.block.x = kernel.threads;
  problem::Buffer buffer;
  buffer.name = "A";
  buffer.rows = 1;
  buffer.cols = kBufferBytes / 4;
  buffer.pitch = buffer.cols;
  buffer.contents.resize(kBufferBytes);
  launch.buffers.push_back(std::move(buffer));
  const auto pack = [](const std::vector<std::uint64_t>& addresses) {
    std::vector<std::byte> bytes(8);
    std::memcpy(bytes.data(), addresses.data(), 8);
    return Result<std::vector<std::byte>>(std::move(bytes));
  };
  auto program = simt::Program::make(module, entry, launch, pack, kernel.warp_size, isa);
  require(program.has_value(), program ? "" : program.error().message);
  return std::move(*program);
}

// Steps until the end or the limit; returns whether it reached the end.
bool step_through(simt::Machine& machine, const simt::Schedule& schedule,
                  simt::Observer* observer) {
  simt::Scheduler scheduler(machine.program(), schedule);
  for (std::uint64_t step = 0; step < kMostSteps; ++step) {
    if (!scheduler.step(machine, observer)) {
      require(machine.done(), "nobody is left to move only when all blocks are done");
      return true;
    }
  }
  return false;
}

// NaNs, quotients and unset registers, as in a check.
class FollowedValues final : public insight::Watchers {
 public:
  explicit FollowedValues(const simt::Machine& machine)
      : values_(machine, ptx::unset_registers(machine.program().module())),
        nans_(machine, [this](const simt::StepInfo& info, std::uint32_t lanes,
                              std::span<const std::uint64_t> operands) {
          values_.on_nan(info, lanes, operands);
        }) {
    add(&nans_);
    add(&values_);
  }
  [[nodiscard]] std::vector<insight::Finding> findings() const { return values_.findings(); }

 private:
  insight::UndefinedValues values_;
  insight::NanWatch nans_;
};

template <class Watcher>
void watch(const std::shared_ptr<const simt::Program>& program, const simt::Schedule& schedule) {
  simt::Machine machine(program);
  Watcher watcher(machine);
  (void)step_through(machine, schedule, &watcher);
  for (const insight::Finding& finding : watcher.findings()) {
    require(!finding.sentence.empty() && !finding.parties.empty(), "a finding has a sentence");
  }
}

}  // namespace

void execute(Bytes bytes) {
  if (bytes.empty()) {
    return;
  }
  const simt::Schedule schedules[] = {{simt::ScheduleKind::Lockstep},
                                      {simt::ScheduleKind::Sequential},
                                      {simt::ScheduleKind::RunAhead, 1},
                                      {simt::ScheduleKind::Random, 0, 7}};
  const simt::Schedule schedule = schedules[bytes.front() % 4];
  const RandomKernel kernel = make_kernel(bytes.subspan(1));
  const auto program = program_of(kernel, nullptr);

  simt::Machine stepped(program);
  const bool ends = step_through(stepped, schedule, nullptr);
  if (ends) {
    simt::Machine at_once(program);
    simt::Scheduler scheduler(*program, schedule);
    insight::Screen screen(*program);
    (void)simt::run_to_end(at_once, scheduler, &screen);
    require(at_once == stepped, "running to the end is the same as stepping\n" + kernel.ptx);
  }
  const simt::Isa plain = simt::baseline::isa();
  simt::Machine other(program_of(kernel, &plain));
  (void)step_through(other, schedule, nullptr);
  const auto a = stepped.buffer(0);
  const auto b = other.buffer(0);
  require(std::equal(a.begin(), a.end(), b.begin(), b.end()),
          "every instruction set gives the same\n" + kernel.ptx);
  watch<insight::Checker>(program, schedule);
  watch<FollowedValues>(program, schedule);
  watch<insight::IndexOverflow>(program, schedule);
}

}  // namespace tilestep::fuzz
