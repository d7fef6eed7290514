#include "insight/events/breakpoint.h"

#include "insight/events/event_search.h"
#include "insight/events/thread_expression.h"
#include "insight/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace tilestep::insight {
namespace {

namespace english = events_english;

// Notes the steps whose instruction is on one of the lines.
class LineWatch final : public simt::Observer {
 public:
  LineWatch(const simt::Program& program, const std::map<int, std::string>& lines,
            std::uint64_t first)
      : program_(program), lines_(lines), step_(first) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override {
    const ptx::Function& function = program_.module().functions[info.function];
    const std::uint32_t line = ptx::statement_line(function, info.pc);
    if (lines_.contains(static_cast<int>(line))) {
      hits_.push_back({step_, info.id, info.active, line});
    }
  }
  void after_step(const simt::StepInfo&) override { ++step_; }
  [[nodiscard]] const std::vector<EventHit>& hits() const { return hits_; }

 private:
  const simt::Program& program_;
  const std::map<int, std::string>& lines_;
  std::uint64_t step_;
  std::vector<EventHit> hits_;
};

class StopFinder {
 public:
  StopFinder(const record::Recording& recording, const StopQuestion& q)
      : recording_(recording), q_(q) {}

  // The error of the first condition that has one.
  std::optional<std::string> read_conditions() {
    for (const auto& [line, condition] : q_.breakpoints) {
      if (condition.empty()) {
        continue;
      }
      auto expression = ThreadExpression::parse(condition);
      const std::optional<Error> mistake =
          expression ? expression->mistake(recording_.program()) : expression.error();
      if (mistake) {
        return wrong(static_cast<std::uint32_t>(line), *mistake);
      }
      conditions_.emplace(line, std::move(*expression));
    }
    return std::nullopt;
  }

