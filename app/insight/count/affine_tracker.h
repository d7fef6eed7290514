// Proves, while one block is executed, for which other blocks the execution is the same.
//
// For every register it knows how the value changes from block to block (block_domain.h). Branches
// and guards must come out the same for all blocks of the domain, addresses of shared memory must
// be the same, and those of global memory must move by as much in all lanes of a request; the
// domain shrinks until they do. What cannot be shown this way (anything that depends on memory
// contents, a fault) fails the proof with a sentence.
//
// Then every block of the domain executes the same instructions under the same masks as the one
// that was watched, whatever memory holds: masks, branches and addresses depend on nothing else.
#pragma once

#include "insight/count/block_domain.h"
#include "insight/count/block_meter.h"
#include "insight/count/profile.h"
#include "insight/shadow.h"
#include "ptx/model/module.h"
#include "simt/machine/machine.h"
#include "simt/state/event.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::insight {

// The forms (block_domain.h) of a frame's registers, by lane.

// One register. Nearly always all lanes have the same form.
class FormRow {
 public:
  [[nodiscard]] bool is_uniform() const { return lanes_ == nullptr; }
  [[nodiscard]] const Form& at(std::size_t lane) const {
    return lanes_ == nullptr ? all_ : (*lanes_)[lane];
  }
  void set_all(const Form& form) {
    all_ = form;
    lanes_.reset();
  }
  void set(std::uint32_t mask, const Form& form);
  // Does not change along this axis.
  void forget(std::size_t axis);

 private:
  Form all_;
  std::unique_ptr<std::array<Form, simt::kWarpSize>> lanes_;
};

struct FormFrame {
  explicit FormFrame(const ptx::Function& function)
      : words(function.register_words + 4), predicates(function.predicate_count) {}

  [[nodiscard]] FormRow& row(const ptx::Register& reg) {
    return reg.cls == ptx::RegisterClass::Pred ? predicates[reg.index] : words[reg.index];
  }

  std::vector<FormRow> words;  // by a register's first word
  std::vector<FormRow> predicates;
};

// What a proof knows of memory: how values that were stored change from block to block.

// By owner (the thread of local memory, one for shared memory) and address.
class KnownMemory {
 public:
  [[nodiscard]] bool empty() const { return values_.empty(); }
  void clear() { values_.clear(); }
  // Whatever these bytes held is forgotten; a form that is not `known` is not kept.
  void store(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes, const Form& form);
  // Not `known` where nothing was stored, or something of another width.
  [[nodiscard]] Form load(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes) const;

 private:
  struct Value {
    std::uint32_t bytes = 0;
    Form form;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Value> values_;
};

class AffineTracker final : public simt::Observer {
 public:
  // An axis that would better be taken apart (BlockAxes::split): the kernel divides along it.
  struct Split {
    std::size_t axis = 0;
    std::uint32_t period = 1;
  };

  // `machine` is the one that runs; it, `meter` and `axes` must outlive this. `domain` holds
  // `block`.
  AffineTracker(const simt::Machine& machine, BlockMeter& meter, std::uint32_t block,
                const BlockAxes& axes, const BlockDomain& domain);

  // For a domain of one block, executed alone with the contents that memory has: what an atomic
  // operation returns is known too, in buffers into which nothing unknown was ever stored, and so
  // is what the block has left in shared memory. Not across the iterations of a loop: what those
  // that are left out would have stored is not there.
  void follow_contents();

  [[nodiscard]] const BlockDomain& domain() const { return domain_; }
  // Why there is no proof; empty: there is.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::optional<Split>& wanted_split() const { return wanted_split_; }

  // The iterations of a loop as one more axis (loop_skipper.h). From begin_iteration() on, what is
  // executed stands for many iterations, of which it is the first, and is counted by `meter`. The
  // forms of registers are the caller's, by change_form().
  void begin_iteration(BlockMeter& meter);
  // How many iterations it stands for. Counts by the first meter again.
  [[nodiscard]] std::uint32_t end_iteration();
  // Nothing depends on the number of the iteration any more.
  void forget_iterations();
  // Of a register in the kernel's own frame.
  [[nodiscard]] const Form& form_of(std::uint32_t warp, const ptx::Register& reg, std::size_t lane);
  void change_form(std::uint32_t warp, const ptx::Register& reg, std::size_t lane,
                   const Form& form);
  // Addresses in shared memory of the mbarriers that were initialized so far, in order.
  [[nodiscard]] const std::set<std::uint64_t>& mbarriers() const { return mbarriers_; }
  // Some local memory holds what may differ from block to block, or from iteration to iteration.
  [[nodiscard]] bool knows_local_memory() const { return !local_.empty(); }

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override;
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override;
  void on_undefined_quotient(const simt::StepInfo& info, std::uint32_t mask) override;

 private:
  struct Warp {
    std::vector<std::optional<FormFrame>> frames;  // by the machine's numbers of calls
    std::uint32_t live = 0;
  };
  struct Site : ShadowStep<FormFrame> {
    std::uint32_t live = 0;
  };
  // A value of one lane: its form, and its bits if they can be told.
  struct Value {
    Form form;
    std::optional<std::uint64_t> bits;
  };

