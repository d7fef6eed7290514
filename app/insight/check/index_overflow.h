// Integer overflow in an index: a 32-bit result that wrapped around, widened to 64 bits and used in
// an address.
//
// Besides its value, every 32-bit register has the value that exact arithmetic would give, kept
// only if the two differ. Add, sub, mul, mad, shl and neg propagate the difference and drop it if
// it cancels out. Widening (cvt, mul.wide, mad.wide) distinguishes signed from unsigned; there a
// difference becomes a mark that follows the address. All other operations on a wrapped value (and,
// or, shr, rem, min …) are taken as intended wrapping, as in hashes. Their results are never
// reported, and neither are values that passed through memory or a function's parameters.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/watchers.h"
#include "insight/shadow.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilestep::insight {

class IndexOverflow final : public simt::Observer {
 public:
  // `machine` executes the launch; it must outlive this object.
  explicit IndexOverflow(const simt::Machine& machine);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo&) override { ++step_; }
  void on_block_end(std::uint32_t block) override;

  [[nodiscard]] std::vector<Finding> findings() const;  // one for each pair of source lines

 private:
  // The operation that wrapped first.
  struct Origin {
    ptx::Opcode op = ptx::Opcode::Unknown;
    std::uint32_t line = 0;
    std::uint64_t step = 0;
    std::array<std::int32_t, 3> operands{};
    std::int64_t as_signed = 0;  // exact results
    std::int64_t as_unsigned = 0;
    std::uint32_t held = 0;  // result that it held
    friend bool operator==(const Origin&, const Origin&) = default;
  };
  // Exact value − value held, read as a signed and as an unsigned number.
  struct Wrapped {
    std::int64_t as_signed = 0;
    std::int64_t as_unsigned = 0;
    bool on_purpose = false;   // wrapped once, then used as bits: never reported
    bool is_unsigned = false;  // of a 64-bit register: how it was widened
    Origin origin;
    [[nodiscard]] bool is_exact() const {
      return as_signed == 0 && as_unsigned == 0 && !on_purpose;
    }
  };
  // An operand of one lane: the bits it holds and how they differ from the exact value.
  struct Value {
    std::uint32_t held = 0;
    bool is_negative_constant = false;
    Wrapped wrapped;
  };
  __extension__ using Wide = __int128;
  struct Exact {
    Wide as_signed = 0;
    Wide as_unsigned = 0;
  };
  using Step = ShadowStep<SparseRegisters<Wrapped>>;

  void calculate(const Step& step);
  void widen(const Step& step);
  void carry(const Step& step);
  void spoil(const Step& step);
  void use_address(const Step& step);
  [[nodiscard]] std::optional<Value> value(const Step& step, std::uint32_t source, int lane) const;
  [[nodiscard]] Wrapped wrapped(const Step& step, const ptx::Operand& operand, int lane) const;
  void set(const Step& step, int lane, const Wrapped& wrapped);
  [[nodiscard]] Origin origin(const Step& step, const Exact& exact, std::uint32_t held,
                              const std::vector<Value>& operands) const;
  void report(const Step& step, int lane, const Wrapped& address);
  [[nodiscard]] Party party(const simt::StepInfo& info, int lane, std::uint32_t line,
                            std::uint64_t step) const;
  static Exact exact(ptx::Opcode op, const std::vector<Value>& operands);
  static std::uint32_t held(ptx::Opcode op, const std::vector<Value>& operands);

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  SparseWarps<Wrapped> warps_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Finding> findings_;  // by lines
};

}  // namespace tilestep::insight
