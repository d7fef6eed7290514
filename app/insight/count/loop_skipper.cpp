#include "insight/count/loop_skipper.h"

#include "simt/state/event.h"

#include <algorithm>
#include <cstring>

namespace tilestep::insight {
namespace {

// An iteration may be several rounds of the loop: as many as there are alternating buffers, and
// twice as many if the parity of an mbarrier's phase has to repeat too.
constexpr std::size_t kLongestPeriod = 4;
constexpr std::size_t kLongestWithMbarriers = 12;
// Steps of a warp between calls of `stop`.
constexpr std::uint64_t kSlice = 1 << 9;

std::uint32_t register_bits(const ptx::Register& reg) {
  return reg.cls == ptx::RegisterClass::B64 ? 64 : reg.cls == ptx::RegisterClass::B16 ? 16 : 32;
}

std::uint64_t within(std::uint64_t value, const ptx::Register& reg) {
  return static_cast<std::uint64_t>(wrap(value, register_bits(reg)));
}

std::vector<bool> loop_heads_of(const ptx::Function& function) {
  std::vector<bool> heads(function.instructions.size());
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const ptx::Instruction& instruction = function.instructions[pc];
    if (instruction.op == ptx::Opcode::Bra && instruction.target <= pc) {
      heads[instruction.target] = true;
    }
  }
  return heads;
}

// Innermost loops that only ask whether a phase of an mbarrier is over.
std::vector<bool> waiting_heads_of(const ptx::Function& function) {
  std::vector<bool> heads(function.instructions.size());
  std::optional<std::uint32_t> question;
  std::uint32_t last_back = 0;  // after the last backward branch
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const ptx::Instruction& instruction = function.instructions[pc];
    if (instruction.op == ptx::Opcode::Mbarrier && ptx::asks_mbarrier(instruction.mode)) {
      question = pc;
    } else if (instruction.op == ptx::Opcode::Bra && instruction.target <= pc) {
      heads[instruction.target] =
          heads[instruction.target] ||
          (question && instruction.target <= *question && instruction.target >= last_back);
      last_back = pc + 1;
    }
  }
  return heads;
}

// Integers only: 128-bit registers are excluded.
std::vector<ptx::Register> followed(std::vector<ptx::Register> registers) {
  std::erase_if(registers,
                [](const ptx::Register& reg) { return reg.cls == ptx::RegisterClass::B128; });
  return registers;
}

}  // namespace

void LoopPeriods::raise(const MeetingPlace& head, std::size_t least) {
  least_[head] = std::max(least, this->least(head));
}

bool LoopPeriods::learn(const LoopPeriods& others) {
  bool learnt = false;
  for (const auto& [head, least] : others.least_) {
    learnt = learnt || least > this->least(head);
    raise(head, least);
  }
  return learnt;
}

LoopSkipper::LoopSkipper(simt::Machine& machine, AffineTracker& tracker, BlockMeter& meter,
                         std::uint32_t block, const LoopPeriods& periods)
    : machine_(machine),
      tracker_(tracker),
      meter_(meter),
      block_(block),
      loop_heads_(loop_heads_of(machine.program().entry())),
      waiting_heads_(waiting_heads_of(machine.program().entry())),
      longest_period_(std::ranges::count(waiting_heads_, true) != 0 ? kLongestWithMbarriers
                                                                    : kLongestPeriod),
      registers_(followed(machine.program().entry().registers)),
      liveness_(machine.program().entry()),
      paused_(machine.program().warps_per_block()),
      periods_(periods),
      iteration_meter_(machine.program()) {
  for (std::uint32_t pc = 0; pc < loop_heads_.size(); ++pc) {
    loop_heads_[pc] = loop_heads_[pc] && periods_.least({pc}) <= longest_period_;
  }
  machine_.leave_out_products();
}

