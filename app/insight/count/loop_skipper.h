// Executes one block under a proof (affine_tracker.h) and skips iterations of its loops.
//
// A kernel's loop over K does the same thousands of times. When all running warps of the block have
// reached the head of a loop a few times, and every integer register has grown by the same amount
// each time, one more iteration is executed with the number of the iteration as a further axis:
// registers begin with a form that grows by that amount along it. Back at the head, the iteration
// is an induction step if each register has grown by its amount and kept its form. Then it
// represents as many iterations as its conditions allow (comparisons with the same outcome,
// addresses inside their buffers). They are counted at once, and the registers get the values that
// they have after the last of them. Otherwise the iteration counts once.
//
// Registers that nobody reads any more are ignored (ptx::Liveness), but none are if lanes of a warp
// have diverged.
//
// Several rounds of a loop may form one iteration (double buffers). Short ones are tried first: two
// of three stages also look like steady growth. Growth that is seen once suffices if another
// block's induction had the same.
//
// Warps with roles have separate loops and wait for each other at mbarriers. In such a kernel each
// warp meets at its own head, and an iteration must leave every mbarrier, and the mbarriers that
// pending bulk copies will arrive at, as it was. A loop that only polls an mbarrier is no meeting
// place: a warp that waits there is asked again until no other warp advances.
//
// Memory is not followed: values from it are "not known", and the proof has shown that nothing
// depends on them. So tensor cores need not compute.
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

// A running warp at the head of a loop.
struct LoopPlace {
  std::uint32_t warp = 0;
  std::uint32_t active = 0;
  std::uint32_t live = 0;

  friend bool operator==(const LoopPlace&, const LoopPlace&) = default;
};

// Meeting place of the warps: the head if all share it; otherwise each warp's head (ptx::kNoPc:
// none).
using MeetingPlace = std::vector<std::uint32_t>;

// An iteration that was an induction step.
struct ProvedIteration {
  std::size_t period = 0;  // visits of the head that form one iteration
  std::vector<LoopPlace> places;
  std::vector<std::uint64_t> growth;  // by place, register and lane
};

// Results about loops, by meeting place: the fewest rounds that may form one iteration, and the
// induction of a block that was executed earlier.
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
  std::map<MeetingPlace, std::shared_ptr<const ProvedIteration>> proved_;  // shared because they
                                                                           // are large
};

class LoopSkipper {
 public:
  // `machine` runs `block` alone. `tracker` observes it and counts with `meter`.
  LoopSkipper(simt::Machine& machine, AffineTracker& tracker, BlockMeter& meter,
              std::uint32_t block, const LoopPeriods& periods);

  // Runs to the end of the block, or until `stop` returns true. False: the block waits for another
  // block, or forever.
  bool to_end(const std::function<bool()>& stop);
  // Executed warp instructions.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // Excludes the periods that were no induction. Trying those may be why a proof has failed: values
  // that grow along the iterations may be "not known" that a plain execution knows.
  [[nodiscard]] const LoopPeriods& periods() const { return periods_; }

 private:
  using Place = LoopPlace;
  // All warps that are at a head: their places, and values by place, register and lane.
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
    std::size_t period = 1;  // visits of the head that form one iteration
    std::size_t visits = 0;
    Visit start;
    std::vector<std::uint64_t> growth;  // like Visit::values
    std::vector<Form> forms;            // like Visit::values; at the start
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
  std::vector<bool> waiting_heads_;  // by pc of the kernel: the loops of these that only poll an
                                     // mbarrier
  std::size_t longest_period_ = 0;
  std::vector<ptx::Register> registers_;  // of the kernel's own frame
  ptx::Liveness liveness_;
  std::vector<std::optional<std::uint32_t>> paused_;          // by warp: the head it waits at
  std::map<std::uint32_t, std::vector<ptx::Register>> live_;  // by pc: registers read there or
                                                              // later
  std::map<MeetingPlace, Head> heads_;
  LoopPeriods periods_;
  std::optional<Iteration> iteration_;
  BlockMeter iteration_meter_;
};

}  // namespace tilestep::insight
