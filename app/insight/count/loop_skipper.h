// Executes one block under a proof (affine_tracker.h), and leaves out iterations of its loops.
//
// A kernel's loop over K does the same thousands of times. When all running warps of the block have
// come round to the head of a loop a few times, and from one time to the next every integer
// register has grown by the same amount, one more iteration is executed with the number of the
// iteration as a further axis: registers begin with a form that grows by that amount along it. At
// the head again, it is an induction step if each register has grown by its amount and kept its
// form. Then the iteration stands for as many as its conditions allow (comparisons that come out
// the same, addresses inside their buffers); they are counted at once, and the registers are set to
// where the last of them leaves them. Otherwise it was an iteration like any other.
//
// Registers that nobody reads any more are left out (ptx::Liveness); where lanes of a warp are
// elsewhere than its others, none are.
//
// Several rounds of a loop may make one iteration (buffers that take turns). Short ones are tried
// first: two stages of three also look like steady growth. Growth is believed when it is seen once
// if it is what another block's induction had.
//
// Warps with roles have loops of their own, and wait for each other at mbarriers. Where a kernel
// does that, its warps meet each at its own head, and an iteration must leave every mbarrier, and
// what bulk copies under way will arrive at, as it was. A loop that only asks an mbarrier is none
// to meet at: whoever waits there is asked again until nobody else comes on.
//
// Memory is not followed: values that come from it are "not known", and the proof has shown that
// nothing depends on them. So tensor cores need not compute.
#pragma once

#include "insight/count/affine_tracker.h"
#include "insight/count/block_meter.h"
#include "ptx/model/control_flow.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::insight {

// Where a running warp stands at the head of a loop.
struct LoopPlace {
  std::uint32_t warp = 0;
  std::uint32_t active = 0;
  std::uint32_t live = 0;

  friend bool operator==(const LoopPlace&, const LoopPlace&) = default;
};

// Where warps meet: the head, if it is one and the same; otherwise each warp's (ptx::kNoPc: none).
using MeetingPlace = std::vector<std::uint32_t>;

// An iteration that was an induction step.
struct ProvedIteration {
  std::size_t period = 0;  // visits of the head that make one iteration
  std::vector<LoopPlace> places;
  std::vector<std::uint64_t> growth;  // by place, register and lane
};

// What was found out about loops, by where warps meet: the fewest rounds that may make one
// iteration, and the induction of a block that was executed before.
class LoopPeriods {
 public:
  [[nodiscard]] std::size_t least(const MeetingPlace& head) const {
    const auto known = least_.find(head);
    return known == least_.end() ? 1 : known->second;
  }
  void raise(const MeetingPlace& head, std::size_t least);
  // False: nothing new.
  bool learn(const LoopPeriods& others);

  // Null: none.
  [[nodiscard]] const ProvedIteration* proved(const MeetingPlace& head) const {
    const auto known = proved_.find(head);
    return known == proved_.end() ? nullptr : known->second.get();
  }
  void prove(const MeetingPlace& head, ProvedIteration iteration) {
    proved_[head] = std::make_shared<const ProvedIteration>(std::move(iteration));
  }
  void learn_proved(const LoopPeriods& others) { proved_ = others.proved_; }

 private:
  std::map<MeetingPlace, std::size_t> least_;
  std::map<MeetingPlace, std::shared_ptr<const ProvedIteration>> proved_;  // they are large
};

class LoopSkipper {
 public:
  // `machine` runs `block` alone, and `tracker` watches it and counts by `meter`.
  LoopSkipper(simt::Machine& machine, AffineTracker& tracker, BlockMeter& meter,
              std::uint32_t block, const LoopPeriods& periods);

  // To the end of the block, or until `stop` says true. False: it waits for another block, or for
  // ever.
  bool to_end(const std::function<bool()>& stop);
  // Warp instructions that were executed.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // Without the periods that were no induction. Having tried them may be why a proof has failed:
  // what grows along the iterations may be "not known" where a plain execution knows it.
  [[nodiscard]] const LoopPeriods& periods() const { return periods_; }

 private:
  using Place = LoopPlace;
  // All warps that are at a head: places, and values by place, register and lane.
  struct Visit {
    std::vector<Place> places;
    std::vector<const std::vector<ptx::Register>*> registers;  // by place
    std::vector<std::uint64_t> values;
    std::vector<std::uint64_t> waits;  // mbarriers, and those that bulk copies will arrive at
  };
  struct Head {
    std::deque<Visit> visits;
    bool is_hopeless = false;
  };
  // An iteration that is executed for many.
  struct Iteration {
    MeetingPlace head;
    std::size_t period = 1;  // visits of the head that make one iteration
    std::size_t visits = 0;
    Visit start;
    std::vector<std::uint64_t> growth;  // as Visit::values
    std::vector<Form> forms;            // likewise; of the start
    std::vector<bool> moved;            // by warp
  };

  [[nodiscard]] bool run_to_head(std::uint32_t warp, const std::function<bool()>& stop);
  [[nodiscard]] bool ask_again(const std::function<bool()>& stop);
  void meet_at_heads();
  [[nodiscard]] std::optional<MeetingPlace> meeting_place() const;
  [[nodiscard]] const std::vector<ptx::Register>& live_at(std::uint32_t pc);
  [[nodiscard]] Visit visit();
  [[nodiscard]] std::vector<std::uint64_t> waits() const;
  void note_visit(const MeetingPlace& at);
  [[nodiscard]] bool is_steady(const Head& head, std::size_t period) const;
  [[nodiscard]] bool grows_as(const Head& head, const ProvedIteration& proved) const;
  void begin(const MeetingPlace& place, std::size_t period);
  void end(const Visit& now);
  void end_alone();
  void give_up_period();
  [[nodiscard]] bool is_induction_step(const Visit& now) const;
  void skip(const Visit& now, std::uint64_t iterations);
  template <class F>
  static void for_each_value(const Visit& visit, F&& f);
  template <class F>
  [[nodiscard]] static bool all_values(const Visit& visit, F&& holds);

  simt::Machine& machine_;
  AffineTracker& tracker_;
  BlockMeter& meter_;
  std::uint32_t block_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<bool> loop_heads_;     // by pc of the kernel
  std::vector<bool> waiting_heads_;  // likewise: of those, loops that only ask an mbarrier
  std::size_t longest_period_ = 0;
  std::vector<ptx::Register> registers_;  // of the kernel's own frame
  ptx::Liveness liveness_;
  std::vector<std::optional<std::uint32_t>> paused_;          // by warp: the head it waits at
  std::map<std::uint32_t, std::vector<ptx::Register>> live_;  // by pc: read there or later
  std::map<MeetingPlace, Head> heads_;
  LoopPeriods periods_;
  std::optional<Iteration> iteration_;
  BlockMeter iteration_meter_;
};

}  // namespace tilestep::insight