bool LoopSkipper::to_end(const std::function<bool()>& stop) {
  bool moved = true;
  while (moved && !stop()) {
    moved = false;
    for (std::uint32_t warp = 0; warp < paused_.size(); ++warp) {
      moved = run_to_head(warp, stop) || moved;
    }
    if (!moved && !stop() &&
        std::ranges::any_of(paused_, [](const auto& head) { return head.has_value(); })) {
      if (!ask_again(stop)) {
        meet_at_heads();
      }
      moved = true;
    }
  }
  if (iteration_) {
    end_alone();
  }
  if (stop() || machine_.block_status(block_) != simt::BlockStatus::Running) {
    return true;
  }
  machine_.stop_deadlocked(block_, &tracker_);
  return false;
}

bool LoopSkipper::run_to_head(std::uint32_t warp, const std::function<bool()>& stop) {
  const simt::WarpId id{block_, warp};
  const std::uint64_t before = steps_;
  simt::WarpView view = machine_.warp(id);
  while (!paused_[warp] && view.status == simt::WarpStatus::Ready && !stop()) {
    steps_ += machine_.run_to(id, loop_heads_, kSlice, tracker_);
    view = machine_.warp(id);
    if (view.status == simt::WarpStatus::Ready && view.frame == 0 && loop_heads_[view.pc]) {
      paused_[warp] = view.pc;
    }
  }
  if (iteration_ && steps_ != before) {
    iteration_->moved[warp] = true;
  }
  return steps_ != before;
}

// Whether a warp that waits for a phase has advanced.
bool LoopSkipper::ask_again(const std::function<bool()>& stop) {
  bool came_on = false;
  for (std::uint32_t warp = 0; warp < paused_.size(); ++warp) {
    const std::optional<std::uint32_t> before = paused_[warp];
    if (before && waiting_heads_[*before]) {
      paused_[warp].reset();
      (void)run_to_head(warp, stop);
      came_on = came_on || paused_[warp] != before;
    }
  }
  return came_on;
}

// The other warps need those that are paused. Warps that wait for a phase are asked afterwards.
void LoopSkipper::meet_at_heads() {
  if (const std::optional<MeetingPlace> at = meeting_place()) {
    note_visit(*at);
  }
  const auto only_asks = [&](const auto& at) { return !at || waiting_heads_[*at]; };
  const bool all_ask = std::ranges::all_of(paused_, only_asks);
  for (std::optional<std::uint32_t>& at : paused_) {
    if (all_ask || !only_asks(at)) {
      at.reset();
    }
  }
}

// Empty: no iteration can begin here.
std::optional<MeetingPlace> LoopSkipper::meeting_place() const {
  MeetingPlace each(paused_.size(), ptx::kNoPc);
  std::optional<std::uint32_t> first;
  bool is_one = true;
  bool only_waits = true;
  for (std::size_t warp = 0; warp < paused_.size(); ++warp) {
    if (const std::optional<std::uint32_t>& at = paused_[warp]) {
      each[warp] = *at;
      is_one = is_one && (!first || *at == *first);
      only_waits = only_waits && waiting_heads_[*at];
      first = at;
    }
  }
  if (is_one) {
    return only_waits ? std::nullopt : std::optional(MeetingPlace{*first});
  }
  const bool have_roles = longest_period_ == kLongestWithMbarriers;
  return have_roles && !only_waits ? std::optional(std::move(each)) : std::nullopt;
}

const std::vector<ptx::Register>& LoopSkipper::live_at(std::uint32_t pc) {
  const auto [place, is_new] = live_.try_emplace(pc);
  if (is_new) {
    place->second = followed(liveness_.at(pc));
  }
  return place->second;
}

template <class F>
void LoopSkipper::for_each_value(const Visit& visit, F&& f) {
  std::size_t at = 0;
  for (std::size_t n = 0; n < visit.places.size(); ++n) {
    const Place& place = visit.places[n];
    for (const ptx::Register& reg : *visit.registers[n]) {
      for (std::uint32_t lane = 0; lane < simt::kWarpSize; ++lane, ++at) {
        if ((place.live >> lane & 1U) != 0) {
          f(at, place.warp, reg, lane);
        }
      }
    }
  }
}

