// Turns a module's instructions into Bound ones: chooses executors and resolves operands to places.
#pragma once

#include "simt/exec/isa.h"
#include "simt/state/bound.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::simt {

// Rows of 32 equal values; equal rows are shared.
class ConstantPool {
 public:
  [[nodiscard]] Slot word(std::uint32_t value) { return row(value, 4); }
  [[nodiscard]] Slot long_word(std::uint64_t value) { return row(value, 8); }
  // Consecutive words (interleaved, like any parameter area).
  [[nodiscard]] Slot words(const std::vector<std::byte>& bytes);
  // %laneid and its masks: 32 different values.
  [[nodiscard]] Slot lanes(const std::vector<std::uint32_t>& values);
  [[nodiscard]] AlignedBuffer take() const;

 private:
  [[nodiscard]] Slot row(std::uint64_t value, std::uint32_t bytes);
  [[nodiscard]] Slot append(std::size_t bytes);

  std::vector<std::byte> bytes_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Slot> known_;
};

// Lets sums use products unrounded, as optimized code does (bind_fused.cpp).
void contract(BoundFunction& function, const ptx::Function& source, const Isa& isa);
// Sets Bound::swift: sequences that are executed in one pass, or once per warp.
void fuse(BoundFunction& function, const ptx::Function& source, const Isa& isa);
void chain_products(BoundFunction& function, const Isa& isa);  // after fuse()
void settle(BoundFunction& function, const ptx::Function& source);

class Binder {
 public:
  Binder(ProgramData& program, const Isa& isa);
  void bind_function(std::uint32_t function);
  void finish();  // after the last function

 private:
  struct Operation;  // an instruction being bound

  void bind_instruction(std::uint32_t pc);
  [[nodiscard]] bool bind_operation(Operation& o);
  [[nodiscard]] bool bind_lanes(Operation& o, const LaneExecutor& executor);
  [[nodiscard]] bool bind_control(Operation& o);
  [[nodiscard]] bool bind_barrier(Operation& o);
  [[nodiscard]] bool bind_hint(Operation& o);
  [[nodiscard]] bool bind_access(Operation& o);
  // Parameters and local variables by name: rows of words, without an address.
  struct NamedRows {
    Slot first;
    std::uint64_t byte = 0;  // offset in the named variable
    bool is_constant = false;
  };
  [[nodiscard]] std::optional<NamedRows> named_rows(const Operation& o,
                                                    const ptx::Operand& address) const;
  [[nodiscard]] static bool bind_named(Operation& o, const NamedRows& rows, std::int64_t offset,
                                       std::uint32_t bytes);
  [[nodiscard]] bool bind_elements(Operation& o, std::uint32_t first, std::uint32_t count,
                                   std::uint32_t bytes);
  [[nodiscard]] bool bind_address(Operation& o, const ptx::Operand& operand);
  [[nodiscard]] bool bind_atomic(Operation& o);
  [[nodiscard]] bool bind_atomic_vector(Operation& o);
  [[nodiscard]] bool bind_move(Operation& o);
  [[nodiscard]] bool bind_pack(Operation& o);
  [[nodiscard]] bool bind_address_of(Operation& o);
  [[nodiscard]] bool bind_cvta(Operation& o);
  [[nodiscard]] bool bind_cluster(Operation& o);
  [[nodiscard]] bool bind_convert(Operation& o);
  [[nodiscard]] bool bind_predicate_logic(Operation& o);
  [[nodiscard]] bool bind_warp(Operation& o);
  [[nodiscard]] bool bind_lane_address(const ptx::Operand& operand, AddressOperand& address);
  [[nodiscard]] bool bind_async(Operation& o);
  [[nodiscard]] bool bind_mbarrier(Operation& o);
  [[nodiscard]] bool bind_bulk(Operation& o);
  [[nodiscard]] bool bind_warpgroup(Operation& o);
  [[nodiscard]] bool bind_matrix(Operation& o);
  [[nodiscard]] bool bind_arithmetic(Operation& o);
  void add_guard(Operation& o);
  void widen_address(Operation& o, const ptx::Operand& address);

  // A place for an operand of `bytes` per lane (1: predicate); empty if it does not fit.
  [[nodiscard]] std::optional<Slot> slot(const ptx::Operand& operand, std::uint32_t bytes);
  [[nodiscard]] std::optional<Slot> special(std::uint32_t which, std::uint32_t bytes);
  [[nodiscard]] Slot register_slot(ptx::Register reg) const;
  void share_addresses(BoundFunction& function, const ptx::Function& source) const;
  Detail& detail(Operation& o);

  ProgramData& program_;
  const Isa& isa_;
  ConstantPool constants_;
  Slot param_rows_;
  std::uint32_t function_ = 0;
};

// Control flow around an instruction, for analyses of a whole function when it is bound.

// Whether the next instruction always follows, for the same lanes, whatever this one computes.
[[nodiscard]] bool goes_straight_on(const ptx::Instruction& i);

// Instructions that control may reach from elsewhere than from the previous instruction: by pc,
// with one more entry.
[[nodiscard]] std::vector<bool> entrances(const ptx::Function& source);

// An instruction during its conversion from ptx::Instruction to Bound.

struct Binder::Operation {
  const ptx::Instruction& instruction;
  Bound& bound;
  const ptx::Function& function;
  std::unique_ptr<Detail> detail;

  [[nodiscard]] const ptx::Operand& operand(std::uint32_t k) const {
    return function.operands[instruction.first_operand + k];
  }
  [[nodiscard]] std::uint32_t count() const { return instruction.operand_count; }
  void run(Executor executor) { bound.run = every(executor); }
  void run(const LaneExecutor& executor) {
    bound.run = {executor.run[0], executor.run[1], executor.run[0], executor.run[1]};
  }
};

}  // namespace tilestep::simt
