#include "state/apply.h"

#include <algorithm>
#include <iterator>

namespace tilestep::state {

namespace {

// First statement boundary at or after `step`.
std::uint64_t round_up(std::span<const std::uint64_t> starts, std::uint64_t step) {
  const auto at = std::lower_bound(starts.begin(), starts.end(), step);
  return at == starts.end() ? starts.back() : *at;
}

std::uint64_t phase_from(const record::Recording& recording, std::uint64_t from, int direction,
                         std::uint32_t block) {
  const auto starts = recording.statement_starts();
  std::uint64_t result = direction > 0 ? recording.step_count() : 0;
  for (const record::Phase& phase : recording.phases_of(block)) {
    const std::uint64_t end = round_up(starts, phase.last_step);
    if (direction > 0 && end > from) {
      return end;
    }
    if (direction < 0 && end < from) {
      result = end;
    }
  }
  return result;
}

std::uint64_t statement_from(const record::Recording& recording, std::uint64_t from,
                             int direction) {
  const auto starts = recording.statement_starts();
  if (direction > 0) {
    const auto at = std::upper_bound(starts.begin(), starts.end(), from);
    return at == starts.end() ? recording.step_count() : *at;
  }
  const auto at = std::lower_bound(starts.begin(), starts.end(), from);
  return at == starts.begin() ? 0 : *std::prev(at);
}

// Collects the steps that execute an instruction of one of the lines, or that fault.
class StopFinder : public simt::Observer {
 public:
  StopFinder(const simt::Program& program, const std::set<int>& lines, std::uint64_t first)
      : program_(program), lines_(lines), step_(first) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    const auto& function = program_.module().functions[info.function];
    if (lines_.contains(static_cast<int>(ptx::statement_line(function, info.pc)))) {
      hits.push_back(step_);
    }
  }
  void after_step(const simt::StepInfo&) override { ++step_; }

  std::vector<std::uint64_t> hits;  // sorted

 private:
  const simt::Program& program_;
  const std::set<int>& lines_;
  std::uint64_t step_;
};

// Start of the first statement after (before) `from` that contains a hit.
std::uint64_t first_stop(const record::Recording& recording, const std::vector<std::uint64_t>& hits,
                         std::uint64_t from, int direction) {
  const auto starts = recording.statement_starts();
  auto start_of = [&](std::uint64_t step) { return starts[recording.statement_of(step)]; };
  if (direction > 0) {
    for (std::uint64_t hit : hits) {
      if (start_of(hit) > from) {
        return start_of(hit);
      }
    }
    return recording.step_count();
  }
  for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
    if (start_of(*hit) < from) {
      return start_of(*hit);
    }
  }
  return 0;
}

}  // namespace

std::uint64_t step_from(const record::Recording& recording, std::uint64_t from, Unit unit,
                        int direction, std::uint32_t focus_block) {
  from = std::min(from, recording.step_count());
  switch (unit) {
    case Unit::Phase:
      return phase_from(recording, from, direction, focus_block);
    case Unit::Statement:
      return statement_from(recording, from, direction);
    case Unit::Instruction:
      break;
  }
  if (direction > 0) {
    return std::min(from + 1, recording.step_count());
  }
  return from == 0 ? 0 : from - 1;
}

std::optional<std::size_t> phase_over(const record::Recording& recording, std::uint64_t step,
                                      std::uint32_t focus_block) {
  const auto phases = recording.phases_of(focus_block);
  const auto open =
      std::partition_point(phases.begin(), phases.end(), [&](const record::Phase& phase) {
        return round_up(recording.statement_starts(), phase.last_step) <= step;
      });
  return open == phases.begin()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(open - phases.begin()) - 1);
}

std::optional<std::size_t> phase_ended(const record::Recording& recording, std::uint64_t step,
                                       std::uint32_t focus_block) {
  const std::optional<std::size_t> over = phase_over(recording, step, focus_block);
  const bool ends_here =
      over && round_up(recording.statement_starts(),
                       recording.phases_of(focus_block)[*over].last_step) == step;
  return ends_here ? over : std::nullopt;
}

std::uint64_t run_from(const record::Recording& recording, std::uint64_t from,
                       const std::set<int>& lines, int direction) {
  std::uint64_t fault_stop = direction > 0 ? recording.step_count() : 0;
  for (const auto& fault : recording.faults()) {
    const std::uint64_t after = statement_from(recording, fault.step, +1);
    if (direction > 0 && after > from) {
      fault_stop = std::min(fault_stop, after);
    }
    if (direction < 0 && after < from) {
      fault_stop = std::max(fault_stop, after);
    }
  }
  if (lines.empty()) {
    return fault_stop;
  }
  // The windows double in size, so a near breakpoint is found without replaying the whole run.
  std::uint64_t width = 4096;
  std::uint64_t low = from;
  std::uint64_t high = from;
  const std::uint64_t nowhere = direction > 0 ? recording.step_count() : 0;
  while (direction > 0 ? high < recording.step_count() : low > 0) {
    low = direction > 0 ? high : (low > width ? low - width : 0);
    const std::uint64_t end =
        direction > 0 ? std::min(low + width, recording.step_count()) : std::min(low + width, from);
    StopFinder finder(recording.program(), lines, low);
    recording.replay(low, end, finder);
    const std::uint64_t stop = first_stop(recording, finder.hits, from, direction);
    if (stop != nowhere) {
      return direction > 0 ? std::min(stop, fault_stop) : std::max(stop, fault_stop);
    }
    high = end;
    width *= 2;
  }
  return fault_stop;
}

}  // namespace tilestep::state