template <class F>
bool LoopSkipper::all_values(const Visit& visit, F&& holds) {
  bool all = true;
  for_each_value(visit, [&](std::size_t at, std::uint32_t warp, const ptx::Register& reg,
                            std::uint32_t lane) { all = all && holds(at, warp, reg, lane); });
  return all;
}

LoopSkipper::Visit LoopSkipper::visit() {
  Visit visit;
  std::size_t registers = 0;
  for (std::uint32_t warp = 0; warp < paused_.size(); ++warp) {
    if (paused_[warp]) {
      const simt::WarpView view = machine_.warp({block_, warp});
      visit.places.push_back({warp, view.active, view.live});
      const bool is_apart = view.active != view.live;
      visit.registers.push_back(is_apart ? &registers_ : &live_at(*paused_[warp]));
      registers += visit.registers.back()->size();
    }
  }
  visit.waits = waits();
  visit.values.resize(registers * simt::kWarpSize);
  std::array<std::uint64_t, simt::kWarpSize> row{};
  const ptx::Register* of = nullptr;
  std::uint32_t of_warp = 0;
  for_each_value(
      visit, [&](std::size_t at, std::uint32_t warp, const ptx::Register& reg, std::uint32_t lane) {
        if (of != &reg || of_warp != warp) {
          row = machine_.register_row({block_, warp}, reg, 0);
          of = &reg;
          of_warp = warp;
        }
        if (tracker_.form_of(warp, reg, lane).known) {
          visit.values[at] = within(row[lane], reg);
        }
      });
  return visit;
}

std::vector<std::uint64_t> LoopSkipper::waits() const {
  std::vector<std::uint64_t> waits = machine_.bulk_copies(block_);
  for (const std::uint64_t mbarrier : tracker_.mbarriers()) {
    std::uint64_t state = 0;
    if (const auto bytes = machine_.read(block_, 0, mbarrier, sizeof state)) {
      std::memcpy(&state, bytes->data(), sizeof state);
    }
    waits.push_back(state);
  }
  return waits;
}

void LoopSkipper::note_visit(const MeetingPlace& at) {
  if (iteration_) {
    if (at != iteration_->head) {
      return;
    }
    const Visit now = visit();
    if (now.places != iteration_->start.places) {
      end_alone();
    } else if (++iteration_->visits == iteration_->period) {
      end(now);
    }
    return;
  }
  Head& head = heads_[at];
  if (head.is_hopeless) {
    return;
  }
  head.visits.push_back(visit());
  if (head.visits.size() > 2 * longest_period_ + 1) {
    head.visits.pop_front();
  }
  if (const ProvedIteration* proved = periods_.proved(at);
      proved != nullptr && grows_as(head, *proved)) {
    begin(at, proved->period);
    return;
  }
  for (std::size_t period = periods_.least(at); period <= longest_period_; ++period) {
    if (is_steady(head, period)) {
      begin(at, period);
      return;
    }
  }
}

// Whether registers have grown by the same amount twice.
bool LoopSkipper::is_steady(const Head& head, std::size_t period) const {
  if (head.visits.size() < 2 * period + 1 || tracker_.knows_local_memory()) {
    return false;
  }
  const Visit& last = head.visits.back();
  const Visit& before = head.visits[head.visits.size() - 1 - period];
  const Visit& first = head.visits[head.visits.size() - 1 - 2 * period];
  if (last.places != before.places || before.places != first.places || last.waits != before.waits) {
    return false;
  }
  return all_values(last, [&](std::size_t at, std::uint32_t, const ptx::Register& reg,
                              std::uint32_t) {
    const std::uint64_t growth = within(last.values[at] - before.values[at], reg);
    const bool is_flag = reg.cls == ptx::RegisterClass::Pred;
    return growth == within(before.values[at] - first.values[at], reg) && (!is_flag || growth == 0);
  });
}

bool LoopSkipper::grows_as(const Head& head, const ProvedIteration& proved) const {
  if (head.visits.size() <= proved.period || tracker_.knows_local_memory()) {
    return false;
  }
  const Visit& last = head.visits.back();
  const Visit& before = head.visits[head.visits.size() - 1 - proved.period];
  if (last.places != proved.places || before.places != proved.places ||
      last.waits != before.waits || last.values.size() != proved.growth.size() ||
      before.values.size() != last.values.size()) {
    return false;
  }
  return all_values(last,
                    [&](std::size_t at, std::uint32_t, const ptx::Register& reg, std::uint32_t) {
                      return within(last.values[at] - before.values[at], reg) == proved.growth[at];
                    });
}

