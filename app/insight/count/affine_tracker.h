// Proves, while one block is executed, for which other blocks the execution is the same.
//
// For every register it tracks how the value changes from block to block (block_domain.h). Branches
// and guards must have the same outcome in all blocks of the domain. Addresses of shared memory
// must be equal, and those of global memory must move by the same distance in all lanes of a
// request. The domain shrinks until all this holds. Anything that cannot be proved in this way (a
// dependence on memory contents, a fault) fails the proof with a sentence.
//
// Then every block of the domain executes the same instructions under the same masks as the watched
// one, whatever memory holds: masks, branches and addresses depend on nothing else.
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

// The forms of one register. Nearly always all lanes have the same form.
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
  // Makes the forms constant along this axis.
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
  // The carry of the last addition of 32 bits with one: its form, and its value by lane.
  FormRow carry;
  std::uint32_t carry_bits = 0;
};

// The memory contents that a proof knows: how stored values change from block to block.

// By owner (the thread of local memory, one for shared memory) and address.
class KnownMemory {
 public:
  [[nodiscard]] bool empty() const { return values_.empty(); }
  void clear() { values_.clear(); }
  // Replaces the forms of these bytes. A form that is not `known` is not kept.
  void store(std::uint32_t owner, std::uint64_t address, std::uint32_t bytes, const Form& form);
  // Not `known` if nothing was stored, or a value of another width.
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
  // A request to split an axis (BlockAxes::split), because the kernel divides along it.
  struct Split {
    std::size_t axis = 0;
    std::uint32_t period = 1;
  };

  // `machine` executes the block; it, `meter` and `axes` must outlive this object. `domain`
  // contains `block`.
  AffineTracker(const simt::Machine& machine, BlockMeter& meter, std::uint32_t block,
                const BlockAxes& axes, const BlockDomain& domain);

  // For a domain of one block, executed alone with the actual memory contents. Results of atomic
  // operations are then known in buffers to which nothing unknown was ever stored, and so is what
  // the block has stored in shared memory. This does not hold across the iterations of a loop:
  // memory lacks the stores of the skipped iterations.
  void follow_contents();

  [[nodiscard]] const BlockDomain& domain() const { return domain_; }
  // Why there is no proof; empty: there is one.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::optional<Split>& wanted_split() const { return wanted_split_; }

  // The iterations of a loop as one more axis (loop_skipper.h). After begin_iteration(), the
  // executed iteration represents many, of which it is the first, and `meter` counts it. The caller
  // sets the forms of registers with change_form().
  void begin_iteration(BlockMeter& meter);
  // Returns how many iterations it represents. Counting continues with the first meter.
  [[nodiscard]] std::uint32_t end_iteration();
  // Makes all forms constant along the axis of iterations.
  void forget_iterations();
  // For a register in the kernel's own frame.
  [[nodiscard]] const Form& form_of(std::uint32_t warp, const ptx::Register& reg, std::size_t lane);
  void change_form(std::uint32_t warp, const ptx::Register& reg, std::size_t lane,
                   const Form& form);
  // Shared-memory addresses of the mbarriers initialized so far, in order.
  [[nodiscard]] const std::set<std::uint64_t>& mbarriers() const { return mbarriers_; }
  // Whether some local memory holds values that may differ between blocks or iterations.
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
  // A value of one lane: its form, and its bits if they are known.
  struct Value {
    Form form;
    std::optional<std::uint64_t> bits;
  };

  [[nodiscard]] Site site(const simt::StepInfo& info);
  void fail(const simt::StepInfo& info, const char* what);
  void check_guard(const Site& site);
  void check_control(const Site& site);
  void begin_load(const Site& site);
  void fill_loaded(const Form& form);  // all lanes of the loaded values
  void assign(const Site& site);
  void set(const Site& site, std::uint32_t dest, const Form& form, std::uint32_t mask);
  void set_all_dests(const Site& site, const Form& form);

  [[nodiscard]] Form form(const Site& site, const ptx::Operand& operand, std::size_t lane) const;
  // Whether all lanes have the same form of the operand (or of each operand).
  [[nodiscard]] bool is_uniform(const Site& site, const ptx::Operand& operand) const;
  [[nodiscard]] bool is_uniform(const Site& site) const;
  [[nodiscard]] bool all_constant(const Site& site, std::uint32_t mask) const;
  [[nodiscard]] Value value(const Site& site, std::uint32_t n, std::size_t lane,
                            std::uint32_t bits) const;
  [[nodiscard]] bool is_constant(const Value& value) const;

  // The TMA unit and the tensor cores (affine_tracker_units.cpp).
  void start_copies(const Site& site);
  void keep_constant(const Site& site, const ptx::Operand& operand, const char* otherwise);
  void keep_mbarrier(const Site& site);
  void on_unit(const simt::StepInfo& info, const simt::MemoryEvent& event);
  [[nodiscard]] std::optional<Form> box_form(const Site& site, std::size_t lane);
  void keep_box(const Value& first, std::uint32_t box, std::uint32_t size);

  // Sums with carries, and 64 bits as two words: an address in machine code. They are linear where
  // the low word does not wrap, so the domain is reduced to blocks in which it does not.
  void add_with_carry(const Site& site);
  void unpack(const Site& site);
  [[nodiscard]] Form packed(const Site& site, std::size_t lane);

  // How the instruction's result depends on the block, for one lane (affine_tracker_rules.cpp).
  // Without a rule, the result of operands that change is unknown.
  [[nodiscard]] static bool has_rule(const ptx::Instruction& instruction);
  [[nodiscard]] Form result(const Site& site, std::size_t lane);
  [[nodiscard]] Form multiply(const Site& site, std::size_t lane);
  [[nodiscard]] Form bitwise(const Site& site, std::size_t lane);
  [[nodiscard]] Form shift(const Site& site, std::size_t lane);
  [[nodiscard]] Form divide(const Site& site, std::size_t lane);
  [[nodiscard]] Form convert(const Site& site, std::size_t lane);
  [[nodiscard]] Form choose(const Site& site, std::size_t lane);
  [[nodiscard]] Form compare(const Site& site, std::size_t lane);
  // Keeps the blocks in which `difference compare 0` has the same outcome.
  void keep_outcome(ptx::Compare compare, Wide difference, const Form& form);
  // Division of a nonnegative number by a constant, for all blocks of the domain.
  struct Division {
    Form quotient, remainder;
  };
  [[nodiscard]] std::optional<Division> division(const Value& value, std::uint64_t divisor,
                                                 std::uint32_t bits, bool is_signed);
  // The value as an integer, for all blocks; empty if it is unknown.
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
  // Whether every value that is stored, or passed to an atomic operation, is constant.
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
  KnownMemory shared_;             // followed contents
  std::vector<bool> has_unknown_;  // by allocation, for followed contents
  // Forms of the running instruction by dest: the first loaded_count_ of them, and of these the
  // lanes of loaded_mask_. The array is large and mostly unused, so it is kept from one instruction
  // to the next.
  std::vector<std::array<Form, simt::kWarpSize>> loaded_;
  std::uint32_t loaded_count_ = 0;
  std::set<std::uint64_t> mbarriers_;
  Form box_moves_;  // of the bulk copy that is being reported
  std::uint32_t loaded_mask_ = 0;
  std::string failure_;
  std::optional<Split> wanted_split_;
};

}  // namespace tilestep::insight
