// One PTX instruction on many lanes, from text: the machine's results for given operand bits.
//
// The instruction is executed for all lanes, under a guard, and after a divergent branch, on every
// instruction set of the host. All must agree, and in inactive lanes the destination must not
// change.
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::simt {

// Parses PTX and wraps its only kernel; parameters are given as 64-bit words. Throws on bad PTX.
[[nodiscard]] std::shared_ptr<const Program> program_of(
    const std::string& ptx, problem::Dim3 grid, problem::Dim3 block,
    const std::vector<std::vector<std::byte>>& buffers,
    const std::vector<std::uint64_t>& scalars = {}, int warp_size = kWarpSize,
    const Isa* isa = nullptr, std::uint32_t dynamic_shared_bytes = 0);

// "add.s32 $d, $a, $b;": destination and sources by name ($a … $d, predicates $p …); widths of
// their registers in bits, 1: a predicate.
struct LaneInstruction {
  std::string text;
  int dest_bits = 32;
  std::vector<int> source_bits = {32, 32};
};

// sources[k][lane]: operand bits. Fails the running test if the ways to execute disagree.
[[nodiscard]] std::vector<std::uint64_t> execute_lanes(
    const LaneInstruction& instruction, const std::vector<std::vector<std::uint64_t>>& sources);

// The same for several instructions in braces, which no guard covers as a whole: all lanes only.
[[nodiscard]] std::vector<std::uint64_t> execute_sequence(
    const LaneInstruction& instruction, const std::vector<std::vector<std::uint64_t>>& sources);

// Deterministic operand bits: special values of the width first in all pairs, then random ones.
class OperandBits {
 public:
  explicit OperandBits(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next();
  // `count` combinations for each of `bits.size()` operands.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> combinations(
      const std::vector<std::vector<std::uint64_t>>& special, const std::vector<int>& bits,
      std::size_t count);

 private:
  std::uint64_t state_;
};

[[nodiscard]] std::vector<std::uint64_t> special_integers(int bits);
[[nodiscard]] std::vector<std::uint64_t> special_floats();   // binary32 bits
[[nodiscard]] std::vector<std::uint64_t> special_doubles();  // binary64 bits

}  // namespace tilestep::simt