void LoopSkipper::begin(const MeetingPlace& place, std::size_t period) {
  Head& head = heads_[place];
  const Visit& before = head.visits[head.visits.size() - 1 - period];
  Iteration iteration;
  iteration.head = place;
  iteration.period = period;
  iteration.start = head.visits.back();
  iteration.growth.resize(iteration.start.values.size());
  iteration.forms.resize(iteration.start.values.size());
  iteration.moved.resize(paused_.size());
  iteration_meter_.clear();
  tracker_.begin_iteration(iteration_meter_);
  for_each_value(iteration.start, [&](std::size_t at, std::uint32_t warp, const ptx::Register& reg,
                                      std::uint32_t lane) {
    Form form = tracker_.form_of(warp, reg, lane);
    if (form.known) {
      iteration.growth[at] = within(iteration.start.values[at] - before.values[at], reg);
      form.per_block[kIterations] = static_cast<std::int64_t>(iteration.growth[at]);
      if (iteration.growth[at] != 0) {
        tracker_.change_form(warp, reg, lane, form);
      }
    }
    iteration.forms[at] = form;
  });
  iteration_ = std::move(iteration);
}

void LoopSkipper::end(const Visit& now) {
  const bool holds = is_induction_step(now);
  const std::uint32_t iterations = tracker_.end_iteration();
  tracker_.forget_iterations();
  meter_.add_iterations(iteration_meter_, holds ? iterations : 1);
  if (holds) {
    skip(now, iterations - 1);
  }
  if (!holds) {
    give_up_period();
    return;
  }
  Head& head = heads_[iteration_->head];
  head.visits.clear();
  head.is_hopeless = iterations == 1;
  periods_.prove(iteration_->head, {iteration_->period, std::move(iteration_->start.places),
                                    std::move(iteration_->growth)});
  iteration_.reset();
}

// The block did not return to the same place.
void LoopSkipper::end_alone() {
  (void)tracker_.end_iteration();
  tracker_.forget_iterations();
  meter_.add_iterations(iteration_meter_, 1);
  give_up_period();
}

void LoopSkipper::give_up_period() {
  Head& head = heads_[iteration_->head];
  head.visits.clear();
  periods_.raise(iteration_->head, iteration_->period + 1);
  head.is_hopeless = periods_.least(iteration_->head) > longest_period_;
  iteration_.reset();
}

bool LoopSkipper::is_induction_step(const Visit& now) const {
  if (tracker_.knows_local_memory() || now.waits != iteration_->start.waits) {
    return false;
  }
  std::vector<bool> may_move(paused_.size());
  for (const Place& place : now.places) {
    may_move[place.warp] = true;
  }
  for (std::size_t warp = 0; warp < paused_.size(); ++warp) {
    if (iteration_->moved[warp] && !may_move[warp]) {
      return false;
    }
  }
  return all_values(
      now, [&](std::size_t at, std::uint32_t warp, const ptx::Register& reg, std::uint32_t lane) {
        const Form& start = iteration_->forms[at];
        const bool has_grown =
            now.values[at] == within(iteration_->start.values[at] + iteration_->growth[at], reg);
        return !start.known || (has_grown && tracker_.form_of(warp, reg, lane) == start);
      });
}

void LoopSkipper::skip(const Visit& now, std::uint64_t iterations) {
  for_each_value(
      now, [&](std::size_t at, std::uint32_t warp, const ptx::Register& reg, std::uint32_t lane) {
        if (iteration_->forms[at].known && iteration_->growth[at] != 0) {
          machine_.set_register_lane({block_, warp}, reg, static_cast<int>(lane),
                                     now.values[at] + iteration_->growth[at] * iterations, 0);
        }
      });
}

}  // namespace tilestep::insight