  bool look(std::uint64_t first, std::uint64_t last) {
    LineWatch watch(recording_.program(), q_.breakpoints, first);
    recording_.replay(first, last, watch);
    const auto& hits = watch.hits();
    const std::size_t count = hits.size();
    for (std::size_t i = 0; i < count; ++i) {
      const EventHit& hit = hits[q_.direction > 0 ? i : count - 1 - i];
      const std::uint64_t stop = start_of(hit.step);
      const bool fits = q_.direction > 0 ? stop > q_.from : stop < q_.from;
      if (fits && holds(nearest_to_focus(hits, i, stop), stop)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] const EventAnswer& answer() const { return answer_; }

 private:
  // Among the hits of one statement: the focused thread's, else one of its block's, else the first.
  [[nodiscard]] const EventHit& nearest_to_focus(const std::vector<EventHit>& hits, std::size_t i,
                                                 std::uint64_t stop) const {
    const auto at = [&](std::size_t n) -> const EventHit& {
      return hits[q_.direction > 0 ? n : hits.size() - 1 - n];
    };
    if (conditions_.contains(static_cast<int>(at(i).line))) {
      return at(i);  // every hit is tested
    }
    const EventHit* best = &at(i);
    for (std::size_t n = i + 1; n < hits.size() && start_of(at(n).step) == stop; ++n) {
      const EventHit& other = at(n);
      const bool is_plain = !conditions_.contains(static_cast<int>(other.line));
      best = is_plain && nearness(other) > nearness(*best) ? &other : best;
    }
    return *best;
  }
  [[nodiscard]] int nearness(const EventHit& hit) const {
    return has_focus(hit) ? 2 : hit.warp.block == q_.block ? 1 : 0;
  }
  [[nodiscard]] bool has_focus(const EventHit& hit) const {
    const auto size = recording_.program().warp_size();
    return hit.warp.block == q_.block && hit.warp.warp == q_.thread / size &&
           (hit.lanes >> (q_.thread % size) & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t start_of(std::uint64_t step) const {
    return recording_.statement_starts()[recording_.statement_of(step)];
  }
  [[nodiscard]] static std::string wrong(std::uint32_t line, const Error& mistake) {
    return fmt::format(fmt::runtime(english::kWrongCondition.text()), fmt::arg("line", line),
                       fmt::arg("mistake", mistake.message));
  }

  bool holds(const EventHit& hit, std::uint64_t stop) {
    const auto condition = conditions_.find(static_cast<int>(hit.line));
    const auto size = recording_.program().warp_size();
    if (condition == conditions_.end()) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(hit.lanes));
      answer_ = {.found = true,
                 .stop = stop,
                 .block = hit.warp.block,
                 .thread = has_focus(hit) ? q_.thread : hit.warp.warp * size + lane,
                 .sentence = fmt::format(fmt::runtime(english::kBreakpoint.text()),
                                         fmt::arg("line", hit.line))};
      return true;
    }
    if (hit.warp.block != q_.block || asked_ == std::pair{stop, hit.warp.warp}) {
      return false;
    }
    asked_ = {stop, hit.warp.warp};  // a line is several instructions: ask once
    if (!state_ || state_->step() != stop) {
      state_ = state_ && state_->step() < stop ? recording_.state_at(stop, *state_)
                                               : recording_.state_at(stop);
    }
    for (std::uint32_t rest = hit.lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t thread =
          hit.warp.warp * size + static_cast<std::uint32_t>(std::countr_zero(rest));
      const auto value = condition->second.evaluate(recording_, *state_, q_.block, thread);
      if (!value) {
        answer_ = {.sentence = wrong(hit.line, value.error())};
        return true;
      }
      if (*value && **value != 0.0) {
        tell(hit, stop, thread, condition->second.text());
        return true;
      }
    }
    return false;
  }

  void tell(const EventHit& hit, std::uint64_t stop, std::uint32_t thread,
            const std::string& condition) {
    const simt::Program& program = recording_.program();
    const std::string who = thread_of_block(program.thread_index(thread),
                                            program.block_index(q_.block), program.launch());
    answer_ = {.found = true,
               .stop = stop,
               .block = q_.block,
               .thread = thread,
               .sentence =
                   fmt::format(fmt::runtime(english::kCondition.text()), fmt::arg("line", hit.line),
                               fmt::arg("condition", condition), fmt::arg("thread", who))};
  }

  const record::Recording& recording_;
  const StopQuestion& q_;
  std::map<int, ThreadExpression> conditions_;
  std::optional<record::State> state_;
  std::pair<std::uint64_t, std::uint32_t> asked_{~std::uint64_t{0}, 0};
  EventAnswer answer_;
};

// The next fault or finding; if there is none, the end of the run (or its start).
EventAnswer next_trouble(const record::Recording& recording, const StopQuestion& q) {
  const bool forward = q.direction > 0;
  EventAnswer best = find_event(recording, {.kind = record::EventKind::Finding,
                                            .from = q.from,
                                            .direction = q.direction,
                                            .block = q.block,
                                            .thread = q.thread,
                                            .what = {},
                                            .findings = q.findings});
  if (best.found) {
    return best;
  }
  return {.found = true,
          .stop = forward ? recording.step_count() : 0,
          .block = q.block,
          .thread = q.thread,
          .sentence =
              fmt::format(fmt::runtime((forward ? english::kRunOver : english::kRunBegins).text()),
                          fmt::arg("stops", q.breakpoints.empty() ? english::kFindingStop
                                                                  : english::kBreakpointStop))};
}

}  // namespace

EventAnswer find_stop(const record::Recording& recording, const StopQuestion& q,
                      const std::atomic<bool>* cancel) {
  StopFinder finder(recording, q);
  if (const auto mistake = finder.read_conditions()) {
    return {.sentence = *mistake};
  }
  EventAnswer trouble = next_trouble(recording, q);
  const bool forward = q.direction > 0;
  const auto is_beyond = [&](std::uint64_t first, std::uint64_t last) {
    return forward ? first > trouble.stop : last < trouble.stop;
  };
  const bool found = !q.breakpoints.empty() &&
                     search_windows(recording, q.from, q.direction, cancel,
                                    [&](std::uint64_t first, std::uint64_t last) {
                                      return is_beyond(first, last) || finder.look(first, last);
                                    });
  if (cancel != nullptr && *cancel) {
    return {};
  }
  const EventAnswer& stop = finder.answer();
  const bool is_wrong = found && !stop.found && !stop.sentence.empty();
  const bool is_first =
      stop.found && (forward ? stop.stop <= trouble.stop : stop.stop >= trouble.stop);
  return found && (is_wrong || is_first) ? stop : trouble;
}

std::optional<Error> condition_mistake(const simt::Program& program, const std::string& condition) {
  const auto expression = ThreadExpression::parse(condition);
  return expression ? expression->mistake(program) : std::optional(expression.error());
}

}  // namespace tilestep::insight
