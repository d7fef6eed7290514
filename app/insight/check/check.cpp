#include "insight/check/check.h"

#include "insight/cell_name.h"
#include "insight/check/checker.h"
#include "insight/check/finding.h"
#include "insight/check/index_overflow.h"
#include "insight/check/nan_watch.h"
#include "insight/check/screened_launch.h"
#include "insight/check/sentences.h"
#include "insight/check/undefined_values.h"
#include "insight/cores.h"
#include "insight/count/counters.h"
#include "insight/count/launch_run.h"
#include "record/place_name.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tilestep::insight {
namespace {

// Without a reference nothing tells whether numbers went wrong: launches up to this many steps are
// run under the watchers of numbers anyway.
constexpr std::uint64_t kAlwaysWatched = 5'000'000;

void compare_output(const simt::Program& program, const simt::Machine& machine,
                    CheckResult& result) {
  result.outputs = problem::compare_outputs(program.launch(), [&](std::size_t buffer) {
    return machine.buffer(static_cast<std::uint32_t>(buffer));
  });
  if (const problem::BufferComparison* const telling = problem::most_telling(result.outputs)) {
    result.has_reference = true;
    result.compared = telling->buffer;
    result.comparison = telling->comparison;
    result.tolerance = telling->tolerance;
  }
}

// Several observers of one run.
class Watchers final : public simt::Observer {
 public:
  void add(simt::Observer* watcher) { watchers_.push_back(watcher); }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    tell([&](simt::Observer& w) { w.before_step(info); });
  }
  void after_step(const simt::StepInfo& info) override {
    tell([&](simt::Observer& w) { w.after_step(info); });
  }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    tell([&](simt::Observer& w) { w.on_memory(info, event); });
  }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    tell([&](simt::Observer& w) { w.on_barrier(info, event); });
  }
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override {
    tell([&](simt::Observer& w) { w.on_fault(info, event); });
  }
  void on_undefined_shuffle(const simt::StepInfo& info,
                            const simt::UndefinedShuffle& shuffle) override {
    tell([&](simt::Observer& w) { w.on_undefined_shuffle(info, shuffle); });
  }
  void on_local_frame(const simt::StepInfo& info, std::uint64_t address,
                      std::uint32_t bytes) override {
    tell([&](simt::Observer& w) { w.on_local_frame(info, address, bytes); });
  }
  void on_block_start(std::uint32_t block) override {
    tell([&](simt::Observer& w) { w.on_block_start(block); });
  }
  void on_block_end(std::uint32_t block) override {
    tell([&](simt::Observer& w) { w.on_block_end(block); });
  }

 private:
  template <class F>
  void tell(F&& f) {
    for (simt::Observer* watcher : watchers_) {
      f(*watcher);
    }
  }

  std::vector<simt::Observer*> watchers_;
};

ptx::Type float_type(problem::ElementType type) {
  switch (type) {
    case problem::ElementType::F16:
      return ptx::Type::F16;
    case problem::ElementType::BF16:
      return ptx::Type::BF16;
    case problem::ElementType::F32:
      return ptx::Type::F32;
    case problem::ElementType::F64:
      return ptx::Type::F64;
    default:
      return ptx::Type::None;
  }
}

// A buffer holds a NaN that is not what it held at the start.
bool has_new_nan(const simt::Program& program, const simt::Machine& machine) {
  const std::vector<problem::Buffer>& buffers = program.launch().buffers;
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    const ptx::Type type = float_type(buffers[i].type);
    if (type == ptx::Type::None || buffers[i].role == problem::BufferRole::Input) {
      continue;
    }
    const std::span<const std::byte> now = machine.buffer(i);
    const std::uint32_t size = ptx::byte_size(type);
    for (std::size_t at = 0; at + size <= now.size(); at += size) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, now.data() + at, size);
      if (is_nan(bits, type) &&
          std::memcmp(now.data() + at, buffers[i].contents.data() + at, size) != 0) {
        return true;
      }
    }
  }
  return false;
}

std::uint32_t ended_blocks(const simt::Machine& machine) {
  std::uint32_t ended = 0;
  for (std::uint32_t block = 0; block < machine.program().block_count(); ++block) {
    const simt::BlockStatus status = machine.block_status(block);
    ended += status == simt::BlockStatus::Ended || status == simt::BlockStatus::Stopped ? 1U : 0U;
  }
  return ended;
}

// Where lanes that a mask names never come, what others read from them is undefined: that need not
// be told twice.
void drop_explained(std::vector<Finding>& findings) {
  std::vector<std::uint32_t> lines;
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::DivergentBarrier) {
      lines.push_back(finding.parties.front().line);
    }
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.kind == FindingKind::UndefinedExchange &&
           std::ranges::count(lines, finding.parties.front().line) != 0;
  });
}

// Runs the launch again, looking closely: at words of memory that may be at fault, at numbers where
// the result says that something is wrong with them.
void look_closely(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
                  const std::atomic<bool>* cancel, const Suspects& suspects, bool numbers,
                  CheckResult& result) {
  LaunchRun again(program, schedule);
  Watchers watchers;
  Checker checker(again.machine, &suspects);
  std::optional<NanWatch> nans;
  std::optional<IndexOverflow> overflows;
  std::optional<UndefinedValues> undefined;
  watchers.add(&checker);
  if (suspects.undefined) {
    watchers.add(&undefined.emplace(again.machine));
  }
  if (numbers) {
    watchers.add(&nans.emplace(again.machine));
    watchers.add(&overflows.emplace(again.machine));
  }
  again.to_end(&watchers, cancel);
  result.cancelled = again.cancelled;
  if (again.cancelled) {
    result.cancelled_at = cancelled_sentence(*program, again.steps, ended_blocks(again.machine),
                                             first_at_work(again.machine));
  }
  result.findings = checker.findings();
  const auto append = [&](std::vector<Finding> more) {
    result.findings.insert(result.findings.end(), more.begin(), more.end());
  };
  if (numbers) {
    append(overflows->findings());
    append(nans->findings());
  }
  if (undefined) {
    append(undefined->findings());
    drop_explained(result.findings);
  }
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
}

}  // namespace

CheckResult check(const std::shared_ptr<const simt::Program>& program, simt::Schedule schedule,
                  const std::atomic<bool>* cancel, std::atomic<std::uint32_t>* blocks_done,
                  const Cores& cores) {
  CheckResult result;
  Screened screened = screen_launch(program, schedule, cores, cancel, blocks_done);
  result.warp_instructions = screened.steps;
  result.counters = std::move(screened.counters);
  result.counters.warp_instructions = screened.steps;
  result.cancelled = screened.cancelled;
  if (result.cancelled) {
    result.cancelled_at =
        cancelled_sentence(*program, screened.steps, screened.blocks_ended, screened.stands_at);
    return result;
  }
  if (screened.suspects.early_exit) {
    result.notes.push_back(early_exit_sentence(*program, *screened.suspects.early_exit));
  }
  compare_output(*program, *screened.machine, result);
  const bool numbers = screened.had_faults || result.comparison.wrong > 0 ||
                       has_new_nan(*program, *screened.machine) ||
                       (!result.has_reference && screened.steps <= kAlwaysWatched);
  if (numbers || screened.suspects.any) {
    look_closely(program, schedule, cancel, screened.suspects, numbers, result);
  }
  return result;
}

}  // namespace tilestep::insight