  [[nodiscard]] Site site(const simt::StepInfo& info);
  void fail(const simt::StepInfo& info, const char* what);
  void check_guard(const Site& site);
  void check_control(const Site& site);
  void begin_load(const Site& site);
  void fill_loaded(const Form& form);  // all lanes of what is loaded
  void assign(const Site& site);
  void set(const Site& site, std::uint32_t dest, const Form& form, std::uint32_t mask);
  void set_all_dests(const Site& site, const Form& form);

  [[nodiscard]] Form form(const Site& site, const ptx::Operand& operand, std::size_t lane) const;
  // All lanes have the same form of the operand, of each of them.
  [[nodiscard]] bool is_uniform(const Site& site, const ptx::Operand& operand) const;
  [[nodiscard]] bool is_uniform(const Site& site) const;
  [[nodiscard]] bool all_constant(const Site& site, std::uint32_t mask) const;
  [[nodiscard]] Value value(const Site& site, std::uint32_t n, std::size_t lane,
                            std::uint32_t bits) const;
  [[nodiscard]] bool is_constant(const Value& value) const;

  // The copy engine and the tensor cores (affine_tracker_units.cpp).
  void start_copies(const Site& site);
  void keep_constant(const Site& site, const ptx::Operand& operand, const char* otherwise);
  void keep_mbarrier(const Site& site);
  void on_unit(const simt::StepInfo& info, const simt::MemoryEvent& event);
  [[nodiscard]] std::optional<Form> box_form(const Site& site, std::size_t lane);
  void keep_box(const Value& first, std::uint32_t box, std::uint32_t size);

  // How the instruction's result depends on the block, for one lane (affine_tracker_rules.cpp).
  // Without a rule, the result of operands that change is not known.
  [[nodiscard]] static bool has_rule(const ptx::Instruction& instruction);
  [[nodiscard]] Form result(const Site& site, std::size_t lane);
  [[nodiscard]] Form multiply(const Site& site, std::size_t lane);
  [[nodiscard]] Form bitwise(const Site& site, std::size_t lane);
  [[nodiscard]] Form shift(const Site& site, std::size_t lane);
  [[nodiscard]] Form divide(const Site& site, std::size_t lane);
  [[nodiscard]] Form convert(const Site& site, std::size_t lane);
  [[nodiscard]] Form choose(const Site& site, std::size_t lane);
  [[nodiscard]] Form compare(const Site& site, std::size_t lane);
  // The same outcome of `difference compare 0` for all blocks.
  void keep_outcome(ptx::Compare compare, Wide difference, const Form& form);
  // By a constant, of a number that is not negative, for all blocks of the domain.
  struct Division {
    Form quotient, remainder;
  };
  [[nodiscard]] std::optional<Division> division(const Value& value, std::uint64_t divisor,
                                                 std::uint32_t bits, bool is_signed);
  // The value as an integer, for all blocks; nothing if it is not known.
  [[nodiscard]] std::optional<Wide> exact(const Value& value, std::uint32_t bits, bool is_signed);

  [[nodiscard]] std::optional<Form> address_form(const Site& site, const simt::MemoryEvent& event);
  [[nodiscard]] bool keep_shared(const simt::MemoryEvent& event, const Form& form);
  // The form of the addresses of a fault's lanes.
  [[nodiscard]] std::optional<Form> fault_form(const Site& site, const simt::FaultEvent& event);
  void keep_outside(const Site& site, const simt::FaultEvent& event);
  void keep_misaligned(const Site& site, const simt::FaultEvent& event);
  [[nodiscard]] bool keep_inside(const simt::MemoryEvent& event, const Form& form);
  void on_local(const Site& site, const simt::MemoryEvent& event);
  void follow_shared(const Site& site, const simt::MemoryEvent& event);
  void follow_global(const Site& site, const simt::MemoryEvent& event);
  // Every value that is stored, or that an atomic operation takes.
  [[nodiscard]] bool stores_constants(const Site& site, std::uint32_t mask) const;

  const simt::Machine& machine_;
  const simt::Program& program_;
  BlockMeter* meter_;
  BlockMeter* first_meter_;
  const BlockAxes& axes_;
  problem::Dim3 block_index_;
  BlockDomain domain_;
  std::vector<Warp> warps_;
  KnownMemory local_;  // by thread
  bool follows_contents_ = false;
  KnownMemory shared_;             // of the contents that are followed
  std::vector<bool> has_unknown_;  // likewise, by allocation
  // By dest, of the running instruction: the first loaded_count_ of them, and of these the lanes of
  // loaded_mask_. Kept from one instruction to the next: they are large, and mostly not looked at.
  std::vector<std::array<Form, simt::kWarpSize>> loaded_;
  std::uint32_t loaded_count_ = 0;
  std::set<std::uint64_t> mbarriers_;
  Form box_moves_;  // of the bulk copy that is being told
  std::uint32_t loaded_mask_ = 0;
  std::string failure_;
  std::optional<Split> wanted_split_;
};

}  // namespace tilestep::insight
